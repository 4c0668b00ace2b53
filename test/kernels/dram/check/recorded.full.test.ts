// SPDX-License-Identifier: Apache-2.0
// Recorded command traces of six standards: the checker finds the violations that the reference checker recorded beside
// them, and each injected violation.

import { readdirSync, readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { linesOf } from "../../../../src/base/files/lines.ts";
import { openPieces } from "../../../../src/base/files/pieces.ts";
import {
  checkCommands,
  checkTrace,
  type CheckResult,
} from "../../../../src/kernels/dram/check/check.ts";
import { parseCheckedMemory } from "../../../../src/kernels/dram/check/config.ts";
import type { CheckedMemory } from "../../../../src/kernels/dram/check/memory.ts";
import { readRequests, type Request } from "../../../../src/kernels/dram/check/requests.ts";
import { CommandLines } from "../../../../src/kernels/dram/check/trace.ts";
import type { TraceCommand } from "../../../../src/kernels/dram/check/violation.ts";
import { has, needs } from "../../../helpers/needs.ts";
import { oraclePath } from "../../../helpers/oracle.ts";
import { injectAll } from "./inject.ts";

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

function memoryOf(name: string): CheckedMemory {
  const config = here(`${name}.config.json`);
  return parseCheckedMemory(config, readFileSync(config, "utf8")).memory;
}

async function check(name: string): Promise<CheckResult> {
  const trace = here(`${name}.cmd.csv.gz`);
  const lines = linesOf(trace, openPieces(trace));
  return checkTrace(memoryOf(name), trace, lines, await requestsOf(name));
}

function requestsOf(name: string): Promise<ReadonlyMap<number, Request>> {
  const file = here(`${name}.req.csv.gz`);
  return readRequests(file, linesOf(file, openPieces(file)));
}

async function commandsOf(memory: CheckedMemory, name: string): Promise<TraceCommand[]> {
  const trace = here(`${name}.cmd.csv.gz`);
  const reader = new CommandLines(memory, trace);
  const commands: TraceCommand[] = [];
  for await (const line of linesOf(trace, openPieces(trace))) {
    const command = reader.take(line);
    if (command !== undefined) commands.push(command);
  }
  return commands;
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

  it.each(names)("%s: each injected violation is found", { timeout: 600_000 }, async (name) => {
    const memory = memoryOf(name);
    const commands = await commandsOf(memory, name);
    const requests = await requestsOf(name);
    const clean = checkCommands(memory, commands, requests);
    const injected = injectAll(memory, commands, clean, requests);
    expect(injected.filter(({ isFound }) => !isFound).map(({ rule }) => rule)).toEqual([]);
    // The reference injects between 18 and 35 violations in a set, 1095 in all.
    expect(injected.length).toBeGreaterThanOrEqual(18);
  });
});
