// SPDX-License-Identifier: Apache-2.0
// The report of decode steps of a mixture of experts on one machine: time of a token, the waits between
// parts, the time by part and by layer, and the timeline.

import {
  cpus,
  effective,
  gpus,
  links,
  type CpuName,
  type GpuName,
  type HostName,
  type Processor,
} from "../../machine/host/devices.ts";
import { counted } from "../../base/format-value.ts";
import { deviceUse, endOf } from "../../base/timeline.ts";
import type { Span } from "../../results/latency/span.ts";
import { bytes, seconds, type Bytes, type Seconds } from "../../base/units.ts";
import { present } from "../../base/present.ts";
import type { MoeModel } from "../moe/model.ts";
import { serialTime, type TokenSteps } from "./token-machine.ts";
import {
  criticalChain,
  hostElements,
  taskSubjects,
  planTasks,
  runPlan,
  type ExpertPlaces,
  type HostTimes,
  type Part,
  type PlanRun,
} from "./token-plan.ts";

/** A GPU's kernel from its call to its begin, assumed: a few microseconds on every driver. */
const launch = seconds(3e-6);
/** A transfer over PCIe from its call to its first byte, assumed. */
const linkLatency = seconds(1e-6);
const bytesPerValue = 2;

/** The processor of a name. */
export function hostOf(name: HostName): Processor {
  return name in gpus ? gpus[name as GpuName] : cpus[name as CpuName];
}

/** Tokens of a step, for the host's parts. */
export interface HostWork {
  readonly tokens: number;
  /** Tokens for which the step computes logits. */
  readonly outputs: number;
}

/**
 * Times of the host's parts: the longer of the compute of all tokens and the transfer of the
 * weights from memory.
 */
export function hostTimesOf(
  model: MoeModel,
  name: HostName,
  { tokens, outputs }: HostWork = { tokens: 1, outputs: 1 },
): HostTimes {
  const timeOf = hostTimer(name);
  const shared = Math.max(
    0,
    ...model.layers.map(({ network }) =>
      "router" in network ? (network.shared?.gate.rows ?? 0) : network.gate.rows,
    ),
  );
  const elements = hostElements(model.architecture, shared);
  return {
    projections: timeOf(elements.projections, tokens),
    router: timeOf(elements.router, tokens),
    shared: shared === 0 ? seconds(0) : timeOf(elements.shared, tokens),
    sum: timeOf(elements.sum * tokens, 1),
    output: outputs === 0 ? seconds(0) : timeOf(elements.output, outputs),
    vector: bytes(bytesPerValue * model.architecture.hidden),
    transfer: hostTransfer(name),
  };
}

/** To or from the DIMMs. */
export function hostTransfer(name: HostName): HostTimes["transfer"] {
  const rate = effective(links.pcie5.rate);
  // A CPU has the DIMMs on its channels, and the unit's times include their host path.
  return (amount: Bytes) => seconds(name in gpus ? linkLatency + amount / rate : 0);
}

/**
 * The time of multiplying `elements` elements from memory, each `uses` times, in a kernel of a GPU
 * or a CPU.
 */
export function hostTimer(name: HostName): (elements: number, uses: number) => Seconds {
  const processor = hostOf(name);
  const overhead = name in gpus ? launch : 0;
  return (elements, uses) => {
    const compute = (2 * elements * uses) / effective(processor.compute);
    const memory = (bytesPerValue * elements) / effective(processor.bandwidth);
    return seconds(overhead + Math.max(compute, memory));
  };
}

/** The document's part about time. */
export interface TokenReport {
  readonly host: HostName;
  readonly sequences: number;
  readonly steps: number;
  /** All steps of all sequences. */
  readonly timeUs: number;
  /** Mean time from one token of a sequence to its next. */
  readonly tokenUs: number;
  readonly tokensPerSecond: number;
  /** The sum of all task times divided by the time of the plan. */
  readonly overlap: number;
  /** By place: share of the time in which it worked. */
  readonly busy: Readonly<Record<string, number>>;
  /** Share of the time that the last token waited for each part. */
  readonly critical: Readonly<Record<Part, number>>;
  /** The same by layer; the last entry is the output matrix. */
  readonly criticalByLayer: readonly number[];
}

/** Puts the times of steps together on one machine. */
export function tokenReport(
  { times, homes }: Pick<TokenSteps, "times" | "homes">,
  hostTimes: HostTimes,
  host: HostName,
  places?: ExpertPlaces,
): { readonly report: TokenReport; readonly runs: readonly PlanRun[] } {
  const still: ExpertPlaces = { homeOf: (layer, expert) => present(homes[layer]?.[expert]) };
  const tasks = planTasks(times, hostTimes, places ?? still);
  const runs = runPlan(tasks);
  const end = endOf(runs);
  const chain = criticalChain(runs);
  const steps = times[0]?.length ?? 0;
  const layers = times[0]?.[0]?.length ?? 0;
  const sequences = times.reduce((sum, [first]) => sum + (first?.[0]?.tokens ?? 1), 0);
  const shareOf = (which: (run: PlanRun) => boolean): number =>
    chain.filter(which).reduce((sum, { time }) => sum + time, 0) / end;
  const busy = [...deviceUse(runs)].sort(([a], [b]) => a.localeCompare(b, "en", { numeric: true }));
  const report = {
    host,
    sequences,
    steps,
    timeUs: end * 1e6,
    tokenUs: (end * 1e6) / steps,
    tokensPerSecond: (sequences * steps) / end,
    overlap: serialTime(tasks) / end,
    busy: Object.fromEntries(busy.map(([place, use]) => [place, use.busy / end])),
    critical: Object.fromEntries(
      taskSubjects.map((part) => [part, shareOf((run) => run.part === part)]),
    ) as Record<Part, number>,
    criticalByLayer: Array.from({ length: layers + 1 }, (_, n) => shareOf((r) => r.layer === n)),
  };
  return { report, runs };
}

/** The timeline: a lane a place. */
export function tokenSpans(runs: readonly PlanRun[], track = "token"): readonly Span[] {
  return runs.map(({ id, device, part, layer, start, time }) => {
    const [sequence = "", step = ""] = id.split(".");
    return {
      track,
      lane: device,
      name: part,
      startNs: start * 1e9,
      durationNs: time * 1e9,
      args: { sequence, step, layer, task: id },
    };
  });
}

/** The report for a terminal; bits per byte where values are those of a text. */
export function tokenText(report: TokenReport, host: HostName, bitsPerByte: number | null): string {
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  const list = (of: Readonly<Record<string, number>>): string =>
    Object.entries(of)
      .filter(([, part]) => part > 0)
      .map(([name, part]) => `${name} ${percent(part)}`)
      .join(", ");
  return [
    `${report.tokenUs.toFixed(2)} us per step, ${report.tokensPerSecond.toFixed(0)} tokens per second ` +
      `(${counted(report.sequences, "sequence")}, ${counted(report.steps, "step")}, host ${host})` +
      (bitsPerByte === null ? "" : `, ${bitsPerByte.toFixed(4)} bits per byte`),
    `the last token waited for: ${list(report.critical)}`,
    `at work: ${list(report.busy)}`,
  ].join("\n");
}
