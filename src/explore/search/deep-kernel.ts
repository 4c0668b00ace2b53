// SPDX-License-Identifier: Apache-2.0
// A Gaussian process over embedded designs, network and kernel trained together by gradient (deep
// kernel learning, Wilson et al., AISTATS 2016). One for each objective.

import type { Draws } from "../../base/draws.ts";
import { present } from "../../base/present.ts";
import {
  likelihood,
  posterior,
  squaredDistances,
  defaultHyperparameters,
  type Hyperparameters,
  type Posterior,
} from "./gaussian.ts";
import type { Network, Weights } from "./network.ts";

/** The state of a surrogate: training continues from it. */
export interface DeepKernel {
  /** Where the weights began. */
  readonly origin: Weights;
  readonly weights: Weights;
  readonly kernel: Hyperparameters;
}

/** Evaluated designs: their features and objective values. */
export interface Known {
  readonly features: readonly (readonly number[])[];
  readonly values: readonly number[];
}

/** How the negative log posterior is descended. */
export interface Training {
  readonly steps: number;
  readonly rate: number;
}

export function startKernel(network: Network, draws: Draws): DeepKernel {
  const origin = network.start(draws);
  return { origin, weights: origin, kernel: defaultHyperparameters };
}

/**
 * Normal priors, as one over their variance: weights stay near where they began, for a few tens of
 * values would else be learned by heart; hyperparameters and scales near their usual values.
 */
const weightPrior = 30;
const hyperparameterPrior = 4;

/** Training by Adam (Kingma and Ba, ICLR 2015, with its usual constants). */
export function train(
  network: Network,
  from: DeepKernel,
  { features, values }: Known,
  { rate, steps }: Training,
): DeepKernel {
  const { capacity } = network;
  const n = features.length;
  if (n > capacity) throw new RangeError(`the network holds ${String(capacity)} designs.`);
  const rows = new Float32Array(capacity * (features[0]?.length ?? 0));
  rows.set(features.flat());
  const y = Float64Array.from(values);
  const parameters = [
    ...from.weights.map((w) => w.slice()),
    Float32Array.from(listOf(from.kernel)),
  ];
  const moments = parameters.map((w) => [new Float32Array(w.length), new Float32Array(w.length)]);
  for (let step = 1; step <= steps; step += 1) {
    const weights = parameters.slice(0, -1);
    const squared = corner(network.distances(weights, rows), capacity, n);
    const slope = likelihood(squared, y, kernelOf(parameters.at(-1)));
    const by = new Float32Array(capacity * capacity);
    slope.squared.forEach((value, i) => {
      by[Math.floor(i / n) * capacity + (i % n)] = value;
    });
    const gradient = [
      ...network.pullBack(weights, rows, by),
      Float32Array.from(listOf(slope.hyperparameters)),
    ];
    parameters.forEach((values, i) => {
      const hyper = i === parameters.length - 1;
      const origin = hyper ? usual : (from.origin[i] ?? []);
      const strength = hyper || network.scalesOnly ? hyperparameterPrior : weightPrior;
      const prior = (x: number, j: number): number => strength * (x - present(origin[j]));
      descend(values, gradient[i], { moments: moments[i], prior, rate, step });
    });
  }
  return {
    origin: from.origin,
    weights: parameters.slice(0, -1),
    kernel: kernelOf(parameters.at(-1)),
  };
}

interface DescentStep {
  /** First and second moment of each parameter. */
  readonly moments: readonly Float32Array[] | undefined;
  /** Gradient of the prior at a value `x` of parameter `j`. */
  readonly prior: (x: number, j: number) => number;
  readonly rate: number;
  /** From 1 on. */
  readonly step: number;
}

/** One step of Adam on one table of parameters. */
function descend(
  parameters: Float32Array,
  gradient: Float32Array | undefined,
  { moments: [first, second] = [], prior, rate, step }: DescentStep,
): void {
  if (gradient === undefined || first === undefined || second === undefined) return;
  for (let j = 0; j < parameters.length; j += 1) {
    const x = present(parameters[j]);
    const slope = present(gradient[j]) + prior(x, j);
    first[j] = 0.9 * present(first[j]) + 0.1 * slope;
    second[j] = 0.999 * present(second[j]) + 0.001 * slope * slope;
    const mean = present(first[j]) / (1 - 0.9 ** step);
    const deviation = Math.sqrt(present(second[j]) / (1 - 0.999 ** step));
    parameters[j] = x - (rate * mean) / (deviation + 1e-8);
  }
}

/** The objective at other designs. */
export function predict(
  network: Network,
  { kernel, weights }: DeepKernel,
  { features, values }: Known,
  others: readonly (readonly number[])[],
): Posterior {
  const embedded = network.place(weights, Float32Array.from([...features, ...others].flat()));
  const all = Float64Array.from(embedded.values);
  const known = all.subarray(0, features.length * embedded.width);
  const rest = all.subarray(features.length * embedded.width);
  const squared = squaredDistances(known, known, embedded.width);
  const across = squaredDistances(rest, known, embedded.width);
  return posterior(squared, across, Float64Array.from(values), kernel);
}

function listOf({ length, noise, scale }: Hyperparameters): readonly number[] {
  return [length, scale, noise];
}

const usual = listOf(defaultHyperparameters);

function kernelOf(table: Float32Array | undefined): Hyperparameters {
  const [length = 0, scale = 0, noise = 0] = table ?? [];
  return { length, scale, noise };
}

/** The leading n x n of a table of `capacity` columns. */
function corner(table: Float32Array, capacity: number, n: number): Float64Array {
  return Float64Array.from({ length: n * n }, (_, i) => {
    const row = Math.floor(i / n);
    const column = i % n;
    return row === column ? 0 : Math.max(0, present(table[row * capacity + column]));
  });
}
