// SPDX-License-Identifier: Apache-2.0
// The output of a bench: a figure, and its reference if there is one.

interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
}

/** A value with a target. */
interface Aimed {
  readonly value: number;
  /** The target, as text. */
  readonly aim: string;
  /** Whether the value meets the target; a bench reports a missed target and does not fail. */
  readonly passed: boolean;
}

/**
 * A figure has both fields of its target or none, so a misspelt field is a type error. The excess
 * property check of an object literal does not find it in a callback.
 */
export type BenchFigure = Figure & (Aimed | { readonly aim?: never; readonly passed?: never });

/** A value that should be `limit` or less. */
export function atMost(value: number, limit: number): Aimed {
  return { value, aim: `at most ${limit.toLocaleString("en-US")}`, passed: value <= limit };
}

/** A value that should be `limit` or more. */
export function atLeast(value: number, limit: number): Aimed {
  return { value, aim: `at least ${limit.toLocaleString("en-US")}`, passed: value >= limit };
}

/** One line per figure, aligned. */
export function benchTable(figures: readonly BenchFigure[]): string {
  const width = Math.max(...figures.map((f) => f.name.length));
  return figures
    .map((f) => {
      const value = f.value.toLocaleString("en-US", { maximumSignificantDigits: 4 });
      const aim = f.aim === undefined ? "" : `  aim ${f.aim}: ${f.passed ? "met" : "missed"}`;
      return `${f.name.padEnd(width)}  ${value.padStart(10)} ${f.unit.padEnd(12)}${aim}`.trimEnd();
    })
    .join("\n");
}
