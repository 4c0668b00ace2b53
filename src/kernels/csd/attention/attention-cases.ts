// SPDX-License-Identifier: Apache-2.0
// A scenario's sparse attention: dense and SparF on every flash, number of devices and of heads in
// flight, each checked against the golden model, against float64 and against the page rules.

import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { defined } from "../../../base/defined.ts";
import type { AttentionMethod } from "../../../scenario/attention-schema.ts";
import type { AttentionScenario } from "../../../scenario/attention.ts";
import { inputError } from "../../../base/errors.ts";
import { loadFlash } from "../../../native/flash-binding.ts";
import type { FlashPreset } from "../../../machine/flash/presets.ts";
import { attentionLatency } from "../../../results/latency/attention-latency.ts";
import { attentionMetrics, timeOfSteps } from "../../../results/attention.ts";
import { controllerMetrics } from "../../../results/controller.ts";
import { hashOfValue } from "../../../base/hash.ts";
import type { Check } from "../../../results/metric.ts";
import type { AttentionCase } from "../../../results/types.ts";
import { seconds, type Seconds } from "../../../base/units.ts";
import type { AttentionHead } from "../../../workload/attention-heads.ts";
import { attentionChecks, expectedLayer, layerAccuracy, outputsOf } from "./attention-checks.ts";
import type { ExpectedLayer, ExpectedLayers } from "./attention-checks.ts";
import { scenarioChecks } from "./scenario-checks.ts";
import { failureOf, traceAttention } from "./attention-failure.ts";
import { attentionMachine, budgetOf, checkHeads } from "./attention-machine.ts";
import type { CsdMachine } from "../../../machine/csd/csd-machine.ts";
import type { CsdSession, OpenCsdSession } from "../../../machine/csd/csd-types.ts";
import type { Compute } from "../../ndp/expected.ts";
import { timeWithOverheads } from "../flash-overheads.ts";
import { denseChains, groupsOfChoice, sparfChains } from "../flash-heads.ts";
import { fillerOf, type HeadStore } from "../head-store.ts";
import { decodeLayer, type LayerTask } from "./sparse-attention.ts";
import { type LayerStep } from "../../../machine/csd/layer-step.ts";
import type { PlacedHead } from "./sparse-attention.ts";
import { cancelledRun } from "../../cancelled.ts";
import { withTaskGroup, coreSemaphore, type WhenCoresFree } from "../../concurrency.ts";
import { beginningWaves } from "../../waves.ts";

/** Inputs that all cases share: sessions, expected values, caches and callbacks. */
export interface AttentionContext {
  readonly open: OpenCsdSession;
  /**
   * Cache of expected outputs for runs on the same heads; missing entries are computed and added.
   */
  readonly expected: ExpectedLayers;
  readonly heads: readonly AttentionHead[];
  readonly headStore: HeadStore;
  readonly signal: AbortSignal;
  /** When the devices of each kind and number run; without it one after another. */
  readonly whenCoresFree?: WhenCoresFree;
  /** Computes expected values; a caller that times the computation wraps it here. */
  readonly compute?: Compute;
  /** An existing directory for waveforms. */
  readonly waveDirectory: string;
  /** Trace the beginning of every run, not only failures. */
  readonly waves: boolean;
  /** Also simulate the quiet cycles of the RTL, and compare its outputs in them with the model. */
  readonly checked?: boolean;
  /** False without a timeline: page requests are not recorded. */
  readonly timeline?: boolean;
  /** Called when a run begins; the result reports progress (0 to 1) and the end. */
  readonly onCase: (title: string) => {
    readonly update: (done: number) => void;
    readonly end: () => void;
  };
}

/** Page requests of each run that the report and the timeline show. */
const flashPages = 12_000;
interface Setting {
  readonly flash: FlashPreset;
  readonly devices: number;
  readonly inFlight: number;
}

/** All cases: by flash, devices and heads in flight; dense before sparse. */
export async function runAttentionCases(
  attention: AttentionScenario,
  context: AttentionContext,
): Promise<readonly AttentionCase[]> {
  const tasks = new Map(
    attention.methods.map((method) => [method, taskOf(attention, context, method)]),
  );
  const [any] = tasks.values();
  const [first] = any?.heads ?? [];
  if (any !== undefined && first !== undefined) {
    checkHeads(attention, { width: first.width, length: any.length });
  }
  const { signal, whenCoresFree = coreSemaphore(1) } = context;
  const machines = attention.flash.flatMap((flash) =>
    attention.devices.map((devices) => ({ flash, devices })),
  );
  const results = await withTaskGroup(signal, async (startTask) =>
    Promise.all(
      machines.map(async (machine) =>
        startTask(async (taskSignal) => {
          const watched = { ...context, signal: taskSignal };
          const options = { cores: machine.devices, signal: taskSignal };
          return whenCoresFree(async () => casesOf(attention, machine, tasks, watched), options);
        }),
      ),
    ),
  );
  return results.flat();
}

/**
 * The cases of one kind and number of devices, in order: the placement of keys and values depends
 * on the previous run.
 */
async function casesOf(
  attention: AttentionScenario,
  { flash, devices }: Omit<Setting, "inFlight">,
  tasks: ReadonlyMap<AttentionMethod, LayerTask>,
  context: AttentionContext,
): Promise<readonly AttentionCase[]> {
  const [any] = tasks.values();
  const machine = machineOf(attention, any, flash, devices);
  const session = attention.fidelity === "analytic" ? null : await context.open(machine);
  const fill = session === null ? null : fillerOf(session, machine, context.headStore);
  const results: AttentionCase[] = [];
  try {
    for (const inFlight of attention.inFlight) {
      let dense: Seconds | null = null;
      for (const [method, task] of tasks) {
        const setting = { flash, devices, inFlight };
        const running =
          session === null || fill === null
            ? Promise.resolve([])
            : runTraced(session, fill(task), task, { setting, attention, machine, context });
        const wanted = expectedBeside(running, task, context);
        const [steps, expected] = await Promise.all([running, wanted]);
        const time =
          session === null ? flashTime(machine, setting, task, expected) : timeOfSteps(steps);
        results.push(
          caseOf(task, { attention, machine, setting, wanted: expected, steps, time, dense }),
        );
        if (method === "dense") dense = time;
      }
    }
  } finally {
    session?.close();
  }
  return results;
}

/** Computed while the devices run; where its time is to be known, when they have. */
async function expectedBeside(
  running: Promise<unknown>,
  task: LayerTask,
  context: AttentionContext,
): Promise<ExpectedLayer> {
  await (context.compute === undefined ? setImmediate() : running);
  return expectedOf(task, context);
}

/** Page sizes and machines do not matter to it. */
function expectedOf(
  task: LayerTask,
  { compute = (make) => make(), expected: known }: AttentionContext,
): ExpectedLayer {
  const { method, group, length, decode, select } = task;
  const lengths = Array.from({ length: decode + 1 }, (_, i) => length + i);
  const chosen = method === "dense" ? null : lengths.map(select);
  const key = JSON.stringify([method, group, length, decode, chosen]);
  const layer = known.layers.get(key) ?? compute(() => expectedLayer(task, known));
  known.layers.set(key, layer);
  return layer;
}

function taskOf(
  attention: AttentionScenario,
  { heads }: AttentionContext,
  method: AttentionMethod,
): LayerTask {
  const shortest = Math.min(...heads.map((head) => head.length));
  const width = heads[0]?.width ?? 0;
  const { decode, dimsPerPage, group = 1 } = attention;
  const length = attention.length ?? shortest - decode;
  if (length < 1 || length + decode > shortest) {
    const message = `${length} tokens and ${decode} more are asked for; the heads have ${shortest}.`;
    throw inputError("attention.length", message);
  }
  if (group > length) {
    const message = `${group} queries are more than the ${length} tokens, each of which has one.`;
    throw inputError("attention.group", message);
  }
  const select = budgetOf(attention, width);
  return { heads, method, group, length, decode, select, dimsPerPage };
}

function machineOf(
  attention: AttentionScenario,
  task: LayerTask | undefined,
  flash: FlashPreset,
  devices: number,
): CsdMachine {
  const width = task?.heads[0]?.width ?? 1;
  return attentionMachine(attention, { width, length: task?.length ?? 0 }, flash, devices);
}

interface TracedRun {
  readonly setting: Setting;
  readonly attention: AttentionScenario;
  readonly machine: CsdMachine;
  readonly context: AttentionContext;
}

/** Runs a case. A case that fails on RTL is repeated with a waveform. */
async function runTraced(
  session: CsdSession,
  heads: readonly PlacedHead[],
  task: LayerTask,
  { setting, attention, machine, context }: TracedRun,
): Promise<readonly LayerStep[]> {
  const run = (): Promise<readonly LayerStep[]> =>
    runCase(session, heads, task, { setting, attention, context });
  if (machine.engine !== "rtl") return run();
  const before = session.keep();
  const steps = await run();
  const failure = failureOf(machine, steps, expectedOf(task, context).golden);
  if (failure !== null) {
    const path = join(context.waveDirectory, `${idOf(setting, task.method)}-failure.fst`);
    const { inFlight } = setting;
    const { signal } = context;
    await traceAttention(session, heads, task, { before, failure, path, signal, inFlight });
  }
  return steps;
}

interface CaseRun {
  readonly setting: Setting;
  readonly attention: AttentionScenario;
  readonly context: AttentionContext;
}

async function runCase(
  session: CsdSession,
  heads: readonly PlacedHead[],
  task: LayerTask,
  {
    setting,
    attention,
    context: { onCase, signal, timeline, waves, checked, waveDirectory },
  }: CaseRun,
): Promise<readonly LayerStep[]> {
  const path = join(waveDirectory, `${idOf(setting, task.method)}.fst`);
  const traced = waves && attention.fidelity === "rtl";
  const line = onCase(titleOf(attention, setting, task.method));
  try {
    const steps = await decodeLayer(session, heads, task, {
      signal,
      inFlight: setting.inFlight,
      keepPages: timeline === false ? 0 : flashPages,
      ...defined({
        waveform: traced ? beginningWaves(path) : undefined,
        checked: checked === true && attention.fidelity === "rtl" ? checked : undefined,
      }),
      onProgress: ({ jobsDone, jobs }) => {
        line.update(jobsDone / Math.max(1, jobs));
      },
    });
    if (steps.some(({ run }) => run.devices.some((d) => d.outcome.kind === "cancelled"))) {
      throw cancelledRun();
    }
    return steps;
  } finally {
    line.end();
  }
}

/**
 * The bound of the device: page reads with exact times, modelled overheads in closed form, and no time of
 * the engine.
 */
function flashTime(
  machine: CsdMachine,
  { devices, inFlight }: Setting,
  task: LayerTask,
  { choices }: ExpectedLayer,
): Seconds {
  const width = task.heads[0]?.width ?? 1;
  const { flash: device } = machine;
  const pageBytes = device.page_bytes;
  const n = pageBytes / (2 * width);
  const times = choices.map((ofHeads, step) => {
    const layout = { length: task.length + step, width, m: task.dimsPerPage, n, pageBytes };
    // The first device has the most heads.
    const matchingOfHeads = ofHeads.filter((_, h) => h % devices === 0);
    const chains =
      task.method === "dense"
        ? denseChains(device, layout, matchingOfHeads.length)
        : sparfChains(
            device,
            layout,
            matchingOfHeads.map((choice) => groupsOfChoice(layout, choice)),
          );
    return timeWithOverheads(loadFlash(), machine, chains, inFlight);
  });
  return seconds(times.reduce((a, b) => a + b, 0));
}

interface RanCase {
  readonly attention: AttentionScenario;
  readonly machine: CsdMachine;
  readonly setting: Setting;
  /** Of the golden model. */
  readonly wanted: ExpectedLayer;
  /** Empty where nothing was simulated. */
  readonly steps: readonly LayerStep[];
  readonly time: Seconds;
  /** Time of dense attention in the same setting; null before it ran. */
  readonly dense: Seconds | null;
}

function caseOf(
  task: LayerTask,
  { attention, machine, setting, wanted, steps, time, dense }: RanCase,
): AttentionCase {
  const { method, heads } = task;
  const accuracy = steps.length === 0 ? null : layerAccuracy(steps, wanted);
  const errorAgainstDense = method === "dense" ? null : (accuracy?.againstDense ?? null);
  const { group } = attention;
  const subject = {
    method,
    heads: heads.length,
    steps,
    errorAgainstDense,
    ...defined({ group }),
  };
  const metrics = [
    ...attentionMetrics(subject, time, dense),
    ...controllerMetrics(machine, steps, time),
  ];
  const checks: Check[] =
    accuracy === null ? [] : [...attentionChecks(machine, task, steps, { wanted, accuracy })];
  if (setting.inFlight === Math.max(...attention.inFlight)) {
    checks.push(...scenarioChecks(attention, setting.flash, method, metrics));
  }
  return {
    ...subject,
    ...setting,
    id: idOf(setting, method),
    title: titleOf(attention, setting, method),
    fidelity: attention.fidelity,
    width: heads[0]?.width ?? 0,
    machine,
    time,
    latency: steps.length === 0 ? null : attentionLatency(machine, steps),
    accuracy: accuracy?.accuracy ?? null,
    outputHash: steps.length === 0 ? null : hashOfValue(outputsOf(steps)),
    metrics,
    checks,
  };
}

function idOf({ flash, devices, inFlight }: Setting, method: AttentionMethod): string {
  return `${method}-${flash}-${devices}-${inFlight}`;
}

function titleOf(attention: AttentionScenario, setting: Setting, method: AttentionMethod): string {
  const { flash, devices, inFlight } = setting;
  const parts = [method === "dense" ? "dense" : "SparF"];
  if (attention.flash.length > 1) parts.push(flash);
  if (attention.devices.length > 1) parts.push(`${devices} devices`);
  if (attention.inFlight.length > 1) parts.push(`${inFlight} in flight`);
  return parts.join(", ");
}
