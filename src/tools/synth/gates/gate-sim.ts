// SPDX-License-Identifier: Apache-2.0
// Counts the switching of a mapped netlist: 32 independent runs in parallel, one bit of a word each.
// Every cell has a delay of one unit, so the transitions of a cycle include the glitches of paths of
// different depth. The transitions without glitches (at most one per net and cycle) are counted
// separately. Energy is half C V^2 of each transition, and C V^2 of each clock.

import { NeardataError } from "../../../base/errors.ts";
import { present } from "../../../base/present.ts";
import { wireFactor, type CellKind } from "./gate-cells.ts";
import { constantNets, type GateNetlist } from "./gate-netlist.ts";

/** Runs in a word. */
export const lanes = 32;

/** A netlist with its state, simulated cycle by cycle. */
export interface GateSimulator {
  /** Sets port `name` to these words, one per bit, at the next clock edge. */
  readonly set: (name: string, words: readonly number[]) => void;
  /** Words of a port, after the last cycle. */
  readonly get: (name: string) => readonly number[];
  readonly inputs: ReadonlyMap<string, readonly number[]>;
  readonly outputs: ReadonlyMap<string, readonly number[]>;
  readonly registers: GatedRegisters;
  /** One clock: flip-flops and inputs change, then the cells settle. */
  readonly cycle: () => void;
  /** Since the last call, of one run on average. */
  readonly take: () => Switching;
}

/** fJ at one volt: times V^2 it is energy. */
export interface Switching {
  readonly cycles: number;
  /** Half the capacitance of every transition, glitches included. */
  readonly all: number;
  /** The same without glitches. */
  readonly settled: number;
  /** Energy of the clock alone. */
  readonly clock: number;
  /** Clock energy with gates: a gated register is clocked only in cycles in which it changes. */
  readonly gatedClock: number;
}

/** Flip-flops of a netlist that a clock gate can serve: those of a register, a word of the RTL. */
export interface GatedRegisters {
  readonly flipFlops: number;
  /** The number of them with a gate. */
  readonly gated: number;
  readonly gates: number;
}

/** Smallest register with a gate; a gate costs as much clock energy as a flip-flop. */
const leastGated = 4;

/** @throws NeardataError `check-failed` for a cell that the library does not describe. */
export function gateSimulator(
  netlist: GateNetlist,
  kinds: ReadonlyMap<string, CellKind>,
): GateSimulator {
  const cells = netlist.cells.map(({ type, name, pins }) => {
    const kind = kinds.get(type);
    if (kind === undefined) throw new NeardataError("check-failed", `no cell is called ${type}`);
    return { kind, name, pins };
  });
  const value = new Int32Array(netlist.nets);
  value[1] = -1;
  const settledValue = Int32Array.from(value);
  const load = new Float64Array(netlist.nets);
  const readers: number[][] = Array.from({ length: netlist.nets }, () => []);
  let clockLoad = 0;
  cells.forEach(({ kind, pins }, index) => {
    for (const pin of kind.inputs) {
      const net = pins[pin];
      if (net === undefined || pin === kind.flipFlop?.clock) continue;
      load[net] = present(load[net]) + (kind.load[pin] ?? 0) * (1 + wireFactor);
      if (kind.flipFlop === null) readers[net]?.push(index);
    }
    for (const { pin } of kind.outputs) {
      const net = pins[pin];
      if (net !== undefined) load[net] = present(load[net]) + kind.delay / kind.outputs.length;
    }
    clockLoad += kind.clocked;
  });
  const gates = cells.filter(({ kind }) => kind.flipFlop === null);
  const state = new Int32Array(cells.length);
  const groups = registersOf(cells);
  const pending = new Map<number, number>();
  const counted = { cycles: 0, all: 0, settled: 0, gated: 0 };

  const evaluate = (index: number, changes: Map<number, number>): void => {
    const cell = cells[index];
    if (cell === undefined) return;
    const { kind, pins } = cell;
    const inputs =
      kind.flipFlop === null
        ? kind.inputs.map((pin) => present(value[pins[pin] ?? 0]))
        : [present(state[index])];
    for (const { pin, evaluate: rule } of kind.outputs) {
      const net = pins[pin];
      if (net === undefined || net < constantNets) continue;
      const next = rule(inputs);
      if (next !== value[net]) changes.set(net, next);
      else changes.delete(net);
    }
  };
  const settle = (first: Map<number, number>): void => {
    let changes = first;
    const touched = new Set<number>();
    for (let step = 0; changes.size > 0; step += 1) {
      if (step > 2 * gates.length + 10) throw new NeardataError("check-failed", "a loop of cells");
      const affected = new Set<number>();
      for (const [net, next] of changes) {
        const flips = popCount(present(value[net]) ^ next);
        if (flips === 0) continue;
        counted.all += 0.5 * flips * present(load[net]);
        value[net] = next;
        touched.add(net);
        for (const reader of readers[net] ?? []) affected.add(reader);
      }
      changes = new Map();
      for (const index of affected) evaluate(index, changes);
    }
    for (const net of touched) {
      counted.settled +=
        0.5 * popCount(present(value[net]) ^ present(settledValue[net])) * present(load[net]);
      settledValue[net] = present(value[net]);
    }
  };

  const everything = new Map<number, number>();
  cells.forEach((_, index) => {
    evaluate(index, everything);
  });
  settle(everything);

  return {
    inputs: netlist.inputs,
    outputs: netlist.outputs,
    registers: {
      flipFlops: cells.filter(({ kind }) => kind.flipFlop !== null).length,
      gated: groups.reduce((sum, { members }) => sum + members.length, 0),
      gates: groups.length,
    },
    set: (name, words) => {
      const nets = netlist.inputs.get(name);
      if (nets === undefined) throw new NeardataError("check-failed", `no input is called ${name}`);
      nets.forEach((net, i) => pending.set(net, present(words[i])));
    },
    get: (name) => {
      const nets = netlist.outputs.get(name) ?? netlist.inputs.get(name);
      if (nets === undefined) throw new NeardataError("check-failed", `no port is called ${name}`);
      return nets.map((net) => present(value[net]));
    },
    cycle: () => {
      const changes = new Map(pending);
      pending.clear();
      const before = Int32Array.from(state);
      cells.forEach(({ kind, pins }, index) => {
        if (kind.flipFlop === null) return;
        const inverted = kind.flipFlop.data.startsWith("!");
        const data = present(value[pins[kind.flipFlop.data.replace("!", "")] ?? 0]);
        state[index] = inverted ? ~data : data;
      });
      for (const { members, clocked } of groups) {
        const moved = members.reduce(
          (runs, i) => runs | (present(before[i]) ^ present(state[i])),
          0,
        );
        counted.gated += clocked * popCount(moved);
      }
      cells.forEach(({ kind }, index) => {
        if (kind.flipFlop !== null) evaluate(index, changes);
      });
      settle(changes);
      counted.cycles += 1;
    },
    take: () => {
      const { cycles } = counted;
      const clock = clockLoad * cycles;
      const switching = {
        cycles,
        clock,
        all: counted.all / lanes + clock,
        settled: counted.settled / lanes + clock,
        gatedClock: counted.gated / lanes,
      };
      Object.assign(counted, { cycles: 0, all: 0, settled: 0, gated: 0 });
      return switching;
    },
  };
}

/**
 * Registers with a gate: their flip-flops, by index, and the clock energy of all of them per cycle.
 */
function registersOf(
  cells: readonly { readonly kind: CellKind; readonly name: string }[],
): readonly { readonly members: readonly number[]; readonly clocked: number }[] {
  const instances = new Map<string, number[]>();
  cells.forEach(({ kind, name }, index) => {
    if (kind.flipFlop === null) return;
    const register = name.replace(/(?:\[\d+\])?_reg$/, "");
    instances.set(register, [...(instances.get(register) ?? []), index]);
  });
  return [...instances.values()].flatMap((members) => {
    if (members.length < leastGated) return [];
    const clocked = members.reduce((sum, i) => sum + (cells[i]?.kind.clocked ?? 0), 0);
    return [{ members, clocked }];
  });
}

function popCount(word: number): number {
  let v = word - ((word >>> 1) & 0x55555555);
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
  return (((v + (v >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}
