// SPDX-License-Identifier: Apache-2.0
// Classes of experts by load: cold, warm and hot.

export type ExpertClass = "cold" | "warm" | "hot";

/** Most tokens of a cold expert: below 6.67 its DIMM beats a read over one channel. */
export const coldLimit = 6;

/**
 * Tokens with which an H100 reaches 30 % (TriMoE, section 3.1): an expert with more is hot at any
 * batch size.
 */
export const hotLimit = 256;

/** The rest of figure 3 after 70 % cold and 27 % warm experts: hot at any batch size. */
export const hotShare = 0.03;

/** The class of a load; a predicted load may be a fraction. */
export function classOf(
  load: number,
  cold: number = coldLimit,
  hot: number = hotLimit,
): ExpertClass {
  if (load <= cold) return "cold";
  return load < hot ? "warm" : "hot";
}
