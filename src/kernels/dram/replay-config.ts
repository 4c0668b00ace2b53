// SPDX-License-Identifier: Apache-2.0
// A memory of several channels, and how a request trace is offered to it.

import type { EnergyCurrents } from "../../machine/dram/currents.ts";
import type { DramOrganization } from "../../machine/dram/presets.ts";
import type { ChannelRefresh } from "../../machine/dram/refresh-kind.ts";
import type { RefreshManagement } from "../../machine/dram/refresh-management.ts";
import type { DramSemantics } from "../../machine/dram/semantics.ts";
import type { MemoryStandard, Simulator } from "../../machine/dram/standards/table.ts";
import type { TimingName } from "../../machine/dram/timing.ts";
import type { Cycles } from "../../base/units.ts";

export const dramMappings = [
  "RoBaRaCoCh",
  "ChRaBaRoCo",
  "MOP4CLXOR",
  "RoBaCoBg",
  "RoCoBaBg",
] as const;

type Clocked = Pick<DramReplayConfig<string>, "standard" | "megatransfersPerSecond">;

/** Cycles in a microsecond. */
export function megahertzOf({ standard, megatransfersPerSecond }: Clocked): number {
  return megatransfersPerSecond / standard.transfersPerCycle;
}

/** Seconds of a cycle. */
export function cycleSecondsOf({ standard, megatransfersPerSecond }: Clocked): number {
  return (standard.transfersPerCycle * 1e-6) / megatransfersPerSecond;
}

/** A memory and how a trace is offered to it; of DDR5 unless its timings have other names. */
export interface DramReplayConfig<Timing extends string = TimingName> {
  readonly name: string;
  /** The file of the config, for messages. */
  readonly source: string;
  readonly megatransfersPerSecond: number;
  readonly organization: DramOrganization;
  /** Data pins of a device, for the energy of a rank. */
  readonly deviceBits: number;
  /**
   * For the energy alone: devices for ECC in addition to those for data, and power-down of idle
   * ranks.
   */
  readonly eccDevices: boolean;
  readonly powerDown: boolean;
  /** For the energy alone; without them only DDR5 has an energy. */
  readonly currents?: EnergyCurrents;
  readonly standard: MemoryStandard<Timing>;
  readonly timing: Readonly<Record<Timing, Cycles>>;
  readonly semantics: DramSemantics;
  /**
   * The watermarks are relative to `nominal`; the other capacities are numbers of admitted
   * requests.
   */
  readonly queues: {
    readonly nominal: number;
    readonly read: number;
    readonly write: number;
    readonly active: number;
  };
  readonly writeLowWatermark: number;
  readonly writeHighWatermark: number;
  readonly rowPolicy: "OpenRowPolicy" | "ClosedRowPolicy";
  readonly closedRowCap: number;
  /** The closed policy is that of Ramulator 2.1, which closes rows with RDA and WRA, too. */
  readonly autoPrecharge?: boolean;
  /** A data clock of the standard never stops. */
  readonly clockAlwaysOn?: boolean;
  readonly refresh: ChannelRefresh;
  /** Cycles from the refresh of a rank to that of the next one; spread over the interval where it is absent. */
  readonly refreshSpacing?: number;
  /** Refreshes of one bank: those of a rank, and then those of the next one. */
  readonly refreshesRankByRank?: boolean;
  /** Thresholds of RFMs; without them the controller issues none. */
  readonly refreshManagement?: RefreshManagement;
  /** A row is not closed for a request while an older request of its queue hits it. */
  readonly keepsHitRows?: boolean;
  /** A write of an address that a queued write has is complete at once. */
  readonly absorbsWrites?: boolean;
  /** Reads complete in the order in which they are served. */
  readonly completesInOrder?: boolean;
  /** Whose constraints the memory has, where they are not those of the standard. */
  readonly simulator?: Simulator;
  readonly mapping: (typeof dramMappings)[number];
  readonly injection: "global_fifo" | "per_channel_fifo";
  /** Requests accepted per clock; 0 for no limit. */
  readonly acceptsPerCycle: number;
  /** Keys of the document that mean nothing here. */
  readonly ignored: readonly string[];
}
