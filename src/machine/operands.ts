// SPDX-License-Identifier: Apache-2.0
// Formats of a slot's operands, and the names of a unit's operations with them and with a function.

import { gateOf, type ActivationFunction, type GateFunction } from "../golden/names.ts";
import type { FloatFormat } from "../golden/activation.ts";
import type { LowBitFormat } from "../golden/low-bit.ts";

/**
 * Operands of a multiplier: inputs, and weights of the inputs' format (`wide`) or of fewer bits.
 */
export interface OperandFormats {
  readonly inputs: FloatFormat;
  readonly weights: "wide" | LowBitFormat;
}

/** Names of a slot's operations with operands of these formats; no decoder if the unit has none. */
export interface SlotOperations {
  readonly multiply: string;
  readonly decode: string;
  readonly tree: string;
  readonly root: string;
}

export function slotOperations({ inputs, weights }: OperandFormats): SlotOperations {
  const wide = weights === "wide";
  const formats = [...(wide ? [] : [weights]), ...(inputs === "fp16" ? [] : [inputs])];
  return {
    multiply: ["multiply", ...formats].join(" "),
    decode: ["decode", ...(wide ? formats : [weights])].join(" "),
    tree: wide ? "tree" : "tree halves",
    root: wide ? "root" : `root ${weights}`,
  };
}

/**
 * The name of the operation that computes one value of act(gate) x up. The limit of a gate function is not part of it:
 * operands are clamped before they reach a lane, and a lane computes the same steps with any limit.
 */
export function activationOperation(activation: ActivationFunction | GateFunction): string {
  const { name, upPlusOne } = gateOf(activation);
  const own = name === "silu" ? [] : [name];
  return ["activate", ...own, ...(upPlusOne === true ? ["up + 1"] : [])].join(" ");
}
