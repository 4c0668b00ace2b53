// SPDX-License-Identifier: Apache-2.0
// Builds the SparF kernel with its test bench.

import { inRepository } from "../../src/base/paths.ts";
import { openGates, verilate } from "../../src/native/unit/verilate.ts";
import { moduleFile } from "../../src/tools/synth/rtl-files.ts";

/** Parameters of `sparf_kernel`, by their names there. */
export interface KernelShape {
  readonly Lanes: number;
  readonly Width: number;
  readonly MaxKeys: number;
  readonly MaxGroup: number;
  readonly Slots: number;
  readonly RingLines: number;
  /** Queries of a group that are served at once. */
  readonly QuerySets: number;
}

const packages = [
  "sparf_attn_pkg",
  "sparf_attn_exp2_pkg",
  "sparf_topk_pkg",
  "sparf_kernel_pkg",
  "sparf_pkg",
];
const common = ["clock_gate", "fp_narrow", "sram_1r1w"];
const units = [
  "sparf_attn_add",
  "sparf_attn_multiply",
  "sparf_attn_normalise",
  "sparf_attn_exp2",
  "sparf_attn_scalar",
  "sparf_attn_weigh",
  "sparf_topk_lanes",
  "sparf_topk_counts",
  "sparf_topk_queue",
  "sparf_argtopk",
  "sparf_query_keys",
  "sparf_query_sums",
  "sparf_query_scales",
  "sparf_query_unit",
  "sparf_gemv_sequencer",
  "sparf_gemv_products",
  "sparf_gemv_largest",
  "sparf_gemv_tree",
  "sparf_gemv_lanes",
  "sparf_largest_logits",
  "sparf_logit_halves",
  "sparf_logit_rows",
  "sparf_weight_totals",
  "sparf_whole_heads",
  "sparf_rank_scores",
  "sparf_rank_quotients",
  "sparf_rank_logits",
  "sparf_rank_walk",
  "sparf_rank_blocks",
  "sparf_rank_sums",
  "sparf_rank_tokens",
  "sparf_rank_rows",
  "sparf_rank_select",
  "sparf_rank_unit",
  "sparf_attend_lanes",
  "sparf_attend_finish",
  "sparf_attend_softmax",
  "sparf_attend_sequencer",
  "sparf_attend_unit",
  "sparf_kernel",
];

/** The cycle model, with which the bench compares, and the value models that it needs. */
const model = [
  "kernel/attend_cycle",
  "kernel/gemv_cycle",
  "kernel/query_cycle",
  "kernel/rank_cycle",
  "kernel/sparf_kernel_counts",
  "kernel/sparf_kernel_cycle",
  "values/attention_logits",
  "values/attention_numbers",
  "values/attention_values",
  "values/sparf_head",
];

/**
 * The path of the executable; `replaced` has sources that replace the repository's, by path. With
 * `open` no clock gate closes.
 */
export async function buildSparfKernel(
  shape: KernelShape,
  replaced: ReadonlyMap<string, string> = new Map(),
  open = false,
): Promise<string> {
  return verilate({
    top: "sparf_kernel",
    parameters: { ...shape },
    sources: [
      inRepository("rtl", "ndp", "ndp_pkg.sv"),
      ...[...packages, ...common, ...units].map((name) => moduleFile(name)),
    ].map((path) => replaced.get(path) ?? path),
    harness: [
      inRepository("testbench", "sparf_kernel_main.cc"),
      ...model.map((name) => inRepository("sim", "unit", "sparf", `${name}.cc`)),
    ],
    kind: "executable",
    trace: false,
    toggles: false,
    ...(open ? { defines: [openGates] } : {}),
  });
}
