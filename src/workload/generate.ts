// SPDX-License-Identifier: Apache-2.0
// Experts and inputs from a seed, with values as they stand in trained checkpoints: weights nearly
// normal with a deviation of 1/sqrt(columns), inputs nearly normal with deviation 1 (what a norm
// layer leaves), both rounded to the format.

import type { FloatFormat } from "../golden/activation.ts";
import { toBits } from "../golden/float16.ts";
import type { ExpertWeights } from "./expert.ts";
import { normalSamples, randomStream } from "./random.ts";
import type { RandomStream } from "./random.ts";

export interface GeneratedExpert {
  readonly seed: number;
  /** Names another expert of the same seed; `model.layers.3.mlp.experts.17`. */
  readonly name: string;
  readonly format: FloatFormat;
  readonly hidden: number;
  readonly intermediate: number;
}

/** Elements are drawn from a table of so many values. */
const tableSize = 65536;

/** The same expert for the same request, on every machine. */
export function generateExpert(request: GeneratedExpert): ExpertWeights {
  const { name, format, hidden, intermediate } = request;
  // Drawn when it is first asked for: a closed form needs no values.
  let samples: Float64Array | null = null;
  const drawn = new Map<string, Uint16Array>();
  const matrix = (which: string, rows: number, columns: number): Uint16Array => {
    const made = drawn.get(which);
    if (made !== undefined) return made;
    samples ??= normalSamples(request.seed, "weights", tableSize);
    const values = draw(
      randomStream(request.seed, `${name}.${which}`),
      Uint16Array.from(samples, (sample) => toBits(format, sample / Math.sqrt(columns))),
      rows * columns,
    );
    drawn.set(which, values);
    return values;
  };
  return {
    name,
    format,
    hidden,
    intermediate,
    get gate() {
      return matrix("gate", intermediate, hidden);
    },
    get up() {
      return matrix("up", intermediate, hidden);
    },
    get down() {
      return matrix("down", hidden, intermediate);
    },
  };
}

/** Inputs [tokens][hidden]; the first tokens are the same however many are asked for. */
export function generateInputs(
  seed: number,
  format: FloatFormat,
  tokens: number,
  hidden: number,
): Uint16Array {
  return Uint16Array.from(normalSamples(seed, "inputs", tokens * hidden), (sample) =>
    toBits(format, sample),
  );
}

/** Each word of the stream picks two elements from the table. */
function draw(stream: RandomStream, table: Uint16Array, count: number): Uint16Array {
  const bits = new Uint16Array(count);
  for (let i = 0; i < count; i += 2) {
    const word = stream.bits(i);
    bits[i] = table[word & 0xffff] ?? 0;
    if (i + 1 < count) bits[i + 1] = table[word >>> 16] ?? 0;
  }
  return bits;
}
