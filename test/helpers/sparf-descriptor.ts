// SPDX-License-Identifier: Apache-2.0
// Descriptors of the SparF engine word by word, and the rules by which an engine accepts them:
// written from the list of rules (docs/explanation/hardware.md), independently of the RTL and the
// cycle model.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { inRepository } from "../../src/base/paths.ts";
import { rtlSources } from "../../src/native/compile/rtl-sources.ts";
import { runTool } from "../../src/native/compile/process.ts";
import { verilate } from "../../src/native/unit/verilate.ts";

/** Parameters of the rules. */
export interface Sizes {
  readonly Width: number;
  readonly MaxKeys: number;
  readonly MaxGroup: number;
  readonly RingLines: number;
  readonly MaxPageRows: number;
  readonly Tags: number;
  readonly QuerySets: number;
}

/** The 16 words of a descriptor. */
export type Words = readonly number[];

/** Fields in the order of their numbers; the first that breaks a rule is named. */
export const fields = [
  "none",
  "operation",
  "group",
  "m",
  "mode",
  "tokens",
  "k",
  "window",
  "r",
  "dimFlash",
  "tokenFlash",
  "queryLine",
  "sumLine",
  "keyLine",
  "valueLine",
  "outLine",
  "scale",
  "reciprocal",
  "pageBytes",
] as const;
export type Field = (typeof fields)[number];

const word = (words: Words, at: number): number => words[at] ?? 0;
const between = (value: number, least: number, most: number): boolean =>
  value >= least && value <= most;

function isPositiveNormal(bits: number): boolean {
  const value = new DataView(Uint32Array.of(bits).buffer).getFloat32(0, true);
  return Number.isFinite(value) && value >= 2 ** -126;
}

/**
 * The field that breaks a rule of an engine; `append`: the descriptor is for the unit of appends.
 */
export function brokenField(words: Words, sizes: Sizes, append: boolean): Field {
  const mode = word(words, 0);
  const [operation, group, m] = [
    mode % 16,
    (Math.floor(mode / 16) % 16) + 1,
    2 ** ((mode >>> 8) % 16),
  ];
  const mean = (mode & 0x1000) !== 0;
  const [tokens, k, window, r, dimFlash, tokenFlash] = words.slice(1, 7) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const page = word(words, 15);
  const { Width, MaxKeys, MaxGroup, RingLines, MaxPageRows, Tags, QuerySets } = sizes;
  const sparse = operation === 0;
  const sets = Math.ceil(group / QuerySets) * QuerySets;
  const block = Math.min(dimFlash, page / 2 / m);
  const pageTaken =
    Number.isInteger(Math.log2(page)) &&
    between(page, 64, Math.min(16384, 64 * RingLines)) &&
    between(page / (2 * Width), 1, MaxPageRows);
  const flashTaken = dimFlash <= 65535 && dimFlash <= tokenFlash;
  const blockTaken =
    r * Math.ceil(block / 32) <= RingLines && (block === 0 || Math.min(r, Width / m) <= Tags);
  const near = (at: number): boolean => word(words, at) < 0xfff00000;
  const rules: readonly (readonly [Field, boolean])[] = [
    ["operation", append ? operation === 2 : operation <= 1],
    ["group", append || group <= MaxGroup],
    ["m", m <= 8],
    ["mode", (mode & 0xe000) === 0],
    [
      "tokens",
      append
        ? tokens <= 65534
        : between(tokens, 1, 65535) && Math.ceil(tokens / 8) * 8 * sets <= MaxKeys,
    ],
    ["k", !sparse || between(k, 1, 65535)],
    ["window", !sparse || window <= 65535],
    ["r", append || between(r, 1, Width)],
    ["r", !sparse || !pageTaken || !flashTaken || blockTaken],
    ["dimFlash", flashTaken],
    ["tokenFlash", tokenFlash <= 65535 && tokenFlash <= tokens],
    ["queryLine", near(8)],
    ["sumLine", !mean || operation === 1 || near(9)],
    ["keyLine", near(10)],
    ["valueLine", near(11)],
    ["outLine", append || near(12)],
    ["scale", append || isPositiveNormal(word(words, 13))],
    ["reciprocal", !sparse || !mean || isPositiveNormal(word(words, 14))],
    ["pageBytes", pageTaken],
  ];
  return rules.find(([, holds]) => !holds)?.[0] ?? "none";
}

/** A descriptor of a head or an append, mostly a valid one, and then with changed words. */
export function drawWords(
  draw: (below: number) => number,
  sizes: Sizes,
  append: boolean,
): number[] {
  const upTo = (most: number): number => draw(most + 1);
  const tokens = 1 + draw(Math.max(1, sizes.MaxKeys / sizes.QuerySets));
  const tokenFlash = upTo(tokens);
  const rows = 2 ** draw(Math.floor(Math.log2(sizes.MaxPageRows)) + 1);
  const operation = append ? 2 : draw(2);
  const mode = [
    operation,
    draw(sizes.MaxGroup) << 4,
    draw(4) << 8,
    draw(2) << 12,
    draw(65536) << 16,
  ];
  const line = (): number => draw(2 ** 20);
  const words = [
    mode.reduce((all, part) => (all | part) >>> 0, 0),
    ...[tokens, 1 + draw(300), draw(300), 1 + draw(sizes.Width), upTo(tokenFlash), tokenFlash],
    ...[draw(2 ** 32), line(), line(), line(), line(), line()],
    ...[0x3f02a8e8, 0x3ccccccd, 2 * sizes.Width * rows],
  ];
  const edges = [
    ...[0, 1, 2, 7, 8, 9, 63, 64, 65, 127, 128, 129, 255, 256, 257, 512, 4096, 4097, 8192, 16384],
    ...[32767, 32768, 65527, 65528, 65529, 65534, 65535, 65536, 65537, 0x10800, 0x10100, 0x10010],
    ...[0xffefffff, 0xfff00000, 0xffffffff, 0x7fffff, 0x800000, 0x7f7fffff, 0x7f800000, 0x80800000],
    ...[sizes.Width, sizes.MaxKeys, sizes.RingLines, sizes.MaxKeys / sizes.QuerySets].flatMap(
      (size) => [size - 1, size, size + 1, 2 * size],
    ),
  ];
  for (let changes = draw(4); changes > 0; changes -= 1) {
    const at = draw(16);
    const before = word(words, at);
    const changed = [
      (before ^ (1 << draw(32))) >>> 0,
      draw(2 ** 32),
      edges[draw(edges.length)] ?? 0,
      2 ** draw(17),
    ];
    words[at] = changed[draw(changed.length)] ?? 0;
  }
  return words;
}

/** Builds the bench of the check alone, RTL and cycle model (testbench/sparf_descriptor_main.cc). */
export async function buildCheck(sizes: Sizes, append: boolean, source?: string): Promise<string> {
  const own = (path: string): string =>
    source !== undefined && path.endsWith("sparf_descriptor_check.sv") ? source : path;
  return verilate({
    top: "sparf_descriptor_check",
    parameters: { ...sizes, Appends: append ? 1 : 0 },
    sources: rtlSources(["common", "sparf"], ["ndp/ndp_pkg.sv"])
      .filter((path) => /(_pkg|priority_encoder|sparf_descriptor_check)\.sv$/.test(path))
      .map(own),
    harness: [
      inRepository("testbench", "sparf_descriptor_main.cc"),
      inRepository("sim", "unit", "sparf", "front", "sparf_check.cc"),
    ],
    kind: "executable",
    optimise: "-O0",
  });
}

/** The results of RTL and cycle model for each descriptor. */
export async function check(
  bench: string,
  descriptors: readonly Words[],
): Promise<readonly { readonly rtl: Field; readonly model: Field }[]> {
  const directory = mkdtempSync(join(tmpdir(), "neardata-descriptors-"));
  try {
    const [input, output] = [join(directory, "descriptors"), join(directory, "fields")];
    writeFileSync(input, Buffer.from(Uint32Array.from(descriptors.flat()).buffer));
    await runTool(bench, [input, output]);
    const said = readFileSync(output);
    const name = (at: number): Field => fields[said[at] ?? 0] ?? "none";
    return descriptors.map((_, i) => ({ rtl: name(2 * i), model: name(2 * i + 1) }));
  } finally {
    rmSync(directory, { recursive: true });
  }
}
