// SPDX-License-Identifier: Apache-2.0

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cli } from "../helpers/cli.ts";

let directory = "";
const at = (name: string): string => join(directory, name);

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "neardata-options-"));
  execFileSync("mkfifo", [at("pipe")]);
  writeFileSync(at("bytes.yaml"), Buffer.from([0x6e, 0xff, 0xfe]));
});
afterAll(() => {
  rmSync(directory, { recursive: true });
});

/** Whole numbers of the command line, and what is none or too large. */
const numbers = [
  ["bench", "--repeats"],
  ["dram", "bench", "--requests"],
  ["dram", "bench", "--repeats"],
  ["reproduce", "--seeds"],
  ["sweep", "x.yaml", "--workers"],
  ["explore", "x.yaml", "--points-per-task"],
  ["lm", "eval", "--windows"],
];

describe("the command line refuses in one sentence", () => {
  it.each(numbers)("%s %s %s", async (...words) => {
    const wrong = ["NaN", "-1", "1e30", "0x10", "1.5", " 1", "9".repeat(500)];
    for (const text of wrong) {
      const { code, stderr } = await cli(...words, text);
      expect(stderr).toMatch(/^neardata: --[a-z-]+: ".*" is no whole number from \d+ to \d+\.\n$/);
      expect(stderr.length).toBeLessThan(200);
      expect(code).toBe(2);
    }
  });

  it.each([
    ["an option twice", ["run", "--out", "a", "--out", "b"], "--out: this option is given twice."],
    ["an empty value", ["run", "--out", ""], "--out: its value is empty."],
    ["an empty argument", ["run", ""], "an argument: it is empty."],
    [
      "choices of a router elsewhere",
      ["reproduce", "--fidelity", "cycle", "--trace", "x.csv"],
      "--trace: this option is for fidelity analytic, not cycle.",
    ],
    [
      "threads of a recorded layer's equations",
      ["policy", "layer", "x.csv", "--model", "qwen3-235b-a22b", "--threads", "2"],
      "--threads: this option is for fidelity rtl, not analytic.",
    ],
    [
      "standard cells of an FPGA",
      ["area", "fp_add", "--liberty", "x.lib", "--target", "xc7"],
      "--liberty: standard cells are for --target asic, not xc7.",
    ],
    [
      "a share of all of K and V",
      ["lm", "eval", "--attention", "dense", "--ratio", "1/4"],
      "--ratio: dense attention moves all of K and V.",
    ],
    [
      "the same of a token",
      ["lm", "token", "--attention", "dense", "--ratio", "1/4"],
      "--ratio: dense attention moves all of K and V.",
    ],
    [
      "who chooses where nobody does",
      ["lm", "eval", "--attention", "h2o", "--group", "heads"],
      "--group: it says how SparF chooses; see --attention sparf.",
    ],
    ["a share over nothing", ["lm", "eval", "--ratio", "1/0"], '--ratio: "1/0" is no share above'],
    ["a window twice", ["lm", "eval", "--windows", "3,3"], "--windows: window 3 stands there"],
    ["a pipe nobody writes to", ["run", "DIR/pipe"], "pipe: this is not a regular file"],
    ["a directory", ["run", "DIR"], ": this is a directory, not a file."],
    ["a device", ["run", "/dev/zero"], "/dev/zero: this is not a regular file"],
    ["a file below a file", ["run", "DIR/bytes.yaml/x"], "a part of its path is not a directory."],
    ["a name that is too long", ["run", "x".repeat(300)], "the name is too long."],
    ["bytes that are no text", ["run", "DIR/bytes.yaml"], "bytes.yaml: line 1 is not UTF-8 text."],
  ])("%s", async (_, words, message) => {
    const { code, stdout, stderr } = await cli(
      ...words.map((word) => word.replace("DIR", directory)),
    );
    expect(stderr).toContain(message);
    expect(stderr.trimEnd()).not.toContain("\n");
    expect(stdout).toBe("");
    expect(code).toBe(2);
  });

  it("options of other fidelities, all at once", async () => {
    const { code, stderr } = await cli("reproduce", "--rtl-dimms", "all", "--threads", "2");
    expect(stderr.split("\n")).toEqual([
      expect.stringContaining("--rtl-dimms: this option is for fidelity rtl, not analytic."),
      expect.stringContaining("--threads: this option is for fidelity cycle or rtl, not analytic."),
      "",
    ]);
    expect(code).toBe(2);
  });
});
