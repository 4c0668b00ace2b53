// SPDX-License-Identifier: Apache-2.0
// `make fuzz`: FUZZ_INPUTS inputs from FUZZ_SEED on over all commands, or over those whose name
// contains FUZZ_ONLY. Prints a table by command and the failures, each kind once; exit code 1 when
// there is one. Its inputs stay under build/fuzz/failures.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import { campaign, save, signatureOf, type Failure } from "./campaign.ts";
import { generateInput, inputArbitrary, seedOf } from "./draw.ts";
import { commandTable } from "./table.ts";
import { validInputs } from "./inputs/all.ts";
import { runner, defaultLimits } from "./runner.ts";

const setting = (name: string, usual: number): number => {
  const value = Number(process.env[name] ?? usual);
  if (Number.isInteger(value)) return value;
  process.stderr.write(`${name} is no whole number\n`);
  return process.exit(2);
};

const count = setting("FUZZ_INPUTS", 2000);
const seed = setting("FUZZ_SEED", 1);
const lanes = setting("FUZZ_WORKERS", 2);
const one = process.env["FUZZ_INPUT_SEED"];
const only = process.env["FUZZ_ONLY"] ?? "";

const root = resolve("build/fuzz");
const failuresIn = join(root, "failures");
rmSync(failuresIn, { recursive: true, force: true });
const homes = Array.from({ length: lanes }, (_, i) => join(root, `worker-${String(i)}`));
for (const home of homes) {
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
}
const runners = homes.map((home) => {
  const main = resolve("build/js/cli/main.js");
  return runner({ main, home, limits: defaultLimits, inputs: 300 });
});

const table = commandTable();

const [maker] = runners;
if (maker === undefined) throw new Error("FUZZ_WORKERS is at least 1");
const sounds = (await validInputs(maker, homes[0] ?? root)).filter((s) =>
  `${s.command} ${s.name}`.includes(only),
);
const arbitrary = inputArbitrary(sounds);
const kinds = new Map<string, Failure[]>();
let done = 0;
const begin = performance.now();
const failures = await campaign({
  runners,
  homes,
  count: one === undefined ? count : 1,
  draw: (number) => {
    const from = one === undefined ? seedOf(seed, number) : Number(one);
    const input = generateInput(arbitrary, from);
    writeFileSync(join(root, "last.txt"), `${String(from)} ${JSON.stringify(input.argv)}\n`);
    return { seed: from, input };
  },
  onRan: (ran, number, from) => {
    table.add(ran, from);
    done += 1;
    if (one !== undefined) process.stdout.write(`${JSON.stringify(ran, null, 1).slice(0, 6000)}\n`);
    if (ran.broken.length > 0) {
      const failure = { number, seed: from, ...ran };
      const signature = signatureOf(failure);
      const known = kinds.get(signature);
      if (known === undefined) {
        kinds.set(signature, [failure]);
        const directory = join(failuresIn, String(kinds.size));
        save(directory, failure);
        process.stdout.write(
          `FAILED ${directory}: seed ${String(from)}: ${ran.input.argv.join(" ").slice(0, 200)}\n` +
            ran.broken
              .slice(0, 4)
              .map((b) => `    ${b.slice(0, 300)}\n`)
              .join(""),
        );
      } else known.push(failure);
    }
    if (done % 500 === 0) {
      const seconds = (performance.now() - begin) / 1000;
      process.stdout.write(`${String(done)} of ${String(count)} inputs, ${seconds.toFixed(0)} s\n`);
    }
  },
});
await Promise.all(runners.map((r) => r.end()));
process.stdout.write(`\n${table.text()}\n`);
let at = 0;
for (const [signature, members] of kinds) {
  at += 1;
  process.stdout.write(`${String(at)}: ${String(members.length)} x ${signature}\n`);
}
const seconds = ((performance.now() - begin) / 1000).toFixed(0);
process.stdout.write(
  `${String(done)} inputs in ${seconds} s: ${String(failures.length)} failures of ${String(kinds.size)} kinds\n`,
);
process.exitCode = failures.length === 0 ? 0 : 1;
