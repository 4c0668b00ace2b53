// SPDX-License-Identifier: Apache-2.0
// Cases of TriMoE's scheduler: whole and small layers from equations, layers of given costs, and
// the load predictor.

import { z } from "zod";
import type { Issue } from "../../../base/errors.ts";
import { bytes, seconds } from "../../../base/units.ts";
import { loadSolver } from "../../flexgen/policy/search.ts";
import { expertCost, type ExpertCost } from "../model/cost.ts";
import { cheapest, devices, loadOf, makespan, refine } from "../policy/makespan.ts";
import type { Assignment, Device, Load, Refined } from "../policy/makespan.ts";
import { optimum, optimumByProgram, type Optimum } from "../policy/optimum.ts";
import { updateAverage } from "../../../lm/moe/predictor.ts";
import { tieRange } from "../policy/ties.ts";
import { checkName, family, kind, type ReadFamily } from "../../cases/family.ts";
import {
  amount,
  index,
  maxComparedEntries,
  maxDimms,
  maxValues,
  time,
} from "../../cases/limits.ts";
import { expertSchema, machineSchema } from "./machine.ts";

const times = z.array(time).max(maxValues);

const headerSchema = z.object({ hardware: z.record(z.string(), machineSchema) });
type Header = z.infer<typeof headerSchema>;

const layerSchema = z.object({
  hardware: z.string(),
  max_iterations: index,
  W: amount.min(1),
  experts: z.array(expertSchema).min(1).max(maxComparedEntries),
});
type LayerCase = z.infer<typeof layerSchema>;

const givenSchema = z.object({
  n_dimm: z.int().min(1).max(maxDimms),
  assignment: z.string().regex(/^[GCN]*$/, "an assignment is made of the letters G, C and N."),
  experts: z
    .array(
      z.object({
        t_gpu: time,
        t_cpu: time,
        t_ndp: time.nullable(),
        home: index.nullable(),
        gpu_service: times,
        cpu_service: times,
      }),
    )
    .min(1)
    .max(maxComparedEntries),
});
type GivenCase = z.infer<typeof givenSchema>;

const averageSchema = z.object({
  alpha: z.number().min(0).max(1),
  initial: times.min(1),
  loads: z.array(times).min(1).max(maxValues),
});
type AverageCase = z.infer<typeof averageSchema>;

/**
 * Limit of experts for the exhaustive search of the optimum; larger layers are solved as a program.
 */
const searchLimit = 16;

/** Sums of the same times in another order differ by less than this share. */
const sumNoise = 1e-12;
/** How many of the first moves of a layer are listed. */
const listedMoves = 40;

export const trimoeCases: ReadFamily = family(headerSchema, {
  schedule_small: kind(layerSchema, solveSmall, checkLayer),
  schedule_layer: kind(layerSchema, (one, header: Header) => plan(one, header).result, checkLayer),
  abstract: kind(givenSchema, solveGiven, checkGiven),
  ema: kind(averageSchema, solveAverage, checkAverage),
});

function checkLayer({ hardware: name, experts }: LayerCase, header: Header): readonly Issue[] {
  const dimms = header.hardware[name]?.dimms ?? Infinity;
  return [
    ...checkName("hardware", name, header.hardware),
    ...experts.flatMap(({ home }, e) => checkHome(e, home, dimms)),
  ];
}

function checkHome(expert: number, home: number | null, dimms: number): readonly Issue[] {
  if (home === null || home < dimms) return [];
  return [{ where: `experts[${expert}]`, message: `there is no DIMM ${home} of ${dimms}.` }];
}

function checkCount(where: string, values: ArrayLike<unknown>, wanted: number): readonly Issue[] {
  if (values.length === wanted) return [];
  return [{ where, message: `this has ${values.length} entries instead of ${wanted}.` }];
}

function checkGiven({ n_dimm: dimms, experts, assignment }: GivenCase): readonly Issue[] {
  const perExpert = experts.flatMap((expert, e): readonly Issue[] => {
    const where = `experts[${e}]`;
    const homeless = expert.t_ndp !== null && expert.home === null;
    const stranded = expert.t_ndp === null && assignment[e] === "N";
    return [
      ...checkHome(e, expert.home, dimms),
      ...checkCount(`${where}.gpu_service`, expert.gpu_service, dimms),
      ...checkCount(`${where}.cpu_service`, expert.cpu_service, dimms),
      ...(homeless ? [{ where, message: "an expert with an NDP time has a home DIMM." }] : []),
      ...(stranded ? [{ where, message: "this is assigned to NDP but has no NDP time." }] : []),
    ];
  });
  return [...checkCount("assignment", assignment, experts.length), ...perExpert];
}

function checkAverage({ initial, loads }: AverageCase): readonly Issue[] {
  return loads.flatMap((row, step) => checkCount(`loads[${step}]`, row, initial.length));
}

interface Planned {
  readonly costs: readonly ExpertCost[];
  readonly dimms: number;
  readonly refined: Refined;
  readonly result: object;
}

/** Costs, the initial assignment, the refined one, and the range over other orders of ties. */
function plan(one: LayerCase, { hardware }: Header): Planned {
  const machine = hardware[one.hardware];
  if (machine === undefined) throw new RangeError(`hardware ${one.hardware} was not checked`);
  const { dimms } = machine;
  const costs = one.experts.map((expert) => expertCost(machine, bytes(one.W), expert));
  const initial = cheapest(costs);
  const refined = refine(costs, initial, { dimmCount: dimms, maxIterations: one.max_iterations });
  const ties = tieRange(costs, dimms, one.max_iterations);
  const lowest = Math.min(ties.lowest, refined.makespan);
  const highest = Math.max(ties.highest, refined.makespan);
  const result = {
    costs: costs.map(({ gpu, cpu, ndp }) => ({ t_gpu: gpu, t_cpu: cpu, t_ndp: ndp })),
    ...assigned("initial", initial, loadOf(costs, initial, dimms)),
    ...assigned("refined", refined.assignment, loadOf(costs, refined.assignment, dimms)),
    moves: refined.moves.length,
    first_moves: moveRows(refined).slice(0, listedMoves),
    tie_free: highest - lowest <= sumNoise * highest,
    refined_makespan_any_tie_break: [lowest, highest],
  };
  return { costs, dimms, refined, result };
}

function assigned(name: string, assignment: Assignment, load: Load): object {
  return {
    [name]: assignment.join(""),
    [`${name}_gpu`]: load.gpu,
    [`${name}_cpu`]: load.cpu,
    [`${name}_dimm`]: load.dimms,
    [`${name}_makespan`]: makespan(load),
  };
}

function moveRows({ moves }: Refined): readonly (readonly (string | number)[])[] {
  return moves.map((move) => [move.expert, move.from, move.to, move.makespan]);
}

/** The best of all assignments; a larger layer's carries whether it was proved. */
async function best(
  costs: readonly ExpertCost[],
  dimms: number,
  among: readonly Device[] = devices,
): Promise<Optimum & { readonly proved?: boolean }> {
  if (costs.length <= searchLimit) return optimum(costs, dimms, among);
  return optimumByProgram(await loadSolver(), costs, dimms, among);
}

function proof({ proved }: { readonly proved?: boolean }): object {
  return proved === undefined ? {} : { optimum_proved: proved };
}

async function solveSmall(one: LayerCase, header: Header): Promise<object> {
  const { costs, dimms, refined, result } = plan(one, header);
  const solution = await best(costs, dimms);
  const twoWay = await best(costs, dimms, ["G", "N"]);
  return {
    ...result,
    optimum_makespan: solution.makespan,
    optimum_assignment: solution.assignment.join(""),
    ...proof(solution),
    refined_over_optimum: solution.makespan === 0 ? 1 : refined.makespan / solution.makespan,
    gpu_ndp_only_optimum: twoWay.makespan,
  };
}

async function solveGiven({ n_dimm: dimms, assignment, experts }: GivenCase): Promise<object> {
  const costs = experts.map((expert): ExpertCost => ({
    gpu: seconds(expert.t_gpu),
    cpu: seconds(expert.t_cpu),
    ndp: expert.t_ndp === null ? null : seconds(expert.t_ndp),
    home: expert.home ?? 0,
    gpuService: expert.gpu_service.map(seconds),
    cpuService: expert.cpu_service.map(seconds),
  }));
  const initial = Array.from(assignment).flatMap((letter) => devices.filter((d) => d === letter));
  const load = loadOf(costs, initial, dimms);
  const refined = refine(costs, initial, { dimmCount: dimms });
  const solution = await best(costs, dimms);
  return {
    t_gpu_total: load.gpu,
    t_cpu_total: load.cpu,
    t_dimm: load.dimms,
    makespan: makespan(load),
    refined: refined.assignment.join(""),
    refined_makespan: refined.makespan,
    moves: moveRows(refined),
    optimum_makespan: solution.makespan,
    optimum_assignment: solution.assignment.join(""),
    ...proof(solution),
  };
}

function solveAverage({ alpha, initial, loads }: AverageCase): object {
  const sums: number[] = [];
  const final = loads.reduce<readonly number[]>((average, row) => {
    const next = updateAverage(average, row, alpha);
    sums.push(next.reduce((a, b) => a + b, 0));
    return next;
  }, initial);
  return { final, after_each_step_sum: sums };
}
