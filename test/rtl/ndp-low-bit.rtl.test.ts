// SPDX-License-Identifier: Apache-2.0
// Experts of MXFP4, MXFP8, NVFP4, FP8, INT8 and INT4 weights through the RTL of the NDP unit against the golden
// model, bit for bit; every code with every scale by itself; and faults in the path of codes and scales, and of
// gate and up, found and shrunk.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { layOutExpert } from "../../src/workload/ndp/layout.ts";
import { packExpert } from "../../src/workload/ndp/pack.ts";
import { goldenExpert } from "../../src/golden/expert.ts";
import { toBits } from "../../src/golden/float16.ts";
import {
  hasByteScales,
  hasExponentScales,
  lowBitFormats,
  lowBitValues,
  repeatsOfAll,
  type LowBitFormat,
  nvfp4Group,
  type LowBitMatrix,
} from "../../src/golden/low-bit.ts";
import { inRepository } from "../../src/base/paths.ts";
import { rtlPath } from "../../src/native/compile/rtl-sources.ts";
import type { LowBitWeights } from "../../src/workload/low-bit.ts";
import { lowBitUnit } from "../helpers/machines.ts";
import { type Bench, type BenchWords, jobs, openBench, traffic } from "../helpers/ndp-bench.ts";
import { imageFiles, readOutputs, writeImage } from "../helpers/ndp-image.ts";
import { inFull } from "../helpers/needs.ts";
import { counting, full, runs } from "../helpers/tier.ts";

const block = 256;
const directory = mkdtempSync(join(tmpdir(), "neardata-low-bit-"));
const files = imageFiles(directory);
const opened: Bench[] = [];

async function open(replaced?: ReadonlyMap<string, string>): Promise<Bench> {
  const bench = await openBench(lowBitUnit, replaced);
  opened.push(bench);
  return bench;
}

let sound: Bench | undefined;
beforeAll(async () => {
  sound = await open();
});

afterAll(() => {
  for (const bench of opened) bench.close();
  rmSync(directory, { recursive: true });
});

/** Uniform whole numbers below a limit, the same for a seed. */
function drawn(seed: number): (limit: number) => number {
  let state = seed + 1;
  return (limit) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((state >>> 5) & 0x7ffffff) % limit;
  };
}

/** A sum of `terms` matrices, each with separate groups. */
function anySum(
  format: LowBitFormat,
  rows: number,
  columns: number,
  groups: readonly number[],
  seed: number,
): LowBitMatrix {
  const terms = groups.map((group, i) => anyMatrix(format, rows, columns, group, seed + 7 * i));
  const factor = terms[0]?.factor;
  return terms
    .map((term) => ({ ...term, factor }))
    .reduceRight((rest, lowBitMatrix) => ({ ...lowBitMatrix, rest }));
}

/** Columns that share a scale, where `wanted` do if the format leaves it open. */
function groupOf(format: LowBitFormat, columns: number, wanted: number): number {
  if (hasExponentScales(format)) return 32;
  if (format === "nvfp4") return nvfp4Group;
  return format === "int8" ? columns : wanted;
}

/** Any codes and scales but NaN. */
function anyMatrix(
  format: LowBitFormat,
  rows: number,
  columns: number,
  wanted: number,
  seed: number,
): LowBitMatrix {
  const next = drawn(seed);
  const group = groupOf(format, columns, wanted);
  const count = rows * Math.ceil(columns / group);
  const bits = Math.log2(codesOf[format]);
  const codes = Uint8Array.from({ length: rows * columns }, () => {
    const code = next(1 << bits);
    return (format === "fp8" || format === "mxfp8") && (code & 0x7f) === 0x7f ? 0 : code;
  });
  const factor = (): number => (next(4001) - 2000) / 2 ** (8 + next(8));
  const shape = { format, rows, columns, codes, group };
  if (format === "nvfp4") {
    const scales = Uint8Array.from({ length: count }, () => (next(2) << 7) | next(0x7f));
    return { ...shape, scales, factor: factor() / 64 };
  }
  const scales = hasExponentScales(format)
    ? Uint8Array.from({ length: count }, () => 110 + next(20))
    : Float32Array.from({ length: count }, factor);
  return { ...shape, scales };
}

function layoutOf(expert: LowBitWeights, tokens: number): ReturnType<typeof layOutExpert> {
  const lowBit = {
    format: expert.storage,
    gateUpRepeats: repeatsOfAll([expert.gate, expert.up], block),
    downRepeats: repeatsOfAll([expert.down], block),
    factors: {
      gate: expert.gate.factor ?? 1,
      up: expert.up.factor ?? 1,
      down: expert.down.factor ?? 1,
    },
  };
  const shape = { ...expert, tokens, activation: "silu" as const, lowBit };
  return layOutExpert(lowBitUnit, shape, "interleaved");
}

/** The outputs of the RTL for an expert. */
async function simulated(
  expert: LowBitWeights,
  inputs: Uint16Array,
  memory: BenchWords = {},
): Promise<Uint16Array> {
  const layout = layoutOf(expert, inputs.length / expert.hidden);
  writeImage(files, layout.descriptor, packExpert(layout, expert, inputs));
  const answer = await sound?.run({ engine: "both", ...files, ...memory });
  expect(answer).toMatchObject({ ok: true });
  return readOutputs(files, layout);
}

/** Columns that share a factor, of each matrix of a sum. */
const sums = fc.array(fc.constantFrom(16, 32, 48, 64, 128, 256), { minLength: 1, maxLength: 3 });

test.each(lowBitFormats)("an expert of %s in RTL = golden, bit for bit", async (storage) => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        hidden: fc.integer({ min: 1, max: 20 }).map((n) => 32 * n),
        intermediate: fc.integer({ min: 1, max: 10 }).map((n) => 32 * n),
        tokens: fc.integer({ min: 1, max: 6 }),
        format: fc.constantFrom("fp16" as const, "bf16" as const),
        groups: fc.tuple(...[1, 2, 3].map(() => sums)),
      }),
      fc.nat(1000),
      traffic,
      async ({ hidden, intermediate, tokens, format, groups }, seed, memory) => {
        const matrix = (rows: number, columns: number, salt: number): LowBitMatrix =>
          anySum(storage, rows, columns, groups[salt - 1] ?? [32], seed + salt);
        const expert = {
          name: "e",
          storage,
          format,
          hidden,
          intermediate,
          gate: matrix(intermediate, hidden, 1),
          up: matrix(intermediate, hidden, 2),
          down: matrix(hidden, intermediate, 3),
        };
        const next = drawn(seed);
        const inputs = Uint16Array.from({ length: tokens * hidden }, () =>
          toBits(format, (next(2001) - 1000) / 512),
        );
        const found = await simulated(expert, inputs, memory);
        expect(found).toEqual(goldenExpert(expert, inputs, "silu", block));
      },
    ),
    { numRuns: runs(6, 40) },
  );
});

/** Row n has one weight, in column n; the others are zeros. */
function diagonal(
  format: LowBitFormat,
  codes: readonly number[],
  scales: readonly number[],
): LowBitMatrix {
  const size = block;
  const bytes = hasByteScales(format);
  const group = groupOf(format, size, size);
  const groups = size / group;
  const all = new Uint8Array(size * size);
  const one = format === "nvfp4" ? 0x38 : 127;
  const each = new Array<number>(size * groups).fill(bytes ? one : 1);
  for (let n = 0; n < size; n += 1) {
    all[n * size + n] = codes[n] ?? 0;
    each[n * groups + Math.floor(n / group)] = scales[n] ?? 1;
  }
  const values = bytes ? Uint8Array.from(each) : Float32Array.from(each);
  const factor = format === "nvfp4" ? -0.75 : undefined;
  return { format, rows: size, columns: size, codes: all, group, scales: values, factor };
}

const codesOf: Readonly<Record<LowBitFormat, number>> = {
  mxfp4: 16,
  fp8: 256,
  int8: 256,
  int4: 16,
  mxfp8: 256,
  nvfp4: 16,
};

/** From the definition of MXFP8 and the exponents 1 to 254 of the array. */
function mxfp8InArray(code: number, scale: number): number {
  const [field, fraction] = [(code >> 3) & 15, code & 7];
  if (scale === 255 || (code & 0x7f) === 0x7f) return NaN;
  const size = field === 0 ? fraction : 8 + fraction;
  const exponent = Math.max(field, 1) + scale;
  if (size !== 0 && (exponent < 9 || exponent > 262)) return NaN;
  return (code & 0x80 ? -size : size) * 2 ** (exponent - 137);
}

describe("a weight by itself is its code times its scale", () => {
  const factors = [1, -1, 2 ** -126, 2 ** -149, 3.1415927, 65504, 2 ** 100, 2 ** -100];
  // Every exponent that a finite FP32 number can have, with any fraction and sign.
  const next = drawn(8);
  const exponents = Array.from({ length: 255 }, (_, exponent) => {
    const bits = ((next(2) << 31) | (exponent << 23) | next(1 << 23)) >>> 0;
    return new Float32Array(Uint32Array.of(bits).buffer)[0] ?? NaN;
  });
  const scales: Readonly<Record<LowBitFormat, readonly number[]>> = {
    mxfp4: Array.from({ length: 256 }, (_, scale) => scale),
    fp8: [...factors, ...exponents],
    int8: factors,
    int4: factors,
    mxfp8: Array.from({ length: 256 }, (_, scale) => scale),
    nvfp4: Array.from({ length: 256 }, (_, scale) => scale),
  };

  // FP8 and MXFP8 each have more codes and scales than the others together.
  const long = ["fp8", "mxfp8"];
  const tried = lowBitFormats.filter((storage) => (full && !counting) || !long.includes(storage));
  test.each(tried)("%s: every code, every scale", async (storage) => {
    const pairs = scales[storage].flatMap((scale) =>
      Array.from({ length: codesOf[storage] }, (_, code) => ({ code, scale })),
    );
    const x = new Uint16Array(block).fill(0x3f80);
    for (let first = 0; first < pairs.length; first += block) {
      const some = pairs.slice(first, first + block);
      const matrix = diagonal(
        storage,
        some.map(({ code }) => code),
        some.map((pair) => Math.fround(pair.scale)),
      );
      const shape = {
        name: "e",
        storage,
        format: "bf16",
        hidden: block,
        intermediate: block,
      } as const;
      const expert = { ...shape, gate: matrix, up: matrix, down: matrix };
      const layout = layoutOf(expert, 1);
      writeImage(files, linear(layout), packExpert(layout, expert, x));
      expect(await sound?.run({ engine: "both", ...files })).toMatchObject({ ok: true });
      const real = lowBitValues(matrix);
      // A zero has the sign of its scale.
      const unsigned = (bits: number): number => (bits === 0x8000 ? 0 : bits);
      const wanted = Uint16Array.from({ length: block }, (_, n) => {
        const { code = 0, scale = 127 } = some[n] ?? {};
        const mxfp8 = storage === "mxfp8" ? mxfp8InArray(code, scale) : null;
        return unsigned(toBits("bf16", Math.fround(mxfp8 ?? real[n * block + n] ?? NaN)));
      });
      expect(readOutputs(files, layout).map(unsigned)).toEqual(wanted);
    }
  });
});

/** The same layout for y = down x alone. */
function linear({ descriptor }: ReturnType<typeof layOutExpert>): Uint32Array {
  const words = Uint32Array.from(descriptor);
  const mode = words[0] ?? 0;
  words[0] = mode & ~0xff;
  words[17] = words[16] ?? 0;
  return words;
}

const buildTime = 900_000;

describe("an injected fault is found and shrunk", inFull, () => {
  const scales = "ndp_weight_scales.sv";
  const faults = [
    ["the scale of the next lane", scales, "next_lane_i*8+:8", "((next_lane_i+1'b1)*8)%64+:8"],
    ["a scale that is one too large", scales, "scale_q[2*p/Mults])", "scale_q[2*p/Mults] + 8'd1)"],
    ["nibbles swapped", scales, "part_i, format_i", "part_i ^ 2'b01, format_i"],
    ["NVFP4 scales of the other half of a lane", scales, "+8*h+:8", "+8*(1-h)+:8"],
    [
      "the NVFP4 factor of one half of a block",
      scales,
      "{2{factor_i}}",
      "{32'h3f800000, factor_i}",
    ],
    ["gate and up swapped", "ndp_act_operands.sv", "up_q1 <= up_i;", "up_q1 <= !up_i;"],
  ] as const;

  test.each(faults)(
    "%s",
    async (_, file, right, wrong) => {
      const path = inRepository("rtl", rtlPath(file));
      const text = readFileSync(path, "utf8");
      expect(text.split(right)).toHaveLength(2);
      const copy = join(directory, file);
      writeFileSync(copy, text.replace(right, wrong));
      const faulty = await open(new Map([[path, copy]]));
      const works = async (bench: Bench | undefined, job: BenchWords): Promise<boolean> =>
        (await bench?.run({ engine: "rtl", ...job }))?.ok === true;
      const tame = jobs(lowBitUnit, 60).map((job) => ({ ...job, contents: "tame" }));
      const found = await fc.check(
        fc.asyncProperty(tame, (job) => works(faulty, job)),
        { numRuns: 100 },
      );
      const [smallest = {}] = found.counterexample ?? [];
      expect(found.failed).toBe(true);
      expect(found.numShrinks).toBeGreaterThan(0);
      expect(smallest).toMatchObject({ tokens: 1, pass: 1, in: 1, rows: 1 });
      expect(await works(sound, smallest)).toBe(true);
    },
    buildTime,
  );
});
