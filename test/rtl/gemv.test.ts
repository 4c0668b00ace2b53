// SPDX-License-Identifier: Apache-2.0
// The GEMV unit in RTL against the golden dot product, bit for bit, with its fixed latency: at full
// size, at the small size, as banks, with two bits a cycle.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import type { FloatFormat } from "../../src/golden/activation.ts";
import { decodeOperands, dotProduct } from "../../src/golden/dot.ts";
import { inRepository } from "../../src/native/paths.ts";
import { runTool } from "../../src/native/process.ts";
import { verilate } from "../../src/native/verilate.ts";

interface Unit {
  readonly Streams: number;
  readonly Mults: number;
  readonly Lanes: number;
  readonly Bits: number;
  readonly MaxTokens: number;
  readonly Banks: number;
}

const paper: Unit = { Streams: 8, Mults: 32, Lanes: 8, Bits: 1, MaxTokens: 64, Banks: 1 };
/** With the cycles from the lane-0 load to the result. */
const units: readonly (readonly [string, Unit, number])[] = [
  ["the paper's size", paper, 50],
  ["the small size", { ...paper, Streams: 2, Mults: 4, MaxTokens: 8 }, 38],
  ["four banks", { ...paper, Streams: 2, Banks: 4 }, 44],
  ["two bits a cycle", { ...paper, Streams: 4, Mults: 16, Lanes: 4, Bits: 2, Banks: 2 }, 36],
  ["slots as short as the lanes", { ...paper, Streams: 2, Bits: 2 }, 44],
  ["one stream of two lanes", { ...paper, Streams: 1, Mults: 16, Lanes: 2 }, 33],
];

const sources = [
  ["ndp", "ndp_pkg"],
  ["common", "sram_1r1w"],
  ["common", "fp_normalise"],
  ["common", "fp_add"],
  ["common", "fp_narrow"],
  ["ndp", "gemv_bank"],
  ["ndp", "gemv_array"],
  ["ndp", "slot_root"],
  ["ndp", "gemv_unit"],
] as const;

/** The bench of a unit, with the bank from another file if one is given. */
async function build(unit: Unit, defines: readonly string[], bank?: string): Promise<string> {
  return verilate({
    top: "gemv_unit",
    parameters: { ...unit },
    sources: sources.map(([folder, name]) =>
      name === "gemv_bank" && bank !== undefined ? bank : inRepository("rtl", folder, `${name}.sv`),
    ),
    harness: [inRepository("testbench", "gemv_tb.cc")],
    kind: "executable",
    trace: false,
    defines,
  });
}

const infinities: Readonly<Record<FloatFormat, number>> = { fp16: 0x7c00, bf16: 0x7f80 };
const ones: Readonly<Record<FloatFormat, number>> = { fp16: 0x3c00, bf16: 0x3f80 };

/** Rows of `Streams` weight vectors and one vector of activations a token, all equally long. */
interface Product {
  readonly format: FloatFormat;
  readonly rows: readonly Uint16Array[];
  readonly tokens: readonly Uint16Array[];
}

const directory = mkdtempSync(join(tmpdir(), "neardata-gemv-"));
afterAll(() => {
  rmSync(directory, { recursive: true });
});

const slotFlag = { first: 1, last: 2, weights: 4, bf16: 8 } as const;

/** The slots of a product: every block for all tokens, weights loaded with the first of them. */
function slots(unit: Unit, product: Product, idle: () => number): readonly Uint16Array[] {
  const block = unit.Mults * unit.Lanes;
  const length = product.rows[0]?.length ?? 0;
  const out: Uint16Array[] = [];
  for (let k = 0; k < length; k += block) {
    for (const [token, x] of product.tokens.entries()) {
      const flags =
        (k === 0 ? slotFlag.first : 0) |
        (k + block === length ? slotFlag.last : 0) |
        (token === 0 ? slotFlag.weights : 0) |
        (product.format === "bf16" ? slotFlag.bf16 : 0);
      const header = Uint32Array.of(idle(), token, flags, token);
      out.push(new Uint16Array(header.buffer), x.subarray(k, k + block));
      if (token === 0) out.push(...product.rows.map((row) => row.subarray(k, k + block)));
    }
  }
  return out;
}

interface Outcome {
  readonly values: readonly (readonly number[])[];
  readonly metas: readonly number[];
  readonly latencies: ReadonlySet<number>;
}

async function run(
  bench: string,
  unit: Unit,
  products: readonly Product[],
  idle: () => number,
): Promise<Outcome> {
  const input = join(directory, "cases");
  const output = join(directory, "results");
  const parts = products.flatMap((product) => slots(unit, product, idle));
  writeFileSync(
    input,
    Buffer.concat(parts.map((p) => Buffer.from(p.buffer, p.byteOffset, p.byteLength))),
  );
  await runTool(bench, [input, output]);
  const bytes = readFileSync(output);
  const size = 8 + 2 * unit.Streams;
  const values: number[][] = [];
  const metas: number[] = [];
  const latencies = new Set<number>();
  for (let at = 0; at < bytes.length; at += size) {
    metas.push(bytes.readUInt32LE(at));
    latencies.add(bytes.readUInt32LE(at + 4));
    values.push(Array.from({ length: unit.Streams }, (_, s) => bytes.readUInt16LE(at + 8 + 2 * s)));
  }
  return { values, metas, latencies };
}

/** What the golden model makes of them, a line for each token of each product. */
function expected(unit: Unit, products: readonly Product[]): readonly (readonly number[])[] {
  return products.flatMap(({ format, rows, tokens }) => {
    const weights = rows.map((row) => decodeOperands(format, row));
    return tokens.map((token) => {
      const x = decodeOperands(format, token);
      return weights.map((row) => dotProduct(row, x, unit.Mults * unit.Lanes));
    });
  });
}

/** Uniform integers below `limit`; the same sequence every time (xorshift, 32 bits). */
function generator(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % limit;
  };
}

/** Kinds of operands, each a function of a random source. */
const kinds: Readonly<
  Record<string, (format: FloatFormat, random: (limit: number) => number) => number>
> = {
  "any finite": (format, random) => random(infinities[format]) | (random(2) << 15),
  "near one": (format, random) => (ones[format] - 300 + random(600)) | (random(2) << 15),
  "subnormal and tiny": (format, random) => random(ones[format] >> 3) | (random(2) << 15),
  "largest of both signs": (format, random) => (infinities[format] - 1) | (random(2) << 15),
  "mostly zero": (format, random) =>
    (random(8) === 0 ? random(infinities[format]) : 0) | (random(2) << 15),
  "with few infinities and NaN": (format, random) =>
    random(200) === 0
      ? infinities[format] | (random(6) === 0 ? 1 + random(100) : 0) | (random(2) << 15)
      : ones[format] | (random(2) << 15),
};

describe.each(units)("gemv_unit, %s", (_, unit, latency) => {
  const block = unit.Mults * unit.Lanes;
  let bench = "";

  beforeAll(async () => {
    // The trees beside their flat references, where that does not take long.
    bench = await build(unit, unit === paper ? [] : ["NEARDATA_REFERENCE"]);
  });

  const vector = (blocks: number, value: (k: number) => number): Uint16Array =>
    Uint16Array.from({ length: blocks * block }, (__, k) => value(k));
  const rowsOf = (row: Uint16Array): readonly Uint16Array[] =>
    Array.from({ length: unit.Streams }, () => row);

  /** Equal to golden, in order, at the unit's latency. */
  const check = async (products: readonly Product[], idle = (): number => 0): Promise<void> => {
    const outcome = await run(bench, unit, products, idle);
    const golden = expected(unit, products);
    expect(outcome.values.length).toBe(golden.length);
    const wrong = golden.findIndex((line, i) => line.some((v, s) => v !== outcome.values[i]?.[s]));
    expect(wrong === -1 ? -1 : { wrong, is: outcome.values[wrong], golden: golden[wrong] }).toBe(
      -1,
    );
    expect(outcome.metas).toEqual(products.flatMap(({ tokens }) => tokens.map((___, t) => t)));
    expect([...outcome.latencies]).toEqual([latency]);
  };

  test.each(["fp16", "bf16"] as const)("corner vectors in %s", async (format) => {
    const one = ones[format];
    const most = infinities[format] - 1;
    const alternate = (value: number) => (k: number) => (k % 2 === 0 ? value : value | 0x8000);
    const half = (value: number) => (k: number) => (k % block < block / 2 ? value : value | 0x8000);
    const pairs: readonly (readonly [Uint16Array, Uint16Array])[] = [
      [vector(1, () => one), vector(1, () => one)],
      [vector(3, () => one | 0x8000), vector(3, () => one)],
      [vector(2, () => most), vector(2, () => most)],
      [vector(2, () => most | 0x8000), vector(2, () => most)],
      [vector(1, alternate(most)), vector(1, () => most)],
      [vector(1, half(one)), vector(1, () => one)],
      [vector(1, () => 1), vector(1, () => one)],
      [vector(1, () => 1), vector(1, () => 1)],
      [vector(1, () => 1), vector(1, (k) => (k === 0 ? most : 1))],
      [vector(2, () => 0x8000), vector(2, () => one)],
      [vector(2, (k) => (k < block ? most : most | 0x8000)), vector(2, () => most)],
      [
        vector(1, (k) => (k === 0 ? infinities[format] : one)),
        vector(1, (k) => (k === 0 ? 0 : one)),
      ],
    ];
    await check(pairs.map(([w, x]) => ({ format, rows: rowsOf(w), tokens: [x] })));
  });

  test.each(Object.keys(kinds))("random products, %s", async (name) => {
    const random = generator(0x9e3779b9);
    const kind = kinds[name];
    const products = Array.from({ length: 24 }, (): Product => {
      const format = random(2) === 0 ? "fp16" : "bf16";
      const blocks = 1 + random(4);
      const draw = (): Uint16Array => vector(blocks, () => kind?.(format, random) ?? 0);
      return {
        format,
        rows: Array.from({ length: unit.Streams }, draw),
        tokens: Array.from({ length: 1 + random(Math.min(5, unit.MaxTokens)) }, draw),
      };
    });
    await check(products, () => (random(4) === 0 ? random(20) : 0));
  });
});

test("a tree that drops an operand is caught by its reference", async () => {
  const unit: Unit = { ...paper, Streams: 2, Mults: 4, MaxTokens: 8 };
  const bank = readFileSync(inRepository("rtl", "ndp", "gemv_bank.sv"), "utf8");
  const broken = join(directory, "gemv_bank.sv");
  const operand = "rank[2*N-(4*N>>l)+2*i+1]";
  expect(bank).toContain(operand);
  writeFileSync(broken, bank.replace(operand, "'0"));
  const bench = await build(unit, ["NEARDATA_REFERENCE"], broken);
  const random = generator(1);
  const draw = (): Uint16Array => Uint16Array.from({ length: 32 }, () => random(0x7c00));
  const product: Product = { format: "fp16", rows: [draw(), draw()], tokens: [draw()] };
  await expect(run(bench, unit, [product], () => 0)).rejects.toThrow(/rank tree differs/);
});

test.each([
  ["Streams must be", { Streams: 3 }],
  ["Mults must be", { Mults: 64 }],
  ["Lanes must be", { Lanes: 16 }],
  ["Bits must be", { Bits: 4, Lanes: 2 }],
  ["a cycle for each lane", { Bits: 4 }],
  ["at least one burst", { Mults: 4, Lanes: 4 }],
  ["Banks must be", { Banks: 3 }],
])("an illegal unit does not elaborate: %s", async (words, parameters) => {
  await expect(build({ ...paper, ...parameters }, [])).rejects.toThrow(words);
});
