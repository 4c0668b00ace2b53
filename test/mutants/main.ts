// SPDX-License-Identifier: Apache-2.0
// `make mutants`: injects MUTANTS_COUNT faults per folder of MUTANTS_IN, from number MUTANTS_FROM of
// MUTANTS_SEED on, and reports the faults that the nearest tests do not find. MUTANTS_FILES selects files of
// those folders by parts of their paths; the default is all files. Outcomes are stored in build/mutants, so an
// interrupted run continues. MUTANTS_AGAIN=1 repeats the tests of surviving faults.

import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";

import { faultsOf, type Fault } from "./faults.ts";
import { sampleMutants } from "./mutant.ts";
import { places, type Place } from "./places.ts";
import { reasons } from "./reasons.ts";
import { copyTree, judge, type Judgement, type Verdict } from "./run.ts";

const setting = (name: string, usual: number): number => {
  const value = Number(process.env[name] ?? usual);
  if (Number.isInteger(value) && value >= 0) return value;
  process.stderr.write(`${name} is no whole number\n`);
  return process.exit(2);
};

const seed = setting("MUTANTS_SEED", 1);
const from = setting("MUTANTS_FROM", 0);
const count = setting("MUTANTS_COUNT", 20);
const seconds = setting("MUTANTS_SECONDS", 600);
const again = setting("MUTANTS_AGAIN", 0) > 0;
const words = (name: string): readonly string[] =>
  (process.env[name] ?? "").split(/\s+/).filter((word) => word !== "");
const folders = words("MUTANTS_IN");
const parts = words("MUTANTS_FILES");
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const kept = resolve("build/mutants/judged.jsonl");
const tree = { root: resolve("build/mutants/tree"), seconds };
mkdirSync(tree.root, { recursive: true });

interface Judged extends Judgement {
  readonly name: string;
}

const judged = new Map<string, Verdict>();
if (existsSync(kept)) {
  for (const line of readFileSync(kept, "utf8").split("\n")) {
    if (line === "") continue;
    const { name, verdict } = JSON.parse(line) as Judged;
    // Newer tests may find a fault that earlier ones missed.
    if (again && verdict === "survived") judged.delete(name);
    else judged.set(name, verdict);
  }
}

function faultsIn(place: Place): ReadonlyMap<string, Fault> {
  const files = readdirSync(place.folder, { recursive: true, encoding: "utf8" })
    .filter((name) => place.endings.some((ending) => name.endsWith(ending)))
    .filter((name) => !place.without.includes(name))
    .filter((name) => parts.length === 0 || parts.some((part) => name.includes(part)))
    .sort();
  return new Map(
    files
      .map((name) => join(place.folder, name))
      .flatMap((file) => faultsOf(file, readFileSync(file, "utf8")))
      .map((fault) => [fault.name, fault] as const),
  );
}

async function campaign(place: Place): Promise<void> {
  const all = faultsIn(place);
  const names = sampleMutants([...all.keys()], seed, from, count);
  say(`${place.folder}: ${String(names.length)} of ${String(all.size)} faults`);
  const open = names.filter((name) => !judged.has(name));
  for (const name of open) {
    const fault = all.get(name);
    if (fault === undefined) continue;
    const begun = Date.now();
    const judgement = await judge(tree, place, fault.mutant);
    const { verdict } = judgement;
    judged.set(name, verdict);
    appendFileSync(kept, `${JSON.stringify({ name, ...judgement } satisfies Judged)}\n`);
    say(`  ${verdict}, ${((Date.now() - begun) / 1000).toFixed(0)} s: ${name}`);
  }
  const of = (verdict: Verdict): readonly string[] =>
    names.filter((name) => judged.get(name) === verdict);
  const [late, survived, stillborn] = [of("late"), of("survived"), of("stillborn")];
  const killed = [...of("killed"), ...late];
  const reasonOf = (name: string): string | undefined => reasons.get(all.get(name)?.text ?? name);
  const excused = survived.filter((name) => reasonOf(name) !== undefined);
  const counted = killed.length + survived.length - excused.length;
  const score = counted === 0 ? 100 : (100 * killed.length) / counted;
  say(
    `${place.folder}: ${String(killed.length)} found, ${String(late.length)} of them by a test that ` +
      `ran into its limit, ${String(survived.length)} not, of which ${String(excused.length)} ` +
      `change nothing; ${String(stillborn.length)} do not compile; ` +
      `score ${score.toFixed(1)} %`,
  );
  for (const name of survived) say(`  ${reasonOf(name) ?? "open"}: ${name}`);
}

await copyTree(tree.root);
for (const place of places) {
  if (folders.length === 0 || folders.includes(place.folder)) await campaign(place);
}
