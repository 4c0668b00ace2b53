// SPDX-License-Identifier: Apache-2.0
// The rules a case must keep to count, each stated with what was found.

import type { NdpRun, RunOutcome } from "../driver/types.ts";
import type { Accuracy, Bottleneck, Check } from "./metric.ts";

/** Largest relative L2 error against float64 with outputs of that format. */
export const errorLimits = { F16: 2e-3, BF16: 1.6e-2 } as const;
export type OutputFormat = keyof typeof errorLimits;

export function outcomeCheck(run: NdpRun): Check {
  return {
    id: "outcome",
    title: "the run came to its end",
    pass: run.outcome.kind === "completed",
    detail: outcomeSentence(run.outcome),
  };
}

export function accuracyChecks(accuracy: Accuracy, format: OutputFormat): readonly Check[] {
  const limit = errorLimits[format];
  return [
    {
      id: "golden",
      title: "outputs equal the golden model bit for bit",
      pass: accuracy.differentFromGolden === 0,
      detail: `${String(accuracy.differentFromGolden)} of ${String(accuracy.values)} values differ`,
    },
    {
      id: "float64",
      title: `relative L2 error against float64 at most ${String(limit)}`,
      pass: accuracy.relativeL2 <= limit,
      detail: accuracy.relativeL2.toExponential(3),
    },
  ];
}

export function boundCheck(bottleneck: Bottleneck, limit: number): Check {
  return {
    id: "bound",
    title: `at least ${String(100 * limit)} % of the ${bottleneck.bound} bound`,
    pass: bottleneck.reached >= limit,
    detail: `${(100 * bottleneck.reached).toFixed(2)} %`,
  };
}

/** How a run ended, in one sentence. */
export function outcomeSentence(outcome: RunOutcome): string {
  switch (outcome.kind) {
    case "completed":
      return "completed";
    case "cycle-limit":
      return `stopped at the limit of cycles, cycle ${String(outcome.cycle)}`;
    case "cancelled":
      return `cancelled in cycle ${String(outcome.cycle)}`;
    case "assertion-failed":
    case "deadlock":
    case "guard-failed":
      return `${outcome.kind} in cycle ${String(outcome.cycle)} at ${outcome.place}: ${outcome.message}`;
  }
}
