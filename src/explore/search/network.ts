// SPDX-License-Identifier: Apache-2.0
// An embedding of designs on the tensor library: their positions, their distances, and the gradient
// of a function of the squared distances. 32-bit numbers, WebAssembly.

import { defaultDevice, grad, init, jit, numpy as np, type numpy as Numpy } from "@jax-js/jax";
import type { Draws } from "../../base/draws.ts";
import { present } from "../../base/present.ts";
import type { Embedding, Level } from "./embedding.ts";

type Tensor = Numpy.Array;

/** One table of numbers, rows one after the other. */
interface Table {
  readonly shape: [rows: number, columns: number];
  readonly values: Float32Array;
}

/** Weights and biases of the levels, or the scales of the features. */
export type Weights = readonly Float32Array[];

/** An embedding compiled for `capacity` designs at once; unused rows are zeros. */
export interface Network {
  readonly capacity: number;
  /** True without levels: the weights are logarithms of the features' scales. */
  readonly scalesOnly: boolean;
  readonly start: (draws: Draws) => Weights;
  /** Squared distances, capacity x capacity. */
  readonly distances: (weights: Weights, rows: Float32Array) => Float32Array;
  /** Gradient by the weights, given the gradient by the squared distances. */
  readonly pullBack: (weights: Weights, rows: Float32Array, by: Float32Array) => Weights;
  /** Embedded designs, any number, and how many values each has. */
  readonly place: (
    weights: Weights,
    rows: Float32Array,
  ) => { readonly values: Float32Array; readonly width: number };
}

// The backend is the library's only global setting. For small tables, WebAssembly is faster than
// its other backends.
await init("wasm");
defaultDevice("wasm");

function tensor({ shape, values }: Table): Tensor {
  return np.array(values, { shape });
}

export function networkOf({ inputs, levels }: Embedding, capacity: number): Network {
  const shapes = shapesOf({ inputs, levels });
  const masks = levels.map(({ mask }) => ({
    shape: [mask.length, mask[0]?.length ?? 0] as [number, number],
    values: Float32Array.from(mask.flatMap((row) => row.map(Number))),
  }));
  const embed = (weights: readonly Tensor[], rows: Tensor): Tensor => {
    const [scales] = weights;
    if (levels.length === 0) return scales === undefined ? rows : rows.mul(np.exp(scales));
    // Features are around 0 from here on, where tanh hardly bends.
    let known = rows.sub(0.5);
    let latest = known;
    masks.forEach((mask, i) => {
      const [matrix, bias] = weights.slice(2 * i, 2 * i + 2);
      if (matrix === undefined || bias === undefined) return;
      const last = i === masks.length - 1;
      const seen = last ? known : known.ref;
      latest = np.tanh(np.matmul(seen, matrix.mul(tensor(mask))).add(bias));
      if (!last) known = np.concatenate([known, latest], 1);
    });
    return latest;
  };
  const distances = (weights: readonly Tensor[], rows: Tensor): Tensor => {
    const z = embed(weights, rows);
    const lengths = np.sum(np.square(z.ref), 1);
    const products = np.matmul(z.ref, np.transpose(z)).mul(2);
    return lengths.ref
      .reshape([capacity, 1])
      .add(lengths.reshape([1, capacity]))
      .sub(products);
  };
  const weighed = (weights: readonly Tensor[], rows: Tensor, by: Tensor): Tensor =>
    np.sum(distances(weights, rows).mul(by));
  const slope = grad(weighed);
  const compiled = {
    embed: jit(embed),
    distances: jit(distances),
    slope: jit((weights: Tensor[], rows: Tensor, by: Tensor): Tensor[] => [
      ...slope(weights, rows, by),
    ]),
  };
  const up = (weights: Weights): Tensor[] =>
    weights.map((values, i) => tensor({ shape: shapes[i] ?? [0, 0], values }));
  const table = (values: Float32Array): Tensor =>
    tensor({ shape: [values.length / inputs, inputs], values });
  return {
    capacity,
    scalesOnly: levels.length === 0,
    start: (draws) =>
      shapes.map((shape, i) =>
        i % 2 === 1
          ? new Float32Array(shape[0] * shape[1])
          : startOf(shape, masks[i >> 1], levels[i >> 1], draws),
      ),
    distances: (weights, rows) => down(compiled.distances(up(weights), table(rows))),
    pullBack: (weights, rows, by) => {
      const slopes = tensor({ shape: [capacity, capacity], values: by });
      return compiled.slope(up(weights), table(rows), slopes).map(down);
    },
    place: (weights, rows) => {
      const values = down(compiled.embed(up(weights), table(rows)));
      return { values, width: (values.length * inputs) / rows.length };
    },
  };
}

/** The numbers of a result, which the library stores as 32-bit floats by default. */
function down(result: Tensor): Float32Array {
  const values: unknown = result.dataSync();
  if (values instanceof Float32Array) return values;
  throw new TypeError("the tensor library answered with numbers that are not 32 bits wide.");
}

function shapesOf({ inputs, levels }: Embedding): readonly [number, number][] {
  if (levels.length === 0) return [[1, inputs]];
  return levels.flatMap(({ mask }): [number, number][] => {
    const width = mask[0]?.length ?? 0;
    return [
      [mask.length, width],
      [1, width],
    ];
  });
}

/**
 * Initial weights: the inputs that the level passes on, or random weights of variance 1 over the
 * number of inputs per output. Scales without a network begin at 0.
 */
function startOf(
  [rows, columns]: readonly [number, number],
  mask: Table | undefined,
  level: Level | undefined,
  { normal }: Draws,
): Float32Array {
  const weights = new Float32Array(rows * columns);
  if (mask === undefined || level === undefined) return weights;
  const { passes } = level;
  if (passes !== undefined) {
    passes.forEach((input, output) => (weights[input * columns + output] = 1));
    return weights;
  }
  const fanIn = Array.from({ length: columns }, (_, j) =>
    mask.values.reduce((sum, seen, i) => sum + (i % columns === j ? seen : 0), 0),
  );
  return weights.map((_, i) => {
    const seen = present(mask.values[i]);
    return seen === 0 ? 0 : normal() / Math.sqrt(fanIn[i % columns] ?? 1);
  });
}
