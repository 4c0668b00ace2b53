// SPDX-License-Identifier: Apache-2.0
// The golden model of an expert on a unit of these parameters: only this file lists the parameters that
// determine bits.

import type { GateFunction, ActivationFunction } from "../../golden/names.ts";
import { goldenExpert } from "../../golden/expert.ts";
import type { ExpertWeights } from "../../workload/expert.ts";
import type { LowBitWeights } from "../../workload/low-bit.ts";
import type { NdpUnitParameters } from "../../machine/types.ts";

/** Output bits, [tokens][hidden], of an expert as the unit computes it. */
export function goldenOnUnit(
  { multipliersPerStream, lanes, alignedBits }: NdpUnitParameters,
  {
    weights,
    inputs,
    activation,
  }: {
    readonly weights: ExpertWeights | LowBitWeights;
    readonly inputs: Uint16Array;
    readonly activation: ActivationFunction | GateFunction;
  },
): Uint16Array {
  return goldenExpert(weights, inputs, activation, multipliersPerStream * lanes, alignedBits);
}
