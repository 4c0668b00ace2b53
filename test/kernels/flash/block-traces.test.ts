// SPDX-License-Identifier: Apache-2.0
// Traces of requests to disks, and to memories, in place of a facts file: named in a sentence.

import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { blockFormatOf } from "../../../src/kernels/traces/block-traces.ts";
import { cli, inTemporary } from "../../helpers/cli.ts";
import { rejectedAt } from "../../helpers/rejected-at.ts";

const msr = "128166372003061629,usr,0,Read,7014609920,24576,41286\n";

describe("a trace of requests to a disk", () => {
  it.each([
    [msr, /MSR Cambridge/],
    ["128166372016382155,hm_0,1,Write,2657792,512,1963", /MSR Cambridge/],
    ["0 0 36 8 1", /MQSim/],
    ["1000\t0\t44\t8\t0", /MQSim/],
    ["0,303567,3584,w,0.026214", /SPC/],
    ["419,W,8792731648,16384,1577808144360488", /Alibaba/],
    ["  8,16   1   1   1.427376394  5529  Q  WS 274432 + 8", /blkparse/],
  ])("%s is known by its line", (line, title) => {
    expect(blockFormatOf(line)?.title).toMatch(title);
  });

  it.each(["id,arrival,op,addr", "0x40 READ 5", "LD 0x40", '{"format": "flash-facts-1"}', "1,2,3"])(
    "is not taken for one: %s",
    (line) => {
      expect(blockFormatOf(line)).toBeUndefined();
    },
  );

  it.each<[string, string | Uint8Array, RegExp]>([
    ["MSR", msr.repeat(3), /MSR Cambridge.*No command converts/],
    ["MSR with an empty line first", `\n${msr}`, /MSR Cambridge/],
    ["gzip", gzipSync(msr), /MSR Cambridge/],
    ["MQSim", "0 0 36 8 1\n1000 0 44 8 0", /MQSim.*translation layer/],
    ["memory requests", "id,arrival,op,addr\n0,0,R,0x0\n", /dram replay/],
    ["memory requests of DRAMsim3", "0x40 READ 5\n", /DRAMsim3.*dram replay/],
    ["neither", "hello", /not JSON/],
  ])("of %s is refused by flash replay, and nothing is written", async (_, contents, rule) => {
    await inTemporary(async (directory) => {
      writeFileSync(join(directory, "t.csv"), contents);
      const out = join(directory, "out.json");
      const cliResult = await cli("flash", "replay", join(directory, "t.csv"), "--out", out);
      expect(cliResult).toEqual(rejectedAt(rule));
      expect(cliResult.stderr).toContain("t.csv");
      expect(readdirSync(directory)).toEqual(["t.csv"]);
    });
  });
});
