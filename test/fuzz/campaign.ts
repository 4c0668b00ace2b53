// SPDX-License-Identifier: Apache-2.0
// Runs many inputs, side by side where there are several runners, and keeps those that break a
// promise: their files and a script that runs them again, one for each kind of failure.

import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Input } from "./input.ts";
import { corpusText } from "./corpus.ts";
import { judge } from "./oracle.ts";
import type { Outcome, Runner } from "./runner.ts";
import { fill, look } from "./sandbox.ts";

/** An input that broke a promise. */
export interface Failure {
  readonly number: number;
  readonly seed: number;
  readonly input: Input;
  readonly outcome: Outcome;
  readonly broken: readonly string[];
}

/** An input that ran. */
export interface Ran {
  readonly input: Input;
  readonly outcome: Outcome;
  readonly broken: readonly string[];
}

/** Runs one input in a fresh directory under `home`, which is removed afterwards. */
export async function runInput(runner: Runner, home: string, input: Input): Promise<Ran> {
  const top = join(home, "input");
  rmSync(top, { recursive: true, force: true });
  const work = fill(top, input);
  const before = look(top);
  const outcome = await runner.run(work, input.argv);
  const broken = judge(input, outcome, before, look(top));
  rmSync(top, { recursive: true, force: true });
  return { input, outcome, broken };
}

/** The signature of failures with one cause: command and sentence without names and numbers. */
export function signatureOf({ input, broken }: Pick<Failure, "input" | "broken">): string {
  const [first = ""] = broken;
  const sentence = first
    .replaceAll(/"[^"]*"|'[^']*'/g, '""')
    .replaceAll(/-?\d[\d.e+-]*/g, "0")
    .replaceAll(/\S*\/\S*/g, "PATH");
  return `${input.command}: ${sentence.slice(0, 110)}`;
}

export interface CampaignOptions {
  readonly runners: readonly Runner[];
  /** A directory for each runner's inputs. */
  readonly homes: readonly string[];
  readonly count: number;
  readonly draw: (number: number) => { readonly seed: number; readonly input: Input };
  readonly onRan: (ran: Ran, number: number, seed: number) => void;
}

/** Runs `count` inputs; returns all failures. */
export async function campaign(options: CampaignOptions): Promise<readonly Failure[]> {
  const { count, draw, homes, onRan, runners } = options;
  const failures: Failure[] = [];
  let next = 0;
  const lane = async (runner: Runner, home: string): Promise<void> => {
    while (next < count) {
      const number = next;
      next += 1;
      const { seed, input } = draw(number);
      const ran = await runInput(runner, home, input);
      onRan(ran, number, seed);
      if (ran.broken.length > 0) failures.push({ number, seed, ...ran });
    }
  };
  await Promise.all(runners.map((runner, i) => lane(runner, homes[i] ?? "")));
  return failures;
}

/** Saves an input with a script that runs it, and the rules that it broke. */
export function save(directory: string, { broken, input, outcome, seed }: Failure): void {
  fill(directory, input);
  const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
  const script = [
    "#!/bin/sh",
    `# ${broken.join("\n# ").replaceAll("\r", " ")}`,
    `# seed ${String(seed)}`,
    'cd "$(dirname "$0")/work" || exit 1',
    `exec node ${quote(resolve("src/cli/neardata.js"))} ${input.argv.map(quote).join(" ")}`,
  ];
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "run.sh"), `${script.join("\n")}\n`);
  chmodSync(join(directory, "run.sh"), 0o755);
  writeFileSync(join(directory, "input.json"), corpusText(input, broken.join("; ")));
  writeFileSync(join(directory, "outcome.json"), `${JSON.stringify(outcome, null, 2)}\n`);
}
