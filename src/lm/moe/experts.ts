// SPDX-License-Identifier: Apache-2.0
// Engines of routed experts. An engine takes jobs, an expert and the tokens that go to it, and
// answers with their outputs before the router's weights.

import { present } from "../../base/present.ts";
import { activationOf } from "../../golden/reference.ts";
import type { ActivationFunction } from "../../golden/activation.ts";
import type { ExpertEngineName } from "../attention-names.ts";
import type { Matrix } from "../model.ts";
import type { Network } from "./model.ts";
import { product } from "./product.ts";

/** Tokens of one expert. */
export interface ExpertJob {
  readonly layer: number;
  readonly expert: number;
  readonly network: Network;
  /** [tokens][hidden]. */
  readonly inputs: Matrix;
  /** The position of each token. */
  readonly positions: readonly number[];
}

export interface ExpertEngine {
  readonly name: ExpertEngineName;
  /** Outputs, [tokens][hidden], in the order of the jobs, which one machine does one by one. */
  readonly compute: (
    jobs: readonly ExpertJob[],
    activation: ActivationFunction,
  ) => Promise<readonly Float64Array[]>;
}

/** Float64, nothing rounded. */
export const float64Experts: ExpertEngine = {
  name: "float64",
  compute: (jobs, activation) =>
    Promise.resolve(
      jobs.map(({ network, inputs }) => networkOutput(network, inputs, activation).data),
    ),
};

/** down(act(gate x) * (up x)) of every row. */
export function networkOutput(
  { gate, up, down }: Network,
  x: Matrix,
  activation: ActivationFunction,
): Matrix {
  const middle = product(x, gate);
  const other = product(x, up).data;
  for (let i = 0; i < middle.data.length; i += 1) {
    middle.data[i] = activationOf(activation, present(middle.data[i])) * present(other[i]);
  }
  return product(middle, down);
}
