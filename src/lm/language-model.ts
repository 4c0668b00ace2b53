// SPDX-License-Identifier: Apache-2.0
// What the evaluation of a text needs from a model of any architecture.

import { windowBits, type DecodeAttention } from "./forward.ts";
import { tinyShape, type TinyModel } from "./model.ts";

export interface LanguageModel {
  /** Positions of a window. */
  readonly inputs: number;
  /** Dimensions of a head. */
  readonly headWidth: number;
  /** Bytes from here on have no row in the embedding. */
  readonly vocabulary: number;
  /** -log2 p of the byte after each position of `text` but the last; `window` is its number. */
  readonly bits: (
    window: number,
    text: Uint8Array,
    attention: DecodeAttention,
  ) => Promise<Float64Array>;
}

/** The dense model of the repository. */
export function tinyLanguageModel(model: TinyModel): LanguageModel {
  return {
    inputs: tinyShape.context,
    headWidth: tinyShape.headWidth,
    vocabulary: tinyShape.vocabulary,
    bits: async (_, text, attention) => windowBits(model, text, attention),
  };
}
