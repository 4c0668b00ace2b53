// SPDX-License-Identifier: Apache-2.0
// Each unit in a simulator of four states: it starts from registers of x, does its work, and no output is
// unknown after the reset, of a stream while it is valid.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { inRepository } from "../../../src/base/paths.ts";
import { asVerilog, simulate } from "../../helpers/four-state.ts";
import { needs } from "../../helpers/needs.ts";

let directory = "";
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "neardata-four-state-"));
});
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

async function run(
  top: string,
  parameters: Readonly<Record<string, number>>,
  bench: string,
): Promise<readonly string[]> {
  const place = join(directory, top);
  const verilog = await asVerilog(top, parameters, place);
  const text = readFileSync(inRepository("test", "tools", "synth", bench), "utf8");
  return (await simulate(verilog, text, place)).trim().split("\n").sort();
}

describe(
  "in a simulator of four states",
  { ...needs("iverilog", "yosys"), timeout: 1_800_000 },
  () => {
    it("the SparF engine serves heads and appends, and nothing is unknown", async () => {
      const small = {
        Channels: 1,
        Kernels: 1,
        Lanes: 4,
        Width: 16,
        MaxKeys: 64,
        MaxGroup: 2,
        Slots: 2,
        RingLines: 64,
        MaxPageRows: 16,
        Tags: 16,
      };
      expect(await run("sparf_engine", small, "four-state-sparf.v")).toEqual([
        "done 1 status 0",
        "done 2 status 0",
        "done 3 status 0",
        "unknown 0 ends 3",
      ]);
      // Ports for checkers exist in simulators only.
      const circuit = readFileSync(join(directory, "sparf_engine", "unit.v"), "utf8");
      expect(circuit).toMatch(/output .*\bdone_valid_o\b/);
      expect(circuit).not.toMatch(/\bseen_/);
    });

    it("the NDP unit serves two descriptors after a reset in the middle, and nothing is unknown", async () => {
      const small = {
        Streams: 2,
        MultPerStream: 4,
        Lanes: 8,
        BitsPerCycle: 1,
        BufferBytes: 4096,
        QueueBursts: 4,
        ActLanes: 32,
        MaxTokens: 2,
        Descriptors: 2,
      };
      expect(await run("dimm_ndp", small, "four-state-ndp.v")).toEqual([
        "done field 0",
        "done field 0",
        "done field 3",
        "reset with 2 descriptors inside",
        "unknown 0 ends 3 writes 5",
      ]);
    });

    it("the relayout unit moves runs and a packet, and nothing is unknown", async () => {
      const small = { Streams: 2, Packets: 4, Flows: 4, Ways: 1 };
      expect(await run("relayout_unit", small, "four-state-relayout.v")).toEqual([
        "flow 7 ends",
        "flow 9 ends",
        "unknown 0 ends 2 sent 5 writes 7",
      ]);
    });

    it("the transposition buffer fills sets and sends pages, and nothing is unknown", async () => {
      const small = { Values: 4, ValueBits: 16, Words: 16, Slots: 4 };
      expect(await run("transposition_buffer", small, "four-state-transposition.v")).toEqual([
        "unknown 0 filled 2 pages 4",
      ]);
    });
  },
);
