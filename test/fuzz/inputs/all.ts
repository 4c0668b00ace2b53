// SPDX-License-Identifier: Apache-2.0
// Every sound input, of every command. Some begin with what another command leaves, which is made
// first, in a directory that is gone afterwards.

import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { ValidInput } from "../input.ts";
import { mutated } from "../mutate.ts";
import type { Runner } from "../runner.ts";
import { fill } from "../sandbox.ts";
import { dramInputs } from "./dram.ts";
import { pageInputs, reportInputs, type RunFiles } from "./pages.ts";
import { planInputs } from "./plan.ts";
import { policyInputs } from "./policy.ts";
import { runInputs } from "./run.ts";
import { resumeInput, sweepInputs } from "./sweep.ts";
import { traceInputs } from "./traces.ts";
import { tensorInputs } from "./tensors.ts";

const plain: readonly ValidInput[] = [
  ...runInputs,
  ...dramInputs,
  ...traceInputs,
  ...planInputs,
  ...policyInputs,
  ...tensorInputs,
  ...pageInputs,
  ...sweepInputs,
];

/** All of them; `runner` makes the files that some require, in directories under `home`. */
export async function validInputs(runner: Runner, home: string): Promise<readonly ValidInput[]> {
  const leftBy = async (name: string, beneath: string): Promise<RunFiles> => {
    const sound = plain.find((one) => `${one.command} ${one.name}` === name);
    if (sound === undefined) throw new Error(`there is no input ${name}`);
    const input = mutated(sound, []);
    const top = join(home, "first");
    const work = fill(top, input);
    const outcome = await runner.run(work, input.argv);
    if (outcome.kind === "died" || outcome.code !== 0) {
      throw new Error(`${name} is not sound: ${JSON.stringify(outcome)}`);
    }
    const directory = join(work, beneath);
    const names = readdirSync(directory).filter((file) => !(file in input.files));
    const found = names.map((file) => [file, readFileSync(join(directory, file))] as const);
    rmSync(top, { recursive: true });
    return Object.fromEntries(found);
  };
  const first = await leftBy("run an expert", "out");
  const second = await leftBy("run heads", "out");
  const { "out.duckdb": rows = new Uint8Array() } = await leftBy("sweep a list", "");
  return [...plain, ...reportInputs(first, second), resumeInput(rows)];
}
