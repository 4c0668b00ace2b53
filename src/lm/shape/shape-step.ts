// SPDX-License-Identifier: Apache-2.0
// A decode step of a batch on the machine of a token, for a model of which only the shape is there: every
// layer's attention on the cycle models of the storage devices, which hold generated keys and values of
// that layer, every layer's routed experts with the times of the cycle model of the NDP unit. Layers do
// not give each other values: each has inputs, queries, keys and values of its own, by seed.

import { burstsOf } from "../../machine/rank-memory.ts";
import { attentionEngine } from "../../kernels/csd/attention/attention-engine.ts";
import { steppedAttention } from "../../kernels/csd/attention/stepped-attention.ts";
import type { LayerStep } from "../../machine/csd/layer-step.ts";
import { inputError } from "../../base/errors.ts";
import { expertBytes, type ModelShape } from "../../workload/shapes.ts";
import type { Check } from "../../results/metric.ts";
import { toSeconds } from "../../base/units.ts";
import {
  addCsdRun,
  comparedAttention,
  hardwareUse,
  type HardwareTotals,
  type HardwareUse,
} from "../moe/hardware-use.ts";
import { placeByLoad, type LayerTimes, type StepTimes } from "../token/token-plan.ts";
import { jobRunner, jobTime, type ExpertJobs } from "./expert-jobs.ts";
import type { ScaledRouter } from "./scaled-routes.ts";
import { layerRequests } from "./shape-attention.ts";
import { rtlChecks, rtlLayer, type RtlLayer } from "./shape-rtl.ts";
import {
  mixtureOf,
  type LayerPart,
  type ShapeJob,
  type ShapeMachine,
  type ShapeTask,
} from "./shape-task.ts";

/** The times of a step and its checks. */
export interface ShapeStep {
  /** [part][the step][layer]. */
  readonly times: StepTimes;
  /** By layer: the DIMM of each expert; none in a layer without. */
  readonly homes: readonly (readonly number[])[];
  readonly experts: readonly ExpertJobs[];
  readonly attention: HardwareTotals;
  readonly rtl: RtlLayer | null;
  readonly checks: readonly Check[];
}

/** Runs the step; `onLayer` hears how many layers are done. */
export async function runShapeStep(
  task: ShapeTask,
  machine: ShapeMachine,
  onLayer: (done: number) => void = () => undefined,
): Promise<ShapeStep> {
  const { shape, layers, router, again } = task;
  const { denseLayers } = mixtureOf(shape);
  const use = hardwareUse("attention", "attention outputs and choices");
  const homes = Array.from({ length: layers }, (_, n) =>
    n < denseLayers ? [] : placeByLoad(router.loads(n), machine.dimms),
  );
  checkDimms(machine, shape, homes);
  const jobs = jobRunner(task, machine);
  const times = Array.from({ length: task.parts }, (): LayerTimes[] => []);
  let rtl: RtlLayer | null = null;
  try {
    for (let n = 0; n < layers; n += 1) {
      const parts = await layerParts(task, machine, n, use);
      for (const [p, { step, jobs: shapeJobs }] of parts.entries()) {
        const experts: { expert: number; time: ReturnType<typeof jobTime>; tokens: number }[] = [];
        for (const job of shapeJobs) {
          const time = jobTime(await jobs.runOf(n, job));
          experts.push({ expert: job.expert, time, tokens: job.sequences.length });
        }
        const attention = step?.run.devices.map(({ time }) => toSeconds(time)) ?? [];
        times[p]?.push({ attention, experts, tokens: task.batch / task.parts });
      }
      if (n === again?.layer) rtl = await rtlLayer(n, parts, machine, jobs, again.on);
      onLayer(n + 1);
    }
  } finally {
    jobs.close();
  }
  return {
    times: times.map((time) => [time]),
    homes,
    experts: jobs.counts(),
    attention: use.totals(),
    rtl,
    checks: [
      ...(task.attention.on === "storage" ? [use.check()] : []),
      ...(rtl === null ? [] : rtlChecks(rtl)),
    ],
  };
}

/** Checks that every DIMM has capacity for its experts of all layers. */
function checkDimms(
  { ndp: { memory, unit } }: ShapeMachine,
  shape: ModelShape,
  homes: readonly (readonly number[])[],
): void {
  if ("ideal" in memory) return;
  const burstBytes = 64;
  const room = unit.streams * burstsOf(memory) * burstBytes;
  const expertsOf = new Map<number, number>();
  for (const dimm of homes.flat()) expertsOf.set(dimm, (expertsOf.get(dimm) ?? 0) + 1);
  const most = Math.max(0, ...expertsOf.values()) * expertBytes(shape);
  if (most <= room) return;
  const gib = (of: number): string => (of / 2 ** 30).toFixed(1);
  throw inputError("--dimms", `a DIMM holds ${gib(room)} GiB, and one would have ${gib(most)}.`);
}

/**
 * Computes attention and routes of each part of the batch in order, on devices that store no other
 * layer.
 */
async function layerParts(
  { attention, batch, parts, length, ratio, seed, router, shape }: ShapeTask,
  { devices, openCsd: open, observer }: ShapeMachine,
  layer: number,
  use: HardwareUse,
): Promise<readonly LayerPart[]> {
  const routed = layer >= mixtureOf(shape).denseLayers;
  const each = batch / parts;
  const steps: LayerStep[] = [];
  const engine = steppedAttention({
    fidelity: "cycle",
    devices,
    open,
    onStep: (_, step, device) => {
      steps.push(step);
      observer?.attention(step, device);
      addCsdRun(use, step.run);
    },
  });
  const compared = comparedAttention(engine, attentionEngine("golden", open), use);
  const layerParts: LayerPart[] = [];
  try {
    for (let part = 0; part < parts; part += 1) {
      const sequences = Array.from({ length: each }, (_, i) => part * each + i);
      const asked = { layer, sequences, length, ratio, seed };
      const requests = attention.on === "host" ? [] : layerRequests(attention, asked);
      const answers = await compared.attend(requests);
      const step = requests.length === 0 ? null : (steps[part] ?? null);
      const jobs = routed ? jobsOf(router, layer, sequences) : [];
      layerParts.push({ requests, answers, step, jobs });
    }
  } finally {
    engine.close();
  }
  return layerParts;
}

/** A job for each expert that gets a token, in the order of experts. */
function jobsOf(
  router: ScaledRouter,
  layer: number,
  sequences: readonly number[],
): readonly ShapeJob[] {
  const tokens = new Map<number, number[]>();
  for (const sequence of sequences) {
    for (const expert of router.route(layer, sequence)) {
      tokens.set(expert, [...(tokens.get(expert) ?? []), sequence]);
    }
  }
  return [...tokens]
    .sort(([a], [b]) => a - b)
    .map(([expert, sequences]) => ({ expert, sequences }));
}
