// SPDX-License-Identifier: Apache-2.0
// `make search`: SEARCH_SECONDS over the subjects of SEARCH_IN (all), one after the other, from
// SEARCH_SEED on; with SEARCH_GUIDED=0 plain random cases. Cases that reached something new stay in
// build/search and are where the next run begins. A disagreement is shrunk, written to
// build/search/found, and exit code 1.

import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";

import { readCorpus, corpusText } from "./corpus.ts";
import { Search, shrunk, type Disagreement } from "./search.ts";
import type { Case, Subject } from "./subject.ts";
import { subjects } from "./subjects.ts";

const setting = (name: string, usual: number): number => {
  const value = Number(process.env[name] ?? usual);
  if (Number.isInteger(value) && value >= 0) return value;
  process.stderr.write(`${name} is no whole number\n`);
  return process.exit(2);
};

const seconds = setting("SEARCH_SECONDS", 600);
const seed = setting("SEARCH_SEED", 1);
const guided = setting("SEARCH_GUIDED", 1) > 0;
const names = (process.env["SEARCH_IN"] ?? Object.keys(subjects).join(" ")).split(/\s+/);
const unknown = names.filter((name) => !Object.hasOwn(subjects, name));
if (unknown.length > 0) {
  process.stderr.write(`SEARCH_IN: there is no ${unknown.join(", ")}\n`);
  process.exit(2);
}

const root = resolve("build/search");
const found = join(root, "found");
const everyMillisecondsSay = 60_000;

/** A case that an earlier run stored, if the subject still accepts it. */
function earlier({ fields, fits, name }: Subject): readonly Case[] {
  const file = join(root, `${name}.jsonl`);
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n");
  const cases = lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Case);
  const whole = (one: Case): boolean =>
    Object.entries(fields).every(([field, [least, most]]) => {
      const value = one[field] ?? least - 1;
      return value >= least && value <= most;
    });
  return cases.filter((one) => whole(one) && fits(one));
}

async function searchIn(subject: Subject, until: number): Promise<Disagreement | null> {
  const search = new Search(subject, seed, guided);
  const before = [
    ...readCorpus(resolve("test/fixtures/search"), subject).values(),
    ...(guided ? earlier(subject) : []),
  ];
  let said = performance.now();
  const say = (): void => {
    const text = [
      `${String(search.cases)} cases`,
      ...(search.cycles > 0 ? [`${(search.cycles / 1e6).toFixed(1)} million cycles`] : []),
      `${String(search.seen.size)} pairs of states`,
      `${String(search.kept.length)} cases kept`,
    ];
    process.stdout.write(`${subject.name}: ${text.join(", ")}\n`);
    said = performance.now();
  };
  for (const one of before) {
    const wrong = await search.take(one);
    if (wrong !== null) return wrong;
  }
  while (performance.now() < until) {
    const kept = search.kept.length;
    const wrong = await search.step();
    if (wrong !== null) return wrong;
    if (search.kept.length > kept) {
      const one = JSON.stringify(search.kept[kept]?.one);
      appendFileSync(join(root, `${subject.name}.jsonl`), `${one}\n`);
    }
    if (performance.now() - said > everyMillisecondsSay) say();
  }
  say();
  return null;
}

mkdirSync(found, { recursive: true });
let wrongs = 0;
for (const name of names) {
  const subject = await subjects[name]?.(root);
  if (subject === undefined) continue;
  const wrong = await searchIn(subject, performance.now() + (1000 * seconds) / names.length);
  if (wrong !== null) {
    process.stdout.write(`${name}: ${wrong.wrong}\nmaking the case smaller\n`);
    const least = await shrunk(subject, wrong);
    const file = join(found, `${name}.json`);
    writeFileSync(file, corpusText(subject, least.one, least.wrong));
    process.stdout.write(`${name}: ${least.wrong}\n${file}; when mended: test/fixtures/search\n`);
    wrongs += 1;
  }
  subject.close();
}
process.exitCode = wrongs > 0 ? 1 : 0;
