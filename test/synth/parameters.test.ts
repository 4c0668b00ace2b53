// SPDX-License-Identifier: Apache-2.0
// Parameters of `neardata area` that no unit can be made with are refused before a tool is called.

import { describe, expect, it } from "vitest";
import { NeardataError } from "../../src/errors.ts";
import { designs, fixedParameters, sweptParameters } from "../../src/synth/parameters.ts";
import { cli } from "../helpers/cli.ts";
import { expectPlainWords } from "../helpers/hostile.ts";

const many = Array.from({ length: 257 }, (_, i) => i + 1).join(",");

describe("area refuses", () => {
  it.each<[string, readonly string[], string]>([
    ["a value of twenty digits", ["--param", `Lanes=${"9".repeat(20)}`], "above 2097152"],
    ["a word without end", ["--param", "x".repeat(5000)], 'xxx..." is not NAME=VALUE with a whole'],
    ["no number", ["--param", "Lanes=-1"], '--param: "Lanes=-1" is not NAME=VALUE'],
    ["no values", ["--sweep", "Lanes=4,"], '--sweep: "Lanes=4," is not NAME=VALUE,VALUE'],
    ["a value twice", ["--sweep", "Lanes=4,4"], '"Lanes=4,4" has a value twice.'],
    ["a name twice", ["--param", "Lanes=4", "--sweep", "Lanes=8"], 'parameter "Lanes" is given'],
    ["no parameter", ["--param", "Lanez=4"], "Lanez: dimm_ndp.sv has no such parameter."],
    ["too many designs", ["--sweep", `QueueBursts=${many}`], "257 designs are more than 256"],
    ["what the RTL refuses", ["--param", "Lanes=3"], "Lanes: 3 is not one of 2, 4, 8."],
    ["no target", ["--target", "y".repeat(900)], "is neither xc7 nor asic."],
  ])("%s", async (_, words, message) => {
    const { code, stderr } = await cli("area", "ndp", ...words);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(message) as unknown,
    });
    expectPlainWords(stderr);
  });

  it("a module that there is not", async () => {
    const { code, stderr } = await cli("area", `../${"z".repeat(900)}`);
    expect(code).toBe(2);
    expect(stderr).toContain("no file under rtl/ defines the module");
    expectPlainWords(stderr);
  });

  it("every word that is wrong, and nothing of what can be made", () => {
    expect(() => fixedParameters(["a", "b"])).toThrow(/"a" is not .*\n.*"b" is not /);
    const size = sweptParameters(["Kernels=1,2", "Lanes=4,16"]);
    expect(designs("sparf", size)).toHaveLength(4);
    expect(() => designs("sparf", sweptParameters(["Kernels=3,5"]))).toThrow(NeardataError);
    expect(designs("ndp", [])).toEqual([{}]);
  });
});
