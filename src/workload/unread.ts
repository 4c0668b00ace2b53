// SPDX-License-Identifier: Apache-2.0
// Whether a reader used every tensor that belongs to what it evaluates: an expert, a head, a model. A
// tensor that nobody used may be a bias, a zero point, an order of columns or a rotation; without it the
// results would be wrong, and nothing would show it. So it is named and the file is refused.

import type { Issue } from "../base/errors.ts";
import { tensorLabel } from "../base/format-value.ts";

/** The tensors of a file, which of them were read, and which belong to the evaluated part. */
interface TensorUse {
  /** The file, for messages. */
  readonly where: string;
  /** All tensors of the file. */
  readonly names: readonly string[];
  readonly used: ReadonlySet<string>;
  readonly belongs: (name: string) => boolean;
  /** The evaluated part, such as `expert "e"`. */
  readonly what: string;
}

const maxNamed = 12;

/** Buffers of rotary angles in old checkpoints: they repeat `rope_theta` and are not trained. */
const derived = /\.rotary_emb\.inv_freq$/;

/** One issue that names the tensors that nobody used; none where all were used. */
export function unreadTensors({ where, names, used, belongs, what }: TensorUse): readonly Issue[] {
  const left = names.filter((name) => belongs(name) && !used.has(name) && !derived.test(name));
  if (left.length === 0) return [];
  const listed = left.slice(0, maxNamed).map((name) => tensorLabel(name));
  const more = left.length > maxNamed ? ` and ${left.length - maxNamed} more` : "";
  const [subject, verb] = left.length === 1 ? ["it", "is"] : ["they", "are"];
  const message =
    `${what} has ${listed.join(", ")}${more}, which nothing here uses: without knowing what ` +
    `${subject} ${verb} for, the results would be wrong.`;
  return [{ where, message }];
}

/**
 * Whether a tensor belongs to an expert. These do: tensors under its name; tensors of its layer
 * that belong to no other expert (`experts.gate_up_proj_bias` of `experts.3`); and rotations of the
 * expert's block, layer or model, which transform its inputs.
 */
export function ofExpert(expert: string): (tensor: string) => boolean {
  const layer = /^(.*)\.\d+$/.exec(expert)?.[1];
  return (tensor) => {
    if (tensor.startsWith(`${expert}.`)) return true;
    if (turnsInputs(expert, tensor)) return true;
    if (layer === undefined || !tensor.startsWith(`${layer}.`)) return false;
    const rest = tensor.slice(layer.length + 1);
    // Granite names the router under the same prefix as its experts; the router is not an expert.
    if (layer.endsWith("block_sparse_moe") && rest.startsWith("router.")) return false;
    return !/^\d+(\.|$)/.test(rest);
  };
}

/** Names of rotations and of scales for inputs. */
const turning = /hadamard|rotation|rotate|^had_|_had$|^r[1-4]$|transform|smooth|pre_quant_scale/i;

/** Whether `tensor` is a rotation directly in a part of the model that contains the expert. */
function turnsInputs(expert: string, tensor: string): boolean {
  const base = tensor.replace(/\.(weight|data|matrix)$/, "");
  const cut = base.lastIndexOf(".");
  const [parent, suffix] = [base.slice(0, Math.max(cut, 0)), base.slice(cut + 1)];
  return turning.test(suffix) && (parent === "" || expert.startsWith(`${parent}.`));
}

/**
 * Whether a tensor belongs to one of the heads: its name is under a head's name, or its part of the
 * model contains a head.
 */
export function ofHeads(heads: readonly string[]): (tensor: string) => boolean {
  return (tensor) => {
    const cut = tensor.lastIndexOf(".");
    const parent = tensor.slice(0, Math.max(cut, 0));
    if (parent === "" || /\.[qkv]$/.test(tensor)) return true;
    return heads.some(
      (head) => `${head}.`.startsWith(`${parent}.`) || parent.startsWith(`${head}.`),
    );
  };
}
