// SPDX-License-Identifier: Apache-2.0
// A decoder layer in LIA's model: six sublayers with their bytes and operations (LIA, table 1), for
// ungated, gated and mixture-of-experts feed-forward parts and for grouped keys and values. 16-bit
// values.

import { bytes, flops, scale, type Bytes, type Flops } from "../../../base/units.ts";

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
  /** Tokens that pass through it at once. */
  readonly tokens: number;
  /** QKV, QK^T, SV, output projection, FC1, FC2: a policy has one place for each. */
  readonly sublayers: readonly Sublayer[];
  /** Bytes of the hidden state, which a residual addition fetches. */
  readonly residual: Bytes;
  /** Keys and values that QKV makes (D_KV). */
  readonly newCache: Bytes;
}

/** The dimensions of the six sublayers. */
export interface LayerShape {
  /** Model width. */
  readonly width: number;
  /** Width of the keys, and of the values, of a token: less than `width` where heads share them. */
  readonly cacheWidth: number;
  /** Width of the feed-forward part, or of one expert. */
  readonly intermediate: number;
  /** 3 where a gate multiplies: FC1 is gate and up then. */
  readonly matrices: 2 | 3;
  /** Experts in place of one feed-forward part, and how many of them a token uses. */
  readonly experts: { readonly count: number; readonly perToken: number } | null;
}

/** The tokens that a layer processes at once. */
export interface LayerLoad {
  readonly stage: Stage;
  /** Sequences; a fraction where only `batch * length` matters. */
  readonly batch: number;
  /** Tokens of a sequence in the prompt (prefill) or in the cache (decode). */
  readonly length: number;
}

/** The load of a layer with a known width only: its feed-forward part has four times that width. */
export interface LayerWork extends LayerLoad {
  readonly width: number;
}

const bytesPerValue = 2;

/** A layer of a decoder with ungated feed-forward parts, such as OPT. */
export function plainShape(width: number): LayerShape {
  return { width, cacheWidth: width, intermediate: 4 * width, matrices: 2, experts: null };
}

/** LIA's table 1 for such a layer. */
export function decoderLayer({ width, ...load }: LayerWork): Layer {
  return layerOf(plainShape(width), load);
}

/**
 * LIA's table 1 for any layer. Weights of all experts that some token uses are read, each token
 * works on `perToken` of them (the reading that makes 011011 a policy of such layers).
 */
export function layerOf(shape: LayerShape, { stage, batch, length }: LayerLoad): Layer {
  const { width, cacheWidth, intermediate, matrices } = shape;
  const tokens = stage === "prefill" ? batch * length : batch;
  const hidden = bytes(bytesPerValue * tokens * width);
  const attention: Sublayer = {
    x: hidden,
    y: bytes(bytesPerValue * batch * length * cacheWidth),
    work: flops(2 * tokens * length * width),
  };
  /** A product with `weights` values; `read` and `used` count experts. */
  const linear = (x: Bytes, weights: number, read = 1, used = 1): Sublayer => ({
    x,
    y: bytes(bytesPerValue * weights * read),
    work: flops(2 * tokens * weights * used),
  });
  const matrix = width * intermediate;
  const read = expertsRead(shape, tokens);
  const used = shape.experts?.perToken ?? 1;
  return {
    stage,
    tokens,
    sublayers: [
      linear(hidden, width ** 2 + 2 * width * cacheWidth),
      attention,
      attention,
      linear(hidden, width ** 2),
      linear(hidden, (matrices - 1) * matrix, read, used),
      linear(bytes(bytesPerValue * tokens * intermediate), matrix, read, used),
    ],
    residual: hidden,
    newCache: scale(hidden, (2 * cacheWidth) / width),
  };
}

/** Experts that at least one of `tokens` uniformly routed tokens uses, in the mean. */
export function expertsRead({ experts }: LayerShape, tokens: number): number {
  if (experts === null) return 1;
  const { count, perToken } = experts;
  return count * (1 - (1 - perToken / count) ** tokens);
}

/** Bytes of the weights of QKV, output projection, FC1 and FC2, all experts counted. */
export function sublayerWeights(shape: LayerShape): readonly Bytes[] {
  const { width, cacheWidth, intermediate, matrices, experts } = shape;
  const matrix = width * intermediate * (experts?.count ?? 1);
  const values = [width ** 2 + 2 * width * cacheWidth, width ** 2, (matrices - 1) * matrix, matrix];
  return values.map((count) => bytes(bytesPerValue * count));
}

/** Bytes of the layer's weights, all experts counted. */
export function weightBytes(shape: LayerShape): Bytes {
  return bytes(sublayerWeights(shape).reduce((all, one) => all + one, 0));
}
