// SPDX-License-Identifier: Apache-2.0
// A proof of a gated unit cycle by cycle, for units that are too deep for one formula.
// - Rests: a stage is a list of facts about the state after that many cycles without run_i: registers that are constant,
//   and registers that no clock edge changes. The new facts of a stage follow from the facts of the previous stage
//   within two cycles. The facts of a stage hold in each later stage, because the first stage begins with any contents:
//   a state after n cycles is also a state after n - 1 cycles. After the last stage, no clock edge changes a register,
//   except registers that load free inputs.
// - Wakes: a step is a list of registers that may differ between the open and the gated copy that many cycles after
//   run_i, and of registers that are constant. After the last step, no register differs.
// Simulation and models of z3 suggest the facts. A wrong fact makes the proof fail, never succeed: z3 and cvc5 check
// all facts.

import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { NeardataError } from "../../../base/errors.ts";
import { present } from "../../../base/present.ts";
import { randomWords } from "../../../base/random.ts";
import { chosenBy, dimacs } from "../formula.ts";
import {
  anyOf,
  anyOfThem,
  defined,
  differ,
  emptyGates,
  not,
  or,
  type Gates,
} from "../netlists/gates.ts";
import type { Named } from "../netlists/graphs.ts";
import type { Workplace } from "../workers.ts";
import { ticker, type Frame } from "./question.ts";

/** Registers by their index, each with its only value. */
type Constants = ReadonlyMap<number, number>;

/** Facts about the state after a number of cycles without run_i. */
export interface Stage {
  readonly constants: Constants;
  /** Registers that no clock edge changes. */
  readonly still: ReadonlySet<number>;
}

/** Facts about both copies a number of cycles after run_i. */
export interface Step {
  readonly constants: Constants;
  /** Registers that may differ. */
  readonly different: ReadonlySet<number>;
}

/** The facts that prove a property. */
export interface Facts {
  readonly stages: readonly Stage[];
  /** After run_i. */
  readonly run: readonly Step[];
  /** After a reset. */
  readonly reset: readonly Step[];
}

/** Limits of a search: number of cycles, and processor time of one question to z3. */
export interface Limits {
  readonly cycles: number;
  readonly seconds: number;
}

const noFacts: Stage = { constants: new Map(), still: new Set() };

/** A formula under construction. */
interface Builder {
  readonly gates: Gates;
  readonly registers: readonly number[];
  readonly input: () => number;
  readonly ports: () => readonly number[];
  readonly state: (constants: Constants) => readonly number[];
  readonly tick: (ports: readonly number[], state: readonly number[]) => Frame;
}

/** `cycles`: most cycles in the formula. */
function builderOf(named: Named, cycles: number): Builder {
  const { graph } = named;
  const gates = emptyGates(cycles * (graph.inputs + 2 * graph.latches.length));
  let used = 0;
  const input = (): number => 2 * (used += 1);
  const registers = graph.latches.map((_, r) => r);
  return {
    gates,
    registers,
    input,
    ports: () => Array.from({ length: graph.inputs }, input),
    state: (constants) => registers.map((r) => constants.get(r) ?? input()),
    tick: ticker(named, gates),
  };
}

function all({ gates }: Builder, ...literals: readonly number[]): number {
  return literals.reduce((a, b) => gates.and(a, b), 1);
}

function unequal({ gates }: Builder, a: number | undefined, b: number | undefined): number {
  return differ(gates, defined(present(a)), present(b));
}

/** A cycle without run_i, not in reset. */
function rests(builder: Builder, { assumed, running, run }: Frame): number {
  return all(builder, assumed, running, not(run));
}

/** A cycle without run_i, after `stage` and another such cycle, or any such cycle. */
function cycleAfter(
  builder: Builder,
  stage: Stage | null,
  known: Constants,
): { readonly state: readonly number[]; readonly frame: Frame; readonly at: number } {
  const { ports, tick } = builder;
  if (stage === null) {
    const state = builder.state(known);
    const frame = tick(ports(), state);
    return { state, frame, at: rests(builder, frame) };
  }
  const first = builder.state(stage.constants);
  const before = tick(ports(), first);
  const state = first.map(
    (literal, r) => known.get(r) ?? (stage.still.has(r) ? literal : present(before.next[r])),
  );
  const frame = tick(ports(), state);
  const agree = [...known].map(([r, value]) => present(before.next[r]) ^ value ^ 1);
  return {
    state,
    frame,
    at: all(builder, rests(builder, before), rests(builder, frame), ...agree),
  };
}

/** Literals that must not be true while `at` is. */
interface Claims {
  readonly at: number;
  readonly wrong: readonly number[];
}

const conditions = ({ gates }: Builder, { at, wrong }: Claims): readonly number[] =>
  wrong.map((literal) => gates.and(at, literal));

/** For each register and value, true if the register has another value. */
function constantClaims(
  builder: Builder,
  stage: Stage | null,
  candidates: readonly (readonly [number, number])[],
): Claims {
  const { state, at } = cycleAfter(builder, stage, noFacts.constants);
  return { at, wrong: candidates.map(([r, value]) => present(state[r]) ^ value) };
}

/** For each register, true if a clock edge changes it. */
function stillClaims(
  builder: Builder,
  stage: Stage | null,
  constants: Constants,
  candidates: readonly number[],
): Claims {
  const { state, frame, at } = cycleAfter(builder, stage, constants);
  return { at, wrong: candidates.map((r) => unequal(builder, frame.next[r], state[r])) };
}

/** True if the invariant of the harness does not hold after a reset, or not after a cycle. */
function invariantClaim(builder: Builder): number {
  const { gates, ports, tick } = builder;
  const before = tick(ports(), builder.state(noFacts.constants));
  const after = tick(ports(), before.next);
  return gates.and(or(gates, not(before.running), before.assumed), not(after.invariant));
}

/** Whether an output differs; the registers that differ in the next cycle, or have another value. */
interface WakeClaims {
  readonly outputs: number;
  readonly at: number;
  readonly equal: readonly number[];
  readonly values: readonly number[];
}

/** Whether a step is the first one after a rest, and whether a reset occurs in it. */
interface Begin {
  readonly isFirst: boolean;
  readonly isReset: boolean;
}

function wakeClaims(
  builder: Builder,
  { constants, different }: Step,
  { isFirst, isReset }: Begin,
  equal: readonly number[],
  values: readonly (readonly [number, number])[],
): WakeClaims {
  const { gates, ports, tick } = builder;
  const state = builder.state(constants);
  const gated = state.map((literal, r) => (different.has(r) ? builder.input() : literal));
  const given = ports();
  // Before the first step, the gated copy rested in this state, and the open copy was in such a state a cycle earlier.
  const before = isFirst ? tick(ports(), state) : null;
  const open = state.map((literal, r) =>
    before !== null && different.has(r) ? present(before.next[r]) : literal,
  );
  const rested =
    before === null
      ? 1
      : all(builder, rests(builder, before), rests(builder, tick(ports(), gated)));
  const [a, b] = [tick(given, open), tick(given, gated)];
  const at = gates.and(a.assumed, rested);
  const then = all(
    builder,
    at,
    isReset ? not(a.running) : gates.and(a.running, isFirst ? a.run : 1),
  );
  const differences = a.seen.map((literal, i) => unequal(builder, literal, b.seen[i]));
  return {
    outputs: gates.and(at, anyOfThem(gates, differences)),
    at: then,
    equal: equal.map((r) => unequal(builder, a.next[r], b.next[r])),
    values: values.map(([r, value]) => {
      const [one, other] = [a.next, b.next].map((next) => present(next[r]) ^ value);
      return or(gates, present(one), present(other));
    }),
  };
}

const bothValues = (registers: readonly number[]): readonly (readonly [number, number])[] =>
  registers.flatMap((r): (readonly [number, number])[] => [
    [r, 0],
    [r, 1],
  ]);

/** The stages until no clock edge changes a register that is not `loaded`, and the registers that still change. */
export async function restingStages(
  named: Named,
  loaded: (register: number) => boolean,
  { cycles, seconds }: Limits,
  place: Workplace,
): Promise<{ readonly stages: readonly Stage[]; readonly moving: readonly number[] }> {
  const stages: Stage[] = [];
  for (;;) {
    const last = stages.at(-1) ?? null;
    const { constants: known, still: rested } = last ?? noFacts;
    const first = builderOf(named, 2);
    const values = bothValues(first.registers.filter((r) => !known.has(r)));
    const valid = await validOf(first, constantClaims(first, last, values), seconds, place);
    const constants = new Map([...known, ...values.filter((_, i) => valid[i] === true)]);
    const second = builderOf(named, 2);
    const open = second.registers.filter((r) => !rested.has(r));
    const claims = stillClaims(second, last, constants, open);
    const stable = await validOf(second, claims, seconds, place);
    const still = new Set([...rested, ...open.filter((_, i) => stable[i] === true)]);
    stages.push({ constants, still });
    const moving = second.registers.filter((r) => !still.has(r) && !loaded(r));
    const same = last !== null && known.size === constants.size && rested.size === still.size;
    if (moving.length === 0 || same || stages.length > cycles) return { stages, moving };
  }
}

/** The step after `step`. */
async function stepAfter(
  named: Named,
  step: Step,
  begin: Begin,
  seconds: number,
  place: Workplace,
): Promise<Step> {
  const builder = builderOf(named, 5);
  const every = builder.registers;
  const values = bothValues(every);
  const claims = wakeClaims(builder, step, begin, every, values);
  const wrong = [...claims.equal, ...claims.values];
  const valid = await validOf(builder, { at: claims.at, wrong }, seconds, place);
  return {
    constants: new Map(values.filter((_, i) => valid[every.length + i] === true)),
    different: new Set(every.filter((_, i) => valid[i] !== true)),
  };
}

/** The steps from `first` on until no register differs. */
async function stepsFrom(
  named: Named,
  first: Step,
  isFirst: boolean,
  { cycles, seconds }: Limits,
  place: Workplace,
): Promise<readonly Step[]> {
  const steps = [first];
  for (;;) {
    const last = present(steps.at(-1));
    if (last.different.size === 0 || steps.length > cycles) return steps;
    steps.push(
      await stepAfter(
        named,
        last,
        { isFirst: isFirst && steps.length === 1, isReset: false },
        seconds,
        place,
      ),
    );
  }
}

/** The facts that both steps have. */
function merged(a: Step, b: Step): Step {
  return {
    constants: new Map([...a.constants].filter(([r, value]) => b.constants.get(r) === value)),
    different: new Set([...a.different, ...b.different]),
  };
}

/** The steps after run_i, and the steps after a reset in any step, until no register differs. */
export async function wakingSteps(
  named: Named,
  { constants, still }: Stage,
  limits: Limits,
  place: Workplace,
): Promise<Pick<Facts, "run" | "reset">> {
  const every = named.graph.latches.map((_, r) => r);
  const different = new Set(every.filter((r) => !still.has(r)));
  const run = await stepsFrom(named, { constants, different }, true, limits, place);
  const resets = async (steps: readonly Step[], isRun: boolean): Promise<readonly Step[]> => {
    const after: Step[] = [];
    for (const [i, step] of steps.slice(0, -1).entries()) {
      after.push(
        await stepAfter(
          named,
          step,
          { isFirst: isRun && i === 0, isReset: true },
          limits.seconds,
          place,
        ),
      );
    }
    return after;
  };
  const [begin, ...others] = await resets(run, true);
  if (begin === undefined) return { run, reset: [] };
  let first: Step = others.reduce(merged, begin);
  for (;;) {
    // The cycle of the reset is one of the cycles.
    const rest = { ...limits, cycles: limits.cycles - 1 };
    const reset = await stepsFrom(named, first, false, rest, place);
    const next: Step = (await resets(reset, false)).reduce(merged, first);
    const same =
      next.constants.size === first.constants.size && next.different.size === first.different.size;
    if (same) return { run, reset };
    first = next;
  }
}

/** Literals of which each is true if a fact does not hold. */
export interface FactCheck {
  readonly gates: Gates;
  readonly wrong: readonly number[];
}

function checkOf({ gates }: Builder, wrong: readonly number[]): FactCheck {
  return { gates, wrong: wrong.filter((literal) => literal !== 0) };
}

/** One check per stage, and one of all steps. */
export function claimsOf(named: Named, { stages, run, reset }: Facts): readonly FactCheck[] {
  const checks = stages.map((stage, i) => {
    const builder = builderOf(named, 4);
    const last = stages[i - 1] ?? null;
    const { constants: known, still: rested } = last ?? noFacts;
    const constants = [...stage.constants].filter(([r]) => !known.has(r));
    const still = [...stage.still].filter((r) => !rested.has(r));
    return checkOf(builder, [
      ...conditions(builder, constantClaims(builder, last, constants)),
      ...conditions(builder, stillClaims(builder, last, stage.constants, still)),
    ]);
  });
  const builder = builderOf(named, 10 * (run.length + reset.length) + 2);
  const every = builder.registers;
  const step = (
    from: Step,
    to: Step | undefined,
    isFirst: boolean,
    isReset: boolean,
  ): readonly number[] => {
    const equal = to === undefined ? [] : every.filter((r) => !to.different.has(r));
    const values = [...(to?.constants ?? [])];
    const claims = wakeClaims(builder, from, { isFirst, isReset }, equal, values);
    const { at, outputs } = claims;
    return [outputs, ...conditions(builder, { at, wrong: [...claims.equal, ...claims.values] })];
  };
  const steps = (list: readonly Step[], isRun: boolean): readonly number[] =>
    list.flatMap((from, i) => [
      ...step(from, list[i + 1], isRun && i === 0, false),
      ...(from.different.size === 0 ? [] : step(from, reset[0], isRun && i === 0, true)),
    ]);
  const wrong = [invariantClaim(builder), ...steps(run, true), ...steps(reset, false)];
  return [...checks, checkOf(builder, wrong)].filter((check) => check.wrong.length > 0);
}

/**
 * The claims with all literals as constants that follow from `at` by propagation. Then random simulation finds
 * cases of `at`, which are otherwise rare.
 */
function simplified(
  { gates }: Builder,
  { at, wrong }: Claims,
): { readonly gates: Gates; readonly wrong: readonly number[] } {
  const base = 1 + gates.inputs;
  // Of each variable: 1 or 0, or -1 if unknown.
  const known = new Int8Array(base + gates.gates.length).fill(-1);
  known[0] = 0;
  let changes = 0;
  const valueOf = (literal: number): number => {
    const value = present(known[literal >> 1]);
    return value < 0 ? value : value ^ (literal & 1);
  };
  const learn = (literal: number, value: number): void => {
    if (known[literal >> 1] !== -1) return;
    known[literal >> 1] = value ^ (literal & 1);
    changes += 1;
  };
  learn(at, 1);
  while (changes > 0) {
    changes = 0;
    for (let i = gates.gates.length - 1; i >= 0; i -= 1) {
      const value = known[base + i];
      if (value === -1) continue;
      const [left, right] = present(gates.gates[i]);
      if (value === 1) {
        learn(left, 1);
        learn(right, 1);
      } else if (valueOf(left) === 1) learn(right, 0);
      else if (valueOf(right) === 1) learn(left, 0);
    }
    gates.gates.forEach(([left, right], i) => {
      const [a, b] = [valueOf(left), valueOf(right)];
      if (a === 0 || b === 0) learn(2 * (base + i), 0);
      else if (a === 1 && b === 1) learn(2 * (base + i), 1);
    });
  }
  const into = emptyGates(gates.inputs);
  const literals = Array.from({ length: base }, (_, v) => {
    const value = present(known[v]);
    return value < 0 ? 2 * v : value;
  });
  let rest = 1;
  const of = (literal: number): number => present(literals[literal >> 1]) ^ (literal & 1);
  gates.gates.forEach(([left, right], i) => {
    const made = into.and(of(left), of(right));
    const value = present(known[base + i]);
    // A known value is also a condition on the operands.
    if (value >= 0) rest = into.and(rest, made ^ value ^ 1);
    literals.push(value < 0 ? made : value);
  });
  return { gates: into, wrong: wrong.map((literal) => into.and(rest, of(literal))) };
}

/** Whether each claim holds in all cases, that is, whether its literal is never true. */
async function validOf(
  builder: Builder,
  claims: Claims,
  seconds: number,
  place: Workplace,
): Promise<readonly boolean[]> {
  const { gates, wrong } = simplified(builder, claims);
  const valid = wrong.map(() => true);
  const random = randomWords(0x9e3779b9);
  const drop = (input: (i: number) => number): void => {
    const values = simulate(gates, input);
    wrong.forEach((literal, i) => {
      if (word(values, literal) !== 0) valid[i] = false;
    });
  };
  for (let round = 0; round < 64; round += 1) drop(random);
  for (;;) {
    const left = wrong.filter((literal, i) => literal !== 0 && valid[i] === true);
    if (left.length === 0) return valid;
    const formula = anyOf(gates, left);
    const file = "facts.cnf";
    writeFileSync(join(place.directory, file), dimacs(formula));
    const { text } = await place.ask(["z3", "-dimacs", file], seconds);
    if (/^(s )?UNSAT/im.test(text)) return valid;
    if (!/^(s )?SAT/im.test(text)) {
      throw new NeardataError("exhausted", `z3 found no facts within ${seconds} s`);
    }
    const chosen = chosenBy(text);
    // The model, and other values of some inputs.
    for (let round = 0; round < 24; round += 1) {
      drop((i) => {
        let flips = random() & random() & random() & ~1;
        for (let d = 0; d < 2 * (round % 4); d += 1) flips &= random();
        return (chosen.has(i + 1) ? -1 : 0) ^ flips;
      });
    }
  }
}

function word(values: Int32Array, literal: number): number {
  const value = present(values[literal >> 1]);
  return literal % 2 === 1 ? ~value : value;
}

/** 32 runs at once. */
function simulate({ inputs, gates }: Gates, input: (i: number) => number): Int32Array {
  const values = new Int32Array(1 + inputs + gates.length);
  for (let i = 0; i < inputs; i += 1) values[1 + i] = input(i);
  gates.forEach(([left, right], i) => {
    values[1 + inputs + i] = word(values, left) & word(values, right);
  });
  return values;
}
