// SPDX-License-Identifier: Apache-2.0
// Fields of a descriptor of `sparf_engine` for docs/reference/ports.md, and their legal values.

import { any, range, rule, type FieldRow } from "./description.ts";

const heads = "heads";
const sparse = "sparse heads";
const appends = "appends";

/** Lines below 0xfff00000, so that the address of every later row has 32 bits. */
const line = rule("below 0xfff00000", [0, 0xffefffff], [0xfff00000, 0xffffffff]);
const normal = rule(
  "positive and normal",
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
    meaning: "number of queries that share keys and values, minus 1",
    legal: range(0, "MaxGroup-1"),
    refusedWith: "FieldGroup",
  },
  {
    word: "DescMode",
    bits: [11, 8],
    meaning: "log2 of the number of dimensions in an embedding-order page",
    legal: range(0, 3),
    refusedWith: "FieldDimsPerPage",
  },
  {
    word: "DescMode",
    bits: [12, 12],
    of: "sparse heads, appends",
    meaning:
      "1: an append updates the sums of V, and a sparse head adds the mean of V with the weight 1 - alpha to its output",
    legal: any,
  },
  {
    word: "DescMode",
    bits: [15, 13],
    meaning: "reserved",
    legal: rule("0", [0], [1, 2, 4, 7]),
    refusedWith: "FieldMode",
  },
  { word: "DescMode", bits: [31, 16], meaning: "tag; the completion repeats it", legal: any },
  {
    word: "DescTokens",
    of: heads,
    meaning: "number of tokens in the KV cache",
    legal: rule(
      "1 to 65,535; (tokens, rounded up to a multiple of 8) × (queries, rounded up to a multiple of `QuerySets`) ≤ `MaxKeys`",
      [40],
      [0, 0x10000, 0x10028, "MaxKeys+1"],
    ),
    refusedWith: "FieldTokens",
  },
  {
    word: "DescTokens",
    of: appends,
    meaning: "number of tokens in the KV cache before the append",
    legal: range(0, 65_534),
    refusedWith: "FieldTokens",
  },
  {
    word: "DescTake",
    of: sparse,
    meaning:
      "k: number of tokens to select; a number above that of the KV cache selects all tokens",
    legal: range(1, 65_535),
    refusedWith: "FieldTake",
  },
  {
    word: "DescWindow",
    of: sparse,
    meaning:
      "number of latest tokens that are always selected; a number above that of the KV cache selects all tokens",
    legal: range(0, 65_535),
    refusedWith: "FieldWindow",
  },
  {
    word: "DescDims",
    of: heads,
    meaning:
      "r: number of dimensions of the query with which step 1 ranks the tokens; a dense head needs a legal value and does not use it",
    legal: range(
      1,
      "Width",
      "for a sparse head, r × lines of one dimension of a [block of tokens](glossary.md#hardware) ≤ `RingLines`, and the r dimensions of the block are on at most `Tags` pages",
    ),
    refusedWith: "FieldDims",
  },
  {
    word: "DescDimFlash",
    meaning:
      "number of tokens whose keys are in embedding-order pages on flash; later keys are in DRAM",
    legal: rule("at most `DescTokenFlash`", [0], [0x10000]),
    refusedWith: "FieldDimFlash",
  },
  {
    word: "DescTokenFlash",
    meaning:
      "number of tokens whose keys and values are in token-order pages on flash; later keys and values are in DRAM",
    legal: rule("at most `DescTokens`", [], [0x10000, 65_535]),
    refusedWith: "FieldTokenFlash",
  },
  { word: "DescHead", meaning: "handle of the KV cache; page requests repeat it", legal: any },
  {
    word: "DescQLine",
    meaning:
      "heads: DRAM line of the queries; appends: DRAM line of the row of K, which the row of V follows",
    legal: line,
    refusedWith: "FieldQLine",
  },
  {
    word: "DescSumLine",
    of: "sparse heads and appends with bit 12 of word 0",
    meaning: "DRAM line of the sums of V; a sum has 64 bits per dimension, in units of 2^-24",
    legal: line,
    refusedWith: "FieldSumLine",
  },
  {
    word: "DescKLine",
    meaning: "DRAM line of the key of token number `DescDimFlash`; keys of later tokens follow",
    legal: line,
    refusedWith: "FieldKLine",
  },
  {
    word: "DescVLine",
    meaning:
      "DRAM line of the value of token number `DescTokenFlash`; values of later tokens follow",
    legal: line,
    refusedWith: "FieldVLine",
  },
  {
    word: "DescOutLine",
    of: heads,
    meaning: "DRAM line of the outputs, one row per query",
    legal: line,
    refusedWith: "FieldOutLine",
  },
  {
    word: "DescScale",
    of: heads,
    meaning: "log2(e) / √`Width`, as a binary32 number",
    legal: normal,
    refusedWith: "FieldScale",
  },
  {
    word: "DescReciprocal",
    of: "sparse heads with bit 12 of word 0",
    meaning: "1 / `DescTokens`, as a binary32 number",
    legal: normal,
    refusedWith: "FieldReciprocal",
  },
  {
    word: "DescPageBytes",
    meaning: "size of a flash page in bytes",
    legal: rule(
      "a power of two from 64 to 16,384; at least one row and at most `MaxPageRows` rows of 2 × `Width` bytes; at most 64 × `RingLines`",
      [],
      [0, 1, 32, 257, 0x8000, 0x10000, 0x10100],
    ),
    refusedWith: "FieldPageBytes",
  },
];
