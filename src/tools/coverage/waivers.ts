// SPDX-License-Identifier: Apache-2.0
// Waived coverage with reasons. A line of the file has a place, a point and a reason, with bars
// between them:
//   rtl/ndp/ndp_descriptor.sv | default: state_d = StIdle; | No state leads here.
// `where` is a path with `*` for any part of a name; `what` is a part of the source line or of the
// point's name, `*` for all, or `bits NAME` for bits of a signal that never toggle (`*` there for any
// part of a name). A waiver without a matching point is an error, except behind a `?`: the random
// contents of registers before their reset may or may not reach such a line.

import { NeardataError, type Issue } from "../../base/errors.ts";
import type { CoveragePoint } from "./points.ts";

export interface Waiver {
  readonly at: string;
  readonly where: RegExp;
  readonly what: string;
  readonly reason: string;
  /** Whether a waiver without a matching point is permitted. */
  readonly perhaps: boolean;
}

/** @throws NeardataError `bad-input` with every line that is not a waiver. */
export function parseWaivers(name: string, text: string): readonly Waiver[] {
  const issues: Issue[] = [];
  const waivers = text.split("\n").flatMap((row, index): Waiver[] => {
    if (row.trim() === "" || row.startsWith("#")) return [];
    const at = `${name}, line ${String(index + 1)}`;
    const perhaps = row.startsWith("? ");
    const parts = (perhaps ? row.slice(2) : row).split("|");
    const [where, what, reason, ...more] = parts.map((part) => part.trim());
    const whole = where !== undefined && what !== undefined && reason !== undefined;
    if (!whole || more.length > 0 || [where, what, reason].includes("")) {
      issues.push({ where: at, message: "a waiver is `where | what | reason`." });
      return [];
    }
    return [{ at, where: patternOf(where), what, reason, perhaps }];
  });
  if (issues.length > 0) throw new NeardataError("bad-input", issues);
  return waivers;
}

function patternOf(where: string): RegExp {
  const parts = where.split("*").map((part) => part.replace(/[.+?^${}()[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join("[^/]*")}$`);
}

/** The waiver that covers a point whose source line reads `source`. */
export function waiverOf(
  waivers: readonly Waiver[],
  point: CoveragePoint,
  source: string,
): Waiver | undefined {
  return waivers.find(
    ({ where, what }) =>
      where.test(point.file) &&
      (what === "*" || source.includes(what) || point.what.includes(what)),
  );
}
