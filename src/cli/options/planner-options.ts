// SPDX-License-Identifier: Apache-2.0
// Options of TriMoE's planner: the costs that it counts, the limit of cold experts, and the accuracy of generated
// traces.

import { Option } from "commander";
import { defined } from "../../base/defined.ts";
import { inputError } from "../../base/errors.ts";
import { formatValue } from "../../base/format-value.ts";
import type { ColdLimit } from "../../papers/trimoe/figures/run.ts";
import { planners, type Planner } from "../../papers/trimoe/policy/planner.ts";
import { wholeNumber } from "./options.ts";

/** The values of the options; a key is absent without its option. */
export interface PlannerOptions {
  readonly planner?: Planner;
  readonly coldLimit?: ColdLimit;
}

/** Most tokens that a limit may have: all of the largest batch. */
const maxTokens = 1_000_000;

export function plannerOption(): Option {
  const meaning =
    "The costs of TriMoE's planner: equations 5 to 7, or also the bytes of each memory channel (default: equations).";
  return new Option("--planner <name>", meaning).choices(planners);
}

export function coldLimitOption(): Option {
  const meaning =
    "The most tokens of TriMoE's cold experts, or balanced: the limit whose layers end first (default: 6).";
  return new Option("--cold-limit <tokens>", meaning).argParser((text: string): ColdLimit =>
    text === "balanced" ? text : wholeNumber("--cold-limit", 0, maxTokens)(text),
  );
}

export function accuracyOption(): Option {
  const meaning =
    "The one-step accuracy of TriMoE's predictor on its generated trace, such as 0.83 (default: the trace's own, 0.73).";
  return new Option("--accuracy <share>", meaning).argParser((text: string): number => {
    const value = /^(0?\.\d+|1|1\.0+)$/.test(text) ? Number(text) : NaN;
    if (value > 0) return value;
    throw inputError("--accuracy", `${formatValue(text)} is no share above 0 and up to 1.`);
  });
}

/** The keys of a study that the options set. */
export function plannerChoice({ planner, coldLimit }: PlannerOptions): {
  readonly planner?: Planner;
  readonly cold?: ColdLimit;
} {
  return {
    ...defined({ planner, cold: coldLimit }),
  };
}
