// SPDX-License-Identifier: Apache-2.0
// Corners of the project's own library: copies of it that are slower and faster by published factors
// (synth/corners.json). A library of the user's has the one corner that it was made for.

import { readFileSync } from "node:fs";

import { inRepository } from "../../../base/paths.ts";
import { builtInLibrary, type Library } from "../cells/liberty.ts";
import type { Buffer } from "./buffers.ts";
import { constantTable, type ByEdge, type CellClass, type Delay } from "./cell-timing.ts";
import type { TimingGraph } from "./graph.ts";

export interface Corner {
  readonly name: string;
  /** Process, voltage, temperature. */
  readonly conditions: string;
  readonly source: string;
  /** Factors of the delays and slews of a class of cells, and of setup times. */
  readonly factors: Readonly<Record<CellClass, Factors>>;
  /** Hold time of a flip-flop's input in ps; null: that of the library. */
  readonly hold: number | null;
}

interface Factors {
  readonly delay: number;
  readonly slew: number;
  readonly constraint?: number;
}

interface CornersFile {
  readonly source: string;
  readonly corners: Readonly<Record<string, Omit<Corner, "name" | "source">>>;
}

const asGiven: Factors = { delay: 1, slew: 1, constraint: 1 };

/** The one corner of other cells. */
const given: Corner = {
  name: "as given",
  conditions: "those of its cells",
  source: "the library",
  factors: { buffer: asGiven, gate: asGiven, register: asGiven },
  hold: null,
};

/** The slowest first. */
export function cornersOf(library: Library | null): readonly Corner[] {
  if (library?.path !== builtInLibrary()) return [given];
  const path = inRepository("synth", "corners.json");
  const { source, corners } = JSON.parse(readFileSync(path, "utf8")) as CornersFile;
  return Object.entries(corners).map(([name, corner]) => ({ ...corner, name, source }));
}

/** The graph with delays, slews, setup and hold times of a corner. Loads are unchanged. */
export function atCorner(graph: TimingGraph, { factors, hold }: Corner): TimingGraph {
  const { captures } = graph;
  const register = factors.register.constraint ?? 1;
  return {
    ...graph,
    delays: graph.delays.map((delay) => scaled(delay, factors[delay.class ?? "gate"])),
    captures: {
      ...captures,
      setups: captures.setups.map((setup) => times(setup, register)),
      holds: captures.holds.map((table) => atLeast(table, hold)),
    },
  };
}

/** A buffer as it is in a corner. */
export function bufferAt(buffer: Buffer, { factors }: Corner): Buffer {
  return { ...buffer, delay: scaled(buffer.delay, factors.buffer) };
}

function scaled(one: Delay, { delay, slew }: Factors): Delay {
  return { ...one, delay: times(one.delay, delay), slew: times(one.slew, slew) };
}

/** A memory's hold time is used if it is longer than a flip-flop's. */
function atLeast(table: ByEdge, hold: number | null): ByEdge {
  if (hold === null || table[0].at(0, 0) >= hold) return table;
  const still = constantTable(hold);
  return [still, still];
}

function times([rise, fall]: ByEdge, factor: number): ByEdge {
  return factor === 1 ? [rise, fall] : [rise.times(factor), fall.times(factor)];
}
