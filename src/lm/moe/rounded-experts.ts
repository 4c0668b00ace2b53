// SPDX-License-Identifier: Apache-2.0
// Routed experts whose weights are rounded to fewer bits, in float64: what the rounding alone costs a model.

import { lowBitValues } from "../../golden/low-bit.ts";
import { quantise, type RoundedFormat } from "../../workload/quantise.ts";
import type { Matrix } from "../model.ts";
import { float64Experts, type ExpertEngine } from "./experts.ts";
import type { Network } from "./model.ts";

/** Each expert is rounded at its first job. */
export function roundedExperts(storage: RoundedFormat): ExpertEngine {
  const known = new Map<Network, Network>();
  const roundedMatrix = (matrix: Matrix): Matrix => {
    const { rows, columns, data } = matrix;
    return { rows, columns, data: lowBitValues(quantise(data, rows, columns, storage)) };
  };
  const rounded = (network: Network): Network => {
    const before = known.get(network);
    if (before !== undefined) return before;
    const { gate, up, down } = network;
    const made = { gate: roundedMatrix(gate), up: roundedMatrix(up), down: roundedMatrix(down) };
    known.set(network, made);
    return made;
  };
  return {
    name: "float64",
    compute: async (jobs, activation) =>
      float64Experts.compute(
        jobs.map((job) => ({ ...job, network: rounded(job.network) })),
        activation,
      ),
  };
}
