// SPDX-License-Identifier: Apache-2.0
// Golden traces, line for line: a few small ones of our own every day, those of Ramulator 2.0 where
// they are on the machine. The cycle-by-cycle model has to agree with the small ones as well.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";

import type { DramReplayConfig } from "../../../src/kernels/dram/replay-config.ts";
import { parseDramReplayConfig } from "../../../src/kernels/dram/config.ts";
import { oraclePath } from "../../helpers/oracle.ts";
import { checkCommands } from "./command-checker.ts";
import { firstDifference } from "./first-difference.ts";
import { replayText } from "./replay-text.ts";
import type { TraceRequest } from "./address-map.ts";
import { tickModel } from "./tick-model.ts";
import { has, needs } from "../../helpers/needs.ts";

const fixtures = new URL("../../fixtures/dram/", import.meta.url).pathname;

/** The text of a file or of its gzip, or nothing. */
function text(directory: string, name: string): string | undefined {
  const path = join(directory, name);
  if (existsSync(path)) return readFileSync(path, "utf8");
  return existsSync(`${path}.gz`) ? gunzipSync(readFileSync(`${path}.gz`)).toString() : undefined;
}

function names(directory: string): readonly string[] {
  const suffix = ".config.json";
  return readdirSync(directory)
    .filter((name) => name.endsWith(suffix))
    .map((name) => name.slice(0, -suffix.length));
}

interface Golden {
  readonly config: DramReplayConfig;
  readonly totalCycles: number | undefined;
  readonly requests: string;
  readonly commands: readonly string[] | undefined;
  readonly completions: readonly string[];
}

const linesOf = (all: string): readonly string[] => all.trimEnd().split("\n").slice(1);

function golden(directory: string, name: string): Golden {
  const document = JSON.parse(text(directory, `${name}.config.json`) ?? "") as {
    readonly total_cycles?: number;
  };
  const commands = text(directory, `${name}.cmd.csv`);
  return {
    config: parseDramReplayConfig(document, name),
    totalCycles: document.total_cycles,
    requests: text(directory, `${name}.req.csv`) ?? "",
    commands: commands === undefined ? undefined : linesOf(commands),
    completions: linesOf(text(directory, `${name}.comp.csv`) ?? ""),
  };
}

function requestsOf(csv: string): TraceRequest[] {
  return linesOf(csv).map((line) => {
    const [id, arrival, op, address] = line.split(",");
    return {
      id: Number(id),
      arrival: Number(arrival),
      op: op === "W" ? "W" : "R",
      address: BigInt(address ?? 0),
    };
  });
}

describe("golden traces of our own", () => {
  it.each(names(fixtures))("%s", async (name) => {
    const { config, requests, commands = [], completions } = golden(fixtures, name);
    const result = await replayText(config, requests, 1000);
    expect(firstDifference(result.commands, commands)).toBeUndefined();
    expect(firstDifference(result.completions, completions)).toBeUndefined();
    const slow = tickModel(config, requestsOf(requests));
    expect(firstDifference(slow.commands, commands)).toBeUndefined();
    expect(firstDifference(slow.completions, completions)).toBeUndefined();
    expect(checkCommands(config, commands, requestsOf(requests), false)).toEqual([]);
  });
});

describe("golden traces of Ramulator 2.0", needs("oracle/dram"), () => {
  const directory = oraclePath("dram");
  it.each(has("oracle/dram") ? names(directory) : [])("%s", async (name) => {
    const { config, totalCycles, requests, commands, completions } = golden(directory, name);
    const result = await replayText(config, requests);
    if (commands !== undefined) {
      expect(firstDifference(result.commands, commands)).toBeUndefined();
    }
    expect(firstDifference(result.completions, completions)).toBeUndefined();
    expect(result.totalCycles).toBe(totalCycles);
  });
});
