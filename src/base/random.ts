// SPDX-License-Identifier: Apache-2.0
// Random numbers by place: the value of element i of a stream depends on the seed, the stream's
// name and i alone, so tensors can be made in any order and in part. Integer arithmetic only, so
// every machine makes the same bits.

import { outOfRange } from "./present.ts";

/** A stream of random numbers, read at any index below 2^32. */
export interface RandomStream {
  /** 32 uniform bits. */
  readonly bits: (index: number) => number;
  /** Writes the bits from an index on: loops over millions of bits call no function for each. */
  readonly fill: (into: Uint32Array, from: number) => void;
  /** `count` elements of a table of 2^16, two to a word of the stream, from its first word on. */
  readonly pick: (table: Uint16Array, count: number) => Uint16Array;
}

/** A normal number of mean 0 and variance 1 from two uniform ones in (0, 1] (Box and Muller). */
export function normalFrom(uniform: () => number): number {
  return Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

/** The stream called `name` under `seed`. */
export function randomStream(seed: number, name: string): RandomStream {
  let key = mix(seed | 0);
  for (let i = 0; i < name.length; i += 1) key = mix(key ^ name.charCodeAt(i));
  const second = mix(key ^ 0x9e3779b9);
  return {
    bits: (index) => mix(mix(index ^ key) + second) >>> 0,
    fill: (into, from) => {
      for (let i = 0; i < into.length; i += 1) into[i] = mix(mix((from + i) ^ key) + second);
    },
    pick: (table, count) => {
      const picked = new Uint16Array(count);
      // Whole tensors are sampled here, with millions of words, so the loop calls no distant
      // function.
      for (let i = 0; i < count; i += 2) {
        const word = mix(mix(i ^ key) + second);
        picked[i] = table[word & 0xffff] ?? outOfRange();
        if (i + 1 < count) picked[i + 1] = table[word >>> 16] ?? outOfRange();
      }
      return picked;
    },
  };
}

/** A bijection of 32-bit integers in which every input bit moves every output bit. */
function mix(value: number): number {
  let x = value | 0;
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d);
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b);
  return x ^ (x >>> 16);
}

/** 32-bit words per sample; each provides two uniform numbers of 16 bits. */
const wordsPerSample = 6;

/**
 * Nearly normal numbers, mean 0 and variance 1: sums of twelve uniform ones, so never beyond 6.
 */
export function normalSamples(seed: number, name: string, count: number): Float64Array {
  const stream = randomStream(seed, name);
  const samples = new Float64Array(count);
  for (let i = 0; i < count; i += 1) {
    let sum = 0;
    for (let word = 0; word < wordsPerSample; word += 1) {
      const draw = stream.bits(i * wordsPerSample + word);
      sum += (draw >>> 16) + (draw & 0xffff);
    }
    // A term is (integer + 1/2) / 2^16, of mean 1/2.
    samples[i] = (sum + wordsPerSample) / 65536 - wordsPerSample;
  }
  return samples;
}

/** Deterministic random words (xorshift32). Unlike those of a stream, each follows from the one before it. */
export function randomWords(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state;
  };
}
