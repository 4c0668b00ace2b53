// SPDX-License-Identifier: Apache-2.0
// A published figure and how it follows from published inputs.

/** The papers, in the order of pages and lists. */
export const papers = ["lia", "trimoe", "instinfer", "flexgen", "llmshare"] as const;
export type Paper = (typeof papers)[number];

export interface Fact {
  readonly id: string;
  readonly paper: Paper;
  /** The location in the paper. */
  readonly where: string;
  readonly what: string;
  /** The number as printed; null if the paper does not print it. */
  readonly published: number | null;
  readonly unit: string;
  /** Largest relative difference that still agrees. */
  readonly tolerance: number;
  readonly value: () => number;
}

/** A fact of `paper` with the unique name `name`. */
export function fact(paper: Paper, name: string, text: Omit<Fact, "id" | "paper">): Fact {
  return { id: `${paper}/${name}`, paper, ...text };
}
