// SPDX-License-Identifier: Apache-2.0
// Proves that the mapped netlist of a slice is equivalent to its RTL, or refutes it with one cell replaced by another.
// ABC, z3 and cvc5 have to agree. Outcomes are cached as those of harnesses are.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { NeardataError } from "../../../base/errors.ts";
import { cached } from "../../../base/files/cache.ts";
import { hashOf } from "../../../native/compile/source-hash.ts";
import { proofCacheDirectory } from "../../../base/paths.ts";
import { present } from "../../../base/present.ts";
import { builtInLibrary, readLibrary } from "../../synth/cells/liberty.ts";
import { closureOf } from "../../synth/rtl-files.ts";
import { files as synthesisFiles } from "../../synth/scripts.ts";
import { findFlow, synthesizeSlice } from "../../synth/slice.ts";
import { unsatisfiable, type Satisfiable } from "../engines.ts";
import { aigerOf, anyOf } from "./gates.ts";
import type { NetlistProof } from "./list.ts";
import { graphsOf, sidesOf, writeSides, type Encoding, type Sides } from "./graphs.ts";
import { match, type Matched } from "./match.ts";
import { registersOf } from "./registers.ts";
import { trace } from "./trace.ts";
import type { Result } from "../prove.ts";
import type { Prover } from "../tools.ts";
import type { Outcome } from "../types.ts";
import type { Answer, Workers, Workplace } from "../workers.ts";

/** Version of the cached answers; incremented when their meaning changes. */
const format = 2;
/** Cycles in which an exchanged cell has to show. */
const maxSteps = 24;
const answerFile = "outcome.json";

/**
 * Decides whether the netlist is the RTL.
 * @throws NeardataError `build-failed`, `tool-missing`
 */
export async function proveNetlist(prover: Prover, slice: NetlistProof): Promise<Result> {
  const sides = sidesOf(slice, await synthesized(prover.workers, slice));
  return decided(prover, slice, sides, async (place) => {
    const outcome = await decide(slice, sides, place);
    if (outcome.kind !== "refuted") return outcome;
    return { kind: "undecided", reason: "a step differs from registers that are equal by name" };
  });
}

/** Exchanges one cell after another, until one shows at an output. */
export async function refuteNetlist(prover: Prover, slice: NetlistProof): Promise<Result> {
  const { netlist, encodings } = await synthesized(prover.workers, slice);
  let last: Result | null = null;
  for (const injected of exchanged(netlist)) {
    const sides = sidesOf(slice, { netlist: injected, encodings });
    last = await decided(prover, slice, sides, async (place) => {
      const { rtl, mapped } = await graphsOf(slice.module, sides, place);
      return trace(place, {
        rtl,
        mapped,
        registers: registersOf(rtl, mapped, encodings),
        cycles: maxSteps,
        seconds: traceSeconds,
      });
    });
    if (last.outcome.kind === "refuted") return last;
  }
  if (last !== null) return last;
  return { outcome: { kind: "undecided", reason: "no cell to exchange" }, fromCache: false };
}

async function synthesized(
  { hold }: Workers,
  { module, parameters }: NetlistProof,
): Promise<Pick<Sides, "netlist" | "encodings">> {
  const flow = await findFlow(readLibrary(builtInLibrary()));
  // Memories are mapped to cells, because a macro cannot be compared.
  const remembers = closureOf(module, []).some(({ path }) => path.endsWith("_macro.sv"));
  const memories = remembers ? "cells" : "macros";
  const slice = await hold(async () =>
    synthesizeSlice({ ...flow, memories }, { module, parameters }, []),
  );
  const log = readFileSync(join(dirname(slice.netlist), synthesisFiles.log), "utf8");
  return { netlist: readFileSync(slice.netlist, "utf8"), encodings: encodingsOf(log) };
}

/** The one-hot encodings of state machines in Yosys' log. */
export function encodingsOf(log: string): readonly Encoding[] {
  const machines = log.matchAll(
    /^Recoding FSM `\$fsm\$\\(\S+)\$\d+' .*\n.*to `one-hot`.*\n((?: {2}\S+ -> \S+\n)+)/gm,
  );
  return [...machines].flatMap(([, register = "", rows = ""]) => {
    const states = [...rows.matchAll(/^ {2}([01]+) -> ([-1]+)$/gm)];
    const places = states.map(([, , code = ""]) => code.length - 1 - code.indexOf("1"));
    if (states.length === 0 || states.some(([, , code = ""]) => !/^-*1-*$/.test(code))) return [];
    const codes: number[] = [];
    states.forEach(([, state = ""], i) => {
      codes[present(places[i])] = Number.parseInt(state, 2);
    });
    return [{ register, codes }];
  });
}

/** So many cells are tried: one may not matter to any output. */
const tried = 8;
/** Processor time in seconds for the trace of one. */
const traceSeconds = 30;

/**
 * The netlist with one two-input NAND replaced by a NOR, or the reverse: first cells that drive an
 * output or the data input of a register, then any cell.
 */
function exchanged(netlist: string): readonly string[] {
  const names = (pin: string, of: string): string =>
    new RegExp(`\\.${pin}\\((.*)\\)`).exec(of)?.[1] ?? "";
  const ports = [...netlist.matchAll(/^ {2}output (?:\[.*\] )?(\w+);/gm)].map((m) => m[1] ?? "");
  const isPort = (net: string): boolean => ports.includes(net.replace(/\[\d+\]$/, ""));
  const cells = [...netlist.matchAll(/^ {2}(\w+) \S+ \(\n((?: {4}\..*\n)+) {2}\);/gm)];
  const ends = cells
    .filter(([, type = "", pins = ""]) => type.startsWith("DFF") && isPort(names("Q", pins)))
    .map(([, , pins = ""]) => names("D", pins));
  const taken = new Set(ends);
  const gates = cells.filter(([, type = ""]) => /^(NAND2|NOR2)_/.test(type));
  const near = gates.filter(([, , pins = ""]) => {
    const net = names("Y", pins);
    return isPort(net) || taken.has(net);
  });
  const step = Math.max(1, Math.floor(gates.length / tried));
  const spread = gates.filter((_, i) => i % step === step - 1);
  return [...near.slice(0, tried / 2), ...spread].slice(0, tried).map(({ 0: cell, index }) => {
    const other = cell.startsWith("  NAND2")
      ? cell.replace("NAND2", "NOR2")
      : cell.replace("NOR2", "NAND2");
    return netlist.slice(0, index) + other + netlist.slice(index + cell.length);
  });
}

async function decided(
  { tools, workers }: Prover,
  { module }: NetlistProof,
  sides: Sides,
  solve: (place: Workplace) => Promise<Outcome>,
): Promise<Result> {
  const hash = hashOf({ format, tools, sides }, []).slice(0, 24);
  const fresh: { outcome: Outcome | null } = { outcome: null };
  try {
    const place = await cached(proofCacheDirectory(), `netlist-${module}-${hash}`, async (work) => {
      writeSides(sides, work);
      const outcome = await solve(workers.at(work));
      fresh.outcome = outcome;
      if (outcome.kind === "undecided") throw new NeardataError("exhausted", outcome.reason);
      writeFileSync(join(work, answerFile), JSON.stringify(outcome));
      clear(work, sides);
      return work;
    });
    const outcome = JSON.parse(readFileSync(join(place, answerFile), "utf8")) as Outcome;
    const fromCache = fresh.outcome === null;
    if (outcome.kind !== "refuted") return { outcome, fromCache };
    return { outcome: { ...outcome, waveform: join(place, outcome.waveform) }, fromCache };
  } catch (error) {
    if (fresh.outcome?.kind === "undecided") return { outcome: fresh.outcome, fromCache: false };
    throw error;
  }
}

/** `refuted` here has no waveform: it is about one step between any contents of registers. */
async function decide(
  { module, seconds }: NetlistProof,
  sides: Sides,
  place: Workplace,
): Promise<Outcome> {
  const { rtl, mapped } = await graphsOf(module, sides, place);
  const refuted = new Set<number>();
  let question = match(rtl, mapped, sides.encodings);
  let checked: Outcome | Satisfiable;
  for (;;) {
    if ("unmatched" in question) return { kind: "undecided", reason: question.unmatched };
    const literals = question.differences.map(({ literal }) => literal);
    checked = await unsatisfiable(anyOf(question.gates, literals), seconds, place);
    if (checked.kind !== "satisfiable") break;
    // A wrong guess is no difference of the netlist: without it the register is free.
    const wrong = wrongGuesses(question, checked);
    if (wrong.length === 0) return { kind: "refuted", label: "Netlist", steps: 1, waveform: "" };
    for (const register of wrong) refuted.add(register);
    question = match(rtl, mapped, sides.encodings, refuted);
  }
  if (checked.kind !== "holds") return checked;
  const { text, seconds: taken } = await compared(question, seconds, place);
  // If no difference remains after the merge of equal gates, the equivalence is proven without solvers.
  if (question.differences.length > 0 && !/Networks are equivalent/.test(text)) {
    return { kind: "undecided", reason: "ABC does not agree with z3 and cvc5" };
  }
  const { registers, leftOut, copies, machines, open } = question;
  const also = [
    ...(machines > 0 ? [`${String(machines)} state machines with a bit a state`] : []),
    ...(copies > 0 ? [`${String(copies)} copies`] : []),
  ];
  const note =
    `${String(registers)} registers${also.map((a) => `, ${a}`).join("")}, ` +
    `${String(leftOut)} of the RTL left out; ` +
    `${String(question.differences.length)} bits compared, ${String(open)} of them undefined in some states`;
  return {
    kind: "holds",
    verdicts: [{ solver: "abc cec", seconds: taken }, ...checked.verdicts],
    note,
  };
}

/** Registers of the RTL whose suggested counterpart differs in the model. */
function wrongGuesses({ differences }: Matched, { model }: Satisfiable): readonly number[] {
  const isTrue = (literal: number): boolean => model.has(literal >> 1) !== (literal % 2 === 1);
  return differences.flatMap(({ literal, guess }) =>
    guess !== null && isTrue(literal) ? [guess] : [],
  );
}

/** ABC's answer to the question. */
async function compared(
  { gates, differences }: Matched,
  seconds: number,
  { directory, ask }: Workplace,
): Promise<Answer> {
  const name = "question.aig";
  const literals = differences.map(({ literal }) => literal);
  writeFileSync(join(directory, name), aigerOf(gates, literals));
  return ask(["yosys-abc", "-c", `&read ${name}; &cec -m`], seconds);
}

/** Formulas and graphs are large, and quick to generate from the sources, so they are not cached. */
function clear(work: string, { rtl }: Sides): void {
  const sides = ["rtl", "mapped"].flatMap((name) => [".aig", ".aim", ".json"].map((e) => name + e));
  const asked = ["formula.cnf", "formula.smt2", "question.aig", "cells.lib", "netlist.v"];
  for (const name of [...sides, ...asked, ...rtl.map((s) => s.name)]) {
    rmSync(join(work, name), { force: true });
  }
}
