// SPDX-License-Identifier: Apache-2.0
// A machine in the format of the addon, and the physical limits of its wires. The limits follow
// from pins and clock, never from the checked memory model.

import { defined } from "../../base/defined.ts";
import {
  burstCycles,
  completeTiming,
  refreshInterval,
  refreshesAsOne,
} from "../../machine/dram/timing.ts";
import { dramSemantics } from "../../machine/dram/semantics.ts";
import type { HostPath, NdpMachine } from "../../machine/types.ts";
import type { Seconds } from "../../base/units.ts";
import { ddr5 } from "../../machine/dram/standards/ddr5.ts";
import { nativeStandard } from "../dram-binding.ts";
import type { Native } from "../layout.ts";

/** A DDR5 sub-channel has 32 data pins, two transfers per clock (JESD79-5). */
const pins = 32;
const transfersPerClock = 2;
/** JESD79-5, refresh in normal mode: a rank may be owed four REFab at a time, or as much in REFsb. */
const refreshesPostponed = 4;

export function nativeConfig(machine: NdpMachine, plugin: string | undefined): Native<"NdpConfig"> {
  return {
    model: machine.engine,
    ...defined({ plugin }),
    parameters: machine.unit,
    unitClock: machine.clock,
    memoryClock: machine.memory.clock,
    limits: {
      pins,
      transfersPerSecond: transfersPerClock * machine.memory.clock,
      readLatency: shortestRead(machine.memory),
      refreshInterval: intervalOf(machine.memory),
      refreshesPostponed: refreshesPostponed * refreshesAtOnce(machine.memory),
      refreshElapsed: refreshElapsed(machine.memory),
    },
    memory: nativeMemory(machine.memory),
    ...(machine.host === undefined ? {} : { host: nativeHostPath(machine.host) }),
  };
}

export function nativeHostPath({ command, poll }: HostPath): Native<"HostPath"> {
  return { command: inFs(command), poll: inFs(poll) };
}

function inFs(time: Seconds): number {
  return Math.round(time * 1e15);
}

/** Seconds from RD to its first data at best: no speed bin of JESD79-5 has a tAA below 14 ns. */
const minAccess = 14e-9;

/**
 * Fewest cycles from a request to its last data: of a row hit, or the ideal latency. DDR5 waits for
 * the nCL of its mode register, which is at least the tAA of any device.
 */
function shortestRead(memory: NdpMachine["memory"]): number {
  if ("ideal" in memory) return memory.latency;
  return Math.max(Math.floor(minAccess * memory.clock), memory.timing["nCL"] ?? 0) + burstCycles;
}

/**
 * Cycles from one refresh of a rank to the next: REFsb refreshes one bank of every group, and half
 * of its rows.
 */
function intervalOf(memory: NdpMachine["memory"]): number {
  if ("ideal" in memory) return 0;
  return refreshInterval(memory.refresh, memory.timing["nREFI"] ?? 0, memory.banksPerGroup);
}

function nativeMemory(memory: NdpMachine["memory"]): Native<"NdpConfig">["memory"] {
  if ("ideal" in memory) return { kind: "ideal", latency: memory.latency, burstCycles };
  const timing = completeTiming(memory.timing);
  return {
    kind: "dram",
    bankGroups: memory.bankGroups,
    banksPerGroup: memory.banksPerGroup,
    rows: memory.rows,
    columnsPerRow: memory.columnsPerRow,
    pins,
    mapping: memory.mapping,
    refresh: memory.refresh,
    refreshInterval: intervalOf(memory),
    staggered: memory.refreshPhase === "staggered",
    ...(memory.commandBus === "shared" ? { sharedCommands: true } : {}),
    refreshStart: refreshElapsed(memory),
    semantics: memory.semantics,
    queueEntries: memory.queueEntries,
    ...nativeStandard(ddr5, timing, {
      refresh: memory.refresh,
      semantics: dramSemantics(memory.semantics),
    }),
  };
}

/** Of the first rank, when the run begins. */
function refreshElapsed(memory: NdpMachine["memory"]): number {
  if ("ideal" in memory) return 0;
  return Math.floor(memory.refreshStart * intervalOf(memory));
}

/** Number of refresh commands that are equivalent to one REFab. */
function refreshesAtOnce(memory: NdpMachine["memory"]): number {
  return "ideal" in memory ? 1 : refreshesAsOne(memory.refresh, memory.banksPerGroup);
}
