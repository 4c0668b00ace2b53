// SPDX-License-Identifier: Apache-2.0
// Delays of a library cell, as static timing analysis reads them: arcs from pin to pin, from the clock
// to an output, and setup times of inputs. Times are ps, capacitances fF. A pin of several bits counts
// bit by bit: `DI[3]`.

import { present } from "../../../base/present.ts";

/** Rising and falling edge of a pin, in this order. */
export const edges = [0, 1] as const;
export type Edge = (typeof edges)[number];

/** A table over two axes, linear between its points and beyond them; either axis may have one point. */
export class Table {
  readonly #x: Float64Array;
  readonly #y: Float64Array;
  readonly #values: Float64Array;

  /** `values` row by row: a row for each point of `x`. */
  constructor(x: readonly number[], y: readonly number[], values: readonly number[]) {
    this.#x = Float64Array.from(x);
    this.#y = Float64Array.from(y);
    this.#values = Float64Array.from(values);
  }

  /** The same table with every value so many times as large. */
  times(factor: number): Table {
    return new Table(
      [...this.#x],
      [...this.#y],
      [...this.#values].map((value) => value * factor),
    );
  }

  at(x: number, y: number): number {
    const columns = this.#y.length;
    const values = this.#values;
    if (values.length === 1) return present(values[0]);
    const row = below(this.#x, x);
    const column = below(this.#y, y);
    const across = positionBetween(this.#y, column, y);
    const first = row * columns + column;
    const upper = between(values, first, columns > 1 ? 1 : 0, across);
    if (this.#x.length === 1) return upper;
    const lower = between(values, first + columns, columns > 1 ? 1 : 0, across);
    return upper + (lower - upper) * positionBetween(this.#x, row, x);
  }
}

/** Index of the last point that is not above the value, so that one more follows it where it can. */
function below(points: Float64Array, value: number): number {
  let at = 0;
  while (at + 2 < points.length && present(points[at + 1]) <= value) at += 1;
  return at;
}

/** Position of the value between a point and the next one. */
function positionBetween(points: Float64Array, at: number, value: number): number {
  if (points.length === 1) return 0;
  const from = present(points[at]);
  return (value - from) / (present(points[at + 1]) - from);
}

function between(values: Float64Array, at: number, step: number, share: number): number {
  const from = present(values[at]);
  return from + (present(values[at + step]) - from) * share;
}

/** The same value everywhere. */
export function constantTable(value: number): Table {
  return new Table([0], [0], [value]);
}

/** A table for each edge of an output (delays, slews) or of an input (setup times). */
export type ByEdge = readonly [rise: Table, fall: Table];

/**
 * Classes of cells with separate scale factors per corner: buffers and inverters, other gates, flip-flops and
 * memories.
 */
export type CellClass = "buffer" | "gate" | "register";

/** Delay and slew of an output over the slew of the input (or clock) and the load of the output. */
export interface Delay {
  /** Which edge of the input makes an edge of the output: the same, the other, or either. */
  readonly sense: "positive" | "negative" | "either";
  readonly delay: ByEdge;
  readonly slew: ByEdge;
  /** A gate where it is absent. */
  readonly class?: CellClass;
}

export interface CellTiming {
  /** Combinational arcs. */
  readonly arcs: readonly { readonly from: string; readonly to: string; readonly delay: Delay }[];
  /** Outputs that change after the clock. */
  readonly launches: readonly { readonly to: string; readonly delay: Delay }[];
  /** Inputs that are stable before the clock: setup times over the slews of data and clock. */
  readonly captures: readonly {
    readonly from: string;
    readonly setup: ByEdge;
    /** Hold times, over the same slews; absent if unknown. */
    readonly hold?: ByEdge;
  }[];
  /** fF by input; empty where delays do not depend on loads. */
  readonly loads: ReadonlyMap<string, number>;
  /** A memory whose read, straight into a register, counts separately. */
  readonly blockRam: boolean;
}
