// SPDX-License-Identifier: Apache-2.0
// Statistics of a channel in the simplest form: a list of the latencies of all requests, and the occupancy of every
// queue in every cycle.

import { cycles, type Cycles } from "../../../src/base/units.ts";
import type { ChannelCounts } from "../../../src/kernels/dram/replay.ts";
import type { LatencyReport } from "../../../src/native/dram-binding.ts";
import type { DramReplayConfig } from "../../../src/kernels/dram/replay-config.ts";
import type { Place } from "./address-map.ts";

const kinds = ["ACT", "PRE", "PREA", "RD", "WR", "REFab", "PREsb", "REFsb"] as const;
const managementKinds = ["RFMab", "RFMsb"] as const;
export type CommandKind = (typeof kinds)[number] | (typeof managementKinds)[number];

/** Latencies are exact up to here, then rounded down to 2048 steps per doubling. */
const exact = 4096;

function roundedDown(latency: number): number {
  let step = 1;
  while (latency >= exact * step) step *= 2;
  return latency - (latency % step);
}

function latencies(all: readonly number[]): LatencyReport {
  const sorted = all.toSorted((a, b) => a - b);
  const at = (percent: number): Cycles =>
    cycles(roundedDown(sorted[Math.max(1, Math.ceil((percent * sorted.length) / 100)) - 1] ?? 0));
  const sum = all.reduce((total, one) => total + one, 0);
  const mean = all.length === 0 ? 0 : sum / all.length;
  return { count: all.length, mean, p50: at(50), p99: at(99), largest: cycles(sorted.at(-1) ?? 0) };
}

export class TickStatistics {
  readonly reads: number[] = [];
  readonly writes: number[] = [];
  forwarded = 0;
  private readonly commands = new Map<CommandKind, number>();
  private readonly banks: number[][];
  private readonly organization: DramReplayConfig["organization"];
  private readonly seen = new Set<number>();
  private readonly waited = [0, 0, 0];
  private openBankCycles = 0;

  private readonly kinds: readonly CommandKind[];

  constructor({
    organization,
    refreshManagement,
  }: Pick<DramReplayConfig, "organization" | "refreshManagement">) {
    this.organization = organization;
    this.kinds = refreshManagement === undefined ? kinds : [...kinds, ...managementKinds];
    const { ranks, bankGroups, banksPerGroup } = organization;
    const count = ranks * bankGroups * banksPerGroup;
    this.banks = Array.from({ length: count }, () => [0, 0, 0, 0, 0]);
  }

  /** A cycle passes with so many open banks, and so many requests in each queue. */
  cycle(openBanks: number, ...queues: readonly (readonly unknown[])[]): void {
    this.openBankCycles += openBanks;
    for (const [q, queue] of queues.entries())
      this.waited[q] = (this.waited[q] ?? 0) + queue.length;
  }

  /** Counts a command, for the request with this number at this location if there is one. */
  command(kind: CommandKind, request?: { readonly id: number; readonly place: Place }): void {
    this.commands.set(kind, (this.commands.get(kind) ?? 0) + 1);
    if (request === undefined) return;
    const { rank, group, bank } = request.place;
    const { bankGroups, banksPerGroup } = this.organization;
    const counts = this.banks[(rank * bankGroups + group) * banksPerGroup + bank] ?? [];
    const count = (column: number): void => void (counts[column] = (counts[column] ?? 0) + 1);
    // A hit, a miss or a conflict by the first command for it.
    if (!this.seen.has(request.id)) count(kind === "ACT" ? 1 : kind === "PRE" ? 2 : 0);
    this.seen.add(request.id);
    if (kind === "RD") count(3);
    if (kind === "WR") count(4);
  }

  report(): ChannelCounts {
    const [readQueueCycles = 0, writeQueueCycles = 0, activeQueueCycles = 0] = this.waited;
    return {
      commands: Object.fromEntries(this.kinds.map((kind) => [kind, this.commands.get(kind) ?? 0])),
      reads: this.reads.length,
      writes: this.writes.length,
      forwardedReads: this.forwarded,
      readQueueCycles,
      writeQueueCycles,
      activeQueueCycles,
      openBankCycles: this.openBankCycles,
      readLatency: latencies(this.reads),
      writeLatency: latencies(this.writes),
      banks: Float64Array.from(this.banks.flat()),
    };
  }
}
