// SPDX-License-Identifier: Apache-2.0
// Routes of a model of which only the shape is there, from the router of a trained one. Its experts are
// blocks of as many as the trained model has: expert i of a block scores in layer n what expert i scored
// in layer n mod N of the trained model's N, for a byte that is sampled by seed, layer, token and block. So
// the experts of a block have the trained experts' shares of the tokens, and a token's choices spread over
// blocks by chance. The highest scores are chosen, of the best groups alone where the shape has groups.

import { inputError } from "../../base/errors.ts";
import type { Experts } from "../../workload/shapes.ts";
import { draws } from "../../base/draws.ts";
import { present } from "../../base/present.ts";
import type { Matrix } from "../model.ts";
import { float64Experts } from "../moe/experts.ts";
import { moeWindowBits } from "../moe/forward.ts";
import type { MoeModel } from "../moe/model.ts";
import { product } from "../moe/product.ts";

/** Scores of a trained router: for each layer with a router, [positions][experts]. */
export interface RouterScores {
  readonly layers: readonly Matrix[];
  /** Positions of the prompt, which are the first. */
  readonly prompt: number;
}

/** Routes of one shape. */
export interface ScaledRouter {
  /** The experts of a sequence's token in a layer, the highest score first. */
  readonly route: (layer: number, sequence: number) => readonly number[];
  /** By expert: tokens of a prompt, whose bytes are sampled from the trained model's prompt. */
  readonly loads: (layer: number) => readonly number[];
}

/** Scores over the first window of a text, in float64. @throws NeardataError `bad-input` */
export async function routerScores(model: MoeModel, text: Uint8Array): Promise<RouterScores> {
  const { inputs } = model;
  if (text.length <= inputs) {
    throw inputError("text", `it has ${text.length} bytes, and a window needs ${inputs + 1}.`);
  }
  const layers: Matrix[] = [];
  const dense = { promptLength: inputs, half: false, decode: () => Promise.resolve([]) };
  await moeWindowBits(model, text.subarray(0, inputs + 1), dense, {
    experts: float64Experts,
    dispatch: "window",
    prompt: Math.floor(inputs / 2),
    onNetwork: (n, x) => {
      const network = model.layers[n]?.network;
      if (network !== undefined && "router" in network) layers.push(product(x, network.router));
    },
  });
  return { layers, prompt: Math.floor(inputs / 2) };
}

export function scaledRouter(scores: RouterScores, experts: Experts, seed: number): ScaledRouter {
  const { layers, prompt } = scores;
  const choose = (layer: number, token: string, from: number, to: number): readonly number[] => {
    const { data, columns } = layers[layer % layers.length] ?? {
      data: new Float64Array(),
      columns: 1,
    };
    const drawn = draws(seed, `route.${layer}.${token}`);
    const loads = new Float64Array(experts.routed);
    for (let first = 0; first < loads.length; first += columns) {
      const at = (from + drawn.integer(to - from)) * columns;
      loads.set(data.subarray(at, at + Math.min(columns, loads.length - first)), first);
    }
    return chosen(loads, experts);
  };
  const positions = layers[0]?.rows ?? 0;
  return {
    route: (layer, sequence) => choose(layer, `sequence.${sequence}`, prompt, positions),
    loads: (layer) => {
      const loads = new Array<number>(experts.routed).fill(0);
      for (let t = 0; t < prompt; t += 1) {
        for (const expert of choose(layer, `prompt.${t}`, 0, prompt)) {
          loads[expert] = present(loads[expert]) + 1;
        }
      }
      return loads;
    },
  };
}

/** Ties to the lower expert, and to the lower group. */
function chosen(scores: Float64Array, { perToken, groups }: Experts): readonly number[] {
  const { count, used } = groups ?? { count: 1, used: 1 };
  const size = scores.length / count;
  const best = Array.from({ length: count }, (_, g) =>
    scores.subarray(g * size, (g + 1) * size).reduce((a, b) => Math.max(a, b), -Infinity),
  );
  const open = new Set(ranked(best).slice(0, used));
  return ranked(scores)
    .filter((expert) => open.has(Math.floor(expert / size)))
    .slice(0, perToken);
}

function ranked(values: ArrayLike<number>): readonly number[] {
  return Array.from({ length: values.length }, (_, i) => i).sort(
    (a, b) => present(values[b]) - present(values[a]) || a - b,
  );
}
