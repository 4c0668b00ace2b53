// SPDX-License-Identifier: Apache-2.0
// Proves that a unit behaves the same with and without its clock gate, or finds a counterexample for an injected fault.
// z3 and cvc5 must agree; a counterexample is simulated with constants. Outcomes are cached, like those of harnesses.

import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { inputError, NeardataError } from "../../../base/errors.ts";
import { cached } from "../../../base/files/cache.ts";
import { hashOf } from "../../../native/compile/source-hash.ts";
import { proofCacheDirectory } from "../../../base/paths.ts";
import { present } from "../../../base/present.ts";
import { unsatisfiable } from "../engines.ts";
import { files, sourcesOf } from "../model.ts";
import { anyOf, emptyGates } from "../netlists/gates.ts";
import { graphOf, readRtl, type Named } from "../netlists/graphs.ts";
import { waveform } from "../netlists/waveform.ts";
import type { Result } from "../prove.ts";
import type { Prover } from "../tools.ts";
import type { Outcome, Property } from "../types.ts";
import type { Workplace } from "../workers.ts";
import { gateText, plain } from "./gate-text.ts";
import { breachesOf, kindsOf, type Breach, type Moment } from "./question.ts";
import { claimsOf, restingStages, wakingSteps, type Facts } from "./stages.ts";
import type { GateProof } from "./types.ts";

/** Version of the cached answers; incremented when their meaning changes. */
const format = 3;
const answerFile = "outcome.json";

/** The outcome, and a description of the violation that was found. */
export interface GateResult extends Result {
  readonly what: string;
}

/**
 * Decides one property of the gate, with its fault if `injected`.
 * @throws NeardataError `build-failed` if Yosys rejects the harness, `bad-input` if the gate
 * differs from the list
 */
export async function proveGate(
  { tools, workers }: Prover,
  proof: GateProof,
  { label, fault }: Property,
  injected: boolean,
): Promise<GateResult> {
  const { name, top, module, parameters, smaller, gate, cases, enough, staged, seconds } = proof;
  const changes = injected ? [fault] : [];
  const { hold, run } = gateText(gate, changes);
  if (run !== plain(gate.run)) {
    throw inputError(gate.module, `run_i of ${gate.instance} differs from run_o of ${top}.`);
  }
  const inside = changes.filter((change) => change.module !== gate.module);
  const sources = sourcesOf(top, parameters, [...smaller, ...inside]);
  const key = { format, tools, label, top, module, hold, cases, enough, staged, sources };
  const hash = hashOf(key, []).slice(0, 24);
  const fresh: { answer: { outcome: Outcome; what: string } | null } = { answer: null };
  try {
    const place = await cached(proofCacheDirectory(), `${name}-${hash}`, async (work) => {
      const here = workers.at(work);
      for (const { name: file, text } of [...sources.included, ...sources.read]) {
        writeFileSync(join(work, file), text);
      }
      const read = sources.read.map((source) => source.name);
      const named = await graphOf(top, "rtl", readRtl(top, { read }), here);
      const ask = staged && !injected ? decideInStages : decide;
      const answer = await ask(named, proof, { hold, label, seconds }, here);
      fresh.answer = answer;
      if (answer.outcome.kind === "undecided") {
        throw new NeardataError("exhausted", answer.outcome.reason);
      }
      writeFileSync(join(work, answerFile), JSON.stringify(answer));
      clear(work, [...sources.included, ...sources.read]);
      return work;
    });
    const { outcome, what } = JSON.parse(
      readFileSync(join(place, answerFile), "utf8"),
    ) as NonNullable<(typeof fresh)["answer"]>;
    const fromCache = fresh.answer === null;
    if (outcome.kind !== "refuted") return { outcome, what, fromCache };
    return { outcome: { ...outcome, waveform: join(place, outcome.waveform) }, what, fromCache };
  } catch (error) {
    if (fresh.answer?.outcome.kind === "undecided") return { ...fresh.answer, fromCache: false };
    throw error;
  }
}

interface Asked {
  readonly hold: number;
  readonly label: string;
  readonly seconds: number;
}

async function decide(
  named: Named,
  proof: GateProof,
  { hold, label, seconds }: Asked,
  place: Workplace,
): Promise<{ readonly outcome: Outcome; readonly what: string }> {
  const constants = emptyGates(0);
  let inputs = 0;
  breachesOf(named, proof, hold, constants, () => {
    inputs += 1;
    return 0;
  });
  const gates = emptyGates(inputs);
  let last = 0;
  const literals = breachesOf(named, proof, hold, gates, () => 2 * (last += 1))
    .filter((breach) => breach.label === label)
    .map(({ literal }) => literal);
  const agreed = await unsatisfiable(anyOf(gates, literals), seconds, place);
  if (agreed.kind !== "satisfiable") {
    if (agreed.kind !== "holds") return { outcome: agreed, what: "" };
    const note = `Hold ${hold}, of which ${Math.min(hold, proof.enough)} suffice, ${agreed.note}`;
    return { outcome: { ...agreed, note }, what: "" };
  }
  const { model } = agreed;
  let at = 0;
  const breaches = breachesOf(named, proof, hold, constants, () => (model.has((at += 1)) ? 1 : 0));
  const breach = breaches.find((one) => one.label === label && one.literal === 1);
  if (breach === undefined) {
    throw new NeardataError(
      "build-failed",
      `${proof.top}: the counterexample of z3 violates no property`,
    );
  }
  writeFileSync(join(place.directory, files.waveform), waveformOf(named, breach));
  const steps = breach.cycles.length;
  return {
    outcome: { kind: "refuted", label, steps, waveform: files.waveform },
    what: breach.what,
  };
}

/** Proves the property with facts about each cycle. Its injected fault needs a counterexample, which `decide` finds. */
async function decideInStages(
  named: Named,
  { cases, enough, top }: GateProof,
  { hold, label, seconds }: Asked,
  place: Workplace,
): Promise<{ readonly outcome: Outcome; readonly what: string }> {
  const what = "";
  const settles = Math.min(hold, enough);
  const kinds = cases.map((one) => kindsOf(named, one, top));
  const loaded = (r: number): boolean => kinds.some((kind) => kind[r]?.loaded === true);
  const limits = { cycles: settles, seconds };
  const { stages, moving } = await restingStages(named, loaded, limits, place);
  if (moving.length > 0) {
    const names = moving.map((r) => present(named.registers[r]?.[0])).slice(0, 5);
    const reason = `${moving.length} registers may change after ${settles} cycles: ${names.join(", ")}`;
    return { outcome: { kind: "undecided", reason }, what };
  }
  let facts: Facts = { stages, run: [], reset: [] };
  if (label === "Wakes") {
    const steps = await wakingSteps(
      named,
      present(stages.at(-1)),
      { cycles: settles + 1, seconds },
      place,
    );
    const differ = [steps.run, steps.reset].flatMap((list) => [...(list.at(-1)?.different ?? [])]);
    if (differ.length > 0) {
      const reason = `${differ.length} registers may differ ${settles + 1} cycles after run_i`;
      return { outcome: { kind: "undecided", reason }, what };
    }
    facts = { stages, ...steps };
  }
  const verdicts = new Map<string, number>();
  let clauses = 0;
  for (const { gates, wrong } of claimsOf(named, facts)) {
    const formula = anyOf(gates, wrong);
    const agreed = await unsatisfiable(formula, seconds, place);
    if (agreed.kind === "satisfiable") {
      return { outcome: { kind: "undecided", reason: "z3 and cvc5 found a wrong fact" }, what };
    }
    if (agreed.kind !== "holds") return { outcome: agreed, what };
    for (const { solver, seconds: taken } of agreed.verdicts) {
      verdicts.set(solver, (verdicts.get(solver) ?? 0) + taken);
    }
    clauses += formula.clauses.length;
  }
  // The unit settles, and it wakes within one cycle more.
  const { run, reset } = facts;
  const cycles = Math.max(stages.length - 1, run.length - 2, reset.length - 1);
  const note = `Hold ${hold}, of which ${cycles} suffice, ${clauses} clauses`;
  const solvers = [...verdicts].map(([solver, taken]) => ({ solver, seconds: taken }));
  return { outcome: { kind: "holds", verdicts: solvers, note }, what };
}

/** The waveform of a run with constants. */
function waveformOf(named: Named, { cycles }: Breach): string {
  const bits = (state: readonly number[]): ReadonlyMap<string, string> =>
    new Map(
      named.registers.map((names, r) => [present(names[0]), String(present(state[r]))] as const),
    );
  const run = cycles.map(({ ports, open, gated }: Moment) => ({
    ports: new Map(
      [...named.inputs].map(([name, i]) => [name, String(present(ports[i]))] as const),
    ),
    rtl: bits(open),
    netlist: bits(gated),
  }));
  return waveform(run, { rtl: "open", netlist: "gated" });
}

/** Formulas and graphs are large, and quick to generate from the sources, so they are not cached. */
function clear(work: string, sources: readonly { readonly name: string }[]): void {
  const asked = ["facts.cnf", "formula.cnf", "formula.smt2", "rtl.aig", "rtl.aim", "rtl.json"];
  for (const name of [...asked, ...sources.map((source) => source.name)]) {
    if (existsSync(join(work, name))) rmSync(join(work, name));
  }
}
