// SPDX-License-Identifier: Apache-2.0
// Flash devices by name. Cell times are published figures of the parts named; the command times are
// the interface cycles written out below, the same for every part.

import type { FlashDevice } from "./device.ts";

/**
 * Command and address cycles of 25 ns between chip-enable set-up (20 ns) and the wait for busy
 * (100 ns): six cycles and 20 ns of read recovery for a read, and for every further plane a dummy
 * busy of 500 ns and six more cycles. Programs as measured from the same interface model.
 */
const readCommand = (planes: number): number => 20 + 6 * 25 + 100 + 20 + (planes - 1) * (500 + 150);
const programCommand = (planes: number): number => 361 + (planes - 1) * 816;
/** Block address alone: command, three address cycles, confirm; 500 ns more for each plane. */
const eraseCommand = (planes: number): number => 20 + 5 * 25 + 100 + (planes - 1) * (500 + 125);

const byPlanes = (time: (planes: number) => number, planes: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: planes }, (_, i) => [String(i + 1), time(i + 1)]));

interface Part {
  readonly name: string;
  readonly pageBytes: number;
  readonly dies: number;
  readonly planes: number;
  readonly senseNs: number;
  readonly programNs: number;
  readonly eraseNs: number;
  /** Bus: channels of 8 bits, the rate of each, and ticks that express it exactly. */
  readonly channels: number;
  readonly rate: string;
  readonly ticksPerNs: number;
  readonly ticksPerTwoBytes: number;
}

function device(part: Part): FlashDevice {
  return {
    name: part.name,
    channels: part.channels,
    dies_per_channel: part.dies,
    planes_per_die: part.planes,
    page_bytes: part.pageBytes,
    channel_rate: part.rate,
    ticks_per_ns: part.ticksPerNs,
    bus_ticks_per_2_bytes: part.ticksPerTwoBytes,
    tR_ns: part.senseNs,
    t_rb_ns: 20,
    tPROG_ns: part.programNs,
    tBERS_ns: part.eraseNs,
    t_cmd_read_ns: byPlanes(readCommand, part.planes),
    t_cmd_program_ns: byPlanes(programCommand, part.planes),
    t_cmd_erase_ns: byPlanes(eraseCommand, part.planes),
    arbitration: "cmd_first",
  };
}

/** 8 channels of 1.4 GB/s (Toggle DDR 4.0), the internal bandwidth InstInfer states: 11.2 GB/s. */
const instInferBus = { channels: 8, rate: "1.4 GB/s", ticksPerNs: 7, ticksPerTwoBytes: 10 };

export type FlashPreset = "tlc4k" | "tlc16k" | "znand4k" | "daisyplus";

export const flashPresets: Readonly<Record<FlashPreset, FlashDevice>> = {
  /** Sixth-generation TLC, the class of the 980 Pro: under 45 us and 450 us (Samsung, 2019-08);
   * erase 3.5 ms (SimpleSSD's sample configuration). */
  tlc4k: device({
    ...instInferBus,
    name: "tlc4k",
    pageBytes: 4096,
    dies: 4,
    planes: 1,
    senseNs: 45_000,
    programNs: 450_000,
    eraseNs: 3_500_000,
  }),
  /** The same cells read 16 KB at a time over two planes. */
  tlc16k: device({
    ...instInferBus,
    name: "tlc16k",
    pageBytes: 16_384,
    dies: 4,
    planes: 2,
    senseNs: 45_000,
    programNs: 450_000,
    eraseNs: 3_500_000,
  }),
  /** 48-layer SLC: 3 us and 100 us, pages of 4 KB (983 ZET review); erase 1 ms (ByteFS). */
  znand4k: device({
    ...instInferBus,
    name: "znand4k",
    pageBytes: 4096,
    dies: 4,
    planes: 1,
    senseNs: 3000,
    programNs: 100_000,
    eraseNs: 1_000_000,
  }),
  /** The OpenSSD board of the prototype: 4 channels of 100 MHz DDR, 200 MT/s; cells as 64-layer
   * TLC, 60 us and 700 us (983 ZET review). */
  daisyplus: device({
    name: "daisyplus",
    channels: 4,
    rate: "200 MT/s",
    ticksPerNs: 1,
    ticksPerTwoBytes: 10,
    pageBytes: 16_384,
    dies: 8,
    planes: 1,
    senseNs: 60_000,
    programNs: 700_000,
    eraseNs: 3_500_000,
  }),
};
