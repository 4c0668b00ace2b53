// SPDX-License-Identifier: Apache-2.0
// The output of a bench: a figure, and its reference if there is one.

export interface BenchFigure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The target, as text; absent for a figure that is only for information. */
  readonly aim?: string;
  /** Whether the target is met; a bench reports a missed target and does not fail. */
  readonly passed?: boolean;
}

/** One line per figure, aligned. */
export function benchTable(figures: readonly BenchFigure[]): string {
  const width = Math.max(...figures.map((f) => f.name.length));
  return figures
    .map((f) => {
      const value = f.value.toLocaleString("en-US", { maximumSignificantDigits: 4 });
      const aim =
        f.aim === undefined ? "" : `  aim ${f.aim}: ${f.passed === true ? "met" : "missed"}`;
      return `${f.name.padEnd(width)}  ${value.padStart(10)} ${f.unit.padEnd(12)}${aim}`.trimEnd();
    })
    .join("\n");
}
