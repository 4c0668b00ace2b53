// SPDX-License-Identifier: Apache-2.0
// Replays a facts file on the flash back end, in both arbitrations, and summarises the results.

import { present } from "../../base/present.ts";
import { nativeDevice, type FlashBinding } from "../../native/flash-binding.ts";
import type { Arbitration, FlashDevice } from "../../machine/flash/device.ts";
import type { FlashFacts, RequestTable } from "../../machine/flash/facts.ts";

/** Latency of pages from submission to the end of their transfer or programming, in ns. */
export interface LatencySummary {
  readonly min: number;
  readonly mean: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Times by request (rows of the file), in ticks, and totals. Field names are the format's. */
export interface ReplayOutcome {
  readonly cmd_start: readonly number[];
  readonly data_out_start: readonly (number | null)[];
  readonly done: readonly number[];
  readonly planes_in_command: readonly number[];
  readonly total_time: number;
  readonly total_ns: number;
  readonly bytes: number;
  readonly bandwidth_GBps: number;
  readonly latency_ns: LatencySummary;
  /** No schedule is shorter: command and data of the busiest channel (data alone when commands are
   * shared by planes). */
  readonly bus_lower_bound_time: number;
}

/** The document that `neardata flash replay` writes. */
export interface ReplayDocument {
  readonly format: "flash-facts-1";
  readonly id: string;
  readonly config: FlashDevice;
  readonly time_unit: string;
  readonly expected: ReplayOutcome;
  readonly alternative_cmd_first: ReplayOutcome;
}

/**
 * Replays both arbitrations of a facts file: its own as `expected`, and command-first for
 * comparison.
 */
export function replayFacts(flash: FlashBinding, facts: FlashFacts): ReplayDocument {
  const replayOutcome = replayOnce(flash, facts, facts.device.arbitration);
  return {
    format: "flash-facts-1",
    id: facts.id,
    config: facts.device,
    time_unit: facts.timeUnit,
    expected: replayOutcome,
    alternative_cmd_first:
      facts.device.arbitration === "cmd_first"
        ? replayOutcome
        : replayOnce(flash, facts, "cmd_first"),
  };
}

/** One replay under one arbitration. */
export function replayOnce(
  flash: FlashBinding,
  facts: FlashFacts,
  arbitration: Arbitration,
): ReplayOutcome {
  const { device, requests } = facts;
  const times = flash.flashReplay({
    ...nativeDevice(device, arbitration),
    submit: requests.submit,
    batch: requests.batch,
    operation: requests.operation,
    where: requests.where,
  });
  const byRow = (values: ArrayLike<number>): number[] => {
    const out = new Array<number>(requests.count);
    requests.row.forEach((row, i) => (out[row] = present(values[i])));
    return out;
  };
  const total = times.done.reduce((a, b) => Math.max(a, b), 0);
  const bytes = columnOf(requests, 5).reduce((a, b) => a + b, 0);
  const latency = times.done.map(
    (done, i) => (done - present(requests.submit[i])) / device.ticks_per_ns,
  );
  const totalNs = total / device.ticks_per_ns;
  return {
    cmd_start: byRow(times.command),
    data_out_start: byRow(times.dataOut).map((time) => (Number.isNaN(time) ? null : time)),
    done: byRow(times.done),
    planes_in_command: byRow(times.planes),
    total_time: total,
    total_ns: totalNs,
    bytes,
    bandwidth_GBps: totalNs === 0 ? 0 : bytes / totalNs,
    latency_ns: summarize(latency),
    bus_lower_bound_time: busLowerBound(device, requests),
  };
}

/** Order statistics by nearest rank from above: the value at floor(n q) of the sorted list. */
function summarize(latency: Float64Array): LatencySummary {
  const sorted = latency.toSorted();
  const at = (quantile: number): number =>
    present(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * quantile))]);
  return {
    min: at(0),
    mean: sorted.reduce((a, b) => a + b, 0) / sorted.length,
    p50: at(0.5),
    p99: at(0.99),
    max: at(1),
  };
}

function busLowerBound(device: FlashDevice, requests: RequestTable): number {
  const command =
    device.planes_per_die === 1 ? (device.t_cmd_read_ns["1"] ?? 0) * device.ticks_per_ns : 0;
  const busy = new Float64Array(device.channels);
  const channels = columnOf(requests, 0);
  columnOf(requests, 5).forEach((bytes, i) => {
    const channel = present(channels[i]);
    const data = (bytes / 2) * device.bus_ticks_per_2_bytes;
    busy[channel] = present(busy[channel]) + command + data;
  });
  return busy.reduce((a, b) => Math.max(a, b), 0);
}

function columnOf({ count, where }: RequestTable, field: number): Uint32Array {
  const width = where.length / count;
  return new Uint32Array(count).map((_, i) => present(where[i * width + field]));
}
