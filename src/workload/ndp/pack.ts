// SPDX-License-Identifier: Apache-2.0
// Tensors into the images of sub-channels and back, as a layout says.

import type { LowBitMatrix } from "../../golden/low-bit.ts";
import type { ExpertWeights } from "../expert.ts";
import type { LowBitWeights } from "../low-bit.ts";
import type { ExpertLayout, MatrixPlace, VectorPlace } from "./layout.ts";
import { valuesPerBurst } from "./layout.ts";
import { packLowBitRow } from "./pack-low-bit.ts";
import type { StreamPiece } from "../../machine/types.ts";

/** Cache of the packed images of one expert's weights, by layout. */
export type WeightImages = Map<string, readonly StreamPiece[]>;

/** Limit of cached layouts; each image is as large as the weights. */
const maxImages = 4;

/** The weights and the inputs ([tokens][hidden] bits) of every stream; the rest reads as zero. */
export function packExpert(
  layout: ExpertLayout,
  weights: ExpertWeights | LowBitWeights,
  inputs: Uint16Array,
  images: WeightImages = new Map<string, readonly StreamPiece[]>(),
): readonly (readonly StreamPiece[])[] {
  const { input, streams } = layout;
  const inputBursts = layout.shape.tokens * input.stride;
  return weightImages(layout, weights, images).map((image, stream) => {
    const vectors = new Uint16Array(inputBursts * valuesPerBurst);
    packVectors(vectors, input, inputs, stream, streams);
    return [image, piece(input.base, vectors)];
  });
}

function weightImages(
  layout: ExpertLayout,
  weights: ExpertWeights | LowBitWeights,
  images: WeightImages,
): readonly StreamPiece[] {
  const { down, gate, input, streams, up } = layout;
  const key = JSON.stringify([streams, gate, up, down, input.base]);
  const known = images.get(key);
  if (known !== undefined) return known;
  if (images.size >= maxImages) images.clear();
  const made = Array.from({ length: streams }, (_, stream) => {
    const words = new Uint16Array(input.base * valuesPerBurst);
    packMatrix(words, gate, weights.gate, stream, streams);
    packMatrix(words, up, weights.up, stream, streams);
    packMatrix(words, down, weights.down, stream, streams);
    return { ...piece(0, words), cache: {} };
  });
  images.set(key, made);
  return made;
}

/** The bursts of each stream that contain the outputs. */
export function resultRange(layout: ExpertLayout): {
  readonly burst: number;
  readonly bursts: number;
} {
  return { burst: layout.output.base, bursts: layout.shape.tokens * layout.output.stride };
}

/** The outputs, [tokens][hidden] bits, from `resultRange` of every stream. */
export function unpackOutputs(layout: ExpertLayout, results: readonly Uint8Array[]): Uint16Array {
  const { output, shape, streams } = layout;
  const outputs = new Uint16Array(shape.tokens * output.length);
  for (const [stream, result] of results.entries()) {
    const words = new Uint16Array(new Uint8Array(result).buffer);
    forEachBurst(output, shape.tokens, stream, streams, (burst, start, count) => {
      const from = burst * valuesPerBurst;
      outputs.set(words.subarray(from, from + count), start);
    });
  }
  return outputs;
}

function piece(burst: number, words: Uint16Array): StreamPiece {
  return { burst, data: new Uint8Array(words.buffer, words.byteOffset, words.byteLength) };
}

function packMatrix(
  words: Uint16Array,
  place: MatrixPlace,
  matrix: Uint16Array | LowBitMatrix,
  stream: number,
  streams: number,
): void {
  const bytes = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
  let at = place.base * valuesPerBurst;
  for (let row = stream; row < place.rows; row += streams) {
    if (matrix instanceof Uint16Array) {
      words.set(matrix.subarray(row * place.columns, (row + 1) * place.columns), at);
    } else {
      packLowBitRow(bytes.subarray(2 * at), matrix, row, place.repeats);
    }
    at += place.stride * valuesPerBurst;
  }
}

function packVectors(
  words: Uint16Array,
  place: VectorPlace,
  vectors: Uint16Array,
  stream: number,
  streams: number,
): void {
  const tokens = vectors.length / place.length;
  forEachBurst(place, tokens, stream, streams, (burst, start, count) => {
    words.set(vectors.subarray(start, start + count), burst * valuesPerBurst);
  });
}

/**
 * Visits the bursts of one stream that contain values, with the burst's offset from the region's
 * base, the index of its first value in [tokens][length], and its number of values.
 */
function forEachBurst(
  place: VectorPlace,
  tokens: number,
  stream: number,
  streams: number,
  visit: (burst: number, start: number, count: number) => void,
): void {
  for (let token = 0; token < tokens; token += 1) {
    for (let q = stream; q * valuesPerBurst < place.length; q += streams) {
      const start = q * valuesPerBurst;
      const count = Math.min(valuesPerBurst, place.length - start);
      const burst = token * place.stride + Math.floor(q / streams);
      visit(burst, token * place.length + start, count);
    }
  }
}
