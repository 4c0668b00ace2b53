// SPDX-License-Identifier: Apache-2.0
// The published costs of the papers' units, and the resources of an FPGA.

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
  /** Parts of the row that our modules lack; absent if both are complete. */
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
    lut: 99_200,
    ff: 207_300,
    bram36: 96,
    dsp: 768,
  },
  { name: "argtopk", modules: ["sparf_argtopk"], lut: 5_830, ff: 3_870, bram36: 24, dsp: 0 },
  {
    name: "NFC",
    modules: ["sparf_nfc_channel", "sparf_nfc_filter"],
    lut: 58_300,
    ff: 27_800,
    bram36: 96,
    dsp: 0,
    lacks:
      "ours is the page filter alone; the row is a whole flash controller, with its ONFI sequencer and ECC",
  },
];

/** A row of a paper's account that has no counterpart among our units. */
export interface MissingRow {
  readonly name: string;
  /** Where the paper has it, and why ours has not. */
  readonly why: string;
}

/** Rows of InstInfer's Table I without a module here. */
export const instInferMissing: readonly (MissingRow & FpgaCount)[] = [
  {
    name: "NVMe controller",
    lut: 7_990,
    ff: 12_450,
    bram36: 27.5,
    dsp: 0,
    why: "InstInfer, Table I; here commands of the host arrive as descriptors",
  },
  {
    name: "interconnect",
    lut: 4_120,
    ff: 6_170,
    bram36: 7.5,
    dsp: 0,
    why: "InstInfer, Table I; here the engine's ports meet models of DRAM and flash",
  },
];

/**
 * Parts of a DIMM-NDP without RTL here. TriMoE states one area for the whole unit, so the share of
 * the parts is unknown.
 */
export const triMoeMissing: readonly MissingRow[] = [
  {
    name: "rank memory controllers",
    why: "153.6 GB/s is four ranks of 38.4 (its Table 1); here a model of DDR5 schedules each rank",
  },
  { name: "DIMM-Link", why: "8 lanes of 25 Gb/s (its Table 1); here a model with its rate" },
  { name: "DRAM-side buffers and PHY", why: "on the DIMM's buffer chip; analogue, no RTL" },
  { name: "clock tree, test logic", why: "a layout adds them" },
];

/** Clock of InstInfer's engine (its section V). */
export const engineClockMHz = 285;
/**
 * Share of a period for logic, about 2 ns; the rest is for wires, which synthesis does not model.
 */
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

/** The parts that our figure includes and excludes, in comparison with TriMoE's. */
export const counted: Readonly<Record<"inside" | "outside", string>> = {
  inside: `GEMV array with its trees and FP32 accumulation, activation unit, buffer and burst queues
(memories by their shape, from published macros), control`.replaceAll("\n", " "),
  outside: `DIMM-Link, relayout unit, DRAM-side buffers and PHY, clock tree, test logic, placement
and routing other than by the stated utilisation`.replaceAll("\n", " "),
};
