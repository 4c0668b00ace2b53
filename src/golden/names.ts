// SPDX-License-Identifier: Apache-2.0
// Number formats and activation functions, by name.

/** binary16 and bfloat16. */
export const floatFormats = ["fp16", "bf16"] as const;
export type FloatFormat = (typeof floatFormats)[number];

/** Functions of the NDP unit. */
export const activationFunctions = ["silu", "gelu", "relu", "identity"] as const;
export type ActivationFunction = (typeof activationFunctions)[number];

/**
 * Functions of the golden model: those of the unit, GELU in its approximation by a hyperbolic tangent, the
 * square of ReLU, and x sigmoid(1.702 x).
 */
export const goldenFunctions = [
  ...activationFunctions,
  "gelu-tanh",
  "relu2",
  "quick-gelu",
] as const;
export type GoldenFunction = (typeof goldenFunctions)[number];

/** How an expert joins the results of its gate and up matrices: act(gate) * up, with clamps. */
export interface GateFunction {
  readonly name: GoldenFunction;
  /** The gate is at most `limit`, and the up operand lies between -`limit` and `limit`. */
  readonly limit?: number;
  /** The up operand is increased by one after its clamp (gpt-oss). */
  readonly upPlusOne?: true;
}

/** A gate function by its name alone, or whole. */
export function gateOf(gate: GoldenFunction | GateFunction): GateFunction {
  return typeof gate === "string" ? { name: gate } : gate;
}

/** The function of the NDP unit that a gate function is; null where the unit lacks it. */
export function unitFunction(gate: GateFunction): ActivationFunction | null {
  if (gate.limit !== undefined || gate.upPlusOne !== undefined) return null;
  return activationFunctions.find((activationFunction) => activationFunction === gate.name) ?? null;
}

/** A gate function for messages, such as `silu, clamped at 10`. */
export function gateFunctionLabel({ name, limit, upPlusOne }: GateFunction): string {
  const clamp = limit === undefined ? "" : `, clamped at ${limit}`;
  return `${name}${clamp}${upPlusOne === true ? ", (up + 1)" : ""}`;
}
