// SPDX-License-Identifier: Apache-2.0
// The best placement of a block shape as a linear program (HiGHS), and the best block shape by
// enumeration. The program's coefficients are read off the cost model itself, which is affine in the
// shares: once at zero, once at each unit share.

import highsLoader, { type LegacyHighs } from "highs";
import { seconds, type Seconds } from "../../../base/units.ts";
import { present } from "../../../base/present.ts";
import {
  layerTerms,
  overlapOf,
  shareNames,
  termNames,
  type FlexGenLoad,
  type FlexGenModel,
  type Placement,
  type TermName,
  type Variant,
} from "../model/cost.ts";
import { type FlexGenMachine } from "../../experiment/machines.ts";
import { evaluate } from "../model/evaluate.ts";
import { capacityOf, memoryRows } from "../model/memory.ts";

/** Parameters of the search, except for the block's shape. */
export interface SearchProblem {
  readonly variant: Variant;
  readonly machine: FlexGenMachine;
  readonly model: FlexGenModel;
  readonly prompt: number;
  readonly output: number;
  /** Capacities are scaled by this. */
  readonly relax: number;
  /** No hidden state on disk (the released search). */
  readonly noHiddenOnDisk: boolean;
}

export interface Solved {
  readonly placement: Placement;
  /** Seconds a sequence. */
  readonly objective: Seconds;
}

/** A solver; create it once, because loading is slow. */
export type LpSolver = LegacyHighs;

/** The package declares its types as CommonJS but exports the loader as an ES module's default. */
export function loadSolver(): Promise<LpSolver> {
  const load = highsLoader as unknown as () => Promise<LpSolver>;
  return load();
}

/** `constant + sum of coefficient x share`. */
interface Affine {
  readonly constant: number;
  readonly coefficients: readonly number[];
}

const zero = Object.fromEntries(shareNames.map((name) => [name, 0])) as Placement;

/** The affine functions that `f` returns, evaluated at zero and at each unit share. */
function affineParts(f: (at: Placement) => readonly number[]): readonly Affine[] {
  const atUnit = shareNames.map((name) => f({ ...zero, [name]: 1 }));
  return f(zero).map((constant, i) => ({
    constant,
    coefficients: atUnit.map((values) => (values[i] ?? constant) - constant),
  }));
}

/** The best placement of one block shape; null if no placement fits. */
export function solveBlock(
  solver: LpSolver,
  problem: SearchProblem,
  gpuBatch: number,
  batches: number,
): Solved | null {
  const { variant, machine, model, prompt, output, relax } = problem;
  const load: FlexGenLoad = { prompt, output, gpuBatch, batches };
  const overlap = overlapOf(variant);
  const terms = affineParts((at) => {
    const values = layerTerms(variant, machine, model, load, at);
    return termNames.map((name) => values[name]);
  });
  const term = new Map(termNames.map((name, i) => [name, terms[i]]));
  const lines: string[] = [];
  const bound = (time: string, groups: readonly (readonly TermName[])[]): void => {
    for (const names of groups) {
      const group = addAll(names.map((name) => term.get(name)));
      lines.push(`${linear(group.coefficients)} - ${time} <= ${number(-group.constant)}`);
    }
  };
  bound("tp", overlap.prefill);
  bound("tg", overlap.decode);
  const rows = memoryRows(variant, model, load, zero);
  const used = affineParts((at) => memoryRows(variant, model, load, at).map((row) => row.bytes));
  rows.forEach(({ tier }, i) => {
    const limit = capacityOf(machine, tier) * relax;
    const unit = Math.max(limit, 1);
    const scaled = (used[i]?.coefficients ?? []).map((c) => c / unit);
    lines.push(`${linear(scaled)} <= ${number((limit - (used[i]?.constant ?? 0)) / unit)}`);
  });
  lines.push("wg + wc + wn = 1", "cg + cc + cn = 1", "hg + hc + hn = 1");
  const decodeWeight = number(output - 1);
  const bounds = problem.noHiddenOnDisk ? "Bounds\n hn = 0\n" : "";
  const text = `Minimize\n cost: tp + ${decodeWeight} tg\nSubject To\n${lines
    .map((line, i) => ` r${i}: ${line}`)
    .join("\n")}\n${bounds}End\n`;
  const solution = solver.solve(text, {
    primal_feasibility_tolerance: 1e-10,
    dual_feasibility_tolerance: 1e-10,
  });
  if (solution.Status !== "Optimal") return null;
  const columns = solution.Columns;
  const value = (name: string): number => {
    const column = columns[name];
    return column !== undefined && "Primal" in column ? column.Primal : 0;
  };
  const placement = normalised(value);
  const { perSequence } = evaluate({ variant, machine, model, load, placement, relax });
  return { placement, objective: perSequence };
}

/** Shares in [0, 1] whose triples sum to one, without the solver's rounding errors. */
function normalised(value: (name: string) => number): Placement {
  const raw = shareNames.map((name) => Math.max(0, value(name)));
  const total = (i: number): number => raw.slice(i - (i % 3), i - (i % 3) + 3).reduce(plus, 0);
  return Object.fromEntries(
    shareNames.map((name, i) => [name, present(raw[i]) / total(i)]),
  ) as Placement;
}

function plus(a: number, b: number): number {
  return a + b;
}

function addAll(parts: readonly (Affine | undefined)[]): Affine {
  return {
    constant: parts.reduce((t, p) => t + (p?.constant ?? 0), 0),
    coefficients: shareNames.map((_, i) =>
      parts.reduce((t, p) => t + (p?.coefficients[i] ?? 0), 0),
    ),
  };
}

/** A row of the LP format; a row of zeros still needs a variable. */
function linear(coefficients: readonly number[]): string {
  const terms = coefficients.flatMap((c, i) => (c === 0 ? [] : [`${number(c)} ${shareNames[i]}`]));
  return terms.length === 0 ? "0 wg" : terms.join(" + ").replaceAll("+ -", "- ");
}

/** Seventeen digits represent a double exactly. */
function number(x: number): string {
  return x.toPrecision(17);
}

export interface SearchResult {
  /** Objective of each (GPU batch, batches); null if no placement fits. */
  readonly grid: readonly (readonly (Seconds | null)[])[];
  readonly best: (Solved & { readonly gpuBatch: number; readonly batches: number }) | null;
  /** Every block shape as good as the best. */
  readonly argmin: readonly (readonly [gpuBatch: number, batches: number])[];
}

/** Ties of the objective that are the solver's rounding. */
const tie = 1e-9;

/** The best block shape of a grid. */
export function searchPolicy(
  solver: LpSolver,
  problem: SearchProblem,
  gpuBatches: readonly number[],
  batchCounts: readonly number[],
): SearchResult {
  const solved = gpuBatches.flatMap((gpuBatch) =>
    batchCounts.map((batches) => ({
      gpuBatch,
      batches,
      solution: solveBlock(solver, problem, gpuBatch, batches),
    })),
  );
  const candidates = solved.flatMap(({ gpuBatch, batches, solution }) =>
    solution === null ? [] : [{ gpuBatch, batches, ...solution }],
  );
  const least = seconds(Math.min(...candidates.map((f) => f.objective)));
  const equal = candidates.filter((f) => f.objective <= least * (1 + tie));
  return {
    grid: gpuBatches.map((_, i) =>
      batchCounts.map((_, j) => solved[i * batchCounts.length + j]?.solution?.objective ?? null),
    ),
    best: equal[0] ?? null,
    argmin: equal.map((f) => [f.gpuBatch, f.batches]),
  };
}
