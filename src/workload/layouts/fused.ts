// SPDX-License-Identifier: Apache-2.0
// All experts of a layer in one tensor of F16, BF16 or F32; expert e of layer PRE is named PRE.e.
// - not turned: PRE.gate_up_proj [experts, 2 intermediate, hidden], PRE.down_proj [experts, hidden,
//   intermediate] (transformers 5, Qwen3.5-MoE, Gemma 4); Granite calls them input_linear.weight and
//   output_linear.weight
// - turned: PRE.gate_up_proj [experts, hidden, 2 intermediate], PRE.down_proj [experts, intermediate,
//   hidden] (Llama 4, Qwen3-VL-MoE)
// Gate is the first half of `2 intermediate`. Shapes tell the two apart, always: of [E, a, b] and
// [E, c, d] the first has b = c and a = 2d, the second a = d and b = 2c, and both would make d 0. That
// gate and up alternate, as in gpt-oss, no shape tells: there the family of the expert does.

import { inputError } from "../../base/errors.ts";
import { tensorLabel } from "../../base/format-value.ts";
import type { Checkpoint, StoredTensor } from "../checkpoint.ts";
import { layerBiases, type LocatedBiases } from "./biases.ts";
import { described, type ExpertTensors, type MatrixRole } from "./expert-tensors.ts";
import type { MatrixView } from "./matrix-view.ts";

/**
 * Names of the tensor with gate and up, and of the tensor with down, under the name of the layer.
 */
const fusedNamings = [
  { both: "gate_up_proj", down: "down_proj", layer: /./ },
  { both: "input_linear.weight", down: "output_linear.weight", layer: /block_sparse_moe$/ },
] as const;
const floats = new Set(["F16", "BF16", "F32"]);

/** Names of the experts in a tensor of all experts' gate and up matrices; none for other tensors. */
export function fusedNames(checkpoint: Checkpoint, tensor: string): readonly string[] {
  const endings = [...fusedNamings.map(({ both }) => both), "gate_up_proj_blocks"];
  const ending = endings.find((suffix) => tensor.endsWith(`.${suffix}`));
  if (ending === undefined) return [];
  const layer = tensor.slice(0, -ending.length - 1);
  const [experts = 0, ...rest] = checkpoint.tensor(tensor)?.shape ?? [];
  if (rest.length < 2) return [];
  return Array.from({ length: Math.min(experts, maxExperts) }, (_, e) => `${layer}.${e}`);
}

/** No layer of a model has as many. */
const maxExperts = 65536;

/** The matrices of an expert, and its biases. */
interface FusedExpert {
  readonly views: Readonly<Record<MatrixRole, MatrixView>>;
  readonly locatedBiases: LocatedBiases | undefined;
}

/**
 * The matrices of an expert in such tensors, gate and up alternating or not; undefined where its layer has
 * none. Biases are read where these alternate: elsewhere their order is not known.
 * @throws NeardataError `bad-input` where the layer has fewer experts, or its tensors do not fit.
 */
export function fusedViews(tensors: ExpertTensors, alternating: boolean): FusedExpert | undefined {
  const { checkpoint, name } = tensors;
  const [, layer = "", index = ""] = /^(.*)\.(\d+)$/.exec(name) ?? [];
  for (const naming of fusedNamings) {
    if (layer === "" || !naming.layer.test(layer)) continue;
    const both = tensors.use(`${layer}.${naming.both}`);
    if (both === undefined) continue;
    const down = tensors.use(`${layer}.${naming.down}`);
    if (down === undefined) {
      tensors.say(`${described(both)} is without ${tensorLabel(`${layer}.${naming.down}`)}.`);
      tensors.refuse();
      return undefined;
    }
    const [experts = 0] = both.shape;
    if (both.shape.length === 3 && Number(index) >= experts) {
      throw inputError(
        checkpoint.name,
        `${tensorLabel(layer)} has ${experts} experts, 0 to ${experts - 1}, not ${index}.`,
      );
    }
    const views = viewsOf(both, down, Number(index), alternating);
    if (views === undefined) {
      tensors.say(
        `${described(both)} and ${described(down)}: experts of a layer are F16, BF16 or F32, ` +
          "[E, 2 I, H] and [E, H, I], or [E, H, 2 I] and [E, I, H].",
      );
      tensors.refuse();
      return undefined;
    }
    const { rows: intermediate, columns: hidden } = views.gate;
    const size = { experts, expert: Number(index), hidden, intermediate };
    return { views, locatedBiases: alternating ? layerBiases(tensors, layer, size) : undefined };
  }
  return undefined;
}

function viewsOf(
  both: StoredTensor,
  down: StoredTensor,
  expert: number,
  alternating: boolean,
): Readonly<Record<MatrixRole, MatrixView>> | undefined {
  const [experts = 0, a = 0, b = 0] = both.shape;
  const [downExperts, c = 0, d = 0] = down.shape;
  const solid = [both, down].every(({ shape }) => shape.length === 3 && shape.every((n) => n > 0));
  if (!solid || downExperts !== experts || !floats.has(both.dtype) || !floats.has(down.dtype)) {
    return undefined;
  }
  const turned = a === d && b === 2 * c;
  if (!turned && !(b === c && a === 2 * d)) return undefined;
  const [hidden, intermediate] = turned ? [a, c] : [b, d];
  const first = expert * a * b;
  const step = alternating ? 2 : 1;
  const half = turned
    ? { tensor: both, rows: intermediate, columns: hidden, stride: b, turned, step }
    : { tensor: both, rows: intermediate, columns: hidden, stride: b * step, turned, step: 1 };
  const distance = alternating ? 1 : intermediate;
  const second = turned ? distance : distance * hidden;
  return {
    gate: { ...half, begin: first },
    up: { ...half, begin: first + second },
    down: {
      tensor: down,
      rows: hidden,
      columns: intermediate,
      turned,
      begin: expert * c * d,
      stride: d,
      step: 1,
    },
  };
}
