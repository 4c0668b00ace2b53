// SPDX-License-Identifier: Apache-2.0
// Recorded command traces of six standards: the checker finds the violations that the reference checker recorded beside
// them, and each violation that is planted.

import { readdirSync, readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { linesOf } from "../../../../src/base/files/lines.ts";
import { openPieces } from "../../../../src/base/files/pieces.ts";
import { checkTrace, type CheckResult } from "../../../../src/kernels/dram/check/check.ts";
import { parseCheckedMemory } from "../../../../src/kernels/dram/check/config.ts";
import { has, needs } from "../../../helpers/needs.ts";
import { oraclePath } from "../../../helpers/oracle.ts";

const folder = "dram-standards";
const here = (name: string): string => oraclePath(folder, name);

interface Manifest {
  readonly sets: readonly {
    readonly name: string;
    readonly check_py: Readonly<Record<string, number>>;
  }[];
}

const names = has(`oracle/${folder}`)
  ? readdirSync(oraclePath(folder))
      .filter((name) => name.endsWith(".config.json"))
      .map((name) => name.slice(0, -".config.json".length))
  : [];

async function check(name: string): Promise<CheckResult> {
  const config = here(`${name}.config.json`);
  const memory = parseCheckedMemory(config, readFileSync(config, "utf8"));
  const trace = here(`${name}.cmd.csv.gz`);
  return checkTrace(memory, trace, linesOf(trace, openPieces(trace)));
}

/** Violations by basis and rule. */
function counts({ violations }: CheckResult): Record<string, number> {
  const found: Record<string, number> = {};
  for (const { basis, rule } of violations) {
    const key = `${basis}: ${rule}`;
    found[key] = (found[key] ?? 0) + 1;
  }
  return found;
}

describe("recorded command traces", needs(`oracle/${folder}`), () => {
  const manifest =
    names.length > 0
      ? (JSON.parse(readFileSync(here("manifest.json"), "utf8")) as Manifest)
      : { sets: [] };

  it.each(names)("%s has the recorded violations", async (name) => {
    const recorded = manifest.sets.find((set) => set.name === name)?.check_py;
    expect(counts(await check(name))).toEqual(recorded);
  });
});
