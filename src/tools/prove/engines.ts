// SPDX-License-Identifier: Apache-2.0
// Decides the assertions of a graph. A proof counts if two solvers agree: z3 and cvc5 check the invariant that ABC's
// reachability finds. The unrolled cycles of the other engines are sent to z3 and cvc5 directly.

import { present } from "../../base/present.ts";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { certificate, parseAiger, parseInvariant } from "./aiger.ts";
import { chosenBy, dimacs, parseDimacs, smtLib, type Formula } from "./formula.ts";
import { files, replay } from "./model.ts";
import type { Engine, Outcome, Verdict } from "./types.ts";
import type { Workplace } from "./workers.ts";

const names = {
  folded: "folded.aig",
  invariant: "invariant.pla",
  cnf: "formula.cnf",
  smt: "formula.smt2",
  cex: "abc.cex",
} as const;

// Assumptions become part of the assertions, which are joined to one.
const readGraph = `read_aiger ${files.graph}; fold; strash; orpos; strash`;

/** @throws NeardataError `build-failed` if a counterexample does not replay. */
export async function decide(
  top: string,
  engine: Engine,
  seconds: number,
  place: Workplace,
): Promise<Outcome> {
  if (engine.kind === "pdr") return reach(top, seconds, place);
  const steps = engine.kind === "induction" ? 2 : engine.steps;
  const unroll = `${readGraph}; frames -i -F ${steps}; orpos; strash; ` + `write_cnf ${names.cnf}`;
  await place.ask(["yosys-abc", "-c", unroll], seconds);
  const formula = parseDimacs(readFileSync(join(place.directory, names.cnf), "utf8"));
  const agreed = await unsatisfiable(formula, seconds, place);
  if (agreed.kind !== "satisfiable") return agreed;
  return search(top, steps, seconds, place);
}

/** Searches for a counterexample of at most `steps` cycles only. */
export async function search(
  top: string,
  steps: number,
  seconds: number,
  place: Workplace,
): Promise<Outcome> {
  const command = `${readGraph}; bmc3 -F ${steps}; write_cex -a ${names.cex}`;
  await place.ask(["yosys-abc", "-c", command], seconds);
  const outcome = await counterexample(top, place);
  return outcome ?? { kind: "undecided", reason: `no counterexample in ${steps} cycles` };
}

async function reach(top: string, seconds: number, place: Workplace): Promise<Outcome> {
  const command =
    `${readGraph}; write_aiger ${names.folded}; ` +
    `pdr -d -I ${names.invariant}; write_cex -a ${names.cex}`;
  const { text, seconds: taken } = await place.ask(["yosys-abc", "-c", command], seconds);
  const refuted = await counterexample(top, place);
  if (refuted !== null) return refuted;
  if (!text.includes("Property proved")) {
    return { kind: "undecided", reason: `ABC ended without an answer within ${seconds} s` };
  }
  const graph = parseAiger(readFileSync(join(place.directory, names.folded)));
  const invariant = join(place.directory, names.invariant);
  const excluded = existsSync(invariant) ? parseInvariant(readFileSync(invariant, "utf8")) : [];
  const formula = certificate(graph, excluded);
  if (formula === null) return { kind: "undecided", reason: "the invariant excludes the reset" };
  const checked = await unsatisfiable(formula, seconds, place);
  if (checked.kind === "satisfiable") {
    return { kind: "undecided", reason: "the invariant of ABC is not one for z3 and cvc5" };
  }
  if (checked.kind !== "holds") return checked;
  const verdicts = [{ solver: "abc pdr", seconds: taken }, ...checked.verdicts];
  return { kind: "holds", verdicts, note: `invariant of ${excluded.length} clauses` };
}

async function counterexample(top: string, place: Workplace): Promise<Outcome | null> {
  const written = join(place.directory, names.cex);
  if (!existsSync(written)) return null;
  const cex = readFileSync(written, "utf8");
  const label = await replay(top, cex, place);
  const steps = cex.trim().split("\n").length - 1;
  return { kind: "refuted", label, steps, waveform: files.waveform };
}

/** A satisfiable formula. */
export interface Satisfiable {
  readonly kind: "satisfiable";
  /** The variables that are true in z3's model; none if only cvc5 found a model. */
  readonly model: ReadonlySet<number>;
}

/** The answers of z3 and cvc5, which run concurrently. */
export async function unsatisfiable(
  formula: Formula,
  seconds: number,
  place: Workplace,
): Promise<Outcome | Satisfiable> {
  writeFileSync(join(place.directory, names.cnf), dimacs(formula));
  writeFileSync(join(place.directory, names.smt), smtLib(formula));
  const cvc5 = ["cvc5", "--bitblast=eager", "--bv-sat-solver=cadical"];
  const z3 = place.ask(["z3", "-dimacs", names.cnf], seconds);
  const answers = await Promise.all([z3, place.ask([...cvc5, names.smt], seconds)]);
  const outputs = answers.map(({ text }) =>
    /^(s )?UNSAT/im.test(text) ? "no" : /^(s )?SAT/im.test(text) ? "yes" : "nothing",
  );
  if (outputs.includes("yes") && outputs.includes("no")) {
    return { kind: "undecided", reason: "z3 and cvc5 contradict each other" };
  }
  if (outputs.includes("yes")) return { kind: "satisfiable", model: chosenBy(answers[0].text) };
  const solvers = ["z3", "cvc5"];
  const silent = solvers.filter((_, i) => outputs[i] === "nothing");
  if (silent.length > 0) {
    const reason = `${silent.join(" and ")} ended without an answer within ${seconds} s`;
    return { kind: "undecided", reason };
  }
  const verdicts = answers.map(({ seconds: taken }, i): Verdict => ({
    solver: present(solvers[i]),
    seconds: taken,
  }));
  return { kind: "holds", verdicts, note: `${formula.clauses.length} clauses` };
}
