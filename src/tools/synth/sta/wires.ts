// SPDX-License-Identifier: Apache-2.0
// Wires before layout: a net is as long as nets with as many pins were where a bank of the GEMV array was
// placed and routed (synth/wires.json), in units of the floor that a cell has. Its capacitance loads the
// driver, its resistance delays all of its pins alike (Elmore).

import { readFileSync } from "node:fs";

import { inRepository } from "../../../base/paths.ts";
import { present } from "../../../base/present.ts";
import type { Library } from "../cells/liberty.ts";
import { utilisation } from "../resources.ts";
import type { LinkedDesign } from "./design.ts";
import type { TimingGraph } from "./graph.ts";

/** Measured and published figures of wires. */
export interface WireData {
  readonly source: string;
  /** Pins that a net drives, and its length in pitches; ascending. */
  readonly lengths: readonly (readonly [pins: number, pitches: number])[];
  /** Per um of wire, in fF and ohm. */
  readonly capacitance: number;
  readonly resistance: number;
  /** Share of logic in a routed path of an FPGA. */
  readonly fpga: { readonly source: string; readonly logicShare: number };
}

export function wireData(): WireData {
  return JSON.parse(readFileSync(inRepository("synth", "wires.json"), "utf8")) as WireData;
}

/** Side in um of the floor that a cell of a design has, with the rest for wires. */
export function pitchOf({ instances }: LinkedDesign, library: Library): number {
  let [area, cells] = [0, 0];
  const known = new Map<object, number>();
  for (const { slice } of instances) {
    const { netlist } = slice;
    const statistics =
      known.get(netlist) ??
      netlist.cells.reduce((sum, { type }) => sum + (library.cells.get(type)?.area ?? 0), 0);
    known.set(netlist, statistics);
    area += statistics;
    cells += netlist.cells.length;
  }
  return cells === 0 ? 0 : Math.sqrt(area / cells / utilisation.logic);
}

/** Pitches of a net that drives so many pins: between measured lengths, and on from the last two. */
export function lengthOf(lengths: WireData["lengths"], pins: number): number {
  if (pins === 0) return 0;
  const index = lengths.findIndex(([most]) => pins <= most);
  const next = index < 0 ? lengths.length - 1 : index;
  const [highPins, high] = lengths[next] ?? [1, 0];
  const [lowPins, low] = next === 0 ? [0, 0] : (lengths[next - 1] ?? [0, 0]);
  return low + ((high - low) * (pins - lowPins)) / (highPins - lowPins);
}

/** The graph with the wires of its nets; `pitch` in um. */
export function withWires(graph: TimingGraph, pitch: number, data: WireData): TimingGraph {
  const { nets, fanOut } = graph;
  const [load, wire] = [new Float32Array(nets), new Float32Array(nets)];
  for (let net = 0; net < nets; net += 1) {
    const pins = present(graph.load[net]);
    const length = pitch * lengthOf(data.lengths, present(fanOut[net]));
    const capacitance = data.capacitance * length;
    load[net] = pins + capacitance;
    // ohm times fF is a thousandth of a ps.
    wire[net] = (data.resistance * length * (capacitance / 2 + pins)) / 1000;
  }
  return { ...graph, load, wire };
}
