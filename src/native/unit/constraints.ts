// SPDX-License-Identifier: Apache-2.0
// Constraints of random values: Verilator before 5.026 reads them and draws values as if they were not there.

import { existsSync, readFileSync } from "node:fs";

import { NeardataError, type Issue } from "../../base/errors.ts";
import { withoutComments } from "../compile/comments.ts";

/** The first release that solves constraints. */
const firstWithConstraints = 5.026;

const constrained = /\bconstraint\s+\w+\s*\{|\brandomize\s*\([^)]*\)\s*with\s*\{/g;

/** @throws NeardataError `bad-input` with each constraint, where the release ignores them */
export function rejectConstraints(sources: readonly string[], release: number): void {
  if (release >= firstWithConstraints) return;
  const issues = sources.filter((path) => existsSync(path)).flatMap(constraintsIn);
  if (issues.length > 0) throw new NeardataError("bad-input", issues);
}

function constraintsIn(path: string): readonly Issue[] {
  const text = withoutComments(readFileSync(path, "utf8"));
  return [...text.matchAll(constrained)].map(({ index }) => ({
    where: `${path}:${text.slice(0, index).split("\n").length}`,
    message:
      "this Verilator ignores constraints of random values, which would be other values; release 5.026 solves them.",
  }));
}
