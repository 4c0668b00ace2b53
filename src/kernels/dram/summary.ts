// SPDX-License-Identifier: Apache-2.0
// The summary of a replay, in common units.

import { counted } from "../../base/format-value.ts";
import type { Rows } from "../../native/layout.ts";
import { rowsOf } from "../../native/record.ts";
import type { LatencyReport } from "../../native/dram-binding.ts";
import { cycleSecondsOf, type DramReplayConfig } from "./replay-config.ts";
import {
  dramEnergy,
  energyTerms,
  type DramEnergy,
  type DramWork,
  type EnergyTerm,
} from "../../machine/dram/energy.ts";
import type { ChannelCounts, ReplayResult } from "./replay.ts";
import { departuresOf } from "../../machine/dram/standards/controller.ts";
import { sumOf } from "../../machine/dram/standards/table.ts";
import { energyTiming } from "../../machine/rank-memory.ts";

/** Requests by the first command sent for them: RD or WR, ACT, PRE. */
export interface RowUse {
  readonly hits: number;
  readonly misses: number;
  readonly conflicts: number;
}

export interface ChannelSummary extends RowUse {
  readonly commands: Readonly<Record<string, number>>;
  readonly reads: number;
  readonly writes: number;
  readonly forwardedReads: number;
  readonly bandwidthGBps: number;
  /** Share of the peak bandwidth of the bus. */
  readonly busUse: number;
  /** Mean numbers of requests waiting, or having their row opened. */
  readonly occupancy: {
    readonly read: number;
    readonly write: number;
    readonly active: number;
  };
  /** Cycles from admission to completion. */
  readonly readLatency: LatencyReport;
  readonly writeLatency: LatencyReport;
  /** Cycles with a row open, over all banks of all ranks. */
  readonly openBankCycles: number;
  /** Null for a memory without known currents. */
  readonly energyJoules: DramEnergy | null;
  readonly banks: readonly (RowUse & {
    readonly pseudoChannel?: number;
    /** The stack identifier in a pseudo-channel. */
    readonly rank: number;
    readonly bankGroup: number;
    readonly bank: number;
    readonly reads: number;
    readonly writes: number;
  })[];
}

export interface ReplaySummary {
  readonly name: string;
  readonly requests: number;
  readonly totalCycles: number;
  readonly seconds: number;
  readonly bandwidthGBps: number;
  /** Departures of the semantics from Ramulator 2.0; none where its rules are not known or those of another simulator apply. */
  readonly departures: readonly string[];
  readonly channels: readonly ChannelSummary[];
}

/** Derives the summary of a replay from its counters. */
export function summarize(config: DramReplayConfig<string>, result: ReplayResult): ReplaySummary {
  const cycleSeconds = cycleSecondsOf(config);
  const channels = result.channels.map((channel) =>
    summarizeChannel(config, channel, result.totalCycles, cycleSeconds),
  );
  return {
    name: config.name,
    requests: result.requests,
    totalCycles: result.totalCycles,
    seconds: result.totalCycles * cycleSeconds,
    bandwidthGBps: channels.reduce((sum, channel) => sum + channel.bandwidthGBps, 0),
    departures:
      config.simulator === undefined ? departuresOf(config.standard, config.semantics) : [],
    channels,
  };
}

function summarizeChannel(
  config: DramReplayConfig<string>,
  channel: ChannelCounts,
  totalCycles: number,
  cycleSeconds: number,
): ChannelSummary {
  const { organization, standard, timing } = config;
  const banks = bankSummaries(config, channel.banks);
  const total = (of: (use: RowUse) => number): number => banks.reduce((n, b) => n + of(b), 0);
  const counts = plainAccesses(channel.commands);
  const accesses = counts.RD + counts.WR;
  const bytes = (accesses * organization.burstLength * organization.channelBits) / 8;
  const perCycle = (sum: number): number => sum / totalCycles;
  return {
    hits: total((use) => use.hits),
    misses: total((use) => use.misses),
    conflicts: total((use) => use.conflicts),
    commands: channel.commands,
    reads: channel.reads,
    writes: channel.writes,
    forwardedReads: channel.forwardedReads,
    bandwidthGBps: bytes / (totalCycles * cycleSeconds) / 1e9,
    busUse: perCycle(accesses * sumOf(standard.dataBus.burst, timing)),
    occupancy: {
      read: perCycle(channel.readQueueCycles),
      write: perCycle(channel.writeQueueCycles),
      active: perCycle(channel.activeQueueCycles),
    },
    readLatency: channel.readLatency,
    writeLatency: channel.writeLatency,
    openBankCycles: channel.openBankCycles,
    energyJoules: energyOf(config, cycleSeconds, {
      commands: counts,
      cycles: totalCycles,
      openBankCycles: channel.openBankCycles,
    }),
    banks,
  };
}

/** Null if no currents of the memory are known. */
function energyOf(
  config: DramReplayConfig<string>,
  cycleSeconds: number,
  work: DramWork,
): DramEnergy | null {
  const { standard, organization, currents } = config;
  if (currents === undefined && standard.name !== "DDR5") return null;
  const of = (name: string): number => work.commands[name] ?? 0;
  const devices = {
    ...config,
    ...energyTiming(standard, { ...config, ...organization }),
    cycleSeconds,
  };
  const commands = {
    ...work.commands,
    ACT: of("ACT") + of("ACT1"),
    // An RFM draws the current of a refresh of the same banks.
    REFab: of("REFab") + of("RFMab"),
    REFsb: of("REFsb") + of("REFpb") + of("RFMsb") + of("RFMpb"),
  };
  return dramEnergy(devices, { ...work, commands });
}

/** Counts in which an access with auto-precharge is an access: its row closes in the time of the activation. */
function plainAccesses(commands: Readonly<Record<string, number>>): {
  readonly RD: number;
  readonly WR: number;
} & Readonly<Record<string, number>> {
  const of = (name: string): number => commands[name] ?? 0;
  return { ...commands, RD: of("RD") + of("RDA"), WR: of("WR") + of("WRA") };
}

function bankSummaries(
  config: Pick<DramReplayConfig, "organization">,
  fields: Rows<"BankCounters">,
): ChannelSummary["banks"] {
  const { bankGroups, banksPerGroup, ...organization } = config.organization;
  const { logicalRanks = 1, ranksArePseudoChannels = false } = organization;
  return rowsOf("BankCounters", fields).map((counters, index) => {
    const group = Math.floor(index / banksPerGroup);
    const logical = Math.floor(group / bankGroups);
    const rank = Math.floor(logical / logicalRanks);
    return {
      ...(ranksArePseudoChannels && { pseudoChannel: rank }),
      rank: ranksArePseudoChannels ? logical % logicalRanks : rank,
      bankGroup: group % bankGroups,
      bank: index % banksPerGroup,
      ...counters,
    };
  });
}

/** Energy of all channels by term in joules, and the source of its parameters. */
function energyLines({ channels }: ReplaySummary): readonly string[] {
  const energies = channels.flatMap(({ energyJoules }) => energyJoules ?? []);
  const [first] = energies;
  if (first === undefined) return [];
  const of = (term: EnergyTerm): number => energies.reduce((n, energy) => n + energy[term], 0);
  const titles: Readonly<Record<EnergyTerm, string>> = {
    activate: "activate",
    read: "read",
    write: "write",
    io: "I/O and termination",
    refresh: "refresh",
    background: "standby",
  };
  const terms = energyTerms.map((term) => `${titles[term]} ${(1e6 * of(term)).toPrecision(4)}`);
  const { source, basis } = first;
  const stand = basis === "assumed" ? ", which stand in for a device of another density" : "";
  const io = of("io") > 0 && basis !== "configuration" ? "; I/O derived" : "";
  return [`  energy in uJ: ${terms.join(", ")}`, `  (${basis}: ${source}${stand}${io})`];
}

/**
 * A replay as text for a terminal: a line for the memory and one for each channel, then energies
 * and rules.
 */
export function replayText(summary: ReplaySummary): string {
  const lines = [
    `${summary.name}: ${counted(summary.requests, "request")} in ${counted(summary.totalCycles, "cycle")} ` +
      `(${(summary.seconds * 1e6).toFixed(2)} us), ${summary.bandwidthGBps.toFixed(3)} GB/s`,
    ...summary.channels.map((channel, index) => {
      const { hits, misses, conflicts, readLatency } = channel;
      return (
        `  channel ${index}: ${hits} row hits, ${misses} misses, ${conflicts} conflicts; bus ` +
        `${(100 * channel.busUse).toFixed(1)} %; reads take ${readLatency.mean.toFixed(1)} cycles ` +
        `(p50 ${readLatency.p50}, p99 ${readLatency.p99})` +
        (channel.energyJoules === null
          ? ""
          : `; ${(1e6 * channel.energyJoules.total).toFixed(2)} uJ`)
      );
    }),
    ...energyLines(summary),
    ...summary.departures.map((departure) => `  not as Ramulator 2.0: ${departure}`),
  ];
  return lines.join("\n");
}
