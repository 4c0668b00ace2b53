// SPDX-License-Identifier: Apache-2.0
// Traffic that makes ranks change hands on the machine that simulates MoE layers: the host reads
// through its sub-channels while moves read and write the same ranks in NDP mode.

import fc from "fast-check";

import { hostPath } from "../../src/machine/resolve/systems.ts";
import { joinedDimms } from "../../src/kernels/moe/dimm-links.ts";
import { layerSpec, type LayerWork } from "../../src/kernels/moe/moe-layer.ts";
import type { RankMemory } from "../../src/machine/types.ts";
import { present } from "../../src/base/present.ts";
import { controllerCommandsOf } from "../../src/machine/dram/standards/controller.ts";
import { ddr5 } from "../../src/machine/dram/standards/ddr5.ts";
import { rowsOf } from "../../src/native/record.ts";
import {
  runMoe,
  type NativeMoeResult,
  type NativeMoeSpec,
} from "../../src/native/ndp/moe-binding.ts";
import type { CommandKind } from "../kernels/dram/bus-history.ts";
import { smallLayerMachine } from "./machines.ts";

export const commandKinds: readonly CommandKind[] = [
  ...(["ACT", "PRE", "PREA", "RD", "WR", "REFab", "PREsb", "REFsb"] as const),
];

/** A rank of the two DIMMs as NDP names it. */
export interface Rank {
  readonly dimm: number;
  readonly stream: number;
}

/** Bursts of a rank that the host reads, so many nanoseconds after the read before it. */
export interface HostRead extends Rank {
  readonly wait: number;
  readonly burst: number;
  readonly bursts: number;
}

/** Bursts that NDP moves from one rank to another, not before so many nanoseconds. */
export interface NdpMove {
  readonly start: number;
  readonly from: Rank & { readonly burst: number };
  readonly to: Rank & { readonly burst: number };
  readonly bursts: number;
}

export interface RankCommand extends Rank {
  readonly user: "host" | "ndp";
  readonly cycle: number;
  readonly kind: CommandKind;
  /** Bank group, bank, row, column. */
  readonly place: readonly number[];
}

const dimms = 2;
const streams = 8;
const machine = smallLayerMachine(dimms);
const femto = 1e6;

/** The memory of every rank, and the timings of its commands. */
export function rankMemory(): RankMemory {
  const { memory } = machine.ndp;
  if ("ideal" in memory) throw new TypeError("no DDR5");
  return memory;
}

/** The commands of a rank, from both users, in the order of cycles. */
export function commandsOf(
  commands: readonly RankCommand[],
  { dimm, stream }: Rank,
): readonly RankCommand[] {
  return commands
    .filter((one) => one.dimm === dimm && one.stream === stream)
    .toSorted((a, b) => a.cycle - b.cycle);
}

export const allRanks: readonly Rank[] = Array.from({ length: dimms * streams }, (_, i) => ({
  dimm: Math.floor(i / streams),
  stream: i % streams,
}));

/** The machine with reads by device and moves. */
function trafficSpec(
  devices: readonly (readonly HostRead[])[],
  moves: readonly NdpMove[],
  { memory, forwarded = false }: TrafficChanges,
): NativeMoeSpec {
  const shape = { hidden: 64, intermediate: 64, format: "fp16", activation: "silu" } as const;
  const ndp = { ...machine.ndp, memory: { ...rankMemory(), ...memory } };
  const joined = forwarded ? joinedDimms({ topology: "full", group: 1 }, hostPath) : {};
  return {
    ...layerSpec({ ...machine, ...joined, ndp }, { shape, experts: [], moves: [] }),
    devices: devices.map((reads, d) => ({
      name: `device ${d}`,
      buffers: 2,
      tasks: reads.flatMap(({ wait, dimm, stream, burst, bursts }) => [
        { compute: wait * femto, chunks: new Uint32Array(0) },
        // A sub-channel has four ranks of each DIMM.
        {
          compute: 0,
          chunks: Uint32Array.of(0, Math.floor(stream / 4), dimm * 4 + (stream % 4), burst, bursts),
        },
      ]),
    })),
    moves: moves.map(({ start, from, to, bursts }) => ({
      links: 1,
      start: start * femto,
      runs: Uint32Array.of(
        ...[from.dimm, from.stream, from.burst],
        ...[to.dimm, to.stream, to.burst, bursts],
      ),
    })),
  };
}

/** Changes to the machine of a run. */
interface TrafficChanges {
  /** Each DIMM is a group of its own, so that the host forwards moves between DIMMs. */
  readonly forwarded?: boolean;
  /** Of every rank. */
  readonly memory?: Partial<RankMemory>;
  /** Limits by which the machine is watched. */
  readonly limits?: Partial<NativeMoeSpec["dimm"]["limits"]>;
}

/** Runs the traffic; a fault of the machine is an error. */
export async function runTraffic(
  devices: readonly (readonly HostRead[])[],
  moves: readonly NdpMove[],
  changes: TrafficChanges = {},
): Promise<{ readonly result: NativeMoeResult; readonly commands: readonly RankCommand[] }> {
  const spec = trafficSpec(devices, moves, changes);
  const limits = { ...spec.dimm.limits, ...changes.limits };
  return runWatched({ ...spec, dimm: { ...spec.dimm, limits } }, changes.memory);
}

/** Runs work whose jobs reach the DIMMs over the host's sub-channels. */
export async function runLayer(
  work: LayerWork,
): Promise<{ readonly result: NativeMoeResult; readonly commands: readonly RankCommand[] }> {
  const { ndp } = machine;
  return runWatched(layerSpec({ ...machine, ndp: { ...ndp, host: hostPath } }, work));
}

async function runWatched(
  spec: NativeMoeSpec,
  use: Pick<Partial<RankMemory>, "refreshManagement"> = {},
): Promise<{ readonly result: NativeMoeResult; readonly commands: readonly RankCommand[] }> {
  const keepCommands = 1 << 16;
  const result = await runMoe({ ...spec, keepCommands });
  const names = controllerCommandsOf(ddr5, use);
  const commands = rowsOf("RankCommand", result.commands).map(
    ({ dimm, stream, host, cycle, command, bankGroup, bank, row, column }): RankCommand => ({
      dimm,
      stream,
      cycle,
      kind: present(names[command]).name as CommandKind,
      user: host ? "host" : "ndp",
      place: [bankGroup, bank, row, column],
    }),
  );
  if (commands.length === keepCommands) throw new RangeError("more commands than are kept");
  return { result, commands };
}

/** Reads of the host and moves of NDP that share some ranks. */
export function anyTraffic(): fc.Arbitrary<{
  readonly devices: readonly (readonly HostRead[])[];
  readonly moves: readonly NdpMove[];
}> {
  const rank = fc.record({
    dimm: fc.integer({ min: 0, max: 1 }),
    stream: fc.constantFrom(0, 4, 5),
  });
  const read = fc
    .record({
      at: rank,
      wait: fc.integer({ min: 0, max: 8000 }),
      bursts: fc.constantFrom(1, 16, 300, 1500),
    })
    .map(({ at, ...rest }): HostRead => ({ ...at, ...rest, burst: 0 }));
  const move = fc
    .record({
      start: fc.integer({ min: 0, max: 60_000 }),
      from: rank.map((at) => ({ ...at, burst: 0 })),
      to: rank,
      bursts: fc.constantFrom(8, 200),
    })
    .map((made): NdpMove => ({ ...made, to: { ...made.to, burst: 1 << 14 } }));
  return fc.record({
    devices: fc.array(fc.array(read, { minLength: 10, maxLength: 25, size: "max" }), {
      minLength: 1,
      maxLength: 3,
    }),
    moves: fc.array(move, { maxLength: 1 }),
  });
}
