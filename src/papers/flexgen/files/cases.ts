// SPDX-License-Identifier: Apache-2.0
// Cases of FlexGen: the policy search, one placement in detail, and the I/O of the schedules.

import { z } from "zod";
import type { Issue } from "../../../base/errors.ts";
import { bytes } from "../../../base/units.ts";
import { present } from "../../../base/present.ts";
import { layerWeights, shareNames } from "../model/cost.ts";
import type { FlexGenModel, Placement } from "../model/cost.ts";
import type { FlexGenMachine } from "../../experiment/machines.ts";
import { evaluate } from "../model/evaluate.ts";
import { scheduleCost } from "../model/schedule.ts";
import { loadSolver, searchPolicy } from "../policy/search.ts";
import { checkName, family, kind, type ReadFamily } from "../../cases/family.ts";
import { amount, count } from "../../cases/limits.ts";
import { machineSchema, modelSchema } from "./machine.ts";

/** A placement is searched for at each crossing of two grids. */
const grid = z.array(count).min(1).max(100);

const headerSchema = z.object({
  hardware: z.record(z.string(), machineSchema),
  models: z.record(z.string(), modelSchema),
  gbs_grid: grid,
  nb_grid: grid,
});
type Header = z.infer<typeof headerSchema>;

const blockFields = {
  variant: z.enum(["paper", "runtime"]),
  hardware: z.string(),
  model: z.string(),
  s: count,
  n: count,
  mem_relax: z.number().min(1e-3).max(1e3).default(1),
};
const searchSchema = z.object({ ...blockFields, hn_fixed_zero: z.boolean() });

/** Three shares of three decimals may be off a sum of 1 by their rounding. */
const shareSlack = 2e-3;
const share = z.number().min(0).max(1);
const placementSchema = z
  .array(share)
  .length(shareNames.length)
  .refine(
    (at) => [0, 3, 6].every((i) => Math.abs(total(at.slice(i, i + 3)) - 1) <= shareSlack),
    "the shares on GPU, CPU and disk of weights, of cache and of hidden state each sum to 1.",
  );
const evaluateSchema = z.object({
  ...blockFields,
  gbs: count,
  nb: count,
  placement: placementSchema,
});
const scheduleSchema = z.object({
  model: z.string(),
  s: count,
  n: count,
  bls: count,
  cmem: amount.min(1),
});

export const flexgenCases: ReadFamily = family(headerSchema, {
  policy_search: kind(searchSchema, solveSearch, checkNames),
  evaluate: kind(evaluateSchema, solveEvaluate, checkNames),
  schedule_io: kind(scheduleSchema, solveSchedule, ({ model }, { models }: Header) =>
    checkName("model", model, models),
  ),
});

function total(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0);
}

interface Named {
  readonly hardware: string;
  readonly model: string;
}

function checkNames(one: Named, { hardware, models }: Header): readonly Issue[] {
  return [
    ...checkName("hardware", one.hardware, hardware),
    ...checkName("model", one.model, models),
  ];
}

/** An entry whose name was checked. */
function entry<T>(table: Readonly<Record<string, T>>, name: string): T {
  const value = table[name];
  if (value === undefined) throw new RangeError(`${name} was not checked`);
  return value;
}

function setting(
  one: Named,
  header: Header,
): { readonly machine: FlexGenMachine; readonly model: FlexGenModel } {
  return { machine: entry(header.hardware, one.hardware), model: entry(header.models, one.model) };
}

async function solveSearch(one: z.infer<typeof searchSchema>, header: Header): Promise<object> {
  const problem = {
    variant: one.variant,
    ...setting(one, header),
    prompt: one.s,
    output: one.n,
    relax: one.mem_relax,
    noHiddenOnDisk: one.hn_fixed_zero,
  };
  const solver = await loadSolver();
  const { grid, best, argmin } = searchPolicy(solver, problem, header.gbs_grid, header.nb_grid);
  return {
    feasible: best !== null,
    objective: best?.objective ?? null,
    throughput: best === null ? null : one.n / best.objective,
    argmin_gbs_nb: argmin,
    example_placement: best === null ? null : shareNames.map((name) => best.placement[name]),
    example_gbs_nb: best === null ? null : [best.gpuBatch, best.batches],
    grid_objective: grid,
  };
}

function solveEvaluate(one: z.infer<typeof evaluateSchema>, header: Header): object {
  const { machine, model } = setting(one, header);
  const load = { prompt: one.s, output: one.n, gpuBatch: one.gbs, batches: one.nb };
  const shares = shareNames.map((name, i) => [name, present(one.placement[i])] as const);
  const placement = Object.fromEntries(shares) as Placement;
  const evaluation = evaluate({
    variant: one.variant,
    machine,
    model,
    load,
    placement,
    relax: one.mem_relax,
  });
  return {
    objective: evaluation.perSequence,
    T_block: evaluation.block,
    T_pre_layer: evaluation.prefillLayer,
    T_gen_layer: evaluation.decodeLayer,
    throughput: evaluation.throughput,
    terms: evaluation.terms,
    memory_rows: Object.fromEntries(evaluation.memory.map((row) => [row.name, row.bytes])),
    feasible: evaluation.feasible,
  };
}

function solveSchedule(one: z.infer<typeof scheduleSchema>, { models }: Header): object {
  const model = entry(models, one.model);
  const cost = scheduleCost(model, one.s, one.n, one.bls, bytes(one.cmem));
  return {
    layer_weight_bytes: layerWeights(model),
    weight_bytes_loaded: cost.weights,
    activation_io_bytes: cost.activations,
    kv_io_bytes: cost.cache,
    peak_mem_zigzag: cost.peakZigzag,
    peak_mem_diagonal: cost.peakDiagonal,
    bls1_zigzag: cost.fitZigzag,
    bls2_diagonal: cost.fitDiagonal,
    bls2_over_bls1: cost.gain,
    asymptotic_ratio: cost.limit,
  };
}
