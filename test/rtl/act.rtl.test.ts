// SPDX-License-Identifier: Apache-2.0
// The activation unit in RTL, at full size, against the golden model: every input of both formats
// through every function, alone and with the gate product. The bench holds the C++ value model
// against the RTL in the same runs.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { activation, type FloatFormat, gated } from "../../src/golden/activation.ts";
import { toBits } from "../../src/golden/float16.ts";
import { activationFunctions, gateOf, type GateFunction } from "../../src/golden/names.ts";
import { inRepository } from "../../src/base/paths.ts";
import { rtlPath } from "../../src/native/compile/rtl-sources.ts";
import { runTool } from "../../src/native/compile/process.ts";
import { verilate } from "../../src/native/unit/verilate.ts";
import { inFull } from "../helpers/needs.ts";
import { rejection } from "../helpers/rejection.ts";

/** By their codes. */
const functions = ["identity", "relu", "silu", "gelu", "gelu-tanh", "relu2", "quick-gelu"] as const;
const formats: readonly FloatFormat[] = ["fp16", "bf16"];
const allBits = Uint16Array.from({ length: 0x10000 }, (_, bits) => bits);
const lanes = 256;

const rtl = (name: string): string => inRepository("rtl", rtlPath(`${name}.sv`));
const directory = mkdtempSync(join(tmpdir(), "neardata-act-"));
let bench = "";

const modules = [
  "ndp_pkg",
  "ndp_act_pkg",
  "ndp_act_table_pkg",
  "ndp_act_microcode",
  "ndp_act_operands",
  "ndp_act_bank",
  "ndp_act_unit",
];

/** The bench; `operands` replaces the file of ndp_act_operands. */
const build = (parameters: { readonly ActLanes: number }, operands?: string): Promise<string> =>
  verilate({
    top: "ndp_act_unit",
    parameters,
    sources: modules.map((name) =>
      name === "ndp_act_operands" && operands !== undefined ? operands : rtl(name),
    ),
    harness: [
      inRepository("testbench", "act_main.cc"),
      inRepository("sim", "unit", "ndp", "values", "act_values.cc"),
    ],
    kind: "executable",
    trace: false,
  });

beforeAll(async () => {
  bench = await build({ ActLanes: lanes });
});

afterAll(() => {
  rmSync(directory, { recursive: true });
});

/** Results of the unit for pairs of a gate and an up operand. */
async function runUnit(
  { name, limit, upPlusOne }: GateFunction,
  format: FloatFormat,
  gated: boolean,
  [gate, up]: readonly [Uint16Array, Uint16Array],
  executable = bench,
): Promise<Uint16Array> {
  const input = join(directory, "input");
  const output = join(directory, "output");
  writeFileSync(
    input,
    Uint16Array.from({ length: 2 * gate.length }, (_, i) => (i % 2 === 0 ? gate : up)[i >> 1] ?? 0),
  );
  const flags = [
    functions.indexOf(name),
    formats.indexOf(format),
    Number(gated),
    limit === undefined ? 0 : toBits(format, limit),
    upPlusOne === true ? 1 : 0,
  ].map(String);
  await runTool(executable, [...flags, input, output]);
  const bytes = readFileSync(output);
  return new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 2);
}

/** A fixed sequence of operands: an odd multiplier walks through all 16-bit patterns. */
const scrambled = (multiplier: number, offset: number): Uint16Array =>
  allBits.map((bits) => bits * multiplier + offset);

/** An up operand for each gate operand: every pattern once, and some special values. */
function upOperands(format: FloatFormat, multiplier: number, offset: number): Uint16Array {
  const special = [0, 1, 0x8000, 0x3c00, 0x7c00, 0xfc00, 0x7f80, 0x7fff, 0x03ff, 0x0400, 0x7bff];
  const [one, seven] = [toBits(format, -1), toBits(format, 7)];
  const near = [one - 1, one, one + 1, seven, seven + 1, 0x8000 | seven, 0x8000 | (seven + 1)];
  const all = [...special, ...near];
  const up = scrambled(multiplier, offset);
  for (let i = 0; i < up.length; i += 13) up[i] = all[(i / 13) % all.length] ?? 0;
  return up;
}

test("the unit has the functions of the golden model", () => {
  expect([...functions].sort()).toEqual([...activationFunctions].sort());
});

describe.each(formats)("%s", (format) => {
  test.each(functions)("%s of every input", async (func) => {
    const results = await runUnit(gateOf(func), format, false, [allBits, scrambled(40503, 1)]);
    const expected = allBits.map((bits) => activation(bits, func, format));
    expect(results.findIndex((bits, i) => bits !== expected[i])).toBe(-1);
    expect(results.length).toBe(expected.length);
  });

  test.each(functions)("%s of every input times an up operand", async (func) => {
    for (const [multiplier, offset] of [
      [40503, 77],
      [27183, 4242],
    ] as const) {
      const up = upOperands(format, multiplier, offset);
      const results = await runUnit(gateOf(func), format, true, [allBits, up]);
      const expected = allBits.map((bits, i) => gated(bits, up[i] ?? 0, gateOf(func), format));
      expect(results.findIndex((bits, i) => bits !== expected[i])).toBe(-1);
    }
  });

  test.each<GateFunction>([
    { name: "quick-gelu", limit: 7, upPlusOne: true },
    { name: "silu", limit: 10 },
    { name: "gelu-tanh", limit: 0.75, upPlusOne: true },
    { name: "identity", upPlusOne: true },
    { name: "relu2", limit: 2 ** -12, upPlusOne: true },
  ])("operands of %o", async (gate) => {
    const up = upOperands(format, 40503, 77);
    const results = await runUnit(gate, format, true, [allBits, up]);
    const expected = allBits.map((bits, i) => gated(bits, up[i] ?? 0, gate, format));
    expect(results.findIndex((bits, i) => bits !== expected[i])).toBe(-1);
    // Every up operand with a gate operand of one, and every gate operand with an up operand of
    // one.
    const [ones, minus] = [1, -1].map((value) => allBits.map(() => toBits(format, value)));
    for (const [gates, ups] of [
      [ones, allBits],
      [minus, allBits],
      [allBits, ones],
    ] as const) {
      const found = await runUnit(gate, format, true, [gates ?? allBits, ups ?? allBits]);
      const wanted = allBits.map((_, i) => gated(gates?.[i] ?? 0, ups?.[i] ?? 0, gate, format));
      expect(found.findIndex((bits, i) => bits !== wanted[i])).toBe(-1);
    }
  });
});

test.each([
  ["the limit of operands is ignored", "limit != '0 && !nan", "1'b0 && !nan"],
  ["one is not added to up", "add_q1 <= up_i && up_plus_one_i", "add_q1 <= 1'b0 && up_plus_one_i"],
  ["gate and up are swapped", "up_q1 <= up_i;", "up_q1 <= !up_i;"],
])("an injected fault is found: %s", { ...inFull, timeout: 600_000 }, async (_, right, wrong) => {
  const text = readFileSync(rtl("ndp_act_operands"), "utf8");
  expect(text.split(right)).toHaveLength(2);
  const copy = join(directory, "ndp_act_operands.sv");
  writeFileSync(copy, text.replace(right, wrong));
  const faulty = await build({ ActLanes: 32 }, copy);
  const gptOss = { name: "quick-gelu", limit: 7, upPlusOne: true } as const;
  const up = upOperands("fp16", 40503, 77);
  await expect(runUnit(gptOss, "fp16", true, [allBits, up], faulty)).rejects.toThrow(
    rejection("build-failed", /unit \d+, value model \d+/),
  );
});

test.each(["--early-start", "--early-load"])("%s is noticed", async (misuse) => {
  await expect(runTool(bench, [misuse])).rejects.toThrow(
    rejection("build-failed", /assertion of the unit/),
  );
});

test("a number of operands that fills no batch leaves none out", async () => {
  const gate = allBits.slice(0x3c00, 0x3c00 + lanes + 1);
  const results = await runUnit(gateOf("silu"), "fp16", false, [gate, gate]);
  expect(results).toEqual(gate.map((bits) => activation(bits, "silu", "fp16")));
});
