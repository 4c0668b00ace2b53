// SPDX-License-Identifier: Apache-2.0
// hta1: synthetic attention heads with heavy-tailed queries, topical segments and attention sinks,
// the same bit for bit in any language: only + - * / sqrt, integer mixing, rounding to binary16.

import { outOfRange, present } from "../base/present.ts";
import { roundToHalf } from "../golden/half.ts";

/** One head: `length` rows of queries, keys and values, every value a binary16. */
export interface SyntheticHead {
  readonly length: number;
  readonly width: number;
  readonly queries: Float64Array;
  readonly keys: Float64Array;
  readonly values: Float64Array;
}

/** Parameters of a head; names as in the generator's definition. */
export interface Hta1Parameters {
  /** Mean length of a segment, about. */
  readonly seg: number;
  /** Gain of dimensions: cap and divisor. */
  readonly gcap: number;
  readonly gdiv: number;
  /** Salience of tokens: cap and scale. */
  readonly hcap: number;
  readonly h0: number;
  /** Key noise. */
  readonly kn: number;
  /** Sink tokens, how strong they are in K and in q. */
  readonly sinks: number;
  readonly sink: number;
  readonly sinkq: number;
  /** Number of relevant segments of a query, apart from its own segment, and weights of both. */
  readonly nrel: number;
  readonly b0: number;
  readonly b: number;
  /** Query noise. */
  readonly qn: number;
  /** Values: common mean, segment, noise, and the damping of sinks. */
  readonly vm: number;
  readonly vs: number;
  readonly vn: number;
  readonly vsink: number;
}

/** The parameters of the reference heads. */
export const hta1Defaults: Hta1Parameters = {
  seg: 24,
  gcap: 6,
  gdiv: 2.5,
  hcap: 6,
  h0: 0.25,
  kn: 0.6,
  sinks: 2,
  sink: 0.8,
  sinkq: 0.9,
  nrel: 3,
  b0: 0.35,
  b: 0.55,
  qn: 0.45,
  vm: 0.5,
  vs: 0.6,
  vn: 0.6,
  vsink: 0.05,
};

/**
 * Generates a head of `length` tokens. Each random stream has the number of the data that it
 * generates.
 */
export function generateHta1(
  seed: number,
  length: number,
  width: number,
  parameters: Hta1Parameters = hta1Defaults,
): SyntheticHead {
  const values = valuesOfHta1(seed, length, width, parameters);
  return { ...queriesAndKeysOfHta1(seed, length, width, parameters), values };
}

/** The same head without its values, for studies of the choice of tokens. */
export function queriesAndKeysOfHta1(
  seed: number,
  length: number,
  width: number,
  p: Hta1Parameters = hta1Defaults,
): Omit<SyntheticHead, "values"> {
  const segment = segments(seed, length, p.seg);
  const segmentCount = present(segment[length - 1]) + 1;

  const gainDraw = stream(seed, 2);
  const gain = Float64Array.from(
    { length: width },
    () => Math.min(p.gcap, tail(gainDraw)) / p.gdiv,
  );
  const topics = normals(stream(seed, 3), segmentCount * width);
  const salienceDraw = stream(seed, 4);
  const salience = Float64Array.from({ length }, () => Math.min(p.hcap, tail(salienceDraw)) * p.h0);
  const signDraw = stream(seed, 6);
  const sign = Float64Array.from({ length: width }, () => (bits(signDraw) >>> 31 ? -1 : 1));

  const keyNoise = stream(seed, 5);
  const keys = new Float64Array(length * width);
  for (let t = 0, i = 0; t < length; t += 1) {
    const high = salience[t] ?? outOfRange();
    const topic = (segment[t] ?? outOfRange()) * width;
    for (let c = 0; c < width; c += 1, i += 1) {
      const key = high * (topics[topic + c] ?? outOfRange()) + p.kn * normal(keyNoise);
      keys[i] = roundToHalf(t < p.sinks ? key + p.sink * (sign[c] ?? outOfRange()) : key);
    }
  }

  const relevantDraw = stream(seed, 7);
  const queryNoise = stream(seed, 8);
  const queries = new Float64Array(length * width);
  for (let t = 0, i = 0; t < length; t += 1) {
    const topic = segment[t] ?? outOfRange();
    const relevant = Array.from(
      { length: p.nrel },
      () => Math.floor(uniform(relevantDraw) * (topic + 1)) * width,
    );
    for (let c = 0; c < width; c += 1, i += 1) {
      let sum = p.b0 * (topics[topic * width + c] ?? outOfRange());
      for (let k = 0; k < relevant.length; k += 1) {
        sum += p.b * (topics[(relevant[k] ?? outOfRange()) + c] ?? outOfRange());
      }
      sum += p.qn * normal(queryNoise);
      sum += p.sinkq * (sign[c] ?? outOfRange());
      queries[i] = roundToHalf((gain[c] ?? outOfRange()) * sum);
    }
  }
  return { length, width, queries, keys };
}

function valuesOfHta1(
  seed: number,
  length: number,
  width: number,
  p: Hta1Parameters,
): Float64Array {
  const segment = segments(seed, length, p.seg);
  const common = normals(stream(seed, 9), width);
  const topics = normals(stream(seed, 10), (present(segment[length - 1]) + 1) * width);
  const noise = stream(seed, 11);
  const values = new Float64Array(length * width);
  for (let t = 0, i = 0; t < length; t += 1) {
    const topic = (segment[t] ?? outOfRange()) * width;
    for (let c = 0; c < width; c += 1, i += 1) {
      const topicPart = p.vs * (topics[topic + c] ?? outOfRange());
      const value = p.vm * (common[c] ?? outOfRange()) + topicPart + p.vn * normal(noise);
      values[i] = roundToHalf(t < p.sinks ? value * p.vsink : value);
    }
  }
  return values;
}

/** The segment of every token. */
function segments(seed: number, length: number, mean: number): Uint32Array {
  const draw = stream(seed, 1);
  const out = new Uint32Array(length);
  for (let t = 0, segment = 0; t < length; segment += 1) {
    const end = Math.min(length, t + 1 + Math.floor(uniform(draw) * (2 * mean - 1)));
    out.fill(segment, t, end);
    t = end;
  }
  return out;
}

/** A stream of random words: its state, in an array so that it stays an integer of the machine. */
type Draw = Int32Array;

const step = 0x6d2b79f5;

/** Mulberry32 (T. Ettinger, public domain), started for stream `id` of a seed. */
function stream(seed: number, id: number): Draw {
  return Int32Array.of(seed + Math.imul(0x9e3779b9, id));
}

/** The 32 bits of a state. */
function word(state: number): number {
  let t = Math.imul(state ^ (state >>> 15), state | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return (t ^ (t >>> 14)) >>> 0;
}

/** The next 32 bits of a stream. */
function bits(draw: Draw): number {
  const state = (present(draw[0]) + step) | 0;
  draw[0] = state;
  return word(state);
}

/** Uniform in [0, 1). */
function uniform(draw: Draw): number {
  return bits(draw) / 2 ** 32;
}

/** Irwin-Hall of twelve: about normal, variance 1, exact in a double. */
function normal(draw: Draw): number {
  let state = draw[0] ?? outOfRange();
  // Halves of words, whose sums stay integers of the machine.
  let high = 0;
  let low = 0;
  for (let i = 0; i < 12; i += 1) {
    state = (state + step) | 0;
    const bitsOfState = word(state);
    high += bitsOfState >>> 16;
    low += bitsOfState & 0xffff;
  }
  draw[0] = state;
  return (high * 2 ** 16 + low) / 2 ** 32 - 6;
}

function normals(draw: Draw, count: number): Float64Array {
  return Float64Array.from({ length: count }, () => normal(draw));
}

/** Pareto of exponent 2, at least 1. */
function tail(draw: Draw): number {
  return 1 / Math.sqrt(1 - uniform(draw));
}
