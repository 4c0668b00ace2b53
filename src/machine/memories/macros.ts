// SPDX-License-Identifier: Apache-2.0
// Published memory macros, for areas by shape, and the cost of two ports. Facts are of the
// abstracts (LEF) that both kits publish.

interface MacroFamily {
  readonly source: string;
  readonly columnsPerBit: number;
  /** Word widths of the published macros, in bits. */
  readonly bits: readonly number[];
  /** um by the number of rows. */
  readonly width: Readonly<Record<number, number>>;
  /** um per column, and of the rest of the height. */
  readonly column: number;
  readonly frame: number;
}

/**
 * The 36 single-port macros of ASAP7 (asap7_sram_0p0 at 9f5af093, generated/LEF): `srambank_RxCxB`
 * has R rows, C = 4 columns per bit and B bits. The number of rows decides the width. The height of
 * all 36 is exactly `frame + column * C * B`.
 */
export const srambank: MacroFamily = {
  source: "ASAP7 srambank abstracts (asap7_sram_0p0)",
  columnsPerBit: 4,
  bits: [16, 18, 20, 32, 34, 36, 40, 48, 64, 72, 74, 80],
  width: { 64: 9.612, 128: 16.0, 256: 30.348 },
  column: 0.27,
  frame: 8.64,
};

/** The densest of them, um2 a bit: 256 rows of 80 bits. */
export const densestBit: number = (30.348 * 95.04) / (4 * 256 * 80);

/**
 * A foundry's arrays have assist circuits, which the ASAP7 abstracts omit. The factor is 23.6 Mb
 * per square millimetre in a process of the same class (Guo et al., ISSCC 2018, 10 nm), relative to
 * the 8 KB macro of ASAP7.
 */
export const foundryArray: { readonly source: string; readonly factor: number } = {
  source: "foundry's array, Guo et al., ISSCC 2018",
  factor: 1e6 / (23.6 * 2 ** 20) / ((30.348 * 77.76) / 65_536),
};

/**
 * Cost of a macro with a read port and a write port, relative to one port with the same words and
 * bits. Lower end: the cell alone, of eight transistors for six (Chang et al., VLSI 2005). Upper
 * end: macros with two read-write ports, relative to those with one, by a foundry's compiler in 130
 * nm (IHP SG13G2, sg13g2_sram at 5cccb161, LEF): 1.88 to 2.05 for 256 to 1,024 words of 16 and 32
 * bits.
 */
export const twoPorts = {
  source: "8T cell, Chang et al., VLSI 2005; up to IHP SG13G2's pairs of macros",
  cell: 1.3,
  macros: 2.05,
} as const;
