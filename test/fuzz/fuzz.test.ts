// SPDX-License-Identifier: Apache-2.0
// A short `make fuzz`: the initial inputs are valid; stored inputs that failed once pass, and so do
// some hundred new inputs. The compiled program runs them in its own process.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inRepository } from "../../src/base/paths.ts";
import { runInput } from "./campaign.ts";
import { generateInput, inputArbitrary, seedOf } from "./draw.ts";
import { validInputs } from "./inputs/all.ts";
import type { Input, ValidInput } from "./input.ts";
import { readCorpus } from "./corpus.ts";
import { mutated } from "./mutate.ts";
import { runner, defaultLimits, type Runner } from "./runner.ts";
import { inFull } from "../helpers/needs.ts";
import { runs } from "../helpers/tier.ts";

let home = "";
let program: Runner;
let sounds: readonly ValidInput[];

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "neardata-fuzz-"));
  mkdirSync(join(home, "worker"));
  const main = inRepository("build", "js", "cli", "main.js");
  program = runner({ main, home: join(home, "worker"), limits: defaultLimits, inputs: 1000 });
  sounds = await validInputs(program, home);
});

afterAll(async () => {
  await program.end();
  rmSync(home, { recursive: true, force: true });
});

const brokenBy = async (input: Input): Promise<readonly string[]> =>
  (await runInput(program, home, input)).broken;

describe("make fuzz", () => {
  it("begins with inputs that do what they are for", inFull, async () => {
    const wrong: unknown[] = [];
    for (const sound of sounds) {
      const { broken, outcome } = await runInput(program, home, mutated(sound, []));
      if (broken.length === 0 && outcome.kind === "ended" && outcome.code === (sound.code ?? 0)) {
        continue;
      }
      wrong.push({ command: sound.command, name: sound.name, broken, outcome });
    }
    expect(wrong).toEqual([]);
  });

  it("finds nothing in inputs that failed once", async () => {
    const kept = readCorpus(inRepository("test", "fixtures", "fuzz", "cli"));
    expect(kept.length).toBeGreaterThan(0);
    const wrong: unknown[] = [];
    for (const input of kept) {
      const broken = await brokenBy(input);
      if (broken.length > 0) wrong.push({ name: input.name, broken });
    }
    expect(wrong).toEqual([]);
  });

  it("finds nothing in new ones", async () => {
    const campaign = Number(process.env["NEARDATA_SEED"] ?? 1);
    const arbitrary = inputArbitrary(sounds);
    const wrong: unknown[] = [];
    for (let number = 0; number < runs(6, 200); number += 1) {
      const seed = seedOf(campaign, number);
      const input = generateInput(arbitrary, seed);
      const broken = await brokenBy(input);
      if (broken.length > 0) wrong.push({ seed, argv: input.argv, broken });
    }
    expect(wrong).toEqual([]);
  });
});
