// SPDX-License-Identifier: Apache-2.0
// Area of compiled memories, which synthesis leaves out, from a stated density.

import type { Instance } from "./types.ts";

/**
 * um2 of one bit of a single-port memory with its periphery: a macro of 8 KB takes 2359.86 um2
 * (ASAP7, srambank_256x4x64_6t122). Cross-check: TSMC's 7 nm cell of 0.027 um2 (Chang et al., ISSCC
 * 2017, 12.1) at 75 % array efficiency is 0.0360.
 */
export const singlePortBit: number = 2359.86 / (8 * 8192);

/** A cell with a port to read and one to write (8T) is 30 % larger (Chang et al., VLSI 2005). */
export const twoPortFactor = 1.3;

/** True for the memories of rtl/common as a physical flow sees them. */
export function isMemory(module: string): boolean {
  return module === "sram_1rw_macro" || module === "sram_1r1w_macro";
}

/** Bits of a memory. */
export function memoryBits({ parameters }: Instance): number {
  return (parameters["Words"] ?? 0) * (parameters["DataBits"] ?? 0);
}

/**
 * The buffer that turns rows of K into embedding-order pages, of so many bytes: a bank for each of the
 * 32 values of a line of DRAM, written and read at a time (rtl/controller/transposition_buffer.sv).
 */
export function transpositionBuffer(bytes: number): {
  readonly um2: number;
  readonly bram36: number;
} {
  const banks = 32;
  const parameters = { Words: bytes / banks / 2, DataBits: 16 };
  // A block RAM is two of half its size, which hold 2 KiB each.
  const halves = banks * Math.ceil(bytes / banks / 2048);
  return { um2: banks * memoryArea({ module: "sram_1r1w_macro", parameters }), bram36: halves / 2 };
}

/** um2 of a memory. */
export function memoryArea(memory: Instance): number {
  const factor = memory.module === "sram_1r1w_macro" ? twoPortFactor : 1;
  return memoryBits(memory) * singlePortBit * factor;
}
