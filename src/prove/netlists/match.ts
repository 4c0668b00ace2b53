// SPDX-License-Identifier: Apache-2.0
// The question whether a netlist is its RTL, as logic without registers. Registers are matched by
// name; synthesis also leaves out registers that always hold a constant or what another one holds, and
// a simulation of the RTL says which. That is a guess, which the question itself decides: whatever the
// registers of the netlist hold, the RTL with the same (and those constants and copies) has the same
// outputs and goes on to the same. So each behaviour of the netlist, from any contents of its
// registers and for ever, is one of the RTL.

import { defined, emptyGates, not, placed, undefinedBit, type Bit, type Gates } from "./gates.ts";
import type { Named } from "./graphs.ts";

/** What of the netlist stands for a register of the RTL. */
export type Source =
  | { readonly kind: "register"; readonly place: number }
  | { readonly kind: "constant"; readonly value: boolean }
  /** Nothing: whatever this register of the RTL holds must not matter to the others. */
  | { readonly kind: "free" };

export interface Matched {
  readonly gates: Gates;
  /** Each is true where a bit differs, with the name of that bit. */
  readonly differences: readonly { readonly name: string; readonly literal: number }[];
  readonly registers: number;
  /** Registers of the RTL that the netlist does without. */
  readonly leftOut: number;
  /** Outputs and next contents of registers that the RTL leaves undefined in some states. */
  readonly open: number;
}

/** Or why the registers cannot be matched. */
export type Match = Matched | { readonly unmatched: string };

export function match(rtl: Named, mapped: Named): Match {
  if (mapped.undefinedInputs.length > 0) return { unmatched: "the netlist has undriven bits" };
  const sources = sourcesOf(rtl, mapped);
  // Ports of the RTL, then registers of the netlist, then those of the RTL as far as they are free.
  const ports = rtl.graph.inputs;
  const own = ports + mapped.graph.latches.length;
  const gates = emptyGates(own + rtl.graph.latches.length);
  const port = (place: number): Bit => defined(2 * (1 + place));
  const register = (place: number): Bit => defined(2 * (1 + ports + place));
  const undefinedInputs = new Set(rtl.undefinedInputs);
  const rtlBits = placed(gates, rtl.graph, [
    ...range(ports).map((i) => (undefinedInputs.has(i) ? undefinedBit : port(i))),
    ...sources.map(bitOf),
  ]);
  function bitOf(source: Source, i: number): Bit {
    if (source.kind === "free") return defined(2 * (1 + own + i));
    return source.kind === "register" ? register(source.place) : defined(source.value ? 1 : 0);
  }
  const mappedInputs: Bit[] = [];
  for (const [name, place] of mapped.inputs) {
    const named = rtl.inputs.get(name);
    if (named === undefined) return { unmatched: `the RTL has no input ${name}` };
    mappedInputs[place] = port(named);
  }
  const mappedBits = placed(gates, mapped.graph, [
    ...mappedInputs,
    ...range(mapped.graph.latches.length).map(register),
  ]);
  const differ = ([one, zero]: Bit, literal: number): number =>
    not(gates.and(not(gates.and(literal, not(one))), not(gates.and(not(literal), not(zero)))));
  const differences: { name: string; literal: number }[] = [];
  let open = 0;
  const compare = (name: string, bit: Bit, literal: number): void => {
    if (bit[0] !== not(bit[1])) open += 1;
    differences.push({ name, literal: differ(bit, literal) });
  };
  for (const [name, literal] of rtl.outputs) {
    const own = mapped.outputs.get(name);
    if (own === undefined) return { unmatched: `the netlist has no output ${name}` };
    compare(name, rtlBits(literal), mappedBits(own)[0]);
  }
  rtl.graph.latches.forEach((next, i) => {
    const source = sources[i];
    if (source === undefined || source.kind === "free") return;
    const value =
      source.kind === "constant"
        ? Number(source.value)
        : mappedBits(mapped.graph.latches[source.place] ?? 0)[0];
    compare(rtl.registers[i]?.[0] ?? "", rtlBits(next), value);
  });
  return {
    gates,
    differences: differences.filter(({ literal }) => literal !== 0),
    registers: mapped.graph.latches.length,
    leftOut: rtl.graph.latches.length - mapped.graph.latches.length,
    open,
  };
}

/** A name that stands alone is that of bit 0; cells of registers are called NAME_reg. */
function rtlNames(names: readonly string[]): readonly string[] {
  return names.flatMap((name) => {
    const cell = /^(.*)_reg\.Q\[0\]$/.exec(name)?.[1];
    return cell === undefined ? [name] : [cell, `${cell}[0]`];
  });
}

function sourcesOf(rtl: Named, mapped: Named): readonly Source[] {
  const places = new Map<string, number>();
  mapped.registers.forEach((names, place) => {
    for (const name of rtlNames(names)) places.set(name, place);
  });
  const named = rtl.registers.map((names): Source | null => {
    const place = names.map((name) => places.get(name)).find((p) => p !== undefined);
    return place === undefined ? null : { kind: "register", place };
  });
  if (!named.includes(null)) return named.filter((source) => source !== null);
  const byHistory = new Map<string, Source>([
    [historyOf(() => 0), { kind: "constant", value: false }],
    [historyOf(() => -1), { kind: "constant", value: true }],
  ]);
  histories(mapped).forEach((history, place) => {
    if (!byHistory.has(history)) byHistory.set(history, { kind: "register", place });
  });
  const seen = histories(rtl);
  return named.map((source, i) => source ?? byHistory.get(seen[i] ?? "") ?? { kind: "free" });
}

const cycles = 512;
/** Registers without a reset hold anything until they were written. */
const settled = 128;

function historyOf(word: (cycle: number) => number): string {
  return Array.from({ length: cycles - settled }, (_, i) => word(i)).join(" ");
}

/** What each register held, 32 random runs side by side; inputs of a name are given the same. */
function histories({ graph, inputs }: Named): readonly string[] {
  const names = [...inputs].map(([name, place]) => ({ name, place, draw: drawn(name) }));
  const first = 1 + graph.inputs;
  const values = new Int32Array(first + graph.latches.length + graph.gates.length);
  const of = (literal: number): number => (values[literal >> 1] ?? 0) ^ -(literal & 1);
  const words: number[][] = graph.latches.map(() => []);
  for (let cycle = 0; cycle < cycles; cycle += 1) {
    for (const { name, place, draw } of names) {
      const word = draw();
      // Reset is low at first and now and then.
      values[1 + place] =
        name !== "rst_ni[0]" ? word : cycle < 2 ? 0 : word | draw() | draw() | draw();
    }
    graph.gates.forEach(([left, right], i) => {
      values[first + graph.latches.length + i] = of(left) & of(right);
    });
    if (cycle >= settled) words.forEach((w, i) => w.push(values[first + i] ?? 0));
    graph.latches.map(of).forEach((next, i) => {
      values[first + i] = next;
    });
  }
  return words.map((w) => historyOf((i) => w[i] ?? 0));
}

/** Random words (xorshift) that depend on the name alone. */
function drawn(name: string): () => number {
  let seed = 1;
  for (let i = 0; i < name.length; i += 1) seed = (Math.imul(seed, 31) + name.charCodeAt(i)) | 0;
  seed |= 1;
  const next = (): number => {
    seed ^= seed << 13;
    seed ^= seed >>> 17;
    seed ^= seed << 5;
    return seed;
  };
  for (let i = 0; i < 8; i += 1) next();
  return next;
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}
