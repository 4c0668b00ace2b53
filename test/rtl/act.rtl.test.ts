// SPDX-License-Identifier: Apache-2.0
// The activation unit in RTL, at full size, against the golden model: every input of both formats
// through every function, alone and with the gate product. The bench holds the C++ value model
// against the RTL in the same runs.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import {
  activation,
  type ActivationFunction,
  type FloatFormat,
  gatedProduct,
} from "../../src/golden/activation.ts";
import { inRepository } from "../../src/base/paths.ts";
import { rtlPath } from "../../src/native/compile/rtl-sources.ts";
import { runTool } from "../../src/native/compile/process.ts";
import { verilate } from "../../src/native/unit/verilate.ts";
import { rejection } from "../helpers/rejection.ts";

const functions: readonly ActivationFunction[] = ["identity", "relu", "silu", "gelu"];
const formats: readonly FloatFormat[] = ["fp16", "bf16"];
const allBits = Uint16Array.from({ length: 0x10000 }, (_, bits) => bits);
const lanes = 256;

const rtl = (name: string): string => inRepository("rtl", rtlPath(`${name}.sv`));
const directory = mkdtempSync(join(tmpdir(), "neardata-act-"));
let bench = "";

beforeAll(async () => {
  bench = await verilate({
    top: "ndp_act_unit",
    parameters: { ActLanes: lanes },
    sources: [
      "ndp_pkg",
      "ndp_act_pkg",
      "ndp_act_table_pkg",
      "ndp_act_microcode",
      "ndp_act_bank",
      "ndp_act_unit",
    ].map(rtl),
    harness: [
      inRepository("testbench", "act_main.cc"),
      inRepository("sim", "unit", "ndp", "values", "act_values.cc"),
    ],
    kind: "executable",
    trace: false,
  });
});

afterAll(() => {
  rmSync(directory, { recursive: true });
});

/** Results of the unit for pairs of a gate and an up operand. */
async function runUnit(
  func: ActivationFunction,
  format: FloatFormat,
  gated: boolean,
  gate: Uint16Array,
  up: Uint16Array,
): Promise<Uint16Array> {
  const input = join(directory, "input");
  const output = join(directory, "output");
  writeFileSync(
    input,
    Uint16Array.from({ length: 2 * gate.length }, (_, i) => (i % 2 === 0 ? gate : up)[i >> 1] ?? 0),
  );
  const flags = [functions.indexOf(func), formats.indexOf(format), Number(gated)].map(String);
  await runTool(bench, [...flags, input, output]);
  const bytes = readFileSync(output);
  return new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 2);
}

/** A fixed sequence of operands: an odd multiplier walks through all 16-bit patterns. */
const scrambled = (multiplier: number, offset: number): Uint16Array =>
  allBits.map((bits) => bits * multiplier + offset);

describe.each(formats)("%s", (format) => {
  test.each(functions)("%s of every input", async (func) => {
    const results = await runUnit(func, format, false, allBits, scrambled(40503, 1));
    const expected = allBits.map((bits) => activation(bits, func, format));
    expect(results.findIndex((bits, i) => bits !== expected[i])).toBe(-1);
    expect(results.length).toBe(expected.length);
  });

  test.each(functions)("%s of every input times an up operand", async (func) => {
    const special = [0, 1, 0x8000, 0x3c00, 0x7c00, 0xfc00, 0x7f80, 0x7fff, 0x03ff, 0x0400, 0x7bff];
    for (const [multiplier, offset] of [
      [40503, 77],
      [27183, 4242],
    ] as const) {
      const up = scrambled(multiplier, offset);
      // Now and then one of the operands that decide differently.
      for (let i = 0; i < up.length; i += 13) up[i] = special[(i / 13) % special.length] ?? 0;
      const results = await runUnit(func, format, true, allBits, up);
      const expected = allBits.map((bits, i) =>
        gatedProduct(activation(bits, func, format), up[i] ?? 0, format),
      );
      expect(results.findIndex((bits, i) => bits !== expected[i])).toBe(-1);
    }
  });
});

test.each(["--early-start", "--early-load"])("%s is noticed", async (misuse) => {
  await expect(runTool(bench, [misuse])).rejects.toThrow(
    rejection("build-failed", /assertion of the unit/),
  );
});

test("a number of operands that fills no batch leaves none out", async () => {
  const gate = allBits.slice(0x3c00, 0x3c00 + lanes + 1);
  const results = await runUnit("silu", "fp16", false, gate, gate);
  expect(results).toEqual(gate.map((bits) => activation(bits, "silu", "fp16")));
});
