// SPDX-License-Identifier: Apache-2.0
// Parameters of the NDP unit: what is legal elaborates without a warning, what is not says so.

import { expect, test } from "vitest";

import { ndpSources } from "../../src/native/ndp/ndp-unit.ts";
import { inRepository } from "../../src/base/paths.ts";
import { runTool } from "../../src/native/compile/process.ts";

type Parameters = Readonly<Record<string, number>>;

const elaborate = async (parameters: Parameters): Promise<string> =>
  runTool("verilator", [
    "--lint-only",
    "-Wall",
    "--assert",
    `-I${inRepository("rtl", "include")}`,
    "--top-module",
    "dimm_ndp",
    ...Object.entries(parameters).map(([name, value]) => `-G${name}=${String(value)}`),
    ...ndpSources(),
  ]);

/** The output of a tool that failed, or an empty text. */
async function complaint(parameters: Parameters): Promise<string> {
  return elaborate(parameters).then(
    () => "",
    (error: unknown) => JSON.stringify(error) + String(error),
  );
}

test.each<Parameters>([
  { Streams: 1 },
  { Streams: 4, MultPerStream: 16, Lanes: 4, BitsPerCycle: 2 },
  { BitsPerCycle: 2 },
  { Descriptors: 4 },
  { Streams: 2, MultPerStream: 4, ActLanes: 32, BufferBytes: 16384, QueueBursts: 8, MaxTokens: 8 },
])("legal: %j", async (parameters) => {
  expect(await complaint(parameters)).toBe("");
});

test.each<[Parameters, string]>([
  [{ Streams: 3 }, "Streams must be"],
  [{ MultPerStream: 64 }, "MultPerStream must be"],
  [{ Lanes: 16 }, "Lanes must be"],
  [{ BitsPerCycle: 3 }, "BitsPerCycle must be"],
  [{ Descriptors: 0 }, "Descriptors must be"],
  [{ Descriptors: 5 }, "Descriptors must be"],
  [{ BitsPerCycle: 2, MultPerStream: 16 }, "less than a word"],
  [{ BitsPerCycle: 4, Lanes: 2 }, "for each stream"],
  [{ MultPerStream: 4, Lanes: 4 }, "fill a burst"],
  [{ QueueBursts: 48 }, "QueueBursts must be"],
  [{ QueueBursts: 8 }, "QueueBursts must be"],
  [{ ActLanes: 16 }, "ActLanes must be"],
  [{ BufferBytes: 100000 }, "BufferBytes must be"],
])("illegal: %j", async (parameters, rule) => {
  expect(await complaint(parameters)).toContain(rule);
});
