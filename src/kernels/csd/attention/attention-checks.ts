// SPDX-License-Identifier: Apache-2.0
// Expected attention of a layer, and the comparison: outputs and selections equal to the golden
// model and close to float64, pages as computed from the rules.

import { denseAttention, meanValue, type HeadCache } from "../../../golden/attention/attention.ts";
import {
  engineAttention,
  engineDense,
  engineFirstStep,
  engineGroupAttention,
} from "../../../golden/attention-engine.ts";
import type { FirstStep } from "../../../golden/attention-engine.ts";
import { meanOfValues } from "../../../golden/engine-mean.ts";
import { halvesToNumbers, numbersToHalves } from "../../../golden/half.ts";
import { countGroups } from "../../../golden/attention/pages.ts";
import { distance } from "../../../golden/reference.ts";
import {
  approximateLogits,
  sparfAttention,
  sparfGroupAttention,
} from "../../../golden/attention/sparf.ts";
import { compareOutputs, outcomeSentence, type ComparedOutputs } from "../../../results/checks.ts";
import { attentionTimesCheck } from "../../../results/latency/time-checks.ts";
import type { Check } from "../../../results/metric.ts";
import { queryOf, type AttentionHead } from "../../../workload/attention-heads.ts";
import type { CsdMachine } from "../../../machine/csd/csd-machine.ts";
import type { CsdJobResult } from "../../../machine/csd/csd-jobs.ts";
import type { HeadChoice } from "../flash-heads.ts";
import type { LayerTask } from "./sparse-attention.ts";
import type { LayerStep } from "../../../machine/csd/layer-step.ts";

/** By step and head. */
type ByHead<T> = readonly (readonly T[])[];

/** Expected choices and outputs of one layer. */
export interface ExpectedLayer {
  readonly choices: ByHead<HeadChoice>;
  /** All outputs one after another: bits, the method in float64, dense attention in float64. */
  readonly golden: Uint16Array;
  readonly real: Float64Array;
  readonly dense: Float64Array;
}

/** Expected outputs of layers, cached for runs on the same heads. */
export interface ExpectedLayers {
  /** By the parameters that decide the outputs, apart from the heads. */
  readonly layers: Map<string, ExpectedLayer>;
  /** By tokens: the values that do not depend on the method. */
  readonly caches: Map<number, readonly ExpectedCache[]>;
}

/** Of one head at one length: its latest query, dense attention, and means of its values. */
interface ExpectedCache {
  readonly query: Float64Array;
  readonly cache: HeadCache;
  readonly dense: Float64Array;
  readonly mean: Float64Array;
  /** As the engine rounds it. */
  readonly engineMean: Float64Array;
  /** By r: step 1, which k does not change, of the engine and in float64. */
  readonly firstSteps: Map<number, readonly [engine: FirstStep, real: Float64Array]>;
}

/** An empty cache. */
export function noExpectedLayers(): ExpectedLayers {
  return { layers: new Map(), caches: new Map() };
}

const nothing: HeadChoice = { dims: new Uint32Array(), tokens: new Uint32Array() };

export function expectedLayer(
  task: LayerTask,
  known: ExpectedLayers = noExpectedLayers(),
): ExpectedLayer {
  const lengths = Array.from({ length: task.decode + 1 }, (_, i) => task.length + i);
  const { group = 1 } = task;
  const all = lengths.map((length) =>
    cachesOf(task.heads, length, known).map((one, h) => {
      const { query, cache, dense, mean, engineMean } = one;
      const head = task.heads[h];
      if (group > 1 && head !== undefined) return expectedGroup(task, head, group, one);
      if (task.method === "dense") {
        return { choice: nothing, golden: engineDense(query, cache), real: dense, dense };
      }
      const parameters = task.select(length);
      const [engineFirst, realFirst] = firstStepsOf(one, parameters.r);
      const choice = engineAttention(query, cache, parameters, engineMean, engineFirst);
      const real = sparfAttention(query, cache, parameters, mean, realFirst).out;
      return { choice, golden: choice.out, real, dense };
    }),
  );
  const heads = all.flat();
  const size = sizeOf(heads.map(({ golden }) => golden));
  const flat = (part: "golden" | "real" | "dense"): Float64Array =>
    joined(
      heads.map((head) => head[part]),
      new Float64Array(size),
    );
  return {
    choices: all.map((step) => step.map(({ choice }) => choice)),
    golden: numbersToHalves(flat("golden")),
    real: flat("real"),
    dense: flat("dense"),
  };
}

function cachesOf(
  heads: LayerTask["heads"],
  length: number,
  { caches }: ExpectedLayers,
): readonly ExpectedCache[] {
  const known = caches.get(length);
  if (known !== undefined) return known;
  const made = heads.map((head): ExpectedCache => {
    const { keys, values, width } = head;
    const query = queryOf(head, length - 1);
    const cache = { keys, values, width, length };
    const means = { mean: meanValue(cache), engineMean: meanOfValues(cache) };
    return { query, cache, dense: denseAttention(query, cache), ...means, firstSteps: new Map() };
  });
  caches.set(length, made);
  return made;
}

function firstStepsOf(
  { query, cache, firstSteps }: ExpectedCache,
  r: number,
): readonly [engine: FirstStep, real: Float64Array] {
  const known = firstSteps.get(r);
  if (known !== undefined) return known;
  const made = [engineFirstStep(query, cache, r), approximateLogits(query, cache, r)] as const;
  firstSteps.set(r, made);
  return made;
}

/** The expected choice and outputs of the queries of a group, concatenated. */
function expectedGroup(
  { method, select }: LayerTask,
  head: AttentionHead,
  group: number,
  { cache, mean }: ExpectedCache,
): {
  readonly choice: HeadChoice;
  readonly golden: Float64Array;
  readonly real: Float64Array;
  readonly dense: Float64Array;
} {
  const queries = Array.from({ length: group }, (_, g) => queryOf(head, cache.length - group + g));
  const rows = (of: readonly Float64Array[]): Float64Array =>
    joined(of, new Float64Array(sizeOf(of)));
  const dense = rows(queries.map((query) => denseAttention(query, cache)));
  if (method === "dense") {
    const golden = rows(queries.map((query) => engineDense(query, cache)));
    return { choice: nothing, golden, real: dense, dense };
  }
  const parameters = select(cache.length);
  const sparfResults = engineGroupAttention(queries, cache, parameters);
  const real = sparfGroupAttention(queries, cache, parameters, mean);
  return {
    choice: sparfResults[0] ?? nothing,
    golden: rows(sparfResults.map(({ out }) => out)),
    real: rows(real.map(({ out }) => out)),
    dense,
  };
}

/** The attention of every head and step, in that order. */
function resultsOf(steps: readonly LayerStep[]): readonly (CsdJobResult | undefined)[] {
  return steps.flatMap(({ run, jobs }) => jobs.map((job) => run.jobs[job]));
}

/** All output bits, step by step and head by head. */
export function outputsOf(steps: readonly LayerStep[]): Uint16Array {
  const rows = resultsOf(steps).map((result) => result?.outputs ?? new Uint16Array());
  return joined(rows, new Uint16Array(sizeOf(rows)));
}

/** Against the golden model and float64, and against dense attention in float64. */
export function layerAccuracy(
  steps: readonly LayerStep[],
  wanted: ExpectedLayer,
): ComparedOutputs & { readonly againstDense: number } {
  const bits = outputsOf(steps);
  const actual = halvesToNumbers(bits);
  return {
    ...compareOutputs(bits, actual, wanted, "F16"),
    againstDense: distance(actual, wanted.dense.subarray(0, actual.length)).relativeL2,
  };
}

function sizeOf(rows: readonly { readonly length: number }[]): number {
  return rows.reduce((sum, row) => sum + row.length, 0);
}

/** `into`, filled with one row behind the other. */
function joined<Rows extends Uint16Array | Float64Array>(rows: readonly Rows[], into: Rows): Rows {
  let at = 0;
  for (const row of rows) {
    into.set(row, at);
    at += row.length;
  }
  return into;
}

/** The checks of a case. */
export function attentionChecks(
  { flash, unit }: CsdMachine,
  task: LayerTask,
  steps: readonly LayerStep[],
  { wanted, accuracy }: { readonly wanted: ExpectedLayer; readonly accuracy: ComparedOutputs },
): readonly Check[] {
  const results = resultsOf(steps);
  const choices = wanted.choices.flat();
  const broken = steps.flatMap(({ run }) =>
    run.devices.filter(({ outcome }) => outcome.kind !== "completed"),
  );
  const undone = results.filter((r) => r?.status !== "done").length;
  const special = steps.flatMap(({ run }) => run.jobs).filter((job) => job.nonFinite).length;
  const unlike = results.filter((r, i) => !sameChoice(r, choices[i], task.method)).length;
  const layout = {
    pageBytes: flash.page_bytes,
    m: task.dimsPerPage,
    n: flash.page_bytes / (2 * unit.width),
  };
  const astray = results.filter((r) => r !== undefined && !pagesHold(layout, task.method, r));
  return [
    {
      id: "outcome",
      title: "the run is complete",
      pass: broken.length === 0 && undone === 0,
      detail:
        broken[0] === undefined
          ? `${String(undone)} of ${String(results.length)} heads not done`
          : outcomeSentence(broken[0].outcome),
    },
    ...(special === 0
      ? []
      : [
          {
            id: "finite",
            title: "every query, key and value is finite",
            pass: false,
            detail: `${String(special)} jobs read an infinity or a NaN, which the engine cannot hold`,
          },
        ]),
    attentionTimesCheck(steps),
    ...accuracy.checks,
    ...(task.method === "dense"
      ? []
      : [
          {
            id: "choices",
            title: "selected dimensions and tokens equal the golden model",
            pass: unlike === 0,
            detail: `${String(unlike)} of ${String(results.length)} heads differ`,
          },
        ]),
    {
      id: "pages",
      title: "the pages read equal the pages that the selections need",
      pass: astray.length === 0,
      detail: `${String(astray.length)} of ${String(results.length)} heads read others`,
    },
  ];
}

function sameChoice(
  result: CsdJobResult | undefined,
  choice: HeadChoice | undefined,
  method: LayerTask["method"],
): boolean {
  if (method === "dense") return true;
  if (result === undefined || choice === undefined) return false;
  const same = (a: Uint32Array, b: Uint32Array): boolean =>
    a.length === b.length && a.every((value, i) => value === b[i]);
  return same(result.dims, choice.dims) && same(result.tokens, choice.tokens);
}

/**
 * Whether the job read the pages that the rules give for the tokens and dimensions on flash at its
 * start.
 */
function pagesHold(
  { pageBytes, m, n }: { readonly pageBytes: number; readonly m: number; readonly n: number },
  method: LayerTask["method"],
  { pages, onFlash, dims, tokens }: CsdJobResult,
): boolean {
  const groups =
    method === "dense" ? Math.ceil(onFlash.tokens / n) : countGroups(tokens, n, onFlash.tokens);
  const blocks = Math.ceil(onFlash.dims / (pageBytes / (2 * m)));
  const dimPages = method === "dense" ? 0 : blocks * countGroups(dims, m, Infinity);
  return pages.dims === dimPages && pages.keys === groups && pages.values === groups;
}
