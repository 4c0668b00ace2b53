// SPDX-License-Identifier: Apache-2.0
// Descriptors of the NDP unit word by word, and which of them a unit accepts: written from the list of
// rules (docs/reference/ports.md), separately from the RTL and the cycle model.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { inRepository } from "../../src/base/paths.ts";
import { rtlSources } from "../../src/native/compile/rtl-sources.ts";
import { runTool } from "../../src/native/compile/process.ts";
import { verilate } from "../../src/native/unit/verilate.ts";

/** Parameters of the rules. */
export interface Sizes {
  readonly Streams: number;
  readonly BurstsPerBlock: number;
  readonly ActLanes: number;
  readonly MaxTokens: number;
  readonly BufferWords: number;
  readonly LowBit: 0 | 1;
}

/** The 23 words of a descriptor. */
export type Words = readonly number[];

/** Fields in the order of their numbers; the first that breaks a rule is named. */
export const fields = [
  ...(["none", "operation", "weights", "tokens", "passTokens", "inBlocks", "outRows"] as const),
  ...(["midRows", "mode", "midBlocks", "xBase", "xStride", "gateBase", "upBase"] as const),
  ...(["guStride", "downBase", "downStride", "yBase", "yStride", "hWord", "cWord"] as const),
  ...(["inWeights", "midWeights", "limit"] as const),
];
export type Field = (typeof fields)[number];

const word = (words: Words, at: number): number => words[at] ?? 0;
const between = (value: number, least: number, most: number): boolean =>
  value >= least && value <= most;

/** Whether base and stride of so many rows wrap no address: their binary digits together. */
function staysNear(rows: number, stride: number): boolean {
  const digits = (value: number): number => (value === 0 ? 0 : value.toString(2).length);
  return digits(Math.floor(rows)) + digits(stride) <= 30;
}

/** Bursts of a row of low-bit weights: each block's codes, and scales before each eight blocks, or four of NVFP4. */
function rowBursts(weights: number, blocks: number, sizes: Sizes): number {
  const each = sizes.BurstsPerBlock / ([1, 4, 6].includes(weights) ? 4 : 2);
  return blocks * each + Math.ceil(blocks / (weights === 6 ? 4 : 8));
}

/** The field that breaks a rule of a unit. */
export function brokenField(words: Words, sizes: Sizes): Field {
  const { Streams, BurstsPerBlock, ActLanes, MaxTokens, BufferWords, LowBit } = sizes;
  const mode = word(words, 0);
  const [operation, weights] = [mode % 16, Math.floor(mode / 4096) % 16];
  const [gateUpRepeats, downRepeats] = [
    (Math.floor(mode / 65536) % 256) + 1,
    Math.floor(mode / 16777216) + 1,
  ];
  const expert = operation !== 0;
  const [tokens, pass, inBlocks, midRows, midBlocks, outRows] = [1, 2, 3, 4, 5, 6].map((at) =>
    word(words, at),
  ) as [number, number, number, number, number, number];
  const [hidden, chunks] = [word(words, 16) % 65536, word(words, 17)];
  const limit = Math.floor(word(words, 16) / 65536);
  const [func, bf16] = [Math.floor(mode / 16) % 8, Math.floor(mode / 256) % 2];
  const mostBlocks = BufferWords / BurstsPerBlock;
  const inputsEnd = pass * inBlocks * BurstsPerBlock;
  const operandsEnd = expert ? hidden + pass * midBlocks * BurstsPerBlock : inputsEnd;
  const chunksEnd = chunks + pass * (ActLanes / 8);
  const near = (at: number): boolean => word(words, at) < 2 ** 31;
  const rowFits = (at: number, blocks: number): boolean =>
    word(words, at) === blocks && rowBursts(weights, blocks, sizes) <= 65535;
  const rules: readonly (readonly [Field, boolean])[] = [
    ["operation", operation <= 2],
    ["weights", weights <= 6 * LowBit],
    ["tokens", between(tokens, 1, 65535)],
    ["passTokens", between(pass, 1, MaxTokens)],
    ["inBlocks", between(inBlocks, 1, mostBlocks)],
    ["outRows", between(outRows, 1, 2 ** 31 - 1)],
    ["midRows", !expert || between(midRows, 1, midBlocks * BurstsPerBlock * 32)],
    ["mode", func <= 6 && [9, 10, 11].every((bit) => Math.floor(mode / 2 ** bit) % 2 === 0)],
    ["midBlocks", !expert || midBlocks <= mostBlocks],
    ["xBase", near(7)],
    ["xStride", staysNear(tokens, word(words, 8))],
    ["gateBase", operation !== 1 || near(9)],
    ["upBase", !expert || near(10)],
    ["guStride", !expert || staysNear(midRows / Streams, word(words, 11))],
    ["downBase", near(12)],
    ["downStride", staysNear(outRows / Streams, word(words, 13))],
    ["yBase", near(14)],
    ["yStride", staysNear(tokens, word(words, 15))],
    ["hWord", !expert || inputsEnd <= hidden],
    ["cWord", operandsEnd <= chunks && chunksEnd <= BufferWords],
    ["inWeights", weights === 0 || !expert || rowFits(18, inBlocks * gateUpRepeats)],
    ["midWeights", weights === 0 || rowFits(19, (expert ? midBlocks : inBlocks) * downRepeats)],
    ["limit", !expert || limit < (bf16 === 1 ? 0x7f80 : 0x7c00)],
  ];
  return rules.find(([, holds]) => !holds)?.[0] ?? "none";
}

type Draw = (below: number) => number;

/** A descriptor that a unit accepts. */
function legalWords(draw: Draw, sizes: Sizes): number[] {
  const { Streams, BurstsPerBlock, ActLanes, MaxTokens, BufferWords, LowBit } = sizes;
  const operation = draw(3);
  const weights = draw(1 + 6 * LowBit);
  const repeats = [draw(4) === 0 ? draw(256) : draw(3), draw(4) === 0 ? draw(256) : draw(3)];
  // Chunks, inputs and hidden rows share the buffer; the unused words are anywhere between them.
  const mostPass = Math.max(
    1,
    Math.min(MaxTokens, Math.floor(BufferWords / (ActLanes / 8 + 2 * BurstsPerBlock))),
  );
  const pass = 1 + draw(mostPass);
  const blocks = Math.floor((BufferWords / pass - ActLanes / 8) / BurstsPerBlock);
  const inBlocks = 1 + draw(Math.max(1, blocks - 1));
  const midBlocks = 1 + draw(Math.max(1, blocks - inBlocks));
  const midRows = 1 + draw(midBlocks * BurstsPerBlock * 32);
  const outRows = draw(4) === 0 ? 1 + draw(2 ** 20) : 1 + draw(4096);
  const tokens = draw(4) === 0 ? 1 + draw(65535) : 1 + draw(3 * MaxTokens);
  const held = (operation === 0 ? inBlocks : inBlocks + midBlocks) * BurstsPerBlock * pass;
  const spare = Math.max(0, BufferWords - held - pass * (ActLanes / 8));
  const gap = draw(2) * draw(spare + 1);
  const hidden = inBlocks * BurstsPerBlock * pass + gap;
  const chunks = held + gap + draw(2) * draw(spare - gap + 1);
  const stride = (rows: number): number =>
    draw(2 ** Math.max(0, 29 - Math.ceil(Math.log2(rows + 1))));
  const base = (): number => draw(2) * draw(2 ** 31);
  const bf16 = draw(2);
  const limit = draw(2) * draw(bf16 === 1 ? 0x7f80 : 0x7c00);
  const func = draw(7) + 8 * draw(2);
  const mode = operation + func * 16 + bf16 * 256 + weights * 4096 + (repeats[0] ?? 0) * 65536;
  return [
    ...[mode + (repeats[1] ?? 0) * 16777216, tokens, pass, inBlocks, midRows, midBlocks, outRows],
    ...[base(), stride(tokens), base(), base(), stride(midRows / Streams)],
    ...[base(), stride(outRows / Streams), base(), stride(tokens)],
    ...[hidden + limit * 65536, chunks],
    ...[inBlocks, operation === 0 ? inBlocks : midBlocks].map(
      (count, i) => count * ((repeats[i] ?? 0) + 1),
    ),
    ...[0, 1, 2].map(() => draw(2 ** 32)),
  ];
}

/** Mostly a descriptor that a unit accepts with up to three words changed; else 23 words at random. */
export function sampleWords(draw: Draw, sizes: Sizes): number[] {
  if (draw(16) === 0) return Array.from({ length: 23 }, () => draw(2 ** 32));
  const words = legalWords(draw, sizes);
  const mostBlocks = sizes.BufferWords / sizes.BurstsPerBlock;
  const edges = [
    ...[
      0, 1, 2, 3, 4, 15, 16, 255, 256, 15887, 15888, 29126, 29127, 30840, 30841, 32767, 65535,
      65536, 65537,
    ],
    ...[2 ** 20, 2 ** 29 - 1, 2 ** 29, 2 ** 30, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 2, 2 ** 32 - 1],
    ...[sizes.MaxTokens, mostBlocks, sizes.BufferWords, word(words, 16), word(words, 17)].flatMap(
      (size) => [Math.max(0, size - 1), size, size + 1, 2 * size],
    ),
  ];
  for (let changes = draw(4); changes > 0; changes -= 1) {
    const at = draw(23);
    const before = word(words, at);
    const changed = [
      (before ^ (1 << draw(32))) >>> 0,
      (before + 1) % 2 ** 32,
      Math.max(0, before - 1),
      draw(2 ** 32),
      edges[draw(edges.length)] ?? 0,
      2 ** draw(32),
    ];
    words[at] = changed[draw(changed.length)] ?? 0;
  }
  return words;
}

/** Builds the bench of the check alone, RTL and cycle model (testbench/ndp_descriptor_main.cc). */
export async function buildCheck(sizes: Sizes, source?: string): Promise<string> {
  const own = (path: string): string =>
    source !== undefined && path.endsWith("ndp_descriptor_check.sv") ? source : path;
  return verilate({
    top: "ndp_descriptor_check",
    parameters: { ...sizes },
    sources: rtlSources(
      [],
      [
        "common/priority_encoder.sv",
        "ndp/ndp_pkg.sv",
        "ndp/dimm_ndp_pkg.sv",
        "ndp/ndp_descriptor_check.sv",
      ],
    ).map(own),
    harness: [
      inRepository("testbench", "ndp_descriptor_main.cc"),
      inRepository("sim", "unit", "ndp", "ndp_rules.cc"),
    ],
    kind: "executable",
    optimise: "-O0",
  });
}

/** The results of RTL and cycle model for each descriptor. */
export async function check(
  bench: string,
  descriptors: readonly Words[],
): Promise<readonly { readonly rtl: Field | undefined; readonly model: Field | undefined }[]> {
  const directory = mkdtempSync(join(tmpdir(), "neardata-descriptors-"));
  try {
    const [input, output] = [join(directory, "descriptors"), join(directory, "fields")];
    writeFileSync(input, Buffer.from(Uint32Array.from(descriptors.flat()).buffer));
    await runTool(bench, [input, output]);
    const said = readFileSync(output);
    const name = (at: number): Field | undefined => fields[said[at] ?? NaN];
    return descriptors.map((_, i) => ({ rtl: name(2 * i), model: name(2 * i + 1) }));
  } finally {
    rmSync(directory, { recursive: true });
  }
}
