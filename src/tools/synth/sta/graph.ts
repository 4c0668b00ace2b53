// SPDX-License-Identifier: Apache-2.0
// The timing graph of a linked design: nets, arcs between them, nets that change after the clock, and
// nets that are stable before it. Arrays have one entry per arc, because a unit has millions.

import { present } from "../../../base/present.ts";
import type { MappedCell } from "../gates/gate-netlist.ts";
import { memoryArrival, memoryMargin } from "../timing.ts";
import { arrivalAt, type Borders } from "./borders.ts";
import { constantTable, type ByEdge, type CellTiming, type Delay } from "./cell-timing.ts";
import type { LinkedDesign, SliceNetlist } from "./design.ts";
import { firstAbove, Terminals } from "./terminals.ts";
import { type Terminal } from "../../../results/area-report.ts";

export interface TimingGraph {
  readonly nets: number;
  /** By arc: nets and an index of `delays`. */
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly delay: Uint16Array;
  readonly delays: readonly Delay[];
  readonly launches: Launches;
  readonly captures: Captures;
  /** fF by net: all pins that it drives, and its wire where wires count. */
  readonly load: Float32Array;
  /** Pins by net that it drives. */
  readonly fanOut: Int32Array;
  /** ps by net from its driver to its pins, for the resistance of its wire; absent without wires. */
  readonly wire?: Float32Array;
  /** Nets between slices. */
  readonly isBetween: (net: number) => boolean;
  /** Module of the slice that an arc belongs to. */
  readonly moduleOf: (arc: number) => string;
}

export interface Launches {
  readonly net: Int32Array;
  /** Index of `delays`; each input of the unit, and each memory, has a separate entry. */
  readonly delay: Uint16Array;
  readonly isBlockRam: Uint8Array;
  readonly terminal: (launch: number) => Terminal;
}

export interface Captures {
  readonly net: Int32Array;
  /** Index of `setups`. */
  readonly setup: Uint16Array;
  readonly setups: readonly ByEdge[];
  /** Index of `holds`, or -1 without a known hold time. */
  readonly hold: Int16Array;
  readonly holds: readonly ByEdge[];
  /** The data input of a flip-flop, which a block RAM may feed without logic. */
  readonly isRegister: Uint8Array;
  readonly terminal: (capture: number) => Terminal;
}

/** Timing of a cell by its type and parameters. */
export type TimingOf = (cell: MappedCell) => CellTiming;

export function timingGraph(
  design: LinkedDesign,
  timingOf: TimingOf,
  borders: Borders,
): TimingGraph {
  return new GraphBuilder(design, timingOf, borders).build();
}

/** One slice, before it is placed: nets are those of its netlist. */
interface Template {
  readonly from: Int32Array;
  readonly to: Int32Array;
  readonly delay: Int32Array;
  readonly launches: readonly { net: number; delay: number; cell: number; blockRam: boolean }[];
  readonly captures: readonly {
    net: number;
    setup: number;
    hold: number;
    cell: number;
    register: boolean;
  }[];
  readonly loads: readonly { net: number; load: number }[];
}

class GraphBuilder {
  readonly #design: LinkedDesign;
  readonly #timingOf: TimingOf;
  readonly #borders: Borders;
  readonly #delays = new Numbered<Delay>();
  readonly #setups = new Numbered<ByEdge>();
  readonly #holds = new Numbered<ByEdge>();
  readonly #templates = new Map<SliceNetlist, Template>();

  constructor(design: LinkedDesign, timingOf: TimingOf, borders: Borders) {
    this.#design = design;
    this.#timingOf = timingOf;
    this.#borders = borders;
  }

  build(): TimingGraph {
    const { instances, netOf, nets } = this.#design;
    const placed = instances.map((instance) => ({
      instance,
      template: this.#templateOf(instance.slice),
    }));
    const count = (of: (template: Template) => number): number =>
      placed.reduce((sum, { template }) => sum + of(template), 0);
    const arcs = count(({ from }) => from.length);
    const [from, to] = [new Int32Array(arcs), new Int32Array(arcs)];
    const delay = new Uint16Array(arcs);
    const load = new Float32Array(nets);
    const fanOut = new Int32Array(nets);
    const ends: number[] = [];
    const holds: number[] = [];
    const launches = new Terminals();
    const captures = new Terminals();
    let at = 0;
    for (const { instance, template } of placed) {
      const { firstNet } = instance;
      for (let i = 0; i < template.from.length; i += 1, at += 1) {
        from[at] = netOf(firstNet + present(template.from[i]));
        to[at] = netOf(firstNet + present(template.to[i]));
        delay[at] = present(template.delay[i]);
      }
      ends.push(at);
      for (const { net, load: pin } of template.loads) {
        const whole = netOf(firstNet + net);
        load[whole] = present(load[whole]) + pin;
        fanOut[whole] = present(fanOut[whole]) + 1;
      }
      launches.begin(instance);
      for (const { net, delay: index, cell, blockRam } of template.launches) {
        launches.add(netOf(firstNet + net), index, cell, blockRam);
      }
      captures.begin(instance);
      for (const { net, setup, hold, cell, register } of template.captures) {
        captures.add(netOf(firstNet + net), setup, cell, register);
        holds.push(hold);
      }
    }
    this.#addBorders(launches, captures, holds, { load, fanOut });
    return {
      nets,
      from,
      to,
      delay,
      load,
      fanOut,
      delays: this.#delays.all,
      launches: {
        net: Int32Array.from(launches.nets),
        delay: Uint16Array.from(launches.kinds),
        isBlockRam: Uint8Array.from(launches.flags),
        terminal: (launch) => launches.terminal(launch),
      },
      captures: {
        net: Int32Array.from(captures.nets),
        setup: Uint16Array.from(captures.kinds),
        setups: this.#setups.all,
        hold: Int16Array.from(holds),
        holds: this.#holds.all,
        isRegister: Uint8Array.from(captures.flags),
        terminal: (capture) => captures.terminal(capture),
      },
      isBetween: this.#design.isBetween,
      moduleOf: (arc) => placed[firstAbove(ends, arc)]?.instance.slice.module ?? "",
    };
  }

  /** Memories, and the ports of the unit but its clock. */
  #addBorders(
    launches: Terminals,
    captures: Terminals,
    holds: number[],
    { load, fanOut }: Pick<TimingGraph, "load" | "fanOut">,
  ): void {
    const { instances, memories, netOf } = this.#design;
    const after = (ps: number): number => this.#delays.of(arrivalAt(ps, this.#borders));
    const before = (ps: number): number => {
      const table = constantTable(ps);
      return this.#setups.of([table, table]);
    };
    const loaded = (net: number): void => {
      load[net] = present(load[net]) + this.#borders.load;
      fanOut[net] = present(fanOut[net]) + 1;
    };
    const still = constantTable(this.#borders.memoryHold ?? 0);
    const holdIndex = this.#borders.memoryHold === null ? -1 : this.#holds.of([still, still]);
    for (const { path, module, outputs, inputs } of memories) {
      const terminal = { instance: path, module, name: path };
      const [arrival, margin] = [after(memoryArrival), before(memoryMargin)];
      for (const net of outputs) launches.addBorder(netOf(net), arrival, terminal);
      for (const net of inputs) {
        captures.addBorder(netOf(net), margin, terminal);
        holds.push(holdIndex);
        loaded(netOf(net));
      }
    }
    const [top] = instances;
    if (top === undefined) return;
    const { slice, firstNet } = top;
    const isPort = (name: string): boolean => name !== "clk_i" && !name.includes(".");
    const ports = (all: ReadonlyMap<string, readonly number[]>): readonly [string, number][] =>
      [...all].flatMap(([name, nets]) =>
        isPort(name) ? nets.map((net): [string, number] => [name, netOf(firstNet + net)]) : [],
      );
    const [arrival, margin] = [
      after(this.#borders.inputArrival),
      before(this.#borders.outputMargin),
    ];
    const terminal = (name: string): Terminal => ({ instance: "", module: slice.module, name });
    for (const [name, net] of ports(slice.netlist.inputs)) {
      launches.addBorder(net, arrival, terminal(name));
    }
    for (const [name, net] of ports(slice.netlist.outputs)) {
      captures.addBorder(net, margin, terminal(name));
      holds.push(-1);
      loaded(net);
    }
  }

  #templateOf(slice: SliceNetlist): Template {
    const known = this.#templates.get(slice);
    if (known !== undefined) return known;
    const made = this.#read(slice);
    this.#templates.set(slice, made);
    return made;
  }

  #read({ netlist }: SliceNetlist): Template {
    const arcs: number[][] = [[], [], []];
    const launches: Template["launches"][number][] = [];
    const captures: Template["captures"][number][] = [];
    const loads: Template["loads"][number][] = [];
    netlist.cells.forEach((cell, index) => {
      const timing = this.#timingOf(cell);
      const nets = new Map<string, number>();
      for (const [pin, bits] of cell.pins) {
        bits.forEach((net, i) => nets.set(bits.length === 1 ? pin : `${pin}[${i}]`, net));
        // A bus of one bit may be connected as one.
        const [only] = bits;
        if (bits.length === 1 && only !== undefined) nets.set(`${pin}[0]`, only);
      }
      for (const { from, to, delay } of timing.arcs) {
        const [source, target] = [nets.get(from), nets.get(to)];
        if (source === undefined || target === undefined) continue;
        arcs[0]?.push(source);
        arcs[1]?.push(target);
        arcs[2]?.push(this.#delays.of(delay));
      }
      for (const { to, delay } of timing.launches) {
        const net = nets.get(to);
        if (net === undefined) continue;
        const { blockRam } = timing;
        launches.push({ net, delay: this.#delays.of(delay), cell: index, blockRam });
      }
      for (const { from, setup, hold: still } of timing.captures) {
        const net = nets.get(from);
        if (net === undefined) continue;
        const register = from === "D" && /^FD/.test(cell.type);
        const hold = still === undefined ? -1 : this.#holds.of(still);
        captures.push({ net, setup: this.#setups.of(setup), hold, cell: index, register });
      }
      for (const [pin, load] of timing.loads) {
        const net = nets.get(pin);
        if (net !== undefined) loads.push({ net, load });
      }
    });
    const [from, to, delay] = arcs.map((numbers) => Int32Array.from(numbers));
    const none = new Int32Array();
    return {
      from: from ?? none,
      to: to ?? none,
      delay: delay ?? none,
      launches,
      captures,
      loads,
    };
  }
}

/** Objects by a number, each once. */
class Numbered<T> {
  readonly all: T[] = [];
  readonly #known = new Map<T, number>();

  of(one: T): number {
    const known = this.#known.get(one);
    if (known !== undefined) return known;
    this.#known.set(one, this.all.length);
    this.all.push(one);
    return this.all.length - 1;
  }
}
