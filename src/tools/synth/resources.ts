// SPDX-License-Identifier: Apache-2.0
// The resources of a slice's cells on an FPGA or a chip.

import type { Library } from "./cells/liberty.ts";
import type { Slice } from "../../machine/slices.ts";
import type { Resources } from "../../results/area-report.ts";

/** Share of the floor that cells, and macros, may cover so that the rest can be wired. */
export const utilisation = { logic: 0.7, sram: 0.9 } as const;

/** Look-up tables of a distributed RAM or shift register (Xilinx UG953). */
const memoryLuts: Readonly<Record<string, number>> = {
  RAM32X1D: 2,
  RAM64X1D: 2,
  RAM128X1D: 4,
  RAM256X1D: 8,
  RAM32X1S: 1,
  RAM64X1S: 1,
  RAM128X1S: 2,
  RAM256X1S: 4,
  RAM32M: 4,
  RAM64M: 4,
  SRL16E: 1,
  SRLC32E: 1,
};

/** Totals of one slice. */
export function resourcesOf(slice: Slice, library: Library | null): Resources {
  const cells = Object.entries(slice.cells).filter(
    ([type]) => !slice.boxes.some((box) => box.module === type),
  );
  const sum = (weight: (type: string) => number): number =>
    cells.reduce((total, [type, count]) => total + count * weight(type), 0);
  const cellArea = sum((type) => library?.cells.get(type)?.area ?? 0);
  return {
    lut: library === null ? sum(lutsOf) : 0,
    ff: sum((type) => Number(library?.cells.get(type)?.flipFlop ?? /^FD[RSCP]E/.test(type))),
    bram36: sum((type) => (type === "RAMB36E1" ? 1 : type === "RAMB18E1" ? 0.5 : 0)),
    dsp: sum((type) => Number(type === "DSP48E1")),
    cells: sum(() => 1),
    cellArea,
    gates: library === null ? 0 : cellArea / library.nand2.area,
  };
}

/** A remaining inverter occupies a look-up table. */
function lutsOf(type: string): number {
  return Number(/^LUT[1-6]$|^INV$/.test(type)) + (memoryLuts[type] ?? 0);
}
