// SPDX-License-Identifier: Apache-2.0
// What SparQ moves, and what SparF reads for the same choice. SparQ moves elements: r components of all keys
// and k rows of K and V. SparF's device reads pages: those of every group of components and of every group of
// tokens that has a chosen one, K in both orders. Values have 16 bits.

import { planPages } from "../golden/attention/pages.ts";
import { denseElements, sparqElements } from "../golden/attention/sparq.ts";
import { bytes, type Bytes } from "../base/units.ts";
import { pages } from "./decode.ts";
import type { SparqChoice } from "./group-policy.ts";

/** Sums over all decode steps, layers and groups of heads. */
export interface SparqTraffic {
  readonly denseBytes: Bytes;
  readonly sparqBytes: Bytes;
  /** Of the pages that SparF reads for the same components and tokens. */
  readonly sparfBytes: Bytes;
  /** Bytes of these pages that pass SparF's filter. */
  readonly sparfKeptBytes: Bytes;
}

const bytesPerValue = 2;

/** Counts choices as they are made. */
export function sparqCounter(): {
  readonly count: (choice: SparqChoice) => void;
  readonly total: () => SparqTraffic;
} {
  let [dense, sparq, sparf, kept] = [0, 0, 0, 0];
  return {
    count: ({ cache: { length, width }, parameters, components, tokens }) => {
      const { m, pageBytes } = pages;
      const n = Math.max(1, Math.floor(pageBytes / (bytesPerValue * width)));
      const { padded } = planPages({ length, width, m, n, pageBytes }, components, tokens);
      dense += bytesPerValue * denseElements(length, width);
      sparq += bytesPerValue * sparqElements(length, width, parameters);
      sparf += padded.step1_bytes + padded.step2_bytes;
      kept += padded.step1_bytes_kept + padded.step2_bytes_kept;
    },
    total: () => ({
      denseBytes: bytes(dense),
      sparqBytes: bytes(sparq),
      sparfBytes: bytes(sparf),
      sparfKeptBytes: bytes(kept),
    }),
  };
}
