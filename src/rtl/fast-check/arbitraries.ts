// SPDX-License-Identifier: Apache-2.0
// fast-check arbitraries for inputs of near-data hardware: bits of floating-point corner cases, experts,
// request traces, pauses of streams. All shrink to small and simple cases.

import fc from "fast-check";

import type { FloatFormat } from "../../golden/activation.ts";
import type { ExpertBits } from "../../golden/expert.ts";
import type { Pauses } from "../types.ts";

/** Kinds of bit patterns: near one, of any magnitude, or with NaN and infinities. */
export type BitsKind = "near" | "finite" | "special";

const layouts: Readonly<Record<FloatFormat, { readonly one: number; readonly special: number }>> = {
  fp16: { one: 0x3c00, special: 0x7c00 },
  bf16: { one: 0x3f80, special: 0x7f80 },
};

/** A bit pattern of a 16-bit format; shrinks towards 1. */
export function floatBits(format: FloatFormat, kind: BitsKind = "finite"): fc.Arbitrary<number> {
  const { one, special } = layouts[format];
  const fraction = fc.integer({ min: 0, max: (special & -special) - 1 });
  const sign = fc.constantFrom(0, 0x8000);
  const near = fc.tuple(sign, fraction).map(([s, f]) => s | one | f);
  if (kind === "near") return near;
  const any = fc.integer({ min: 0, max: 0xffff });
  const finite = any.map((bits) => ((bits & special) === special ? bits & ~special : bits));
  const extremes = fc.constantFrom(0, 0x8000, 1, 0x8001, special - 1, special - 1 + 0x8000);
  const all = [near, finite, extremes];
  if (kind === "special") all.push(fc.constantFrom(special, special | 0x8000, special + 1), any);
  return fc.oneof(...all);
}

/** `count` bit patterns. */
export function floatVectors(
  format: FloatFormat,
  count: number,
  kind: BitsKind = "finite",
): fc.Arbitrary<Uint16Array> {
  return fc
    .array(floatBits(format, kind), { minLength: count, maxLength: count })
    .map((bits) => Uint16Array.from(bits));
}

/**
 * An expert of a MoE layer and the inputs of its tokens, row by row, in the form of `goldenExpert`.
 */
export interface ArbitraryExpert {
  readonly weights: ExpertBits;
  readonly tokens: number;
  readonly inputs: Uint16Array;
}

/** Experts up to a size; odd sizes are as likely as even ones. */
export function experts({
  format = "fp16",
  hidden = 32,
  intermediate = 32,
  tokens = 4,
  kind = "finite",
}: {
  readonly format?: FloatFormat;
  readonly hidden?: number;
  readonly intermediate?: number;
  readonly tokens?: number;
  readonly kind?: BitsKind;
} = {}): fc.Arbitrary<ArbitraryExpert> {
  const size = (most: number): fc.Arbitrary<number> => fc.integer({ min: 1, max: most });
  return fc.tuple(size(hidden), size(intermediate), size(tokens)).chain(([h, i, t]) => {
    const vector = (count: number): fc.Arbitrary<Uint16Array> => floatVectors(format, count, kind);
    return fc
      .tuple(vector(h * i), vector(h * i), vector(h * i), vector(h * t))
      .map(([gate, up, down, inputs]) => ({
        weights: { format, hidden: h, intermediate: i, gate, up, down },
        tokens: t,
        inputs,
      }));
  });
}

/** A request of a memory trace. */
export interface TraceRequest {
  /** In cycles, not before the previous request. */
  readonly arrival: number;
  readonly write: boolean;
  readonly address: number;
}

/** Traces of whole bursts, with runs in one row, conflicts and idle times among them. */
export function traces({
  requests = 64,
  bytes = 2 ** 30,
  burst = 64,
}: {
  readonly requests?: number;
  readonly bytes?: number;
  readonly burst?: number;
} = {}): fc.Arbitrary<readonly TraceRequest[]> {
  const last = Math.floor(bytes / burst) - 1;
  const step = fc.record({
    gap: fc.oneof(
      fc.constant(0),
      fc.integer({ min: 0, max: 8 }),
      fc.integer({ min: 0, max: 5000 }),
    ),
    write: fc.boolean(),
    // Behind the request before it, or anywhere.
    jump: fc.option(fc.integer({ min: 0, max: last })),
  });
  return fc.array(step, { minLength: 1, maxLength: requests, size: "max" }).map((steps) => {
    let [arrival, place] = [0, 0];
    return steps.map(({ gap, write, jump }) => {
      arrival += gap;
      place = jump ?? Math.min(last, place + 1);
      return { arrival, write, address: place * burst };
    });
  });
}

/** Pauses of a stream: none, some or most cycles. */
export function stalls(): fc.Arbitrary<Pauses> {
  return fc.record({
    probability: fc.constantFrom(0, 0.1, 0.5, 0.9),
    seed: fc.integer({ min: 1, max: 1000 }),
  });
}
