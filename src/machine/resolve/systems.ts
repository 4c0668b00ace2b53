// SPDX-License-Identifier: Apache-2.0
// The systems of the papers, as far as an NDP DIMM is concerned.

import { currentsOfConfig, type CurrentsContent } from "../dram/currents-config.ts";
import { dramPreset } from "../dram/presets.ts";
import { unitBurstBytes } from "../rank-memory.ts";
import { sumOf, type MemoryStandard } from "../dram/standards/table.ts";
import type { Arrangement } from "../arrangement.ts";
import type { HostPath, NdpMachine, NdpUnitParameters, RankMapping, RankMemory } from "../types.ts";
import { defined } from "../../base/defined.ts";
import { bytes, cycles, hertz, seconds } from "../../base/units.ts";
import type { Hertz } from "../../base/units.ts";

export interface NdpSystem {
  readonly clock: Hertz;
  readonly unit: NdpUnitParameters;
  /** A preset name of `dramPreset`. */
  readonly dram: string;
  /** Requests that the queue of a sub-channel admits. */
  readonly queueEntries: number;
}

export const systemNames = ["trimoe"] as const;
export type SystemName = (typeof systemNames)[number];

const systems: Readonly<Record<SystemName, NdpSystem>> = {
  // TriMoE, section 4.1 and Table 1: 256 bit-serial multipliers of 128 bit (8 values of FP16),
  // 256 GFLOPS, 256 KB of buffer, 256 exponent and multiply units, eight rank-sub-channels of
  // DDR5-4800. The 32 requests and the 64 tokens of a pass are ours, and so
  // are 128 bursts: of the depths that can be, the least that lets a stream go on while the rank of
  // another refreshes, 295 ns or 89 bursts.
  trimoe: {
    clock: hertz(1e9),
    unit: {
      streams: 8,
      multipliersPerStream: 32,
      lanes: 8,
      bitsPerCycle: 1,
      bufferBytes: bytes(256 * 1024),
      queueBursts: 128,
      activationLanes: 256,
      maxTokens: 64,
    },
    dram: "TriMoE",
    queueEntries: 32,
  },
};

/**
 * Latency of a core to its memory bus, assumed: half of the approximately 100 ns of a load from idle
 * DRAM on a server; and the interval of status polls of a DIMM, one load after another with the same
 * time between them.
 */
export const hostPath: HostPath = { command: seconds(50e-9), poll: seconds(200e-9) };

/** The system of this name. */
export function ndpSystem(name: SystemName): NdpSystem {
  return systems[name];
}

/** That of a scenario which names none. */
export const defaultSystem: NdpSystem = systems.trimoe;

/**
 * The layout of an expert in the ranks, and the bits of a burst index that choose bank and bank
 * group.
 */
export type Layout = "interleaved" | "bank-interleaved" | "row-major";

export const layouts = ["interleaved", "bank-interleaved", "row-major"] as const;

/** The order of the matrices' rows. */
export const arrangements: Readonly<Record<Layout, Arrangement>> = {
  interleaved: "interleaved",
  "bank-interleaved": "interleaved",
  "row-major": "row-major",
};

/**
 * A stream rotates over the bank groups of one bank, over all banks, or reads one row after another.
 */
export const rankMappings: Readonly<Record<Layout, RankMapping>> = {
  interleaved: "RoBaCoBg",
  "bank-interleaved": "RoCoBaBg",
  "row-major": "RoBaRaCoCh",
};

/** Settings of a memory that no preset has. */
const usualSettings = {
  refresh: "AllBank",
  refreshPhase: "staggered",
  refreshStart: 0,
  backend: "native",
  semantics: "jedec",
} as const;

/**
 * One rank-sub-channel of a DRAM preset, with refresh. `where` is the location of the preset's
 * name, for messages.
 * @throws NeardataError `bad-input` if the preset does not exist.
 */
export function rankMemory(
  preset: string,
  queueEntries: number,
  where: string,
): Omit<RankMemory, "mapping"> {
  const { megatransfersPerSecond, organization, deviceBits, timing } = dramPreset(preset, where);
  const { bankGroups, banksPerGroup, rows, columnsPerRow } = organization;
  return {
    // Two transfers per clock.
    clock: hertz((megatransfersPerSecond * 1e6) / 2),
    bankGroups,
    banksPerGroup,
    rows,
    columnsPerRow,
    ...(deviceBits === 4 ? {} : { deviceBits }),
    ...usualSettings,
    queueEntries,
    timing,
  };
}

/**
 * One channel or pseudo-channel of a preset of a standard other than DDR5, refreshed.
 * @throws NeardataError `bad-input` when there is no such preset.
 */
export function channelMemory(
  standard: MemoryStandard,
  preset: string,
  queueEntries: number,
  where: string,
  given?: CurrentsContent,
): Omit<RankMemory, "mapping"> {
  const { megatransfersPerSecond, organization, timing, ...device } = standard.preset(
    preset,
    where,
  );
  const { levels, rows, columns, bytesPerAccess } = organization;
  const transfers = standard.transfersPerCycle * sumOf(standard.dataBus.burst, timing);
  const clock = hertz((megatransfersPerSecond * 1e6) / standard.transfersPerCycle);
  const currents =
    given === undefined
      ? device.currents
      : currentsOfConfig(given, {
          megatransfersPerSecond: (clock * standard.transfersPerCycle) / 1e6,
          secondsOf: (count) => count / clock,
          timing,
        });
  const unlessOne = (count = 1): number | undefined => (count === 1 ? undefined : count);
  return {
    standard: standard.name,
    clock,
    bankGroups: levels["bank group"] ?? 1,
    banksPerGroup: levels.bank ?? 1,
    rows,
    columnsPerRow: columns,
    pins: (bytesPerAccess * 8) / transfers,
    ...defined({
      accessBytes: bytesPerAccess === unitBurstBytes ? undefined : bytesPerAccess,
      logicalRanks: unlessOne(levels["stack id"]),
      pseudoChannels: unlessOne(levels["pseudo channel"]),
      // For the energy alone.
      ...(currents && { currents, deviceBits: device.deviceBits }),
    }),
    ...usualSettings,
    queueEntries,
    timing: Object.fromEntries(
      Object.entries(timing).map(([name, value]) => [name, cycles(value)] as const),
    ),
  };
}

/** The memory of the usual system. */
export const defaultMemory = rankMemory(
  defaultSystem.dram,
  defaultSystem.queueEntries,
  "memory.preset",
);

/**
 * The same DIMM with the unit for weights of fewer than 16 bits, which multiplies two bits of its
 * operand per cycle.
 */
export function lowBitMachine(): NdpMachine {
  const machine = paperMachine();
  return { ...machine, unit: { ...machine.unit, bitsPerCycle: 2, lowBitWeights: 1 } };
}

/** TriMoE's NDP DIMM with a localized, bank-group-interleaved layout. */
export function paperMachine(
  engine: NdpMachine["engine"] = "rtl",
): NdpMachine & { readonly memory: RankMemory } {
  const { clock, unit, dram, queueEntries } = systems.trimoe;
  const memory = rankMemory(dram, queueEntries, "trimoe");
  return { engine, unit, clock, memory: { ...memory, mapping: rankMappings.interleaved } };
}
