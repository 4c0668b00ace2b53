// SPDX-License-Identifier: Apache-2.0
// Published limits of parts: guards check a run against these numbers, which are independent of the
// numbers of the model (presets.ts).

import type { FlashPreset } from "./presets.ts";

/** Figures of a part: of one of the eight data pins of a channel, and of its cells. */
export interface DataSheet {
  /** Bits per second of a pin. */
  readonly transfersPerSecond: number;
  /** Nanoseconds: the least time of the fastest page, program and erase. */
  readonly readNs: number;
  readonly programNs: number;
  readonly eraseNs: number;
  /** Bytes of spare area for 1,024 bytes of data. */
  readonly spareBytes: number;
}

/**
 * TLC has 1,872 bytes per 16,384: Micron's MT29F128G08CBECB has this spare area with two bits per
 * cell, and three bits need no less. SLC has 224 per 4,096 (MT29F16G08ABABA); an unknown part has
 * the same (assumed).
 */
const tlcSpare = 1872 / 16;
const slcSpare = 224 / 4;

/** Toggle DDR 4.0 as announced with Samsung's fifth-generation V-NAND: 1.4 Gb/s a pin. */
const toggle4 = 1_400_000_000;

/**
 * Samsung announced its sixth-generation TLC with less than 45 us and 450 us. The model assumes at
 * least 38 us and 380 us for each page. Erases: 3 ms at least (HP's solid state drive white paper,
 * MLC).
 */
const v6Tlc: DataSheet = {
  transfersPerSecond: toggle4,
  readNs: 38_000,
  programNs: 380_000,
  eraseNs: 3_000_000,
  spareBytes: tlcSpare,
};

/** Z-NAND: 3 us (983 ZET review), programs of 80 us and erases of 1 ms at least (ByteFS). */
const zNand: DataSheet = {
  transfersPerSecond: toggle4,
  readNs: 3000,
  programNs: 80_000,
  eraseNs: 1_000_000,
  spareBytes: slcSpare,
};

/** 64-layer TLC behind the OpenSSD board's bus of 200 MT/s (its vendor): 55 us (py_ssd_sim), 660 us. */
const openSsdTlc: DataSheet = {
  transfersPerSecond: 200_000_000,
  readNs: 55_000,
  programNs: 660_000,
  eraseNs: 3_000_000,
  spareBytes: tlcSpare,
};

/**
 * An unknown device: no pin is faster than 5.6 Gb/s (Samsung's tenth V-NAND, ISSCC 2025, 30.1).
 * ONFI 5.0 has 2.4 Gb/s, ONFI 5.1 3.6, Toggle 5.1 of the ninth V-NAND 3.2.
 */
const unknownPart: DataSheet = {
  transfersPerSecond: 5_600_000_000,
  readNs: 0,
  programNs: 0,
  eraseNs: 0,
  spareBytes: slcSpare,
};

const sheets: Readonly<Record<FlashPreset, DataSheet>> = {
  tlc4k: v6Tlc,
  tlc16k: v6Tlc,
  znand4k: zNand,
  daisyplus: openSsdTlc,
};

/** That of a part by its name. */
export function dataSheetOf(name: string | undefined): DataSheet {
  const known = Object.entries(sheets).find(([part]) => part === name);
  return known?.[1] ?? unknownPart;
}
