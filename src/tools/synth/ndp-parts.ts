// SPDX-License-Identifier: Apache-2.0
// The area of a DIMM-NDP unit of any size from parts: its datapath and its memories at these
// parameters, and the control of the unit in TriMoE's size (2.5 % of the area there), whose
// synthesis needs minutes per set of parameters. Searches use it; their results are synthesized
// completely.

import { defined } from "../../base/defined.ts";
import { maxAlignedBits } from "../../machine/resolve/geometry.ts";
import type { NdpUnitParameters } from "../../machine/types.ts";
import { sumOfSlices } from "./area.ts";
import { type AreaReport, type SliceRow } from "../../results/area-report.ts";
import type { Flow } from "./slice.ts";
import type { Box, Instance, Parameters } from "../../machine/slices.ts";

const burstBits = 512;

/** The parameters of dimm_ndp by their names there. */
export function dimmParameters(unit: NdpUnitParameters): Parameters {
  return {
    Streams: unit.streams,
    MultPerStream: unit.multipliersPerStream,
    Lanes: unit.lanes,
    BitsPerCycle: unit.bitsPerCycle,
    BufferBytes: unit.bufferBytes,
    QueueBursts: unit.queueBursts,
    ActLanes: unit.activationLanes,
    MaxTokens: unit.maxTokens,
    ...defined({
      LowBitWeights: unit.lowBitWeights,
      AlignedBits: unit.alignedBits,
      Descriptors: unit.descriptors,
    }),
  };
}

/** Modules that synthesis leaves out of dimm_ndp. */
export function dimmBoxes(unit: NdpUnitParameters): readonly Box[] {
  const { streams, lanes, multipliersPerStream: mults, lowBitWeights: low = 0 } = unit;
  const aligned = unit.alignedBits ?? maxAlignedBits;
  const sumBits = aligned + Math.ceil(Math.log2(mults * lanes)) + 1;
  const one = (module: string, parameters: Parameters, count = 1): Box => ({
    module,
    parameters,
    count,
  });
  return [
    one("ndp_act_bank", { Group: 32, Lanes: unit.activationLanes }),
    one("ndp_act_microcode", {}),
    one("sram_1rw_macro", {
      DataBits: burstBits,
      MaskBits: burstBits / (streams * 16),
      Words: (unit.bufferBytes * 8) / burstBits,
    }),
    one("ndp_gemv_array", {
      Banks: 1,
      Bits: unit.bitsPerCycle,
      AlignedBits: aligned,
      Lanes: lanes,
      LowBit: low,
      Mults: mults,
      Streams: streams,
    }),
    one("ndp_slot_root", {
      AlignedBits: aligned,
      LowBit: low,
      MaxTokens: unit.maxTokens,
      Streams: streams,
      SumBits: sumBits,
    }),
    ...(low === 1
      ? [one("ndp_weight_scales", { Lanes: lanes, Mults: mults, Streams: streams })]
      : []),
    one("sram_1r1w_macro", { DataBits: burstBits, Words: unit.queueBursts }, streams),
  ];
}

/**
 * The area of a unit from its parts.
 * @param recorded slices of TriMoE's size that were measured with the tools of `flow`; the control is synthesized
 * if it is not one of them
 */
export function composeNdpArea(
  flow: Flow,
  unit: NdpUnitParameters,
  recorded: readonly SliceRow[],
  progress?: (slice: Instance) => void,
): Promise<AreaReport> {
  const module = "dimm_ndp";
  const row = recorded.find((one) => one.module === module);
  const control = { module, parameters: {}, boxes: dimmBoxes(unit), ...defined({ row }) };
  return sumOfSlices(flow, "ndp", dimmParameters(unit), [control], progress);
}
