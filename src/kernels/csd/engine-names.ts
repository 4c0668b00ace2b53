// SPDX-License-Identifier: Apache-2.0
// The attention engines by name; attention-engine.ts has what they are.

export const engineNames = ["golden", "float64", "rtl", "cycle"] as const;
export type EngineName = (typeof engineNames)[number];
