// SPDX-License-Identifier: Apache-2.0
// Proves that the mapped netlist of a slice is its RTL, or refutes it with one cell of it exchanged
// for another. ABC, z3 and cvc5 have to agree. What was decided is kept as that of harnesses is.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { NeardataError } from "../../errors.ts";
import { cached } from "../../files/cache.ts";
import { hashOf } from "../../native/compile/source-hash.ts";
import { proofCacheDirectory } from "../../native/paths.ts";
import { ownLibrary, readLibrary } from "../../synth/cells/liberty.ts";
import { closureOf } from "../../synth/rtl-files.ts";
import { findFlow, synthesizeSlice } from "../../synth/slice.ts";
import { search, unsatisfiable } from "../engines.ts";
import { aigerOf, anyOf } from "./gates.ts";
import type { NetlistProof } from "./list.ts";
import { files } from "../model.ts";
import { graphsOf, readNetlist, readRtl, sidesOf, writeSides, type Sides } from "./graphs.ts";
import { match, type Matched } from "./match.ts";
import type { Result } from "../prove.ts";
import { ask, type Answer, type Tools } from "../tools.ts";
import type { Outcome } from "../types.ts";

/** Changes when what is kept under the same hash would mean something else. */
const format = 1;
/** Cycles in which an exchanged cell has to show. */
const mostSteps = 24;
const answerFile = "outcome.json";

/**
 * Decides whether the netlist is the RTL.
 * @throws NeardataError `build-failed`, `tool-missing`
 */
export async function proveNetlist(tools: Tools, slice: NetlistProof): Promise<Result> {
  const sides = sidesOf(slice, await netlistOf(slice));
  return decided(tools, slice, sides, async (directory) => {
    const outcome = await decide(slice, sides, directory);
    if (outcome.kind !== "refuted") return outcome;
    return { kind: "undecided", reason: "a step differs from registers that are equal by name" };
  });
}

/** Exchanges one cell after another, until one shows in a trace that the netlist as it is has not. */
export async function refuteNetlist(tools: Tools, slice: NetlistProof): Promise<Result> {
  const netlist = await netlistOf(slice);
  let last: Result | null = null;
  for (const planted of exchanged(netlist)) {
    const sides = sidesOf(slice, planted);
    last = await decided(tools, slice, sides, async (directory) => {
      if (!(await differs(slice, sides, directory))) {
        return { kind: "undecided", reason: "no bit differs with a cell exchanged" };
      }
      return trace(slice, sides, netlist, directory);
    });
    if (last.outcome.kind === "refuted") return last;
  }
  if (last !== null) return last;
  return { outcome: { kind: "undecided", reason: "no cell to exchange" }, kept: false };
}

async function netlistOf({ module, parameters }: NetlistProof): Promise<string> {
  const flow = await findFlow(readLibrary(ownLibrary()));
  // Memories are of cells: what is left out cannot be compared.
  const remembers = closureOf(module, []).some(({ path }) => path.endsWith("_macro.sv"));
  const memories = remembers ? "cells" : "macros";
  const slice = await synthesizeSlice({ ...flow, memories }, { module, parameters }, []);
  return readFileSync(slice.netlist, "utf8");
}

/** So many cells are tried: one may not matter to any output. */
const tried = 8;
/** Processor time in seconds for the trace of one. */
const traceSeconds = 30;

/**
 * The netlist with one NAND of two inputs made a NOR, or the reverse: of cells that drive an output,
 * or what the register of one takes, and then of any.
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
  tools: Tools,
  { module }: NetlistProof,
  sides: Sides,
  solve: (directory: string) => Promise<Outcome>,
): Promise<Result> {
  const hash = hashOf({ format, tools, sides }, []).slice(0, 24);
  const fresh: { outcome: Outcome | null } = { outcome: null };
  try {
    const place = await cached(proofCacheDirectory(), `netlist-${module}-${hash}`, async (work) => {
      writeSides(sides, work);
      const outcome = await solve(work);
      fresh.outcome = outcome;
      if (outcome.kind === "undecided") throw new NeardataError("exhausted", outcome.reason);
      writeFileSync(join(work, answerFile), JSON.stringify(outcome));
      clear(work, sides);
      return work;
    });
    const outcome = JSON.parse(readFileSync(join(place, answerFile), "utf8")) as Outcome;
    const kept = fresh.outcome === null;
    if (outcome.kind !== "refuted") return { outcome, kept };
    return { outcome: { ...outcome, waveform: join(place, outcome.waveform) }, kept };
  } catch (error) {
    if (fresh.outcome?.kind === "undecided") return { outcome: fresh.outcome, kept: false };
    throw error;
  }
}

/** `refuted` here has no waveform: it speaks of one step between any contents of registers. */
async function decide(
  { module, seconds }: NetlistProof,
  sides: Sides,
  directory: string,
): Promise<Outcome> {
  const { rtl, mapped } = await graphsOf(module, sides, directory);
  const question = match(rtl, mapped);
  if ("unmatched" in question) return { kind: "undecided", reason: question.unmatched };
  const literals = question.differences.map(({ literal }) => literal);
  const checked = await unsatisfiable(anyOf(question.gates, literals), seconds, directory);
  if (checked.kind === "satisfiable") {
    return { kind: "refuted", label: "Netlist", steps: 1, waveform: "" };
  }
  if (checked.kind !== "holds") return checked;
  const { text, seconds: taken } = await compared(question, seconds, directory);
  // Without a difference that is left after equal gates are one, there is nothing to ask.
  if (literals.length > 0 && !/Networks are equivalent/.test(text)) {
    return { kind: "undecided", reason: "ABC does not agree with z3 and cvc5" };
  }
  const { registers, leftOut, open } = question;
  const note =
    `${String(registers)} registers, ${String(leftOut)} of the RTL left out; ` +
    `${String(literals.length)} bits compared, ${String(open)} of them undefined in some states`;
  return {
    kind: "holds",
    verdicts: [{ solver: "abc cec", seconds: taken }, ...checked.verdicts],
    note,
  };
}

/** What ABC says of the question. */
async function compared(
  { gates, differences }: Matched,
  seconds: number,
  directory: string,
): Promise<Answer> {
  const place = "question.aig";
  const literals = differences.map(({ literal }) => literal);
  writeFileSync(join(directory, place), aigerOf(gates, literals));
  return ask(["yosys-abc", "-c", `&read ${place}; &cec -m`], directory, seconds);
}

/** Whether the question that a proof answers with no has a yes. */
async function differs(
  { module, seconds }: NetlistProof,
  sides: Sides,
  directory: string,
): Promise<boolean> {
  const { rtl, mapped } = await graphsOf(module, sides, directory);
  const question = match(rtl, mapped);
  if ("unmatched" in question) return false;
  const { text } = await compared(question, seconds, directory);
  return text.includes("Networks are NOT EQUIVALENT");
}

const miter = "netlist_and_rtl";

/** A run of RTL and netlist beside each other from registers that hold 0, in which outputs differ. */
async function trace(
  slice: NetlistProof,
  sides: Sides,
  sound: string,
  directory: string,
): Promise<Outcome> {
  await besides(slice, sides, directory);
  const found = await search(miter, mostSteps, traceSeconds, directory, "in_clk_i");
  if (found.kind !== "refuted") return found;
  const label = "Netlist";
  // The netlist as it is must not differ in as many cycles: else the trace says nothing of the cell.
  const control = join(directory, files.graph);
  writeSides({ ...sides, netlist: sound }, directory);
  await besides(slice, sides, directory);
  const command = `read_aiger ${files.graph}; orpos; strash; bmc3 -F ${String(found.steps)}`;
  const { text } = await ask(["yosys-abc", "-c", command], directory, traceSeconds);
  rmSync(control);
  if (!/No output asserted|No output failed/.test(text)) {
    return { kind: "undecided", reason: "the trace shows without the fault, too" };
  }
  return { ...found, label };
}

/** The model of `search`: both, with an assertion that their outputs are equal. */
async function besides({ module }: NetlistProof, sides: Sides, directory: string): Promise<void> {
  const script = [
    ...readRtl(module, sides),
    "design -stash rtl",
    ...readNetlist(module),
    "design -stash netlist",
    `design -copy-from rtl -as rtl_side ${module}`,
    `design -copy-from netlist -as netlist_side ${module}`,
    `miter -equiv -make_assert -flatten rtl_side netlist_side ${miter}`,
    `hierarchy -top ${miter}`,
    "setundef -undriven -init -zero",
    "opt_clean",
    "dffunmap",
    `write_rtlil ${files.words}`,
    "techmap",
    "dffunmap",
    "opt -fast -nodffe -nosdff",
    "abc -g AND -fast",
    "opt_clean",
    `write_aiger -zinit -map ${files.map} ${files.graph}`,
    "",
  ];
  writeFileSync(join(directory, "beside.ys"), script.join("\n"));
  const { text } = await ask(["yosys", "-q", "-l", "beside.log", "beside.ys"], directory, 600);
  if (/^ERROR/m.test(text)) throw new NeardataError("build-failed", text);
}

/** Formulas and graphs are large, and made again from the sources in a moment. */
function clear(work: string, { rtl }: Sides): void {
  const sides = ["rtl", "mapped"].flatMap((name) => [".aig", ".aim", ".json"].map((e) => name + e));
  const asked = ["formula.cnf", "formula.smt2", "question.aig", "cells.lib", "netlist.v"];
  for (const name of [...sides, ...asked, files.words, files.map, ...rtl.map((s) => s.name)]) {
    rmSync(join(work, name), { force: true });
  }
}
