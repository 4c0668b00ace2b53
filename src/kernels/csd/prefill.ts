// SPDX-License-Identifier: Apache-2.0
// Prefill on storage devices (InstInfer, section IV-D): the GPU computes layer after layer of a
// prompt, and keys and values of one layer travel from peer to peer and are programmed into flash
// while it computes the next. GPU and link are tasks; the devices are simulated. Decode continues
// in the same session.

import { dataRateOf } from "../../machine/resolve/links.ts";
import { numbersToHalves } from "../../golden/half.ts";
import { runTasks, type Task } from "../../base/timeline.ts";
import { outcomeSentence } from "../../results/checks.ts";
import { NeardataError } from "../../base/errors.ts";
import { bytes, femtoseconds, seconds, toSeconds, transferTime } from "../../base/units.ts";
import type { Bytes, Seconds } from "../../base/units.ts";
import type { AttentionHead } from "../../workload/attention-heads.ts";
import type { CsdDeviceRun } from "../../machine/csd/csd-device-run.ts";
import type { CsdMachine } from "../../machine/csd/csd-machine.ts";
import type { PromptRows } from "../../machine/csd/csd-jobs.ts";
import type { CsdSession, PromptRun } from "../../machine/csd/csd-types.ts";
import { placeHeads, type PlacedHead } from "./attention/sparse-attention.ts";

const bytesPerValue = 2;
const femtosecondsPerSecond = 1e15;

/** Keys and values of a head. */
function rowBytes(width: number, length: number): number {
  return 2 * length * width * bytesPerValue;
}

/** A prompt in prefill. */
export interface PrefillTask {
  /** By layer its heads of keys and values, as many in each, of at least `length` tokens. */
  readonly layers: readonly (readonly AttentionHead[])[];
  /** Tokens of the prompt. */
  readonly length: number;
  readonly dimsPerPage: number;
  /** The GPU's time for one layer. */
  readonly compute: Seconds;
  /** Layers of keys and values that fit in GPU memory; the GPU waits when the memory is full. */
  readonly buffered: number;
  /** False: nothing begins before everything before it has ended, as without overlap. */
  readonly overlap: boolean;
}

interface Interval {
  readonly start: Seconds;
  readonly end: Seconds;
}

/** The computation, transfer and programming of one layer, over all devices. */
export interface PrefillLayer {
  readonly compute: Interval;
  /**
   * Wait of the GPU before the layer: for free memory or, without overlap, for the layer before.
   */
  readonly stall: Seconds;
  /** First byte over a link, last byte in a controller's DRAM. */
  readonly transfer: Interval;
  /** First rows in DRAM, last page programmed. */
  readonly programs: Interval;
  readonly bytes: Bytes;
  readonly pages: number;
}

export interface PrefillRun {
  readonly layers: readonly PrefillLayer[];
  /** Of the GPU alone. */
  readonly compute: Seconds;
  /** Until the last page of the last layer is programmed. */
  readonly total: Seconds;
  /** Most rows that wait in the DRAM of one controller. */
  readonly waiting: Bytes;
  /** By run of the session (one with overlap, one per layer without) its devices. */
  readonly runs: readonly (readonly CsdDeviceRun[])[];
  /** The placed heads of each layer. */
  readonly placed: readonly (readonly PlacedHead[])[];
}

/**
 * Prefills an empty session's devices; heads of a layer are dealt out over them.
 * @throws NeardataError `check-failed` when a device breaks off.
 */
export async function prefill(
  session: CsdSession,
  machine: CsdMachine,
  task: PrefillTask,
): Promise<PrefillRun> {
  const { layers, overlap, compute } = task;
  const placed = layers.map((heads) =>
    placeHeads(session, machine.devices, heads, task.dimsPerPage),
  );
  const batches = overlap ? [layers.map((_, l) => l)] : layers.map((_, l) => [l]);
  const prefillLayers: PrefillLayer[] = [];
  const runs: (readonly CsdDeviceRun[])[] = [];
  let [begin, waiting] = [0, 0];
  for (const batch of batches) {
    const plan = gpuPlan(machine, task, batch.length);
    const placedHeads = batch.map((l) => placed[l] ?? []);
    const run = await session.writePrompts(promptsOf(placedHeads, plan, task.length));
    const broken = run.devices.find(({ outcome }) => outcome.kind !== "completed");
    if (broken !== undefined) {
      throw new NeardataError("check-failed", outcomeSentence(broken.outcome));
    }
    prefillLayers.push(
      ...layersOf(placedHeads, run, {
        plan,
        length: task.length,
        begin,
        before: prefillLayers.at(-1)?.compute.end ?? 0,
      }),
    );
    runs.push(run.devices);
    const peaks = Array.from({ length: machine.devices }, (_, d) =>
      mostWaiting(placedHeads, run, d, task),
    );
    waiting = Math.max(waiting, ...peaks);
    begin = Math.max(...prefillLayers.map(({ programs }) => programs.end));
  }
  const alone = seconds(layers.length * compute);
  const total = seconds(begin);
  return { layers: prefillLayers, compute: alone, total, waiting: bytes(waiting), runs, placed };
}

/** The times at which the GPU computes each layer: the links determine when memory is free. */
function gpuPlan(
  { devices, link }: CsdMachine,
  { layers, length, compute, buffered }: PrefillTask,
  count: number,
): readonly Interval[] {
  const heads = layers[0]?.length ?? 0;
  const width = layers[0]?.[0]?.width ?? 0;
  // Each device has its own link; the link of the device with most heads is the last to finish.
  const most = Math.ceil(heads / devices);
  const moved = bytes(most * rowBytes(width, length));
  const time = transferTime(moved, dataRateOf(link.wires, link.replyHeader));
  const tasks = Array.from({ length: count }, (_, l): readonly Task[] => [
    {
      id: `layer ${String(l)}`,
      device: "GPU",
      time: compute,
      after: l < buffered ? [] : [`layer ${String(l - buffered)} sent`],
    },
    {
      id: `layer ${String(l)} sent`,
      device: "link",
      time,
      after: [`layer ${String(l)}`],
      bytes: moved,
    },
  ]).flat();
  return runTasks(tasks).filter(({ device }) => device === "GPU");
}

/** Rows of every head of every layer, ready when its layer is. */
function promptsOf(
  layers: readonly (readonly PlacedHead[])[],
  plan: readonly Interval[],
  length: number,
): readonly PromptRows[] {
  return layers.flatMap((placed, l) => {
    const ready = femtoseconds(Math.ceil((plan[l]?.end ?? 0) * femtosecondsPerSecond));
    return placed.map(({ head, sequence, index }): PromptRows => {
      const rows = (of: Float64Array): Uint16Array =>
        numbersToHalves(of.subarray(0, length * head.width));
      return { sequence, head: index, ready, keys: rows(head.keys), values: rows(head.values) };
    });
  });
}

interface LayerSpan {
  readonly plan: readonly Interval[];
  /** Tokens of a prompt. */
  readonly length: number;
  /** Begin of the run, in the time of the whole prefill. */
  readonly begin: number;
  /** End of the compute before the run. */
  readonly before: number;
}

/** Compute and writes of each layer of a run. */
function layersOf(
  layers: readonly (readonly PlacedHead[])[],
  { prompts }: PromptRun,
  { plan, length, begin, before }: LayerSpan,
): readonly PrefillLayer[] {
  let [first, free] = [0, before];
  return layers.map((placed, l) => {
    const promptWrites = prompts.slice(first, first + placed.length);
    first += placed.length;
    const at = (times: readonly number[], pick: (...all: number[]) => number): Seconds =>
      seconds(begin + toSeconds(femtoseconds(pick(...times))));
    const start = begin + (plan[l]?.start ?? 0);
    const end = begin + (plan[l]?.end ?? 0);
    const stall = start - free;
    free = end;
    const arrived = promptWrites.map((one) => one.arrived);
    return {
      compute: { start: seconds(start), end: seconds(end) },
      stall: seconds(stall),
      transfer: {
        start: at(
          promptWrites.map(({ sent }) => sent),
          Math.min,
        ),
        end: at(arrived, Math.max),
      },
      programs: {
        start: at(arrived, Math.min),
        end: at(
          promptWrites.map(({ written }) => written),
          Math.max,
        ),
      },
      bytes: bytes(placed.reduce((sum, { head }) => sum + rowBytes(head.width, length), 0)),
      pages: promptWrites.reduce(
        (sum, { pages }) => sum + pages.dims + pages.keys + pages.values,
        0,
      ),
    };
  });
}

/** The most rows that have arrived at a device and are not all on flash. */
function mostWaiting(
  layers: readonly (readonly PlacedHead[])[],
  { prompts }: PromptRun,
  device: number,
  { length }: PrefillTask,
): number {
  const changes = layers
    .flat()
    .flatMap(({ head, sequence }, i): readonly { readonly at: number; readonly by: number }[] => {
      const one = prompts[i];
      if (sequence.device !== device || one === undefined) return [];
      const by = rowBytes(head.width, length);
      return [
        { at: one.arrived, by },
        { at: one.written, by: -by },
      ];
    })
    .sort((a, b) => a.at - b.at || a.by - b.by);
  let [now, most] = [0, 0];
  for (const { by } of changes) {
    now += by;
    most = Math.max(most, now);
  }
  return most;
}
