// SPDX-License-Identifier: Apache-2.0
// Expected outputs of an expert: the golden model's bits and float64's values. They depend only on
// weights, inputs and the order of sums, so runs with the same ones share them.

import { defined } from "../../base/defined.ts";
import type { ExpertScenario, Scenario } from "../../scenario/resolve.ts";
import type { GoldenExpert } from "./own-golden.ts";
import { valuesOf } from "../../golden/float16.ts";
import { lowBitValues, type LowBitMatrix } from "../../golden/low-bit.ts";
import { referenceExpert } from "../../golden/reference.ts";
import type { ExpertWeights } from "../../workload/expert.ts";
import type { LowBitWeights } from "../../workload/low-bit.ts";
import { generateInputs } from "../../workload/generate.ts";
import type { WeightImages } from "../../workload/ndp/pack.ts";

/** Outputs as they should be, for the largest number of tokens. */
export interface Expected {
  readonly golden: Uint16Array;
  readonly real: Float64Array;
}

/** Calls `make` and returns its result. */
export type Compute = <T>(make: () => T) => T;

/** Cached with the weights that they belong to. */
export interface ExpectedOutputs {
  readonly golden: Map<string, Uint16Array>;
  readonly real: Map<string, Float64Array>;
  readonly inputs: Map<string, Uint16Array>;
  /** The packed images of the weights. */
  readonly images: WeightImages;
}

/** Inputs of the largest number of tokens, [tokens][hidden]; those of fewer are their beginning. */
export function inputsOf(
  { seed, tokens }: Scenario,
  { format, hidden }: ExpertWeights | LowBitWeights,
  { inputs }: ExpectedOutputs,
): Uint16Array {
  const most = Math.max(...tokens);
  return memoized(inputs, JSON.stringify([seed, most]), () =>
    generateInputs(seed, format, most, hidden),
  );
}

/** Computes the entries that `expected` lacks. */
export function expectedOutputs(
  scenario: Scenario,
  { activation }: ExpertScenario,
  inputs: Uint16Array,
  {
    weights,
    expected,
    golden,
    compute = (make) => make(),
  }: {
    readonly weights: ExpertWeights | LowBitWeights;
    readonly expected: ExpectedOutputs;
    readonly golden: GoldenExpert;
    readonly compute?: Compute;
  },
): Expected {
  const { unit, seed, customUnit } = scenario;
  const block = unit.multipliersPerStream * unit.lanes;
  const key = JSON.stringify([activation, seed, inputs.length]);
  return {
    golden: memoized(
      expected.golden,
      JSON.stringify([key, block, unit.alignedBits, customUnit?.digest]),
      () => compute(() => golden(weights, inputs, activation, block, unit.alignedBits)),
    ),
    real: memoized(expected.real, key, () =>
      compute(() => realOutputs(weights, inputs, activation)),
    ),
  };
}

function realOutputs(
  weights: ExpertWeights | LowBitWeights,
  inputs: Uint16Array,
  activation: ExpertScenario["activation"],
): Float64Array {
  const { biases, format, hidden, intermediate } = weights;
  const values = (matrix: Uint16Array | LowBitMatrix): Float32Array | Float64Array =>
    matrix instanceof Uint16Array ? valuesOf(format, matrix) : lowBitValues(matrix);
  const real = {
    hidden,
    intermediate,
    gate: values(weights.gate),
    up: values(weights.up),
    down: values(weights.down),
    ...defined({ biases }),
  };
  return referenceExpert(real, Float64Array.from(valuesOf(format, inputs)), activation);
}

function memoized<T>(values: Map<string, T>, key: string, make: () => T): T {
  const known = values.get(key);
  if (known !== undefined) return known;
  const made = make();
  values.set(key, made);
  return made;
}
