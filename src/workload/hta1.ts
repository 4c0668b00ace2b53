// SPDX-License-Identifier: Apache-2.0
// hta1: synthetic attention heads with heavy-tailed queries, topical segments and attention sinks,
// the same bit for bit in any language: only + - * / sqrt, integer mixing, rounding to binary16.

import { present } from "../base/present.ts";
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
  const p = parameters;
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

  const at = (matrix: Float64Array, row: number, column: number): number =>
    present(matrix[row * width + column]);
  const fill = (value: (t: number, c: number) => number): Float64Array => {
    const out = new Float64Array(length * width);
    for (let t = 0; t < length; t += 1) {
      for (let c = 0; c < width; c += 1) out[t * width + c] = roundToHalf(value(t, c));
    }
    return out;
  };

  const keyNoise = stream(seed, 5);
  const keys = fill((t, c) => {
    const key = present(salience[t]) * at(topics, present(segment[t]), c) + p.kn * normal(keyNoise);
    return t < p.sinks ? key + p.sink * present(sign[c]) : key;
  });

  const relevantDraw = stream(seed, 7);
  const queryNoise = stream(seed, 8);
  let relevant: number[] = [];
  const queries = fill((t, c) => {
    const topic = present(segment[t]);
    if (c === 0) {
      relevant = Array.from({ length: p.nrel }, () =>
        Math.floor(uniform(relevantDraw) * (topic + 1)),
      );
    }
    let sum = p.b0 * at(topics, topic, c);
    for (const other of relevant) sum += p.b * at(topics, other, c);
    sum += p.qn * normal(queryNoise);
    sum += p.sinkq * present(sign[c]);
    return present(gain[c]) * sum;
  });

  const common = normals(stream(seed, 9), width);
  const topicValues = normals(stream(seed, 10), segmentCount * width);
  const valueNoise = stream(seed, 11);
  const values = fill((t, c) => {
    const topicPart = p.vs * at(topicValues, present(segment[t]), c);
    const value = p.vm * present(common[c]) + topicPart + p.vn * normal(valueNoise);
    return t < p.sinks ? value * p.vsink : value;
  });
  return { length, width, queries, keys, values };
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
  let state = present(draw[0]);
  let sum = 0;
  for (let i = 0; i < 12; i += 1) {
    state = (state + step) | 0;
    sum += word(state);
  }
  draw[0] = state;
  return sum / 2 ** 32 - 6;
}

function normals(draw: Draw, count: number): Float64Array {
  return Float64Array.from({ length: count }, () => normal(draw));
}

/** Pareto of exponent 2, at least 1. */
function tail(draw: Draw): number {
  return 1 / Math.sqrt(1 - uniform(draw));
}
