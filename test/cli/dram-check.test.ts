// SPDX-License-Identifier: Apache-2.0
// `neardata dram check`: violations as text and JSON, both forms of traces, and errors of traces and configurations.

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import { describe, expect, it } from "vitest";

import { cli } from "../helpers/cli.ts";

const folder = mkdtempSync(join(tmpdir(), "dram-check-"));
const narrow = "cycle,ch,cmd,rank,bg,bank,row,col,req";
const wide = "cycle,ch,cmd,pc,rank,bg,bank,row,col,req";

function file(name: string, text: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const legal = [narrow, "1,0,ACT,0,0,0,5,-1,0", "40,0,RD,0,0,0,5,0,0", "50,0,RD,0,1,0,5,0,1", ""];
/** DDR5-4800B has nRCD 39; the second bank is closed. */
const early = [narrow, "1,0,ACT,0,0,0,5,-1,0", "39,0,RD,0,0,0,5,0,0", ""];

describe("neardata dram check", () => {
  it("lists each violation with its cycle, command, rule, earlier command and slack", async () => {
    const trace = file("early.csv", early.join("\n"));
    const { code, stdout, stderr } = await cli(
      "dram",
      "check",
      trace,
      "--standard",
      "DDR5",
      "--json",
    );
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
    const { violations } = JSON.parse(stdout) as { readonly violations: readonly object[] };
    expect(violations).toMatchObject([
      {
        rule: "tRCD (read)",
        basis: "sure",
        line: 3,
        cycle: 39,
        command: "RD",
        earlier: { line: 2, cycle: 1, command: "ACT" },
        slack: -1,
      },
    ]);
  });

  it("prints rules and their first violations", async () => {
    const trace = file("states.csv", legal.join("\n"));
    const { code, stdout } = await cli("dram", "check", trace, "--standard", "DDR5");
    expect(code).toBe(1);
    expect(stdout).toContain("DDR5: 3 commands, 1 violations of 1 rules");
    expect(stdout).toContain(
      "line 4, cycle 50: RD, rank 0, bank group 1, bank 0: the bank is closed",
    );
  });

  it("accepts a legal trace, with gzip and ten columns", async () => {
    const lines = [wide, "1,0,ACT,0,0,0,0,5,-1,0", "40,0,RD,0,0,0,0,5,0,0", ""];
    const trace = file("legal.csv.gz", gzipSync(lines.join("\n")));
    const { code, stdout, stderr } = await cli("dram", "check", trace, "--standard", "DDR5");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe("DDR5: 2 commands, no violation\n");
  });

  it("takes timings and counts from a configuration", async () => {
    const config = file(
      "slow.json",
      JSON.stringify({ standard: "DDR4", preset: "DDR4-3200AA", timing_cycles: { nRCD: 30 } }),
    );
    const lines = [wide, "1,0,ACT,0,0,0,0,5,-1,0", "30,0,RD,0,0,0,0,5,0,0", ""];
    const trace = file("ddr4.csv", lines.join("\n"));
    expect((await cli("dram", "check", trace, "--standard", "DDR4")).code).toBe(0);
    expect((await cli("dram", "check", trace, "--config", config)).code).toBe(1);
  });

  it.each([
    ["RD of ten", [narrow, "1,0,ACT,0,0,0,0,5,-1,0"], "10 fields, but the first line has 9."],
    ["a name", [narrow, "1,0,REFpb,0,0,0,5,-1,0"], '"REFpb" is not a command: DDR5 has ACT,'],
    ["a bank", [narrow, "1,0,ACT,0,0,9,5,-1,0"], "ACT has bank 9; the memory has 0 to 3."],
    ["a reach", [narrow, "1,0,PREA,0,0,0,-1,-1,0"], "PREA has bg 0; it addresses all: -1."],
    ["a number", [narrow, "x,0,ACT,0,0,0,5,-1,0"], '"x" is not a whole number.'],
    ["no names", ["1,0,ACT,0,0,0,5,-1,0"], "the first line must be cycle,ch,cmd,pc,"],
  ])("refuses a trace with %s", async (_, lines, sentence) => {
    const trace = file("bad.csv", `${lines.join("\n")}\n`);
    const { code, stderr } = await cli("dram", "check", trace, "--standard", "DDR5");
    expect(code).toBe(2);
    expect(stderr).toContain(sentence);
  });

  it("names every problem of a configuration", async () => {
    const config = file(
      "bad.json",
      JSON.stringify({
        standard: "DDR4",
        preset: "DDR4-3200AA",
        timing_cycles: { nRCDD: 3 },
        organization: { stack_ids: 2 },
        command_buses: { row: ["ACT"] },
      }),
    );
    const { code, stderr } = await cli("dram", "check", file("x.csv", narrow), "--config", config);
    expect(code).toBe(2);
    expect(stderr).toContain("timing_cycles.nRCDD: is not a timing of DDR4.");
    expect(stderr).toContain("organization.stack_ids: DDR4 has no stack id.");
    expect(stderr).toContain("command_buses.row: is not a bus of DDR4.");
    const unknown = file("unknown.json", JSON.stringify({ standard: "DDR4", timings: {} }));
    const second = await cli("dram", "check", file("x.csv", narrow), "--config", unknown);
    expect(second.code).toBe(2);
    expect(second.stderr).toContain("timings");
  });
});
