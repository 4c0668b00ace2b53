// SPDX-License-Identifier: Apache-2.0
// Cases of LIA's policy model: the optimum, one policy's terms, and where the optimum changes.

import { z } from "zod";
import type { Issue } from "../../../base/errors.ts";
import { bytesPerSecond, flopsPerSecond } from "../../../base/units.ts";
import { policyOf, policyText, serialTime, sublayerTimes } from "../model/cost.ts";
import type { PolicyBits, ResidualReading } from "../model/cost.ts";
import type { LiaMachine } from "../../experiment/machines.ts";
import { decoderLayer, type Layer, type LayerWork } from "../model/layer.ts";
import { optimum, switches } from "../policy/optimum.ts";
import { checkName, family, kind, type ReadFamily } from "../../cases/family.ts";
import { count, rate } from "../../cases/limits.ts";

const systemSchema = z
  .object({
    bw_pcie: rate,
    bw_cpu: rate,
    bw_gpu: rate,
    th_cpu: rate,
    th_gpu: rate,
  })
  .transform((s): LiaMachine => ({
    pcie: bytesPerSecond(s.bw_pcie),
    cpuBandwidth: bytesPerSecond(s.bw_cpu),
    gpuBandwidth: bytesPerSecond(s.bw_gpu),
    cpuRate: flopsPerSecond(s.th_cpu),
    gpuRate: flopsPerSecond(s.th_gpu),
  }));

const headerSchema = z.object({ systems: z.record(z.string(), systemSchema) });
type Header = z.infer<typeof headerSchema>;

const layerFields = {
  d_model: count,
  system: z.string(),
  stage: z.enum(["prefill", "decode"]),
  L: count,
  residual: z.enum(["hidden", "literal"]),
};
/** A batch may be a part of a sequence. */
const batch = z.number().min(1e-6).max(1e6);
const optimumSchema = z.object({ ...layerFields, B: batch });
const evaluateSchema = optimumSchema.extend({
  policy: z.string().regex(/^[01]{6}$/, "a policy is six digits, each 0 (GPU) or 1 (CPU)."),
});

/** The text of a scan contains its range of tokens, such as `n = 1..6000; decode: B = n`. */
const scanRange = /\bn = (\d+)\.\.(\d+)/;
const maxTokens = 1_000_000;
const thresholdSchema = z.object({
  ...layerFields,
  scan: z
    .string()
    .regex(scanRange, "a scan begins with its range, such as n = 1..6000.")
    .refine((text) => {
      const [, first, last] = scanRange.exec(text) ?? [];
      return Number(first) >= 1 && Number(first) <= Number(last) && Number(last) <= maxTokens;
    }, "a scan goes from 1 token or more up to 1000000 or fewer."),
});

/** Two policies nearer than this are a tie of rounding. */
const tieGap = 1e-9;

export const liaCases: ReadFamily = family(headerSchema, {
  optimum: kind(optimumSchema, solveOptimum, checkSystem),
  evaluate: kind(evaluateSchema, solveEvaluate, checkSystem),
  threshold: kind(thresholdSchema, solveThreshold, checkSystem),
});

function checkSystem({ system }: { system: string }, { systems }: Header): readonly Issue[] {
  return checkName("system", system, systems);
}

function machineOf(name: string, { systems }: Header): LiaMachine {
  const machine = systems[name];
  if (machine === undefined) throw new RangeError(`system ${name} was not checked`);
  return machine;
}

function workOf({ stage, d_model, B, L }: z.infer<typeof optimumSchema>): LayerWork {
  return { stage, width: d_model, batch: B, length: L };
}

function rows(
  machine: LiaMachine,
  layer: Layer,
  policy: PolicyBits,
  residual: ResidualReading,
): readonly (readonly number[])[] {
  const times = sublayerTimes(machine, layer, policy, residual);
  return times.map((t) => [t.loadX, t.loadY, t.loadR, t.compute, t.store]);
}

function solveOptimum(one: z.infer<typeof optimumSchema>, header: Header): object {
  const { residual } = one;
  const machine = machineOf(one.system, header);
  const layer = decoderLayer(workOf(one));
  const { best, runnerUp } = optimum(machine, layer, residual);
  const gap = runnerUp.time / best.time - 1;
  const named = (text: string): number => serialTime(machine, layer, policyOf(text), residual);
  return {
    policy: policyText(best.policy),
    T_layer: best.time,
    runner_up: policyText(runnerUp.policy),
    runner_up_rel_gap: gap,
    policy_is_unique: gap > tieGap,
    T_111111: named("111111"),
    T_011000: named("011000"),
    T_000000: named("000000"),
    sublayers: rows(machine, layer, best.policy, residual),
  };
}

function solveEvaluate(one: z.infer<typeof evaluateSchema>, header: Header): object {
  const machine = machineOf(one.system, header);
  const layer = decoderLayer(workOf(one));
  const policy = policyOf(one.policy);
  return {
    T_layer: serialTime(machine, layer, policy, one.residual),
    sublayers: rows(machine, layer, policy, one.residual),
    D_X: layer.sublayers.map(({ x }) => x),
    D_Y: layer.sublayers.map(({ y }) => y),
    C: layer.sublayers.map(({ work }) => work),
    D_KV: layer.newCache,
  };
}

function solveThreshold(one: z.infer<typeof thresholdSchema>, header: Header): object {
  const { stage, d_model: width, L: length, residual, scan } = one;
  const [, first, last] = scanRange.exec(scan) ?? [];
  const machine = machineOf(one.system, header);
  const work = { stage, width, length };
  const switchPoints = switches(machine, work, residual, Number(first), Number(last));
  return { switches: switchPoints.map(({ tokens, policy }) => [tokens, policyText(policy)]) };
}
