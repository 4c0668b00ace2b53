// SPDX-License-Identifier: Apache-2.0

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cli } from "../helpers/cli.ts";
import { rejectedAt } from "../helpers/rejected-at.ts";

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

/**
 * Options for whole numbers; the tests pass texts that are not numbers and numbers that are too
 * large.
 */
const numbers = [
  ["bench", "--repeats"],
  ["dram", "bench", "--requests"],
  ["dram", "bench", "--repeats"],
  ["reproduce", "--seeds"],
  ["sweep", "x.yaml", "--workers"],
  ["explore", "x.yaml", "--points-per-task"],
  ["lm", "eval", "--windows"],
];

describe("the command line refuses", () => {
  it.each(numbers)("%s %s %s", async (...words) => {
    const wrong = ["NaN", "-1", "1e30", "0x10", "1.5", " 1", "9".repeat(500)];
    for (const text of wrong) {
      const result = await cli(...words, text);
      expect(result).toEqual(rejectedAt(words.at(-1) ?? ""));
      expect(result.stderr.length).toBeLessThan(200);
    }
  });

  it.each([
    ["an option twice", ["run", "--out", "a", "--out", "b"], /--out: .*twice/],
    ["an empty value", ["run", "--out", ""], /--out: .*empty/],
    ["an empty argument", ["run", ""], "an argument"],
    [
      "choices of a router elsewhere",
      ["reproduce", "--fidelity", "cycle", "--trace", "x.csv"],
      /--trace: .*analytic.*cycle/,
    ],
    [
      "a device beside an experiment on the paper's own",
      ["reproduce", "--only", "trimoe/figure-6", "--device", "data/devices/trimoe-dimm.yaml"],
      /--device: .*PAPER\/device/,
    ],
    [
      "threads of a recorded layer's equations",
      ["policy", "layer", "x.csv", "--model", "qwen3-235b-a22b", "--threads", "2"],
      /--threads: .*rtl.*analytic/,
    ],
    [
      "standard cells of an FPGA",
      ["area", "fp_add", "--liberty", "x.lib", "--target", "xc7"],
      /--liberty: .*--target asic/,
    ],
    [
      "a share of all of K and V",
      ["lm", "eval", "--attention", "dense", "--ratio", "1/4"],
      /--ratio: .*dense/,
    ],
    [
      "the same of a token",
      ["lm", "token", "--attention", "dense", "--ratio", "1/4"],
      /--ratio: .*dense/,
    ],
    [
      "who chooses where nobody does",
      ["lm", "eval", "--attention", "h2o", "--group", "heads"],
      /--group: .*--attention sparf/,
    ],
    ["a share over nothing", ["lm", "eval", "--ratio", "1/0"], /--ratio: "1\/0"/],
    ["a window twice", ["lm", "eval", "--windows", "3,3"], /--windows: .* 3 /],
    ["a pipe nobody writes to", ["run", "DIR/pipe"], /pipe: .*regular/],
    ["a directory", ["run", "DIR"], /: .*directory/],
    ["a device", ["run", "/dev/zero"], /\/dev\/zero: .*regular/],
    ["a file below a file", ["run", "DIR/bytes.yaml/x"], /bytes\.yaml\/x: .*part of its path/],
    ["a name that is too long", ["run", "x".repeat(300)], /x: .*too long/],
    ["bytes that are no text", ["run", "DIR/bytes.yaml"], /bytes\.yaml: line 1 .*UTF-8/],
  ])("%s", async (_, words, where) => {
    const result = await cli(...words.map((word) => word.replace("DIR", directory)));
    expect(result).toEqual(rejectedAt(where));
  });

  it("options of other fidelities, all at once", async () => {
    const result = await cli("reproduce", "--rtl-dimms", "all", "--threads", "2");
    expect(result).toEqual(rejectedAt("--rtl-dimms", /--threads: .*cycle or rtl.*analytic/));
  });
});
