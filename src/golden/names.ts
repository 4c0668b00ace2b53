// SPDX-License-Identifier: Apache-2.0
// Number formats and activation functions, by name.

/** binary16 and bfloat16. */
export const floatFormats = ["fp16", "bf16"] as const;
export type FloatFormat = (typeof floatFormats)[number];

/**
 * Functions of the NDP unit. `gelu` is the exact form, `gelu-tanh` its approximation by a hyperbolic tangent,
 * `relu2` the square of ReLU, and `quick-gelu` x sigmoid(1.702 x).
 */
export const activationFunctions = [
  "silu",
  "gelu",
  "relu",
  "identity",
  "gelu-tanh",
  "relu2",
  "quick-gelu",
] as const;
export type ActivationFunction = (typeof activationFunctions)[number];

/** How an expert joins the results of its gate and up matrices: act(gate) * up, with clamps. */
export interface GateFunction {
  readonly name: ActivationFunction;
  /** The gate is at most `limit`, and the up operand is between -`limit` and `limit`. */
  readonly limit?: number;
  /** The up operand is increased by one after its clamp (gpt-oss). */
  readonly upPlusOne?: true;
}

/** A gate function by its name alone, or whole. */
export function gateOf(gate: ActivationFunction | GateFunction): GateFunction {
  return typeof gate === "string" ? { name: gate } : gate;
}

/** A gate function, by its name alone where it has no more than that. */
export function shortGate(gate: GateFunction): ActivationFunction | GateFunction {
  return gate.limit === undefined && gate.upPlusOne === undefined ? gate.name : gate;
}

/** A gate function for messages, such as `silu, clamped at 10`. */
export function gateFunctionLabel({ name, limit, upPlusOne }: GateFunction): string {
  const clamp = limit === undefined ? "" : `, clamped at ${limit}`;
  return `${name}${clamp}${upPlusOne === true ? ", (up + 1)" : ""}`;
}
