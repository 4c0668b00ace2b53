// SPDX-License-Identifier: Apache-2.0
// A decoder layer as LIA sees it: six sublayers, the bytes each reads and the work each does
// (LIA, table 1). 16-bit values, a feed-forward part of four times the width.

import { bytes, flops, scale, type Bytes, type Flops } from "../../units.ts";

export type Stage = "prefill" | "decode";

/** One row of LIA's table 1. */
export interface Sublayer {
  /** Activations that it reads (D_X). */
  readonly x: Bytes;
  /** Weights, or cached keys or values, that it reads (D_Y). */
  readonly y: Bytes;
  readonly work: Flops;
}

export interface Layer {
  readonly stage: Stage;
  /** QKV, QK^T, SV, output projection, FC1, FC2: a policy has one place for each. */
  readonly sublayers: readonly Sublayer[];
  /** What a residual addition fetches: the hidden state. */
  readonly residual: Bytes;
  /** Keys and values that QKV makes (D_KV). */
  readonly newCache: Bytes;
}

const bytesPerValue = 2;

/** What passes through a layer at once. */
export interface LayerWork {
  readonly stage: Stage;
  /** Model width. */
  readonly width: number;
  /** Sequences; a fraction where only `batch * length` matters. */
  readonly batch: number;
  /** Tokens of a sequence in the prompt (prefill) or in the cache (decode). */
  readonly length: number;
}

/** LIA's table 1 for a layer of a decoder with ungated feed-forward parts, such as OPT. */
export function decoderLayer({ stage, width, batch, length }: LayerWork): Layer {
  const tokens = stage === "prefill" ? batch * length : batch;
  const hidden = bytes(bytesPerValue * tokens * width);
  const cached = bytes(bytesPerValue * batch * length * width);
  const attend = flops(2 * tokens * length * width);
  const linear = (squares: number, x: Bytes = hidden): Sublayer => ({
    x,
    y: bytes(squares * width ** 2),
    work: flops(squares * tokens * width ** 2),
  });
  const attention: Sublayer = { x: hidden, y: cached, work: attend };
  return {
    stage,
    sublayers: [linear(6), attention, attention, linear(2), linear(8), linear(8, scale(hidden, 4))],
    residual: hidden,
    newCache: scale(hidden, 2),
  };
}
