// SPDX-License-Identifier: Apache-2.0
// Reference vectors of sparse attention, and how close a result has to be.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { memorySource } from "../../src/base/bytes.ts";
import { parseSparfDatasets, type SparfDataset } from "../../src/workload/sparf-dataset.ts";
import { has } from "./needs.ts";
import { oraclePath } from "./oracle.ts";

interface Alternatives {
  readonly chosen: readonly number[];
  readonly not_chosen: readonly number[];
}

/** The expected values of one case. */
export interface ExpectedCase {
  readonly id: string;
  readonly k_eff: number;
  readonly i: readonly number[];
  readonly j?: readonly number[] | "all";
  readonly j_ranges?: readonly (readonly [number, number])[];
  readonly j_ambiguous?: Alternatives;
  readonly tau: number;
  readonly alpha: number;
  readonly out: readonly number[];
  readonly tol_fp32: number;
  readonly v_max: number;
  readonly pages: unknown;
}

/** A dataset with its expected results. */
export interface VectorSet {
  readonly dataset: SparfDataset;
  readonly cases: readonly ExpectedCase[];
  readonly dense: readonly {
    readonly q: number;
    readonly out: readonly number[];
    readonly tol_fp32: number;
  }[];
}

type Document = Omit<VectorSet, "dataset"> & {
  readonly datasets?: readonly Omit<VectorSet, "dataset">[];
};

/** Names of the dataset files under `area` (none when they are absent). */
export function vectorFiles(area: string, pattern: RegExp): readonly string[] {
  if (!has(`oracle/${area}`)) return [];
  return readdirSync(oraclePath(area)).filter((name) => pattern.test(name));
}

/** The datasets of one file. */
export function readVectors(area: string, name: string): readonly VectorSet[] {
  const path = oraclePath(area, name);
  const document = JSON.parse(readFileSync(path, "utf8")) as Document;
  const open = (file: string): ReturnType<typeof memorySource> =>
    memorySource(file, readFileSync(join(dirname(path), file)));
  const datasets = parseSparfDatasets(document, open, name);
  const expected = document.datasets ?? [document];
  return datasets.map((dataset, i) => {
    const { cases, dense } = expected[i] ?? document;
    return { dataset, cases, dense };
  });
}

/** The expected tokens, written out. */
export function expectedTokens(expected: ExpectedCase, length: number): readonly number[] {
  const range = (from: number, to: number): number[] =>
    Array.from({ length: to - from + 1 }, (_, i) => from + i);
  if (expected.j_ranges !== undefined) return expected.j_ranges.flatMap(([a, b]) => range(a, b));
  if (expected.j === undefined || expected.j === "all") return range(0, length - 1);
  return expected.j;
}

/** Whether `tokens` is the expected choice or one that its listed ties allow. */
export function legalTokens(
  expected: ExpectedCase,
  length: number,
  tokens: readonly number[],
): boolean {
  const wanted = expectedTokens(expected, length);
  if (tokens.length !== expected.k_eff) return false;
  if (tokens.every((t, i) => t === wanted[i])) return true;
  const ties = expected.j_ambiguous;
  if (ties === undefined) return false;
  const allowed = new Set([...wanted, ...ties.not_chosen]);
  const fixed = wanted.filter((t) => !ties.chosen.includes(t));
  return tokens.every((t) => allowed.has(t)) && fixed.every((t) => tokens.includes(t));
}
