// SPDX-License-Identifier: Apache-2.0
// Matches the registers of a netlist with those of the RTL: by name; by the codes that synthesis assigned to the states
// of a state machine; and by their values in random runs, if synthesis has made copies. The proof checks every match.

import { present } from "../../../base/present.ts";
import { randomWords } from "../../../base/random.ts";
import { anyOfThem, defined, undefinedBit, type Bit, type Gates } from "./gates.ts";
import type { Encoding, Named } from "./graphs.ts";

/** The counterpart of an RTL register in the netlist. */
export type Source =
  | { readonly kind: "register"; readonly place: number }
  /** One of these registers is 1. */
  | { readonly kind: "states"; readonly places: readonly number[] }
  | { readonly kind: "constant"; readonly value: boolean }
  /** None: the other registers must not depend on the value of this register. */
  | { readonly kind: "free" };

/** A state machine whose states are one bit each in the netlist. */
export interface Machine {
  readonly name: string;
  /** Registers of the netlist, one a state. */
  readonly places: readonly number[];
  readonly codes: readonly number[];
  /** Registers of the RTL, the lowest bit first. */
  readonly bits: readonly number[];
}

export interface Registers {
  /** The source of each register of the RTL. */
  readonly sources: readonly Source[];
  readonly machines: readonly Machine[];
  /** Further registers of the netlist, each with the register of the RTL that it duplicates. */
  readonly copies: ReadonlyMap<number, number>;
  /** Registers of the RTL whose source a simulation suggests. */
  readonly guessed: ReadonlySet<number>;
}

/** `refuted`: registers of the RTL whose guess is wrong, so they are free. */
export function registersOf(
  rtl: Named,
  mapped: Named,
  encodings: readonly Encoding[],
  refuted: ReadonlySet<number> = new Set(),
): Registers {
  const places = new Map<string, number>();
  mapped.registers.forEach((names, place) => {
    for (const name of rtlNames(names)) places.set(name, place);
  });
  const names = namesAsIn(places, rtl);
  const indexOf = new Map(names.flatMap((all, i) => all.map((name) => [name, i] as const)));
  const machines = encodings.flatMap((encoding) => machineOf(encoding, indexOf, places));
  const states = new Map(
    machines.flatMap(({ places, codes, bits }) =>
      bits.map((register, bit) => {
        const high = places.filter((_, state) => ((present(codes[state]) >> bit) & 1) === 1);
        return [register, { kind: "states", places: high }] as const;
      }),
    ),
  );
  const named = names.map((all, i): Source | null => {
    const place = all.map((name) => places.get(name)).find((p) => p !== undefined);
    return states.get(i) ?? (place === undefined ? null : { kind: "register", place });
  });
  const gateHistories = histories(mapped);
  const rtlHistories = histories(rtl);
  const constants: readonly (readonly [string, Source])[] = [
    [historyOf(() => 0), { kind: "constant", value: false }],
    [historyOf(() => -1), { kind: "constant", value: true }],
  ];
  const byHistory = new Map(constants);
  gateHistories.forEach((history, place) => {
    if (!byHistory.has(history)) byHistory.set(history, { kind: "register", place });
  });
  const guesses = named.map((source, i) =>
    source === null && !refuted.has(i) ? byHistory.get(present(rtlHistories[i])) : undefined,
  );
  const sources = named.map((source, i) => source ?? guesses[i] ?? { kind: "free" as const });
  const used = new Set(
    sources.flatMap((s) =>
      s.kind === "register" ? [s.place] : s.kind === "states" ? s.places : [],
    ),
  );
  for (const { places: all } of machines) for (const place of all) used.add(place);
  const copies = new Map(
    gateHistories.flatMap((history, place): [number, number][] => {
      // A register that was constant in the simulation cannot be identified as a duplicate.
      const still = constants.some(([constant]) => constant === history);
      const original = used.has(place) || still ? -1 : rtlHistories.indexOf(history);
      return original < 0 ? [] : [[place, original]];
    }),
  );
  const guessed = new Set(guesses.flatMap((guess, i) => (guess === undefined ? [] : [i])));
  return { sources, machines, copies, guessed };
}

/**
 * The names of the RTL's registers with bits as the netlist counts them: from the first number of the
 * RTL's vector or, of an array of vectors, from 0.
 */
function namesAsIn(
  places: ReadonlyMap<string, number>,
  rtl: Named,
): readonly (readonly string[])[] {
  const vector = (name: string): string => name.replace(/\[\d+\]$/, "");
  const known = new Set(rtl.registers.flat());
  const shifted = new Set([...places.keys()].filter((name) => !known.has(name)).map(vector));
  return rtl.registers.map((names, i) =>
    names.map((name, k) => (shifted.has(vector(name)) ? (rtl.fromZero[i]?.[k] ?? name) : name)),
  );
}

/** Undefined if one of its registers is missing. */
function machineOf(
  { register, codes }: Encoding,
  indexOf: ReadonlyMap<string, number>,
  places: ReadonlyMap<string, number>,
): readonly Machine[] {
  const width = Math.max(1, ...codes.map((code) => 32 - Math.clz32(code)));
  const bits = codes
    .slice(0, width)
    .flatMap((_, bit) => indexOf.get(`${register}[${String(bit)}]`) ?? []);
  const stateBits = codes.flatMap((_, state) => places.get(`${register}[${String(state)}]`) ?? []);
  if (bits.length < width || stateBits.length < codes.length) return [];
  return [{ name: register, places: stateBits, codes, bits }];
}

/**
 * The values of the RTL's registers, given those of the netlist (`held`) and of free registers
 * (`free`).
 */
export function rtlState(
  gates: Gates,
  { sources }: Registers,
  stateAt: (place: number) => number,
  free: (register: number) => number,
): readonly Bit[] {
  return sources.map((source, i): Bit => {
    if (source.kind === "register") return defined(stateAt(source.place));
    if (source.kind === "states") return defined(anyOfThem(gates, source.places.map(stateAt)));
    return defined(source.kind === "free" ? free(i) : source.value ? 1 : 0);
  });
}

/** The values of the netlist's registers; a duplicate has the value of its original. */
export function netlistState(
  mapped: Named,
  { copies }: Registers,
  stateAt: (place: number) => number,
  rtl: readonly Bit[],
): readonly number[] {
  return mapped.registers.map((_, place) => {
    const original = copies.get(place);
    return original === undefined ? stateAt(place) : (rtl[original] ?? undefinedBit)[0];
  });
}

/** Whether every state machine is in one state. */
export function inStates(
  gates: Gates,
  { machines }: Registers,
  stateAt: (place: number) => number,
): number {
  return machines.reduce((all, { places }) => gates.and(all, oneOf(gates, places.map(stateAt))), 1);
}

export function oneOf(gates: Gates, literals: readonly number[]): number {
  let [none, one] = [1, 0];
  for (const literal of literals) {
    one = anyOfThem(gates, [gates.and(one, literal ^ 1), gates.and(none, literal)]);
    none = gates.and(none, literal ^ 1);
  }
  return one;
}

/** A name without an index is that of bit 0; cells of registers are called NAME_reg. */
function rtlNames(names: readonly string[]): readonly string[] {
  return names.flatMap((name) => {
    const cell = /^(.*)_reg\.Q\[0\]$/.exec(name)?.[1];
    return cell === undefined ? [name] : [cell, `${cell}[0]`];
  });
}

const cycles = 512;
/** Cycles until registers without a reset have been written. */
const settled = 128;

function historyOf(word: (cycle: number) => number): string {
  return Array.from({ length: cycles - settled }, (_, i) => word(i)).join(" ");
}

/**
 * The values of each register in 32 parallel random runs; inputs of the same name have the same
 * values.
 */
function histories({ graph, inputs }: Named): readonly string[] {
  const names = [...inputs].map(([name, place]) => ({ name, place, draw: drawn(name) }));
  const first = 1 + graph.inputs;
  const values = new Int32Array(first + graph.latches.length + graph.gates.length);
  const of = (literal: number): number => present(values[literal >> 1]) ^ -(literal & 1);
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
    if (cycle >= settled) words.forEach((w, i) => w.push(present(values[first + i])));
    graph.latches.map(of).forEach((next, i) => {
      values[first + i] = next;
    });
  }
  return words.map((w) => historyOf((i) => present(w[i])));
}

/** Random words that depend on the name alone. */
function drawn(name: string): () => number {
  let seed = 1;
  for (let i = 0; i < name.length; i += 1) seed = (Math.imul(seed, 31) + name.charCodeAt(i)) | 0;
  const next = randomWords(seed);
  for (let i = 0; i < 8; i += 1) next();
  return next;
}
