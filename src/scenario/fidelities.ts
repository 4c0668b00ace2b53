// SPDX-License-Identifier: Apache-2.0
// The fidelities: Verilated RTL, a model with the same cycles, closed forms.

export const fidelities = ["rtl", "cycle", "analytic"] as const;
export type Fidelity = (typeof fidelities)[number];
