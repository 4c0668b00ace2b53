// SPDX-License-Identifier: Apache-2.0
// The flash pages that SparF reads. K is stored twice: in token order (a page has n tokens of one
// head) and in embedding order (a page has m dimensions of T tokens). Step 1 reads, for every group of
// m dimensions it needs, the pages of all token blocks; step 2 one K and one V page for every
// group of n tokens it needs. Of what is read, the filter keeps the chosen dimensions and tokens.
//
// An incomplete last group is either written out as a page (`padded`) or still in the
// controller's DRAM (`dram_tail`). Names of fields are those of the vector files.

const bytesPerValue = 2;

/** Layout of one head's cache on flash. */
export interface PageLayout {
  /** Tokens in the cache. */
  readonly length: number;
  /** Dimensions of a head. */
  readonly width: number;
  /** Dimensions to an embedding-order page. */
  readonly m: number;
  /** Tokens to a token-order page. */
  readonly n: number;
  readonly pageBytes: number;
}

/** Pages and bytes of both steps under one rule for the tail. */
export interface PageCounts {
  readonly step1_pages: number;
  readonly step2_pages_k: number;
  readonly step2_pages_v: number;
  readonly step1_bytes: number;
  readonly step2_bytes: number;
  readonly step1_bytes_kept: number;
  readonly step2_bytes_kept: number;
}

/**
 * Bytes that step 1 and step 2 read from DRAM instead of flash, because their page is not full yet.
 */
export interface TailCounts extends PageCounts {
  readonly step1_bytes_from_dram: number;
  readonly step2_bytes_from_dram: number;
}

/** The groups that one query touches ("all" for every group) and the cost of reading them. */
export interface PagePlan {
  /** Tokens to an embedding-order page. */
  readonly T: number;
  readonly step1_dim_groups: readonly number[] | "all";
  readonly step1_blocks_padded: number;
  readonly step1_blocks_full: number;
  readonly step2_token_groups: readonly number[] | "all";
  readonly tokens_in_tail_group: number;
  readonly padded: PageCounts;
  readonly dram_tail: TailCounts;
  readonly dense: {
    readonly pages_padded: number;
    readonly bytes_padded: number;
    readonly bytes_exact: number;
  };
}

/** The pages that a choice of dimensions and tokens (ascending) reads. */
export function planPages(layout: PageLayout, dims: Uint32Array, tokens: Uint32Array): PagePlan {
  const { length, width, m, n, pageBytes } = layout;
  const blockTokens = Math.floor(pageBytes / (bytesPerValue * m));
  const dimGroups = groupsOf(dims, m);
  const tokenGroups = groupsOf(tokens, n);
  const blocks = {
    padded: Math.ceil(length / blockTokens),
    full: Math.floor(length / blockTokens),
  };
  const tailStart = length - (length % n);
  const tailTokens = tokens.filter((t) => t >= tailStart).length;
  const fullGroups = tokenGroups.filter((g) => (g + 1) * n <= length).length;
  const dimBytes = dims.length * bytesPerValue;
  const tokenBytes = 2 * width * bytesPerValue; // a row of K and one of V
  const count = (step1Pages: number, groups: number): PageCounts => ({
    step1_pages: step1Pages,
    step2_pages_k: groups,
    step2_pages_v: groups,
    step1_bytes: step1Pages * pageBytes,
    step2_bytes: 2 * groups * pageBytes,
    step1_bytes_kept: 0,
    step2_bytes_kept: 0,
  });
  const onFlash = blocks.full * blockTokens;
  const densePages = 2 * Math.ceil(length / n);
  return {
    T: blockTokens,
    step1_dim_groups: allOr(dimGroups, Math.ceil(width / m)),
    step1_blocks_padded: blocks.padded,
    step1_blocks_full: blocks.full,
    step2_token_groups: allOr(tokenGroups, Math.ceil(length / n)),
    tokens_in_tail_group: length % n,
    padded: {
      ...count(dimGroups.length * blocks.padded, tokenGroups.length),
      step1_bytes_kept: dimBytes * length,
      step2_bytes_kept: tokenBytes * tokens.length,
    },
    dram_tail: {
      ...count(dimGroups.length * blocks.full, fullGroups),
      step1_bytes_kept: dimBytes * onFlash,
      step2_bytes_kept: tokenBytes * (tokens.length - tailTokens),
      step1_bytes_from_dram: dimBytes * (length - onFlash),
      step2_bytes_from_dram: tokenBytes * tailTokens,
    },
    dense: {
      pages_padded: densePages,
      bytes_padded: densePages * pageBytes,
      bytes_exact: tokenBytes * length,
    },
  };
}

/** Groups of `size` that ascending indices touch, ascending. */
export function groupsOf(indices: Uint32Array, size: number): number[] {
  const groups: number[] = [];
  for (const index of indices) {
    const group = Math.floor(index / size);
    if (groups.at(-1) !== group) groups.push(group);
  }
  return groups;
}

/** How many groups of `size` the ascending indices below `end` touch. */
export function countGroups(indices: Uint32Array, size: number, end: number): number {
  let groups = 0;
  let last = -1;
  for (const index of indices) {
    if (index >= end) break;
    const group = Math.floor(index / size);
    if (group !== last) groups += 1;
    last = group;
  }
  return groups;
}

function allOr(groups: readonly number[], total: number): readonly number[] | "all" {
  return groups.length === total ? "all" : groups;
}
