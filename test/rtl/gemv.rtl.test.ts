// SPDX-License-Identifier: Apache-2.0
// The GEMV unit in RTL against the golden dot product, bit for bit, with its fixed latency: at full
// size, at the small size, as banks, with two bits per cycle.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import type { FloatFormat } from "../../src/golden/activation.ts";
import { decodeOperands, dotProduct } from "../../src/golden/dot.ts";
import { inRepository } from "../../src/base/paths.ts";
import { rtlPath } from "../../src/native/compile/rtl-sources.ts";
import { openUnit, type Unit as Open } from "../../src/rtl/index.ts";
import { rejection } from "../helpers/rejection.ts";
import { inFull } from "../helpers/needs.ts";
import { full } from "../helpers/tier.ts";

interface Unit {
  readonly Streams: number;
  readonly Mults: number;
  readonly Lanes: number;
  readonly Bits: number;
  readonly MaxTokens: number;
  readonly Banks: number;
  /** Absent: 44. */
  readonly AlignedBits?: number;
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
  ["four guard bits", { ...paper, Streams: 2, Banks: 2, AlignedBits: 26 }, 44],
  ["products cut to twelve bits", { ...paper, Streams: 2, Mults: 4, AlignedBits: 12 }, 38],
];

interface Gemv {
  parameters: string;
  streams: {
    beat: { direction: "in"; message: Record<string, number | bigint> };
    res: { direction: "out"; message: { data: number | bigint; meta: number } };
  };
  inputs: { bf16_i: number };
  outputs: { busy_o: number };
}

/** The unit, with the bank from another folder if one is given. */
async function open(unit: Unit, defines: readonly string[], rtl?: string): Promise<Open<Gemv>> {
  return openUnit<Gemv>({
    top: "ndp_gemv_unit",
    parameters: { ...unit },
    uses: [
      ...["ndp_pkg", "sram_1r1w", "fp_normalise", "fp_add", "fp_narrow"],
      ...["ndp_gemv_bank", "ndp_gemv_array", "ndp_slot_root", "ndp_gemv_unit"],
    ].map((name) => `${name}.sv`),
    // A beat of a lane includes all ports of the lane, without back-pressure.
    streams: {
      beat: {
        valid: "load_valid_i",
        payload: [
          ...["load_lane_i", "load_weights_i", "x_i", "weights_i"],
          ...["meta_i", "token_i", "first_i", "last_i"],
        ],
      },
    },
    defines,
    ...(rtl === undefined ? {} : { rtl }),
  });
}

const infinities: Readonly<Record<FloatFormat, number>> = { fp16: 0x7c00, bf16: 0x7f80 };
const ones: Readonly<Record<FloatFormat, number>> = { fp16: 0x3c00, bf16: 0x3f80 };

/** Rows of `Streams` weight vectors and one vector of activations per token, all equally long. */
interface Product {
  readonly format: FloatFormat;
  readonly rows: readonly Uint16Array[];
  readonly tokens: readonly Uint16Array[];
}

const directory = mkdtempSync(join(tmpdir(), "neardata-gemv-"));
afterAll(() => {
  rmSync(directory, { recursive: true });
});

/** Beats of slots, as words in the order of the ports, and the cycles before each. */
interface Beats {
  readonly words: Uint32Array;
  readonly pauses: readonly number[];
  /** The loads that begin a slot whose result is sent. */
  readonly lasts: readonly number[];
}

/** The beats of a product: every block for all tokens, weights loaded with the first of them. */
function beatsOf(unit: Unit, product: Product, idle: () => number): Beats {
  const { Mults, Lanes, Streams, Bits } = unit;
  const block = Mults * Lanes;
  const length = product.rows[0]?.length ?? 0;
  const rest = 16 / Bits - Lanes;
  const count = (length / block) * product.tokens.length * Lanes;
  // Lane, weights, x, weights of all rows, meta, token, first, last.
  const width = 2 + Mults / 2 + (Streams * Mults) / 2 + 4;
  const words = new Uint32Array(count * width);
  const halves = new Uint16Array(words.buffer);
  const pauses: number[] = [];
  const lasts: number[] = [];
  for (let k = 0; k < length; k += block) {
    const [first, last] = [Number(k === 0), Number(k + block === length)];
    for (const [token, x] of product.tokens.entries()) {
      const before = idle() + (pauses.length === 0 ? 0 : rest);
      if (last === 1) lasts.push(pauses.length);
      for (let lane = 0; lane < Lanes; lane += 1) {
        const at = pauses.length * width;
        const from = k + lane * Mults;
        words.set([lane, Number(token === 0)], at);
        halves.set(x.subarray(from, from + Mults), 2 * (at + 2));
        product.rows.forEach((row, s) => {
          if (token !== 0) return;
          halves.set(row.subarray(from, from + Mults), 2 * (at + 2) + (s + 1) * Mults);
        });
        words.set([token, token, first, last], at + width - 4);
        pauses.push(lane === 0 ? before : 0);
      }
    }
  }
  return { words, pauses, lasts };
}

interface Outcome {
  readonly values: readonly (readonly number[])[];
  readonly metas: readonly number[];
  readonly latencies: ReadonlySet<number>;
}

async function run(
  on: Open<Gemv>,
  unit: Unit,
  products: readonly Product[],
  idle: () => number,
): Promise<Outcome> {
  on.reset();
  const { beat, res } = on.streams;
  const latencies = new Set<number>();
  for (const product of products) {
    const { words, pauses, lasts } = beatsOf(unit, product, idle);
    const [loaded, given] = [beat.movedAt().length, res.movedAt().length];
    on.set({ bf16_i: Number(product.format === "bf16") });
    beat.sendWords(words, { pauses });
    const moved = { beat: pauses.length, res: lasts.length };
    await on.run({ until: { moved, outputs: { busy_o: 0 } }, limit: 100_000 });
    const [begun, done] = [beat.movedAt().subarray(loaded), res.movedAt().subarray(given)];
    lasts.forEach((at, i) => latencies.add((done[i] ?? NaN) - (begun[at] ?? NaN)));
  }
  const taken = res.taken();
  return {
    values: taken.map(({ data }) =>
      Array.from({ length: unit.Streams }, (_, s) =>
        Number((BigInt(data) >> BigInt(16 * s)) & 0xffffn),
      ),
    ),
    metas: taken.map(({ meta }) => meta),
    latencies,
  };
}

/** The results of the golden model, one line for each token of each product. */
function expected(unit: Unit, products: readonly Product[]): readonly (readonly number[])[] {
  return products.flatMap(({ format, rows, tokens }) => {
    const weights = rows.map((row) => decodeOperands(format, row));
    return tokens.map((token) => {
      const x = decodeOperands(format, token);
      return weights.map((row) => dotProduct(row, x, unit.Mults * unit.Lanes, unit.AlignedBits));
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

describe.each(full ? units : units.slice(1, 2))("ndp_gemv_unit, %s", (_, unit, latency) => {
  const block = unit.Mults * unit.Lanes;
  let opened: Open<Gemv>;

  beforeAll(async () => {
    // The trees are compared with their flat references, except for the unit of the paper, for
    // which this needs too long.
    opened = await open(unit, unit === paper ? [] : ["NEARDATA_REFERENCE"]);
  });
  afterAll(() => {
    opened.close();
  });

  const vector = (blocks: number, value: (k: number) => number): Uint16Array =>
    Uint16Array.from({ length: blocks * block }, (__, k) => value(k));
  const rowsOf = (row: Uint16Array): readonly Uint16Array[] =>
    Array.from({ length: unit.Streams }, () => row);

  /** Equal to golden, in order, at the unit's latency. */
  const check = async (products: readonly Product[], idle = (): number => 0): Promise<void> => {
    const outcome = await run(opened, unit, products, idle);
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

test("a tree that drops an operand is caught by its reference", inFull, async () => {
  const unit: Unit = { ...paper, Streams: 2, Mults: 4, MaxTokens: 8 };
  const bank = readFileSync(inRepository("rtl", rtlPath("ndp_gemv_bank.sv")), "utf8");
  const broken = join(directory, "ndp_gemv_bank.sv");
  const operand = "rank_q[level(l-1)+2*i+1]";
  expect(bank).toContain(operand);
  writeFileSync(broken, bank.replace(operand, "'0"));
  await using faulty = await open(unit, ["NEARDATA_REFERENCE"], directory);
  const random = generator(1);
  const draw = (): Uint16Array => Uint16Array.from({ length: 32 }, () => random(0x7c00));
  const product: Product = { format: "fp16", rows: [draw(), draw()], tokens: [draw()] };
  await expect(run(faulty, unit, [product], () => 0)).rejects.toThrow(/rank tree/);
});

test.each([
  ["Streams must be", { Streams: 3 }],
  ["Mults must be", { Mults: 64 }],
  ["Lanes must be", { Lanes: 16 }],
  ["Bits must be", { Bits: 4, Lanes: 2 }],
  ["for each lane", { Bits: 4 }],
  ["at least one burst", { Mults: 4, Lanes: 4 }],
  ["Banks must be", { Banks: 3 }],
])("an illegal unit does not elaborate: %s", async (rule, parameters) => {
  await expect(open({ ...paper, ...parameters }, [])).rejects.toThrow(
    rejection("build-failed", new RegExp(rule)),
  );
});
