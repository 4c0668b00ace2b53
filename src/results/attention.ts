// SPDX-License-Identifier: Apache-2.0
// The numbers of one run of the sparse-attention kernel, each with its unit and its source.

import type { CsdDeviceRun } from "../machine/csd/csd-device-run.ts";
import type { LayerStep } from "../machine/csd/layer-step.ts";
import { seconds, type Seconds } from "../base/units.ts";
import type { MetricId } from "./metric-ids.ts";
import type { Metric } from "./metric.ts";
import type { AttentionCase } from "./types.ts";

const femtosecondsPerSecond = 1e15;
const beatBytes = 8;
const mega = 1e6;

/** Pages and bytes of all steps and devices. */
export interface FlashTraffic {
  readonly dims: number;
  readonly keys: number;
  readonly values: number;
  readonly bytesIn: number;
  readonly bytesKept: number;
}

export function trafficOf(steps: readonly LayerStep[]): FlashTraffic {
  const jobs = steps.flatMap(({ run, jobs: indices }) => indices.flatMap((j) => run.jobs[j] ?? []));
  const channels = devicesOf(steps).flatMap((device) => device.channels);
  return {
    dims: total(jobs, (j) => j.pages.dims),
    keys: total(jobs, (j) => j.pages.keys),
    values: total(jobs, (j) => j.pages.values),
    bytesIn: beatBytes * total(channels, (c) => c.beats),
    bytesKept: beatBytes * total(channels, (c) => c.beatsKept),
  };
}

/** The slowest device of each step, one step after another. */
export function timeOfSteps(steps: readonly LayerStep[]): Seconds {
  const times = steps.map(({ run }) => Math.max(...run.devices.map((d) => d.time)));
  return seconds(times.reduce((a, b) => a + b, 0) / femtosecondsPerSecond);
}

/** By channel of all devices: share of the time in which its bus carried commands or data. */
export function channelsBusy(steps: readonly LayerStep[]): readonly number[] {
  const time = timeOfSteps(steps) * femtosecondsPerSecond;
  const [first] = steps;
  if (first === undefined || time === 0) return [];
  return first.run.devices.flatMap((device, d) =>
    device.channels.map((_, c) => {
      const channels = steps.flatMap(({ run }) => run.devices[d]?.channels[c] ?? []);
      return total(channels, (use) => use.command + use.data) / time;
    }),
  );
}

/** In the order of the report; `dense` is the time of dense attention, for comparison. */
export function attentionMetrics(
  one: Pick<AttentionCase, "method" | "heads" | "steps" | "errorAgainstDense">,
  time: Seconds,
  dense: Seconds | null,
): readonly Metric[] {
  const { steps } = one;
  const attentions = one.heads * Math.max(1, steps.length);
  const metrics: Metric[] = [
    measured("time", "simulated time", time * mega, "us"),
    derived("headRate", "heads per second", attentions / time, "1/s"),
  ];
  if (one.method === "sparf" && dense !== null) {
    metrics.push(derived("speedup", "speed-up over dense attention", dense / time, "x"));
  }
  if (one.errorAgainstDense !== null) {
    metrics.push(
      measured("denseError", "error against dense, relative L2", one.errorAgainstDense, ""),
    );
  }
  if (steps.length === 0) return metrics;
  const traffic = trafficOf(steps);
  const devices = devicesOf(steps);
  const busy = channelsBusy(steps);
  const mean = busy.reduce((a, b) => a + b, 0) / Math.max(1, busy.length);
  return [
    ...metrics,
    measured("channelsBusy", "utilisation of the flash channels", 100 * mean, "%"),
    measured("leastBusy", "utilisation of the least used channel", 100 * Math.min(...busy), "%"),
    measured("flashRate", "flash bandwidth achieved", traffic.bytesIn / time / 1e9, "GB/s"),
    measured("pages", "pages read", traffic.dims + traffic.keys + traffic.values, "pages"),
    measured("bytesIn", "bytes read from flash", traffic.bytesIn / mega, "MB"),
    measured("bytesKept", "bytes after the NFC filter", traffic.bytesKept / mega, "MB"),
    ...engineMetrics(devices),
    ...sharedLinkMetrics(steps, time),
  ];
}

/** The busier direction of the link that devices share; empty without such a link. */
function sharedLinkMetrics(steps: readonly LayerStep[], time: Seconds): readonly Metric[] {
  const uses = steps.flatMap(({ run }) => run.sharedLink ?? []);
  if (uses.length === 0) return [];
  const busy = Math.max(
    total(uses, (use) => use.in.busy),
    total(uses, (use) => use.out.busy),
  );
  const share = busy / (time * femtosecondsPerSecond);
  return [measured("sharedLinkBusy", "shared link busy, its busier direction", 100 * share, "%")];
}

/** Nothing where the engine's time is not modelled. */
function engineMetrics(devices: readonly CsdDeviceRun[]): readonly Metric[] {
  const cycles = total(devices, (d) => d.cycles);
  const busy = total(devices, (d) => d.busy);
  if (busy === 0) return [];
  const channels = devices.flatMap((d) => d.channels);
  return [
    measured("engineBusy", "utilisation of the engine", (100 * busy) / cycles, "%"),
    measured(
      "stalled",
      "stall cycles of channels for the engine",
      total(channels, (c) => c.stalled),
      "cycles",
    ),
  ];
}

export function devicesOf(steps: readonly LayerStep[]): readonly CsdDeviceRun[] {
  return steps.flatMap(({ run }) => run.devices);
}

function total<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((sum, item) => sum + of(item), 0);
}

function measured(id: MetricId, title: string, value: number, unit: string): Metric {
  return { id, title, value, unit, source: "measured" };
}

function derived(id: MetricId, title: string, value: number, unit: string): Metric {
  return { id, title, value, unit, source: "derived" };
}
