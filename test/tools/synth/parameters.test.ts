// SPDX-License-Identifier: Apache-2.0
// Parameters of `neardata area` that no unit can be made with are refused before a tool is called.

import { describe, expect, it } from "vitest";
import { designs, fixedParameters, sweptParameters } from "../../../src/tools/synth/parameters.ts";
import { cli } from "../../helpers/cli.ts";
import { expectPlainWords } from "../../helpers/hostile.ts";
import { rejection } from "../../helpers/rejection.ts";
import { rejectedAt } from "../../helpers/rejected-at.ts";

const many = Array.from({ length: 257 }, (_, i) => i + 1).join(",");

describe("area refuses", () => {
  it.each<[string, readonly string[], RegExp]>([
    [
      "a value of twenty digits",
      ["--param", `Lanes=${"9".repeat(20)}`],
      /--param: "Lanes=9{20}".* 2097152/,
    ],
    ["a word without end", ["--param", "x".repeat(5000)], /--param: "x+\.\.\.".*NAME=VALUE/],
    ["no number", ["--param", "Lanes=-1"], /--param: "Lanes=-1".*NAME=VALUE/],
    ["no values", ["--sweep", "Lanes=4,"], /--sweep: "Lanes=4,".*NAME=VALUE,VALUE/],
    ["a value twice", ["--sweep", "Lanes=4,4"], /--sweep: "Lanes=4,4".*twice/],
    ["a name twice", ["--param", "Lanes=4", "--sweep", "Lanes=8"], /ndp: .*"Lanes".*twice/],
    ["no parameter", ["--param", "Lanez=4"], /Lanez: dimm_ndp\.sv/],
    ["too many designs", ["--sweep", `QueueBursts=${many}`], /--sweep: 257 .* 256/],
    ["what the RTL refuses", ["--param", "Lanes=3"], /Lanes: 3 .*2, 4, 8/],
    ["no target", ["--target", "y".repeat(900)], /--target: "y+\.\.\.".*xc7.*asic/],
  ])("%s", async (_, words, rule) => {
    const result = await cli("area", "ndp", ...words);
    expect(result).toEqual(rejectedAt(rule));
    expectPlainWords(result.stderr);
  });

  it("a module that there is not", async () => {
    const result = await cli("area", `../${"z".repeat(900)}`);
    expect(result).toEqual(rejectedAt(/unit: .*"\.\.\/z+\.\.\."/));
    expectPlainWords(result.stderr);
  });

  it("every word that is wrong, and nothing of what can be made", () => {
    expect(() => fixedParameters(["a", "b"])).toThrow(
      rejection("bad-input", /--param: "a"/, /--param: "b"/),
    );
    const size = sweptParameters(["Kernels=1,2", "Lanes=4,16"]);
    expect(designs("sparf", size)).toHaveLength(4);
    expect(() => designs("sparf", sweptParameters(["Kernels=3,5"]))).toThrow(
      rejection("bad-input", "Kernels", "Kernels"),
    );
    expect(designs("ndp", [])).toEqual([{}]);
  });
});
