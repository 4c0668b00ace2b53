// SPDX-License-Identifier: Apache-2.0
// Fields of a descriptor of `sparf_engine` for docs/reference/ports.md, and their legal values.

import { any, range, rule, type FieldRow } from "./description.ts";

const heads = "heads";
const sparse = "sparse heads";
const appends = "appends";

/** Lines below 0xfff00000, so that no row behind one lies beyond 32 bits. */
const line = rule("below 0xfff00000", [0, 0xffefffff], [0xfff00000, 0xffffffff]);
const normal = rule(
  "a positive, normal binary32",
  [0x00800000, 0x7f7fffff],
  [0, 0x007fffff, 0x7f800000, 0x7fc00000, 0x80800000],
);

export const fields: readonly FieldRow[] = [
  {
    word: "DescMode",
    bits: [3, 0],
    meaning: "operation: 0 sparse head, 1 dense head, 2 append",
    legal: rule("0 to 2", [], [3, 15]),
    refusedWith: "FieldOperation",
  },
  {
    word: "DescMode",
    bits: [7, 4],
    of: heads,
    meaning: "queries that share keys and values, less 1",
    legal: range(0, "MaxGroup-1"),
    refusedWith: "FieldGroup",
  },
  {
    word: "DescMode",
    bits: [11, 8],
    meaning: "log2 of the dimensions of an embedding-order page",
    legal: range(0, 3),
    refusedWith: "FieldDimsPerPage",
  },
  {
    word: "DescMode",
    bits: [12, 12],
    of: "sparse heads, appends",
    meaning: "1: the sums of V are kept, and a sparse head blends with the mean of V",
    legal: any,
  },
  {
    word: "DescMode",
    bits: [15, 13],
    meaning: "reserved",
    legal: rule("0", [0], [1, 2, 4, 7]),
    refusedWith: "FieldMode",
  },
  { word: "DescMode", bits: [31, 16], meaning: "tag, copied to the completion", legal: any },
  {
    word: "DescTokens",
    of: heads,
    meaning: "tokens of the cache",
    legal: rule(
      "1 to 65,535; tokens in whole eights × queries in whole `QuerySets` ≤ `MaxKeys`",
      [40],
      [0, 0x10000, 0x10028, "MaxKeys+1"],
    ),
    refusedWith: "FieldTokens",
  },
  {
    word: "DescTokens",
    of: appends,
    meaning: "tokens of the cache before the append",
    legal: range(0, 65_534),
    refusedWith: "FieldTokens",
  },
  {
    word: "DescTake",
    of: sparse,
    meaning: "k: tokens to attend to; more than the cache has means all",
    legal: range(1, 65_535),
    refusedWith: "FieldTake",
  },
  {
    word: "DescWindow",
    of: sparse,
    meaning: "latest tokens that are always among them; more than the cache has means all",
    legal: range(0, 65_535),
    refusedWith: "FieldWindow",
  },
  {
    word: "DescDims",
    of: heads,
    meaning: "r: dimensions that rank the tokens",
    legal: range(
      1,
      "Width",
      "of a sparse head, the chosen dimensions of a block of tokens fit into `RingLines`, their pages into `Tags`",
    ),
    refusedWith: "FieldDims",
  },
  {
    word: "DescDimFlash",
    meaning: "tokens in embedding-order pages on flash; later keys are in DRAM",
    legal: rule("at most the tokens in token order", [0], [0x10000]),
    refusedWith: "FieldDimFlash",
  },
  {
    word: "DescTokenFlash",
    meaning: "tokens in token-order pages on flash; later keys and values are in DRAM",
    legal: rule("at most the tokens of the cache", [], [0x10000, 65_535]),
    refusedWith: "FieldTokenFlash",
  },
  { word: "DescHead", meaning: "handle of the cache, copied to page requests", legal: any },
  {
    word: "DescQLine",
    meaning: "DRAM line of the queries; of an append: a row of K, then a row of V",
    legal: line,
    refusedWith: "FieldQLine",
  },
  {
    word: "DescSumLine",
    of: "sparse heads and appends with bit 12 of word 0",
    meaning: "DRAM line of the sums of V: 64 bits per dimension, in units of 2^-24",
    legal: line,
    refusedWith: "FieldSumLine",
  },
  {
    word: "DescKLine",
    meaning: "DRAM line of the key of token `DescDimFlash`; later tokens follow",
    legal: line,
    refusedWith: "FieldKLine",
  },
  {
    word: "DescVLine",
    meaning: "DRAM line of the value of token `DescTokenFlash`; later tokens follow",
    legal: line,
    refusedWith: "FieldVLine",
  },
  {
    word: "DescOutLine",
    of: heads,
    meaning: "DRAM line of the outputs, a row per query",
    legal: line,
    refusedWith: "FieldOutLine",
  },
  {
    word: "DescScale",
    of: heads,
    meaning: "log2(e) / √`Width` as binary32",
    legal: normal,
    refusedWith: "FieldScale",
  },
  {
    word: "DescReciprocal",
    of: "sparse heads with bit 12 of word 0",
    meaning: "1 / tokens as binary32",
    legal: normal,
    refusedWith: "FieldReciprocal",
  },
  {
    word: "DescPageBytes",
    meaning: "bytes of a flash page",
    legal: rule(
      "a power of two from 64 to 16,384; 1 to `MaxPageRows` rows of 2 × `Width` bytes; at most 64 × `RingLines`",
      [],
      [0, 1, 32, 257, 0x8000, 0x10000, 0x10100],
    ),
    refusedWith: "FieldPageBytes",
  },
];

/** Descriptors that an engine of the tests' size takes, for the edges of the fields. */
export const legalWords: Readonly<Record<"sparse" | "append", readonly number[]>> = {
  sparse: [
    ...[0x1100, 40, 16, 4, 4, 32, 32, 1, 100, 200, 1000, 1100, 500],
    ...[0x3eb8aa3b, 0x3ccccccd, 256],
  ],
  append: [0x1102, 40, 0, 0, 0, 0, 0, 1, 100, 200, 1000, 1100, 0, 0, 0, 256],
};
