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
    expect(stdout).toContain("DDR5: 3 commands, 1 violation of 1 rule");
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

  it("compares each access with its request", async () => {
    const config = file(
      "addresses.json",
      JSON.stringify({
        standard: "DDR4",
        preset: "DDR4-3200AA",
        address_mapper: "RoBaRaCoCh",
        address_bits: { rank: 1, bankgroup: 2, bank: 2, row: 16, column: 7 },
        tx_offset_bits: 6,
      }),
    );
    const trace = file(
      "served.csv",
      [wide, "5,0,ACT,0,0,1,0,5,-1,0", "40,0,RD,0,0,1,0,5,3,0", "50,0,RD,0,0,1,0,5,3,0", ""].join(
        "\n",
      ),
    );
    // Row 5, bank 0, bank group 1, rank 0, column 3 and 4.
    const address = (column: number): string =>
      (((5 * 4 * 4 + 1) * 2 * 128 + column) * 64).toString(16);
    const requests = file("requests.csv", `id,arrival,op,addr\n0,3,R,0x${address(3)}\n`);
    const served = await cli("dram", "check", trace, "--config", config, "--requests", requests);
    expect(served.code).toBe(1);
    expect(served.stdout).toContain("request 0: the request is served twice");
    expect(served.stdout).toContain("request (sure): 1");
    const other = file("other.csv", `id,arrival,op,addr\n0,40,W,0x${address(4)}\n`);
    const wrong = await cli("dram", "check", trace, "--config", config, "--requests", other);
    expect(wrong.stdout).toContain("request 0: the request is a write");
    expect(wrong.stdout).toContain("the request arrives in cycle 40");
    expect(wrong.stdout).toContain("column 3, not 4");
    const options = ["--standard", "DDR4", "--requests", requests];
    const without = await cli("dram", "check", trace, ...options);
    expect(without.code).toBe(2);
    expect(without.stderr).toContain("--requests: needs address_mapper");
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

  it.each(["check", "replay"])(
    "%s names all keys that a missing preset has, once",
    async (name) => {
      const config = file(
        "bare.json",
        JSON.stringify({
          standard: "DDR4",
          timing_cycles: { nCL: 22 },
          organization: { rows: 9 },
        }),
      );
      const trace = file("y.csv", narrow);
      const input = name === "check" ? [trace] : ["--requests", trace];
      const { code, stderr } = await cli("dram", name, ...input, "--config", config);
      expect(code).toBe(2);
      expect(stderr).toMatch(
        /^neardata: \S*bare\.json: preset: this is missing: name a preset, or give timing_cycles \(nBL, nRCD, .*\), organization \(.*\)/,
      );
      expect(stderr.split("\n")).toHaveLength(2);
    },
  );

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

describe("neardata dram edges --standard", () => {
  it("lists every pair of commands with its distance and the answer of the checker", async () => {
    const { code, stdout } = await cli("dram", "edges", "--standard", "GDDR6");
    expect(code).toBe(0);
    expect(stdout).toMatch(/tRCD \(read\) +\| ACT to RD +\| bank +\| 27 +\| right/);
    expect(stdout).toMatch(/right, 0 early, 0 late\n$/);
  });

  it("refuses --preset without --standard", async () => {
    const { code, stderr } = await cli("dram", "edges", "--preset", "DDR4-3200AA");
    expect(code).toBe(2);
    expect(stderr).toContain("--preset: needs --standard.");
  });
});
