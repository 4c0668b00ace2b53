// SPDX-License-Identifier: Apache-2.0
// Builds the SparF kernel with its test bench.

import { inRepository } from "../../src/native/paths.ts";
import { verilate } from "../../src/native/compile/verilate.ts";
import { moduleFile } from "../../src/synth/rtl-files.ts";

/** Parameters of `sparf_kernel`, by their names there. */
export interface KernelShape {
  readonly Lanes: number;
  readonly Width: number;
  readonly MaxKeys: number;
  readonly MaxGroup: number;
  readonly Slots: number;
  readonly RingLines: number;
}

const packages = ["attn_pkg", "attn_exp2_pkg", "topk_pkg", "sparf_kernel_pkg"];
const common = ["clock_gate", "fp_narrow", "sram_1r1w"];
const units = [
  "attn_add",
  "attn_multiply",
  "attn_normalise",
  "attn_exp2",
  "attn_scalar",
  "attn_weigh",
  "topk_lanes",
  "topk_counts",
  "topk_queue",
  "argtopk",
  "query_keys",
  "query_sums",
  "query_unit",
  "gemv_sequencer",
  "gemv_lanes",
  "largest_logits",
  "logit_halves",
  "logit_rows",
  "weight_totals",
  "whole_heads",
  "rank_scores",
  "rank_quotients",
  "rank_logits",
  "rank_walk",
  "rank_select",
  "rank_unit",
  "attend_lanes",
  "attend_finish",
  "attend_softmax",
  "attend_sequencer",
  "attend_unit",
  "sparf_kernel",
];

/** The cycle model, which the bench compares with. */
const model = [
  "attend_cycle",
  "gemv_cycle",
  "query_cycle",
  "rank_cycle",
  "sparf_kernel_counts",
  "sparf_kernel_cycle",
];

/** The path of the executable. */
export async function buildSparfKernel(shape: KernelShape): Promise<string> {
  return verilate({
    top: "sparf_kernel",
    parameters: { ...shape },
    sources: [
      inRepository("rtl", "ndp", "ndp_pkg.sv"),
      ...[...packages, ...common, ...units].map((name) => moduleFile(name)),
    ],
    harness: [
      inRepository("testbench", "sparf_kernel_main.cc"),
      ...model.map((name) => inRepository("sim", "unit", "sparf", "kernel", `${name}.cc`)),
    ],
    kind: "executable",
    trace: false,
    toggles: false,
  });
}
