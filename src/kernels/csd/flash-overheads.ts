// SPDX-License-Identifier: Apache-2.0
// The modelled overheads of a storage device for the page reads of its heads, in closed form: parity on the bus; the
// address translation before each page and the ECC decoding after it, once for each step of a head; commands of the
// host. The formulas contain neither the time of the engine, which limits one head in flight, nor waits of these
// overheads for each other.

import { dataRateOf } from "../../machine/resolve/links.ts";
import type { FlashBinding } from "../../native/flash-binding.ts";
import type { Chain } from "../flash/chains.ts";
import { bytes, seconds, type Seconds } from "../../base/units.ts";
import type { CsdMachine } from "../../machine/csd/csd-machine.ts";
import { runHeads } from "./flash-heads.ts";

/** Crossings of a link from a command's doorbell to its rows, and from its end to its host. */
const crossings = { commands: 6, none: 2 } as const;
const lineBytes = 64;
const bytesPerValue = 2;

/**
 * Heads in flight hide each other's waits. The time is one head's waits plus the longest of three:
 * the time of the flash, the time of the lookups, and the time of all heads with their waits,
 * `inFlight` heads at a time.
 */
export function timeWithOverheads(
  flash: FlashBinding,
  machine: CsdMachine,
  chains: readonly Chain[],
  inFlight: number,
): Seconds {
  if (chains.length === 0) return seconds(0);
  const { flash: device, controller, reads } = machine;
  const { ecc, translation } = controller;
  const codewords = Math.ceil(device.page_bytes / reads.codewordBytes);
  const parity = ecc === null ? 0 : codewords * ecc.parity;
  // Two bytes cross at a time.
  const onBus = { ...device, page_bytes: device.page_bytes + 2 * Math.ceil(parity / 2) };
  const run = (flying: number): number =>
    runHeads(flash, onBus, device.arbitration, chains, flying).microseconds * 1e-6;
  const pages = chains.flat(2).length;
  const waits =
    chains.reduce((sum, { length }) => sum + length * stepWait(machine), 0) / chains.length +
    hostWait(machine);
  const many = run(inFlight);
  const one = inFlight === 1 ? many : run(1);
  const inTurn =
    (one / chains.length + waits) * (chains.length / Math.min(inFlight, chains.length));
  const longest = Math.max(many + waits, inTurn, pages / translation.rate + waits);
  return seconds(longest);
}

/** Waits of a step: the lookup before its first page, and the decoding after its last page. */
function stepWait({ controller: { ecc, translation }, dram, reads }: CsdMachine): Seconds {
  const table = translation.table === "sram" ? 0 : dram.latency + lineBytes / dram.rate;
  const verdict = ecc === null ? 0 : ecc.latency + reads.codewordBytes / ecc.rate;
  return seconds(translation.latency + table + verdict);
}

/** Latency of a query to the device, and of an output to the host. */
function hostWait({ link, unit }: CsdMachine): Seconds {
  const { wires, replyHeader, commands } = link;
  const rows = bytes(2 * unit.width * bytesPerValue);
  const times = commands === null ? crossings.none : crossings.commands;
  return seconds(times * wires.latency + rows / dataRateOf(wires, replyHeader));
}
