// SPDX-License-Identifier: Apache-2.0
// Number formats and activation functions of the NDP unit, by name.

/** binary16 and bfloat16. */
export const floatFormats = ["fp16", "bf16"] as const;
export type FloatFormat = (typeof floatFormats)[number];

export const activationFunctions = ["silu", "gelu", "relu", "identity"] as const;
export type ActivationFunction = (typeof activationFunctions)[number];
