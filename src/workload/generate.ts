// SPDX-License-Identifier: Apache-2.0
// Experts and inputs from a seed, with values like those of trained checkpoints: weights nearly
// normal with a deviation of 1/sqrt(columns), inputs nearly normal with deviation 1 (what a norm
// layer leaves), both rounded to the format.

import type { FloatFormat } from "../golden/activation.ts";
import { fromBits, toBits } from "../golden/float16.ts";
import type { ExpertWeights } from "./expert.ts";
import { normalSamples, randomStream } from "../base/random.ts";
import { present } from "../base/present.ts";

export interface GeneratedExpert {
  readonly seed: number;
  /** Names another expert of the same seed; `model.layers.3.mlp.experts.17`. */
  readonly name: string;
  readonly format: FloatFormat;
  readonly hidden: number;
  readonly intermediate: number;
  /** With biases of gate, up and down, nearly normal with deviation 1, rounded to the format. */
  readonly biases?: boolean;
}

/** Elements are sampled from a table with this number of values. */
const tableSize = 65536;

/** The same expert for the same request, on every machine. */
export function generateExpert(request: GeneratedExpert): ExpertWeights {
  const { name, format, hidden, intermediate } = request;
  // Generated at the first use: a closed form needs no values.
  const tables = new Map<number, Uint16Array>();
  const drawn = new Map<string, Uint16Array>();
  const tableOf = (columns: number): Uint16Array => {
    const known = tables.get(columns);
    if (known !== undefined) return known;
    const table = weightTable(request, columns);
    tables.set(columns, table);
    return table;
  };
  const matrix = (which: string, rows: number, columns: number): Uint16Array => {
    const made = drawn.get(which);
    if (made !== undefined) return made;
    const stream = randomStream(request.seed, `${name}.${which}`);
    const values = stream.pick(tableOf(columns), rows * columns);
    drawn.set(which, values);
    return values;
  };
  const biasOf = (which: string, rows: number): Float32Array =>
    Float32Array.from(normalSamples(request.seed, `${name}.${which}.bias`, rows), (sample) =>
      fromBits(format, toBits(format, sample)),
    );
  return {
    name,
    format,
    hidden,
    intermediate,
    ...(request.biases === true
      ? {
          biases: {
            gate: biasOf("gate", intermediate),
            up: biasOf("up", intermediate),
            down: biasOf("down", hidden),
          },
        }
      : {}),
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

/** Inputs [tokens][hidden]; the first tokens do not depend on the number of tokens. */
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

/** The table of weights: samples of deviation 1/sqrt(columns), as bits. */
function weightTable({ seed, format }: GeneratedExpert, columns: number): Uint16Array {
  const samples = normalSamples(seed, "weights", tableSize);
  const table = new Uint16Array(tableSize);
  for (let i = 0; i < tableSize; i += 1) {
    table[i] = toBits(format, present(samples[i]) / Math.sqrt(columns));
  }
  return table;
}
