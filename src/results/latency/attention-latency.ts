// SPDX-License-Identifier: Apache-2.0
// Two breakdowns of the time of attention. By unit of the engine, as InstInfer's figure 16 has
// it: the busy time of each for a head, independent of all other work. By head: the waits of a head from
// its submission by the host, one interval after another, so the intervals add up to its latency. An
// interval ends where the next begins: the engine continues when its bytes have arrived, while the rest of
// their page still crosses the bus.

import type { EnginePhase, HeadInterval, AttentionLatency } from "../latency.ts";
import type { KernelCycles } from "../../machine/csd/csd-device-run.ts";
import type { CsdMachine } from "../../machine/csd/csd-machine.ts";
import type { CsdJobResult, PageRecord } from "../../machine/csd/csd-jobs.ts";
import type { LayerStep } from "../../machine/csd/layer-step.ts";
import { pageTransferNs } from "../../machine/flash/device.ts";
import { femtoseconds, seconds, toSeconds, type Seconds } from "../../base/units.ts";
import { channelsBusy, devicesOf, timeOfSteps } from "../attention.ts";
import type { Metric } from "../metric.ts";
import { spreadOf } from "../percentiles.ts";

const kernelPhases: readonly (readonly [
  keyof KernelCycles,
  Exclude<EnginePhase["id"], "flash">,
  string,
  string,
])[] = [
  ["rankLogits", "logit-0", "GeMV unit", "products of chosen dimensions with keys, step 1"],
  ["softmax", "softmax", "rank unit", "weights of step 1, of which alpha is the chosen sum"],
  ["rank", "argtopk", "argtopk", "keys loaded and selected; the tokens of step 2"],
  ["logits", "logit", "GeMV unit", "products of whole rows of keys, step 2 or dense"],
  ["attend", "attend", "attend unit", "softmax and weighted sum of rows of values"],
  ["fold", "fold", "attend unit", "partial sums joined, blended with the mean of V, written"],
];

export function attentionLatency(
  machine: CsdMachine,
  steps: readonly LayerStep[],
): AttentionLatency {
  const heads = steps.flatMap((step) => step.jobs.flatMap((job) => timesOf(step, job) ?? []));
  const bound = flashBound(machine, steps);
  return {
    phases: [...enginePhases(machine, steps), flashPhase(steps)],
    intervals: intervalsOf(heads, bound),
    whole: spreadOf(heads.map((head) => head.received - head.sent)),
    diesBusy: diesBusy(machine, steps),
  };
}

/** A resource and its utilisation, 0 to 1. */
export interface ResourceUse {
  readonly resource: string;
  readonly busy: number;
}

/** Resources beside engine and flash, by the metric of their utilisation. */
export const sharedResources = [
  ["shared link", "sharedLinkBusy"],
  ["address translation", "translationBusy"],
] as const;

/** The resource of a case with the highest utilisation, which limits the run. */
export function busiestResource(
  { phases, diesBusy: dies }: Pick<AttentionLatency, "phases" | "diesBusy">,
  metrics: readonly Pick<Metric, "id" | "value">[],
): ResourceUse {
  const shared = sharedResources.flatMap(([resource, id]) =>
    metrics
      .filter((metric) => metric.id === id)
      .map(({ value }): ResourceUse => ({ resource, busy: value / 100 })),
  );
  const candidates = [...phases, { resource: "flash dies", busy: dies }, ...shared];
  return candidates.reduce((most, one) => (one.busy > most.busy ? one : most));
}

function enginePhases({ clock }: CsdMachine, steps: readonly LayerStep[]): readonly EnginePhase[] {
  const devices = devicesOf(steps);
  const heads = Math.max(1, headCount(steps));
  const cycles = devices.reduce((n, d) => n + d.cycles * d.kernels.length, 0);
  const of = (key: keyof KernelCycles): number =>
    devices.flatMap((d) => d.kernels).reduce((n, k) => n + k[key], 0);
  if (kernelPhases.every(([key]) => of(key) === 0)) return [];
  return kernelPhases.map(([key, id, resource, counts]) => ({
    id,
    counts,
    resource,
    perHead: seconds(of(key) / clock / heads),
    busy: cycles === 0 ? 0 : of(key) / cycles,
  }));
}

function flashPhase(steps: readonly LayerStep[]): EnginePhase {
  const channels = channelsBusy(steps);
  const busy = channels.reduce((a, b) => a + b, 0) / Math.max(1, channels.length);
  const heads = Math.max(1, headCount(steps) / Math.max(1, devicesIn(steps)));
  return {
    id: "flash",
    counts: "commands and data of the head's pages on a channel, all channels side by side",
    resource: "flash channels",
    perHead: seconds((busy * timeOfSteps(steps)) / heads),
    busy,
  };
}

function headCount(steps: readonly LayerStep[]): number {
  return steps.reduce((n, step) => n + step.jobs.length, 0);
}

function devicesIn([first]: readonly LayerStep[]): number {
  return first?.run.devices.length ?? 1;
}

function diesBusy({ flash }: CsdMachine, steps: readonly LayerStep[]): number {
  const dies = flash.channels * flash.dies_per_channel * devicesIn(steps);
  const sensed = devicesOf(steps).reduce((n, d) => n + d.pagesRead, 0);
  const time = timeOfSteps(steps);
  const together = flash.planes_per_die;
  return time === 0 ? 0 : (sensed * flash.tR_ns * 1e-9) / together / (dies * time);
}

/**
 * The critical part of a page's latency: its sensing if pages hardly queue, else the resource with
 * the highest utilisation.
 */
function flashBound(machine: CsdMachine, steps: readonly LayerStep[]): string {
  const { flash } = machine;
  const pages = steps.flatMap(({ run }) => run.pages);
  const mean = pages.reduce((n, p) => n + (p.arrived - p.asked), 0) / Math.max(1, pages.length);
  const alone = flash.tR_ns + pageTransferNs(flash);
  if (mean / 1e6 < 2 * alone) return "sensing of cells (tR)";
  const channels = channelsBusy(steps);
  const busy = channels.reduce((a, b) => a + b, 0) / Math.max(1, channels.length);
  return busy >= diesBusy(machine, steps) ? "flash channels" : "flash dies";
}

/** Ends of a head's intervals, in seconds of simulated time; null for a step that it does not have. */
export interface HeadTimes {
  readonly sent: number;
  readonly taken: number;
  readonly firstAsked: number;
  readonly step1: { readonly end: number; readonly next: number } | null;
  readonly arrived: number;
  readonly done: number;
  readonly received: number;
}

/** Undefined where the head is not done, not every page of it was recorded, or none was needed. */
export function timesOf({ run }: LayerStep, job: number): HeadTimes | undefined {
  const result = run.jobs[job];
  if (result === undefined || result.status === "not-done") return;
  const pages = run.pages.filter((page) => page.job === job);
  if (pages.length === 0 || pages.length !== pagesOf(result)) return;
  const dims = pages.filter((page) => page.copy === "dim-keys");
  const rest = pages.filter((page) => page.copy !== "dim-keys");
  const asked = (of: readonly PageRecord[]): number => at(of.reduce(earliest, Infinity));
  const arrived = (of: readonly PageRecord[]): number => at(of.reduce(latest, 0));
  const split = dims.length > 0 && rest.length > 0;
  return {
    sent: at(result.sent),
    taken: at(result.taken),
    firstAsked: asked(pages),
    step1: split ? { end: Math.min(arrived(dims), asked(rest)), next: asked(rest) } : null,
    arrived: Math.min(arrived(pages), at(result.done)),
    done: at(result.done),
    received: at(result.received),
  };
}

function pagesOf({ pages }: CsdJobResult): number {
  return pages.dims + pages.keys + pages.values;
}

function at(time: number): Seconds {
  return toSeconds(femtoseconds(time));
}

function earliest(time: number, page: PageRecord): number {
  return Math.min(time, page.asked);
}

function latest(time: number, page: PageRecord): number {
  return Math.max(time, page.arrived);
}

function intervalsOf(heads: readonly HeadTimes[], flash: string): readonly HeadInterval[] {
  const interval = (
    id: HeadInterval["id"],
    critical: string,
    counts: string,
    of: (head: HeadTimes) => number | null,
  ): HeadInterval => ({
    id,
    critical,
    counts,
    times: spreadOf(heads.flatMap((head) => of(head) ?? [])),
  });
  const all = [
    interval("queue", "heads before it", "sent, until the engine took it", (h) => h.taken - h.sent),
    interval(
      "query",
      "query unit, then a turn at the pages",
      "taken, until its first page was asked for",
      (h) => h.firstAsked - h.taken,
    ),
    interval(
      "step 1",
      flash,
      "pages of K in embedding order, from first asked for until all have arrived or step 2 begins",
      (h) => h.step1 && h.step1.end - h.firstAsked,
    ),
    interval(
      "rank",
      "attention kernel",
      "last logits of step 1, softmax, argtopk, until a page of step 2 was asked for, as far as the " +
        "pages of step 1 were there",
      (h) => h.step1 && h.step1.next - h.step1.end,
    ),
    interval(
      "step 2",
      flash,
      "pages of K and V in token order, from first asked for until all have arrived or it is done",
      (h) => h.arrived - (h.step1?.next ?? h.firstAsked),
    ),
    interval(
      "finish",
      "attention kernel",
      "last page arrived, until the outputs were written, as far as they were not before",
      (h) => h.done - h.arrived,
    ),
    interval("return", "link", "outputs to the host", (h) => h.received - h.done),
  ];
  return all.filter(({ times }) => times.count > 0);
}
