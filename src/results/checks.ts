// SPDX-License-Identifier: Apache-2.0
// The rules a case must keep to count, each stated with what was found.

import type { NdpRun, RunOutcome } from "../machine/types.ts";
import { differentBits, distance, type Distance } from "../golden/reference.ts";
import type { Accuracy, Bottleneck, Check } from "./metric.ts";

/** Largest relative L2 error against float64 with outputs of that format. */
export const errorLimits = { F16: 2e-3, BF16: 1.6e-2 } as const;
export type OutputFormat = keyof typeof errorLimits;

export function outcomeCheck(run: NdpRun): Check {
  return {
    id: "outcome",
    title: "the run is complete",
    pass: run.outcome.kind === "completed",
    detail: outcomeSentence(run.outcome),
  };
}

/** The comparison of outputs, and the checks of it. */
export interface ComparedOutputs {
  readonly accuracy: Accuracy;
  readonly checks: readonly Check[];
}

/** Outputs, as bits and as numbers, against the golden model's bits and float64. */
export function compareOutputs(
  bits: Uint16Array,
  actual: Float64Array,
  expected: { readonly golden: Uint16Array; readonly real: Float64Array },
  format: OutputFormat,
): ComparedOutputs {
  const real = expected.real.subarray(0, actual.length);
  const far = distance(actual, real);
  const accuracy = {
    differentFromGolden: differentBits(bits, expected.golden),
    values: bits.length,
    relativeL2: far.relativeL2,
    largestError: far.largest,
  };
  return { accuracy, checks: accuracyChecks(accuracy, far, real, format) };
}

/** Of outputs so far from `real`, their values in float64. */
export function accuracyChecks(
  { differentFromGolden, values }: Accuracy,
  far: Distance,
  real: Float64Array,
  format: OutputFormat,
): readonly Check[] {
  return [
    {
      id: "golden",
      title: "outputs equal the golden model bit for bit",
      pass: differentFromGolden === 0 && values > 0,
      detail: `${String(differentFromGolden)} of ${String(values)} values differ`,
    },
    float64Check(far, real, format),
  ];
}

/** IEEE 754's smallest normal numbers and the steps between those below. */
const subnormal = {
  F16: { below: 2 ** -14, step: 2 ** -24 },
  BF16: { below: 2 ** -126, step: 2 ** -133 },
} as const;

/**
 * Relative L2 error against float64. Subnormal numbers of the format have a constant step, so the
 * limit includes half a step for each of them.
 */
function float64Check(
  { relativeL2, error, norm }: Distance,
  real: Float64Array,
  format: OutputFormat,
): Check {
  const limit = errorLimits[format];
  const { below, step } = subnormal[format];
  const small = real.filter((value) => Math.abs(value) < below).length;
  const rounding = (step / 2) * Math.sqrt(small);
  // For outputs of ordinary size the rounding is a negligible part of the limit.
  const more = rounding > limit * norm ? `, or half steps of ${step.toExponential(2)}` : "";
  return {
    id: "float64",
    title: `relative L2 error against float64 at most ${String(limit)}${more}`,
    pass: Number.isFinite(error) && error <= limit * norm + rounding,
    detail: relativeL2.toExponential(3),
  };
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
