// SPDX-License-Identifier: Apache-2.0
// Heads for the SparF kernel's bench, and the expected results.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { HeadCache } from "../../src/golden/attention/attention.ts";
import {
  engineDense,
  engineGroupAttention,
  logitScale,
} from "../../src/golden/attention-engine.ts";
import type { SparfParameters } from "../../src/golden/attention/sparf.ts";
import { numberToHalf } from "../../src/golden/half.ts";
import { runTool } from "../../src/native/compile/process.ts";

/** A head for the kernel, and the division of its data into jobs. */
export interface KernelHead extends SparfParameters {
  readonly queries: readonly Float64Array[];
  readonly cache: HeadCache;
  readonly dense: boolean;
  readonly mean: boolean;
  /** Tokens in dimension order, tokens of a column job, rows of a row job. */
  readonly layout: readonly [number, number, number];
}

/** The results of a head. */
export interface KernelOutcome {
  readonly dims: readonly number[];
  readonly tokens: readonly number[];
  readonly out: readonly number[];
}

const floatBits = (x: number): number => new Uint32Array(Float32Array.of(x).buffer)[0] ?? 0;
const halves = (values: Float64Array): Buffer =>
  Buffer.from(Uint16Array.from(values, numberToHalf).buffer);

function bytesOf(head: KernelHead): readonly Buffer[] {
  const { queries, cache, dense, mean, r, k, l, layout } = head;
  const used = cache.length * cache.width;
  const fields = [Number(dense), queries.length, cache.length, r, k, l, Number(mean)];
  const scalars = [logitScale(cache.width), Math.fround(1 / cache.length)].map(floatBits);
  return [
    Buffer.from(Uint32Array.of(...fields, ...scalars, ...layout).buffer),
    ...[...queries, cache.keys.subarray(0, used), cache.values.subarray(0, used)].map(halves),
  ];
}

/** Settings of the bench, apart from the heads. */
export interface KernelRun {
  /** Where its files go. */
  readonly directory: string;
  /**
   * The shares of cycles, of 256, in which heads, jobs of keys, jobs of values and outputs pause.
   */
  readonly pauses: readonly [heads: number, keys: number, values: number, leaving: number];
  /** Of these pauses. */
  readonly seed?: number;
  /** Where the pairs of states of cycle model and RTL go. */
  readonly pairs?: string;
}

/** Runs heads through the kernel. @throws NeardataError if they do not end or the cycle model differs */
export async function runKernel(
  bench: string,
  heads: readonly KernelHead[],
  { directory, pairs, pauses, seed = 1 }: KernelRun,
): Promise<readonly KernelOutcome[]> {
  const [input, output] = [join(directory, "heads"), join(directory, "results")];
  writeFileSync(
    input,
    Buffer.concat([
      Buffer.from(Uint32Array.of(seed).buffer),
      Buffer.from(pauses),
      ...heads.flatMap(bytesOf),
    ]),
  );
  await runTool(bench, [input, output, ...(pairs === undefined ? [] : [pairs])]);
  const bytes = readFileSync(output);
  const words = new Uint32Array(Uint8Array.from(bytes).buffer);
  let at = 0;
  const take = (count: number): Uint32Array => words.subarray(at, (at += count));
  return heads.map(({ queries, cache: { width } }) => {
    const mask = take(Math.ceil(width / 32));
    const dims = Array.from({ length: width }, (_, c) => c).filter(
      (c) => (((mask[c >>> 5] ?? 0) >>> (c & 31)) & 1) === 1,
    );
    const [count = 0] = take(1);
    return { dims, tokens: [...take(count)], out: [...take(queries.length * width)] };
  });
}

/** The golden arithmetic. */
export function kernelGolden({
  queries,
  cache,
  dense,
  mean,
  ...parameters
}: KernelHead): KernelOutcome {
  if (dense) {
    const all = (size: number): number[] => Array.from({ length: size }, (_, i) => i);
    const out = queries.flatMap((query) => [...engineDense(query, cache)].map(numberToHalf));
    return { dims: all(cache.width), tokens: all(cache.length), out };
  }
  const results = engineGroupAttention(queries, cache, parameters, mean);
  const [first] = results;
  return {
    dims: [...(first?.dims ?? [])],
    tokens: [...(first?.tokens ?? [])],
    out: results.flatMap(({ out }) => [...out].map(numberToHalf)),
  };
}
