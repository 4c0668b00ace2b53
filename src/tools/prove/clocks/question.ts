// SPDX-License-Identifier: Apache-2.0
// The properties of a gated unit, as logic. Two copies of the harness have the same inputs: the open one is always
// clocked, the gated one only while its gate is open.
// - Rests: from any contents of all registers, Hold cycles without run_i (or fewer, if they suffice) lead to a state in
//   which a clock changes only registers that load free inputs, in this cycle and in every later one without run_i.
// - Wakes: from such a state, with any contents of those registers in each copy, all registers are equal after Hold + 1
//   cycles, the shortest time for which the gate is open; no output differs in these cycles or before them.
// So the outputs of both copies are equal at all times: while the gate is open, equal registers stay equal.

import { inputError } from "../../../base/errors.ts";
import { present } from "../../../base/present.ts";
import {
  anyOfThem,
  defined,
  differ,
  or,
  emptyGates,
  not,
  instantiate,
  type Gates,
} from "../netlists/gates.ts";
import type { Named } from "../netlists/graphs.ts";
import type { GateProof, RestCase } from "./types.ts";

/** A cycle: the literals of inputs and registers, by index. */
export interface Moment {
  readonly ports: readonly number[];
  readonly open: readonly number[];
  readonly gated: readonly number[];
}

/**
 * A breach of a property: the property is violated if the literal is true in the last of the
 * cycles.
 */
export interface Breach {
  readonly label: string;
  readonly literal: number;
  /** In words. */
  readonly what: string;
  readonly cycles: readonly Moment[];
}

/** A register of the harness itself; a port of the unit may have a name there, too, without this ending. */
const harnessRegister = /^\w+_q(?:\[|$)/;

/**
 * A register by its index: whether a case loads it from free inputs or has it constant 0, and
 * whether it belongs to the unit.
 */
export interface Kind {
  readonly name: string;
  readonly loaded: boolean;
  readonly zero: boolean;
  readonly isOfUnit: boolean;
}

/** All breaches. `input` makes the literals of the inputs, always the same number. */
export function breachesOf(
  named: Named,
  { cases, enough, top }: Pick<GateProof, "cases" | "enough" | "top">,
  hold: number,
  gates: Gates,
  input: () => number,
): readonly Breach[] {
  const settles = Math.min(hold, enough);
  const wakes = Math.min(hold, enough) + 1;
  const tick = ticker(named, gates);
  const free = (count: number): number[] => Array.from({ length: count }, input);
  const all = (...literals: readonly number[]): number =>
    literals.reduce((a, b) => gates.and(a, b), 1);
  const ports = (): number[] => free(named.graph.inputs);

  let state: readonly number[] = free(named.graph.latches.length);
  let settled = 1;
  const settling: Moment[] = [];
  for (let cycle = 0; cycle < settles; cycle += 1) {
    const given = ports();
    const now = tick(given, state);
    settling.push({ ports: given, open: state, gated: state });
    settled = all(settled, now.assumed, now.running, not(now.run));
    state = now.next;
  }

  const given = ports();
  const closing = tick(given, state);
  const closed = all(settled, closing.assumed, closing.running, not(closing.run));
  const breaches: Breach[] = [
    {
      label: "Rests",
      literal: gates.and(closed, not(anyOfThem(gates, closing.cases))),
      what: "the unit rests in a state that is not in the list of cases",
      cycles: [...settling, { ports: given, open: state, gated: state }],
    },
  ];
  cases.forEach((one, which) => {
    const kinds = kindsOf(named, one, top);
    checkCase(named, which, kinds, top);
    // Both copies have the same environment; each copy has its own registers of the unit.
    const world = kinds.map(({ loaded, isOfUnit }) => (loaded && !isOfUnit ? input() : null));
    const at = gates.and(closed, present(closing.cases[which]));
    kinds.forEach(({ name, zero }, r) => {
      if (!zero) return;
      breaches.push({
        label: "Rests",
        literal: gates.and(at, present(state[r])),
        what: `${name} is not 0 in the case "${one.name}"`,
        cycles: [...settling, { ports: given, open: state, gated: state }],
      });
    });
    const copy = (): number[] =>
      state.map((l, r) => {
        const { loaded = false, zero = false } = kinds[r] ?? {};
        return zero ? 0 : (world[r] ?? (loaded ? input() : l));
      });
    const [open, gated] = [copy(), copy()];

    const still = ports();
    const resting = tick(still, open);
    const rests = all(
      ...[at, resting.assumed, resting.running, not(resting.run), present(resting.cases[which])],
    );
    kinds.forEach(({ name, loaded }, r) => {
      if (loaded) return;
      breaches.push({
        label: "Rests",
        literal: gates.and(rests, unequal(gates, present(resting.next[r]), present(open[r]))),
        what: `${name} changes in the case "${one.name}"`,
        cycles: [...settling, { ports: still, open, gated }],
      });
    });
    if (!kinds.some(({ loaded }) => loaded)) return;

    let reached = at;
    let [a, b]: readonly (readonly number[])[] = [open, gated];
    const waking: Moment[] = [...settling];
    for (let cycle = 0; cycle < wakes; cycle += 1) {
      const given = ports();
      const [one, other] = [tick(given, a ?? []), tick(given, b ?? [])];
      waking.push({ ports: given, open: a ?? [], gated: b ?? [] });
      reached = all(reached, one.assumed, cycle === 0 ? present(one.cases[which]) : 1);
      const seen = differences(gates, one.seen, other.seen);
      breaches.push({
        label: "Wakes",
        literal: gates.and(reached, seen),
        what: `outputs differ ${cycle} cycles after run_i`,
        cycles: [...waking],
      });
      if (cycle === 0) reached = all(reached, or(gates, one.run, not(one.running)));
      [a, b] = [one.next, other.next];
    }
    breaches.push({
      label: "Wakes",
      literal: gates.and(reached, differences(gates, a ?? [], b ?? [])),
      what: `registers differ when the gate can close again`,
      cycles: [...waking, { ports: ports(), open: a ?? [], gated: b ?? [] }],
    });
  });
  return breaches;
}

/** An output that harnesses may have: proven after a reset and after every cycle, and then assumed. */
const invariant = "invariant_o[0]";

export interface Frame {
  readonly run: number;
  /** Not in reset. */
  readonly running: number;
  /** The assumptions, and the invariant of the harness. */
  readonly assumed: number;
  readonly invariant: number;
  readonly cases: readonly number[];
  /** All that must not differ. */
  readonly seen: readonly number[];
  readonly next: readonly number[];
}

export function ticker(
  named: Named,
  gates: Gates,
): (ports: readonly number[], state: readonly number[]) => Frame {
  const { graph, outputs, inputs } = named;
  const reset = inputs.get("rst_ni[0]");
  const cases = [...outputs].filter(([name]) => name.startsWith("case_o["));
  const seen = [...outputs.keys()].filter((name) => !/^(assumed|invariant)_o/.test(name));
  cases.sort(([a], [b]) => a.localeCompare(b, "en", { numeric: true }));
  return (ports, state) => {
    const bit = instantiate(gates, graph, [...ports, ...state].map(defined));
    const output = (name: string): number => bit(outputs.get(name) ?? 0)[0];
    return {
      run: output("run_o[0]"),
      running: reset === undefined ? 1 : (ports[reset] ?? 1),
      assumed: outputs.has(invariant)
        ? gates.and(output("assumed_o[0]"), output(invariant))
        : output("assumed_o[0]"),
      invariant: outputs.has(invariant) ? output(invariant) : 1,
      cases: cases.map(([name]) => output(name)),
      seen: seen.map(output),
      next: graph.latches.map((next) => bit(next)[0]),
    };
  };
}

export function kindsOf(named: Named, one: RestCase, top: string): readonly Kind[] {
  const { registers, graph } = named;
  const { loaded, zero, name } = one;
  const bases = registers.map((names) => names.map((one) => one.replace(/\[\d+\]$/, "")));
  const within = (base: string, entry: string): boolean =>
    base === entry || base.startsWith(`${entry}.`) || base.startsWith(`${entry}[`);
  const missing = [...loaded, ...zero].filter(
    (entry) => !bases.flat().some((base) => within(base, entry)),
  );
  if (missing.length > 0) {
    throw inputError(
      top,
      `the case ${name} names registers that do not exist: ${missing.join(", ")}`,
    );
  }
  const listed = (r: number, entries: readonly string[]): boolean =>
    (bases[r] ?? []).some((base) => entries.some((entry) => within(base, entry)));
  // Bits of a listed register that are not loaded in this case are constant, as in other registers.
  const count = registers.length;
  const variable = (place: number): number => 2 * (1 + place);
  const state = registers.map((_, r) => (listed(r, zero) ? 0 : variable(r)));
  const ports = Array.from({ length: graph.inputs }, (_, i) => variable(count + i));
  const { next } = ticker(named, emptyGates(count + graph.inputs))(ports, state);
  return registers.map((names, r) => ({
    name: names[0] ?? `register ${r}`,
    loaded: listed(r, loaded) && next[r] !== state[r],
    zero: listed(r, zero),
    isOfUnit: !names.some((full) => harnessRegister.test(full)),
  }));
}

/**
 * A case must depend only on registers that are stable, not on inputs or registers that may change
 * while the unit rests.
 */
function checkCase(named: Named, which: number, kinds: readonly Kind[], top: string): void {
  const { graph, outputs } = named;
  const literal = outputs.get(`case_o[${which}]`);
  if (literal === undefined) throw inputError(top, `case_o has no bit ${which}.`);
  const firstGate = 1 + graph.inputs + graph.latches.length;
  const needed = new Set([literal >> 1]);
  for (let gate = graph.gates.length - 1; gate >= 0; gate -= 1) {
    if (!needed.has(firstGate + gate)) continue;
    for (const operand of graph.gates[gate] ?? []) needed.add(operand >> 1);
  }
  for (const variable of needed) {
    if (variable === 0 || variable >= firstGate) continue;
    const register = variable - 1 - graph.inputs;
    if (register < 0 || kinds[register]?.loaded === true) {
      throw inputError(
        top,
        `case_o[${which}] depends on an input or on a register that loads an input.`,
      );
    }
  }
}

function unequal(gates: Gates, a: number, b: number): number {
  return differ(gates, defined(a), b);
}

function differences(gates: Gates, a: readonly number[], b: readonly number[]): number {
  return anyOfThem(
    gates,
    a.map((literal, i) => unequal(gates, literal, present(b[i]))),
  );
}
