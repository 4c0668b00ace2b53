// SPDX-License-Identifier: Apache-2.0
// Every sound input, of every command. Some begin with what another command leaves, which is made
// first, in a directory that is gone afterwards.

import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { SoundInput } from "../input.ts";
import { mutated } from "../mutate.ts";
import type { Runner } from "../runner.ts";
import { fill } from "../sandbox.ts";
import { dramInputs } from "./dram.ts";
import { pageInputs, reportInputs } from "./pages.ts";
import { planInputs } from "./plan.ts";
import { policyInputs } from "./policy.ts";
import { runInputs } from "./run.ts";
import { resumeInput, sweepInputs } from "./sweep.ts";
import { tensorInputs } from "./tensors.ts";

const plain: readonly SoundInput[] = [
  ...runInputs,
  ...dramInputs,
  ...planInputs,
  ...policyInputs,
  ...tensorInputs,
  ...pageInputs,
  ...sweepInputs,
];

/** All of them; `runner` makes what some begin with, in directories under `home`. */
export async function soundInputs(runner: Runner, home: string): Promise<readonly SoundInput[]> {
  const leftBy = async (name: string, file: string): Promise<Uint8Array> => {
    const sound = plain.find((one) => `${one.command} ${one.name}` === name);
    if (sound === undefined) throw new Error(`there is no input ${name}`);
    const input = mutated(sound, []);
    const work = fill(join(home, "first"), input);
    const outcome = await runner.run(work, input.argv);
    if (outcome.kind === "died" || outcome.code !== 0) {
      throw new Error(`${name} is not sound: ${JSON.stringify(outcome)}`);
    }
    const bytes = readFileSync(join(work, file));
    rmSync(join(home, "first"), { recursive: true });
    return bytes;
  };
  const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
  const first = text(await leftBy("run an expert", "out/results.json"));
  const second = text(await leftBy("run heads", "out/results.json"));
  const rows = await leftBy("sweep a list", "out.duckdb");
  return [...plain, ...reportInputs(first, second), resumeInput(rows)];
}
