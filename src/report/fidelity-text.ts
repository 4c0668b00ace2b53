// SPDX-License-Identifier: Apache-2.0
// The fidelity of cases, as tables and pages name it.

import type { KernelResult, RunCase } from "./run-result.ts";

/** `fidelity cycle`; null if no case has a fidelity. Several fidelities are separated by commas. */
export function fidelityText(cases: readonly Pick<RunCase, "fidelity">[]): string | null {
  const names = [...new Set(cases.flatMap(({ fidelity }) => fidelity ?? []))];
  if (names.length === 0) return null;
  return `${names.length === 1 ? "fidelity" : "fidelities"} ${names.join(", ")}`;
}

/** ` at fidelity cycle`, or by kernel where their fidelities differ; empty without a fidelity. */
export function runFidelity(kernels: readonly Pick<KernelResult, "kernel" | "cases">[]): string {
  const texts = kernels.flatMap(({ kernel, cases }) => {
    const text = fidelityText(cases);
    return text === null ? [] : [{ kernel, text }];
  });
  const [first] = texts;
  if (first === undefined) return "";
  if (texts.every(({ text }) => text === first.text)) return ` at ${first.text}`;
  return ` (${texts.map(({ kernel, text }) => `${kernel} at ${text}`).join(", ")})`;
}
