// SPDX-License-Identifier: Apache-2.0
// The units with synthesis: their top, and their slices. A module with many instances is
// synthesized once. A module that grows linearly with a parameter is synthesized for two small
// values, so that shared parts are counted once.

import type { Instance, Parameters, Target } from "../../machine/slices.ts";

/** So many times this slice; negative where a shared part has been counted too often. */
export interface Share {
  readonly instance: Instance;
  readonly count: number;
}

/** Common names of modules, and the default target of each. */
export interface SynthUnit {
  readonly name: string;
  readonly top: string;
  readonly title: string;
  readonly target: Target;
}

export const units: readonly SynthUnit[] = [
  { name: "ndp", top: "dimm_ndp", title: "DIMM-NDP unit", target: "asic" },
  { name: "sparf", top: "sparf_engine", title: "SparF engine", target: "xc7" },
  { name: "argtopk", top: "sparf_argtopk", title: "argtopk", target: "xc7" },
  { name: "nfc", top: "sparf_nfc_filter", title: "NFC filter of one channel", target: "xc7" },
  {
    name: "transposition",
    top: "transposition_buffer",
    title: "transposition buffer of a storage device",
    target: "xc7",
  },
  { name: "relayout", top: "relayout_unit", title: "relayout unit of a DIMM", target: "asic" },
];

/** The unit of that name; any other module of the RTL is a unit as well. */
export function unitOf(name: string): SynthUnit {
  const known = units.find((u) => u.name === name || u.top === name);
  return known ?? { name, top: name, title: name, target: "asic" };
}

/** Modules that are always separate slices. */
export const separateModules: readonly string[] = [
  "ndp_gemv_array",
  "ndp_gemv_bank",
  "ndp_slot_root",
  "ndp_weight_scales",
  "ndp_act_bank",
  "ndp_act_microcode",
  "sparf_head_engine",
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
  "sparf_argtopk",
  "sparf_head_front",
  "sparf_head_loader",
  "sparf_token_walker",
  "sparf_dim_walker",
  "sparf_append_unit",
  "sparf_dram_reader",
  "sparf_nfc_channel",
  "relayout_reader",
  "relayout_packet_arbiter",
  "relayout_writer",
  "relayout_flow_ends",
];

/** The slices that make one instance. */
export function sharesOf(instance: Instance): readonly Share[] {
  switch (instance.module) {
    case "ndp_gemv_array":
      return arrayShares(instance);
    case "ndp_gemv_bank":
    case "ndp_weight_scales":
      return growing(instance, "Streams");
    case "sparf_attend_lanes":
      return growing(instance, "Lanes");
    case "ndp_act_bank":
      return [
        {
          instance: { module: "ndp_act_bank", parameters: { Lanes: 1, Group: 1 } },
          count: instance.parameters["Lanes"] ?? 1,
        },
      ];
    default:
      return [{ instance, count: 1 }];
  }
}

/**
 * The slice for an instance and its multiplicity: an instance that `sharesOf` extrapolates consists
 * of slices of two streams (lanes) if their number is even.
 */
export function piecesOf(instance: Instance): Share {
  const shares = sharesOf(instance);
  const [two, one] = shares;
  if (two === undefined || one === undefined) return shares[0] ?? { instance, count: 1 };
  const copies = two.count + 1;
  return copies % 2 === 0 ? { ...two, count: copies / 2 } : { ...one, count: copies };
}

/** In banks of two multipliers per stream, which are slices themselves. */
function arrayShares(instance: Instance): readonly Share[] {
  const parameters: Parameters = { Streams: 8, Mults: 32, ...instance.parameters };
  const banked = { ...parameters, Banks: banksOf(parameters) };
  return growing({ ...instance, parameters: banked }, "Streams");
}

function banksOf(parameters: Parameters): number {
  return (parameters["Mults"] ?? 2) / 2;
}

/** a + b n, where n is the value of the parameter, from measurements for one and two. */
function growing(instance: Instance, parameter: string): readonly Share[] {
  const size = instance.parameters[parameter] ?? 1;
  const of = (count: number): Instance => ({
    ...instance,
    parameters: { ...instance.parameters, [parameter]: count },
  });
  if (size <= 2) return [{ instance, count: 1 }];
  return [
    { instance: of(2), count: size - 1 },
    { instance: of(1), count: 2 - size },
  ];
}
