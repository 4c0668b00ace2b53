// SPDX-License-Identifier: Apache-2.0
// What the papers publish about the cost of their units, and what an FPGA has.

/** Resources of an FPGA. */
export interface FpgaCount {
  readonly lut: number;
  readonly ff: number;
  readonly bram36: number;
  readonly dsp: number;
}

/** A row of InstInfer's Table I, and the modules of ours that do the same. */
export interface PublishedFpga extends FpgaCount {
  readonly name: string;
  readonly modules: readonly string[];
  /** What ours has not that the row counts; absent where they hold the same. */
  readonly lacks?: string;
}

/** InstInfer (HPCA 2025), Table I. The attention row is of both kernels (section VI-A). */
export const instInferTable: readonly PublishedFpga[] = [
  {
    name: "attention kernels",
    modules: [
      "sparf_kernel",
      "sparf_query_unit",
      "sparf_gemv_sequencer",
      "sparf_gemv_lanes",
      "sparf_rank_unit",
      "sparf_attend_unit",
      "sparf_attend_lanes",
      "sparf_attend_finish",
      "sparf_attn_weigh",
      "sparf_attn_scalar",
    ],
    ...{ lut: 99_200, ff: 207_300, bram36: 96, dsp: 768 },
  },
  { name: "argtopk", modules: ["sparf_argtopk"], lut: 5_830, ff: 3_870, bram36: 24, dsp: 0 },
  {
    name: "NFC",
    modules: ["sparf_nfc_channel", "sparf_nfc_filter"],
    ...{ lut: 58_300, ff: 27_800, bram36: 96, dsp: 0 },
    lacks:
      "ours is the page filter alone; the row is a whole flash controller, with its ONFI sequencer and ECC",
  },
];

/** Clock of InstInfer's engine (its section V). */
export const engineClockMHz = 285;
/** Share of a period that logic may take, about 2 ns; the rest is for wires, which synthesis does not know. */
export const logicShare = 0.6;

/** Zynq-7045 (Xilinx DS190, Zynq-7000 overview, Z-7045). */
export const zynq7045: FpgaCount = {
  lut: 218_600,
  ff: 437_200,
  bram36: 545,
  dsp: 900,
};

/** TriMoE's unit in TSMC 7 nm (its section 5.1 and table 1); the paper names no clock. */
export const triMoe = { areaMm2: 1.13 } as const;

/** What our figure holds and what it leaves out, beside TriMoE's. */
export const counted: Readonly<Record<"inside" | "outside", string>> = {
  inside: `GEMV array with its trees and FP32 accumulation, activation unit, buffer and burst queues
(memories at a stated density), control`.replaceAll("\n", " "),
  outside: `DIMM-Link, relayout unit, DRAM-side buffers and PHY, clock tree, test logic, placement
and routing other than by the stated utilisation`.replaceAll("\n", " "),
};
