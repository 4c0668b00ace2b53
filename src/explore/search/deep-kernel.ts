// SPDX-License-Identifier: Apache-2.0
// A Gaussian process over embedded designs, network and kernel trained together by gradient: two
// objectives over one embedding, a kernel of its own for each (deep kernel learning, Wilson et al.,
// AISTATS 2016, with the embedding that LLMShare's tree gives).

import type { Point } from "../../policy/llmshare/front.ts";
import type { Prediction } from "../../policy/llmshare/front.ts";
import type { Draws } from "../../policy/random.ts";
import {
  likelihood,
  posterior,
  squaredDistances,
  usualHyperparameters,
  type Hyperparameters,
} from "./gaussian.ts";
import type { Network, Weights } from "./network.ts";

/** A surrogate as it stands: training goes on from it. */
export interface DeepKernel {
  readonly weights: Weights;
  readonly kernels: readonly [Hyperparameters, Hyperparameters];
}

/** Designs by their features, and what is known of them. */
export interface Known {
  readonly features: readonly (readonly number[])[];
  readonly values: readonly Point[];
}

/** How the negative log posterior is descended. */
export interface Training {
  readonly steps: number;
  readonly rate: number;
}

export function startKernel(network: Network, draws: Draws): DeepKernel {
  return {
    weights: network.start(draws),
    kernels: [usualHyperparameters, usualHyperparameters],
  };
}

/** Weights are drawn to 0 and hyperparameters to their usual values, as by normal priors. */
const weightPrior = 1;
const hyperparameterPrior = 1;

/** Training by Adam (Kingma and Ba, ICLR 2015, with its usual constants). */
export function train(
  network: Network,
  capacity: number,
  from: DeepKernel,
  { features, values }: Known,
  { steps, rate }: Training,
): DeepKernel {
  const n = features.length;
  if (n > capacity) throw new RangeError(`the network holds ${String(capacity)} designs.`);
  const inputs = features[0]?.length ?? 0;
  const rows = new Float32Array(capacity * inputs);
  rows.set(features.flat());
  const targets = [0, 1].map((k) => Float64Array.from(values, (v) => v[k] ?? 0));
  const flat = [...from.weights.map((w) => w.slice()), kernelTable(from.kernels)];
  const first = flat.map((w) => new Float32Array(w.length));
  const second = flat.map((w) => new Float32Array(w.length));
  for (let step = 1; step <= steps; step += 1) {
    const weights = flat.slice(0, -1);
    const kernels = kernelsOf(flat.at(-1));
    const squared = corner(network.distances(weights, rows), capacity, n);
    const by = new Float32Array(capacity * capacity);
    const slopes = targets.map((y, k) => likelihood(squared, y, kernels[k] ?? kernels[0]));
    for (const { squared: own } of slopes) {
      own.forEach((slope, i) => {
        const at = Math.floor(i / n) * capacity + (i % n);
        by[at] = (by[at] ?? 0) + slope;
      });
    }
    const gradient = [
      ...network.pullBack(weights, rows, by),
      Float32Array.from(slopes.flatMap(({ hyperparameters: h }) => listOf(h))),
    ];
    flat.forEach((parameters, i) => {
      const hyper = i === flat.length - 1;
      const [m, v, g] = [first[i], second[i], gradient[i]];
      if (m === undefined || v === undefined || g === undefined) return;
      for (let j = 0; j < parameters.length; j += 1) {
        const x = parameters[j] ?? 0;
        const prior = hyper
          ? hyperparameterPrior * (x - (usual[j % usual.length] ?? 0))
          : weightPrior * x;
        const slope = (g[j] ?? 0) + prior;
        m[j] = 0.9 * (m[j] ?? 0) + 0.1 * slope;
        v[j] = 0.999 * (v[j] ?? 0) + 0.001 * slope * slope;
        const mean = (m[j] ?? 0) / (1 - 0.9 ** step);
        const deviation = Math.sqrt((v[j] ?? 0) / (1 - 0.999 ** step));
        parameters[j] = x - (rate * mean) / (deviation + 1e-8);
      }
    });
  }
  return { weights: flat.slice(0, -1), kernels: kernelsOf(flat.at(-1)) };
}

/** Both objectives at other designs. */
export function predict(
  network: Network,
  { weights, kernels }: DeepKernel,
  { features, values }: Known,
  others: readonly (readonly number[])[],
): readonly Prediction[] {
  const embedded = network.place(weights, Float32Array.from([...features, ...others].flat()));
  const all = Float64Array.from(embedded.values);
  const known = all.subarray(0, features.length * embedded.width);
  const rest = all.subarray(features.length * embedded.width);
  const squared = squaredDistances(known, known, embedded.width);
  const across = squaredDistances(rest, known, embedded.width);
  const [first, second] = kernels.map((kernel, k) =>
    posterior(
      squared,
      across,
      Float64Array.from(values, (v) => v[k] ?? 0),
      kernel,
    ),
  );
  return others.map((_, i) => ({
    mean: [first?.mean[i] ?? 0, second?.mean[i] ?? 0],
    std: [first?.std[i] ?? 0, second?.std[i] ?? 0],
  }));
}

function listOf({ length, scale, noise }: Hyperparameters): readonly number[] {
  return [length, scale, noise];
}

const usual = listOf(usualHyperparameters);

function kernelTable(kernels: DeepKernel["kernels"]): Float32Array {
  return Float32Array.from(kernels.flatMap(listOf));
}

function kernelsOf(table: Float32Array | undefined): DeepKernel["kernels"] {
  const at = (i: number): Hyperparameters => ({
    length: table?.[i] ?? 0,
    scale: table?.[i + 1] ?? 0,
    noise: table?.[i + 2] ?? 0,
  });
  return [at(0), at(3)];
}

/** The leading n x n of a table of `capacity` columns. */
function corner(table: Float32Array, capacity: number, n: number): Float64Array {
  return Float64Array.from({ length: n * n }, (_, i) => {
    const row = Math.floor(i / n);
    const column = i % n;
    return row === column ? 0 : Math.max(0, table[row * capacity + column] ?? 0);
  });
}
