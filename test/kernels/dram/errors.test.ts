// SPDX-License-Identifier: Apache-2.0
// Bad traces and configurations: one sentence with the place, exit code 2, and no output at all.

import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { runMain } from "../../../src/cli/main.ts";

const header = "id,arrival,op,addr\n";
const good = `${header}0,0,R,0x0\n1,3,W,0x40\n2,3,R,0x40\n`;
const preset = JSON.stringify({ preset: "TriMoE" });

let directory = "";
let said = "";

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "neardata-dram-"));
  said = "";
  const hear = (text: string | Uint8Array): boolean => {
    said += String(text);
    return true;
  };
  vi.spyOn(process.stderr, "write").mockImplementation(hear);
  vi.spyOn(process.stdout, "write").mockImplementation(() => true);
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  process.exitCode = undefined;
});

interface Outcome {
  readonly exit: number | string | undefined;
  readonly outputs: readonly string[];
}

async function replay(
  requests: string | Uint8Array,
  config = preset,
  more: readonly string[] = [],
): Promise<Outcome> {
  const at = (name: string): string => join(directory, name);
  writeFileSync(at("config.json"), config);
  writeFileSync(at("requests"), requests);
  const files = ["--config", at("config.json"), "--requests", at("requests")];
  const outputs = ["--commands", at("commands.csv"), "--completions", at("completions.csv.gz")];
  await runMain(["node", "neardata", "dram", "replay", ...files, ...outputs, ...more]);
  const given = ["config.json", "requests"];
  return {
    exit: process.exitCode ?? 0,
    outputs: readdirSync(directory).filter((name) => !given.includes(name)),
  };
}

describe("bad traces", () => {
  it.each<[string, string | Uint8Array, number, RegExp]>([
    ["unaligned address", `${header}0,0,R,0x20\n`, 2, /0x20 .*64 bytes/],
    ["address out of range", `${good}3,3,R,0x1000000000\n`, 5, /capacity/],
    ["hexadecimal address without 0x", `${header}0,0,R,4c0\n`, 2, /hexadecimal/],
    ["decimal address inside an access", `${header}0,0,R,40\n`, 2, /aligned/],
    ["unknown operation", `${header}0,0,X,0x0\n`, 2, /R or W/],
    ["arrival that goes back", `${good}3,2,R,0x0\n`, 5, /goes back/],
    [
      "arrival after the end of time",
      `${header}0,1000000000001,R,0x0\n`,
      2,
      /arrival .*1000000000000,/,
    ],
    ["arrival that is no number", `${header}0,-1,R,0x0\n`, 2, /arrival .*"-1"/],
    ["CR inside a line", `${header}0,0,R\r,0x0\n`, 2, /R or W/],
    ["missing column", "id,arrival,op\n0,0,R\n", 1, /"addr"/],
    ["line with too few columns", `${header}0,0,R\n`, 2, /4 columns/],
    ["line with too many columns", `${header}0,0,R,0x0,9\n`, 2, /4 columns/],
    ["empty line", `${good}\n`, 5, /4 columns/],
    ["endless line", `${header}${"0".repeat(5000)}`, 2, /256 bytes/],
    ["empty file", "", 1, /is empty/],
    ["no requests", header, 1, /no requests/],
    ["empty gzip", gzipSync(""), 1, /is empty/],
    ["truncated gzip", gzipSync(good).subarray(0, -8), 5, /gzip/],
  ])("%s", async (_, requests, line, rule) => {
    expect(await replay(requests)).toEqual({ exit: 2, outputs: [] });
    expect(said).toMatch(rule);
    expect(said).toContain(`requests:${line}:`);
    expect(said.match(/^neardata: /gm)).toHaveLength(1);
  });
});

describe("bad configurations", () => {
  it.each<[string, unknown, RegExp]>([
    ["unknown preset", { preset: "DDR5-5600BM" }, /"DDR5-5600BM"/],
    ["no timing", { rate_MTps: 4800 }, /timing_nCK: .*nCL, nRCD/],
    ["mistyped timing", { preset: "TriMoE", timing_nCK: { nCLL: 4 } }, /nCLL: .*"nCL"\?/],
    ["mistyped key", { preset: "TriMoE", row_polcy: "x" }, /row_polcy: .*"row_policy"\?/],
    ["unknown mapper", { preset: "TriMoE", address_mapper: "X" }, /address_mapper: "X"/],
    ["half a column", { preset: "TriMoE", organization: { device_columns: 100 } }, /bursts of 16/],
    ["too many channels", { preset: "TriMoE", organization: { channels: 65536 } }, /1024 channels/],
    ["rows", { preset: "TriMoE", organization: { rows: 2 ** 31 } }, /2\^30 rows/],
    ["channels", { preset: "TriMoE", organization: { channels: 3 } }, /channels .*power of two/],
    [
      "rows that are no power of two beneath columns",
      {
        preset: "TriMoE",
        address_mapper: "MOP4CLXOR",
        organization: { rows: 24, ranks_per_channel: 1, bankgroups: 2 },
      },
      /MOP4CLXOR .*power of two.* 24$/m,
    ],
    [
      "refresh without end",
      { preset: "TriMoE", timing_nCK: { nREFI: 700 } },
      /follows from nREFI, is 700 cycles; .* refresh of \d+ cycles/,
    ],
  ])("%s", async (_, document, rule) => {
    expect(await replay(good, JSON.stringify(document))).toEqual({ exit: 2, outputs: [] });
    expect(said).toMatch(rule);
  });

  it("every problem of a file is named at once", async () => {
    const ofSchema = { preset: "TriMoE", timing_nCK: { nCLL: 3, nRP: -1 }, row_policy: "zz" };
    expect((await replay(good, JSON.stringify(ofSchema))).exit).toBe(2);
    expect(said).toMatch(/nRP: .*\n.*row_policy: .*\n.*nCLL: /);
    said = "";
    const ofMemory = {
      preset: "TriMoE",
      timing_nCK: { nCL: 0 },
      organization: { ranks_per_channel: 3 },
    };
    expect((await replay(good, JSON.stringify(ofMemory))).exit).toBe(2);
    expect(said).toMatch(/ranks .*\n.*nCL /);
  });

  it("a memory that refreshes nearly all the time serves every request, or is refused", async () => {
    const timing = { nREFI: 800, nRFC1: 708, nRP: 91, nRC: 400 };
    const trace = `${header}${Array.from({ length: 200 }, (_, i) => `${i},0,R,0x0\n`).join("")}`;
    const config = JSON.stringify({ preset: "TriMoE", timing_nCK: timing });
    const { exit, outputs } = await replay(trace, config);
    expect({ exit, outputs }).toEqual({ exit: 0, outputs: ["commands.csv", "completions.csv.gz"] });
    const completions = gunzipSync(readFileSync(join(directory, "completions.csv.gz"))).toString();
    expect(completions.trim().split("\n")).toHaveLength(1 + 200);
    const all = JSON.stringify({ preset: "TriMoE", timing_nCK: { ...timing, nRFC1: 709 } });
    expect((await replay(trace, all)).exit).toBe(2);
    expect(said).toMatch(
      /follows from nREFI, is 800 cycles; .*refresh of \d+ cycles and the \d+ cycles/,
    );
  });

  it.each([
    [200, "with a queue that stays full", 38],
    [20, "with requests that are never completed", 21],
  ])(
    "a memory that only catches up on refreshes is found out: %i requests, %s",
    async (count, _, line) => {
      // A row may delay a refresh by nearly 400 cycles, and each later refresh recovers 2: no request is served for
      // more than the limit of 100 intervals. The third request runs into that; three requests and a queue of 33 are
      // accepted before.
      const timing = { nREFI: 710, nRFC1: 708, nRP: 1, nRC: 400 };
      const rows = Array.from({ length: count }, (_, i) => {
        return `${i},0,R,0x${(i << 23).toString(16)}\n`;
      });
      const config = JSON.stringify({ preset: "TriMoE", timing_nCK: timing });
      expect(await replay(header + rows.join(""), config)).toEqual({ exit: 2, outputs: [] });
      expect(said).toMatch(/no request .*refreshes/);
      expect(said).toContain(`requests:${line}:`);
    },
  );
});

describe("the command line", () => {
  it("writes whole files, compressed by name, and reads compressed traces", async () => {
    expect(await replay(gzipSync(good))).toEqual({
      exit: 0,
      outputs: ["commands.csv", "completions.csv.gz"],
    });
    const commands = readFileSync(join(directory, "commands.csv"), "utf8").split("\n");
    expect(commands[0]).toBe("cycle,ch,cmd,rank,bg,bank,row,col,req");
    expect(commands[1]).toBe("1,0,ACT,0,0,0,0,-1,0");
    const completions = gunzipSync(readFileSync(join(directory, "completions.csv.gz"))).toString();
    // Request 2 reads the data of request 1 in the write queue.
    expect(completions.split("\n").slice(0, 4)).toEqual([
      "id,accept,issue,complete",
      "0,0,35,83",
      expect.stringMatching(/^1,3,/) as unknown,
      "2,3,-1,4",
    ]);
  });

  it("says what is missing for the backend ramulator2 (exit 3)", async () => {
    vi.stubEnv("RAMULATOR2_DIR", "");
    expect(await replay(good, preset, ["--backend", "ramulator2"])).toEqual({
      exit: 3,
      outputs: [],
    });
    expect(said).toContain("RAMULATOR2_DIR");
  });
});
