// SPDX-License-Identifier: Apache-2.0
// Weights for a bank of the NDP unit's array, from bursts. They are unpacked if the unit also has
// low-bit formats.

import { burstLanes, scaledBlocks, weightCodes } from "../../../workload/ndp/pack-low-bit.ts";
import { lowBitBursts } from "./low-bit-stimuli.ts";
import type { OperandFormats } from "../../../machine/operands.ts";
import type { Bench } from "./bench.ts";
import type { GateSimulator } from "./gate-sim.ts";
import { constantBits, normalHalves } from "./stimuli.ts";

/** Multipliers of a stream, their lanes, and multipliers of a bank. */
export const mults = 32;
export const lanes = 8;
export const bankMults = 2;

/** How the unit is built, as far as it bears on its operations. */
export interface Design {
  readonly bits: number;
  readonly low: boolean;
  /** Bits of a product at the scale of its block; absent: as many as the RTL has. */
  readonly alignedBits: number | undefined;
  readonly slotCycles: number;
}

/** ndp_pkg's number of a format. */
export function formatCode(weights: OperandFormats["weights"]): number {
  return weights === "wide" ? 0 : weightCodes[weights];
}

/** Weights for the bank's multipliers. */
interface WeightSource {
  /** Blocks that follow a burst of scales. */
  readonly scaledBlocks: number;
  /** A cycle before block `block` of a row of low-bit weights: its burst of scales. Block 0 begins a row. */
  readonly scales: (block: number) => void;
  /** A cycle in which lane `lane` of block `block` is loaded. */
  readonly lane: (block: number, lane: number) => readonly number[];
  /** A cycle without a load. */
  readonly idle: () => void;
  /** The unpacker; null if the bank unpacks. */
  readonly decoder: GateSimulator | null;
}

/** Blocks of a row. */
export const blocks = 8;
const weightScale = 0.02;

export async function weightsOf(
  { open }: Bench,
  design: Design,
  { inputs, weights }: OperandFormats,
  next: () => number,
): Promise<WeightSource> {
  const wide = (count: number): readonly number[] =>
    normalHalves(next, count, { deviation: weightScale, format: inputs });
  const nothing = (): undefined => undefined;
  if (!design.low) {
    return {
      scaledBlocks: blocks,
      scales: nothing,
      lane: () => wide(bankMults),
      idle: nothing,
      decoder: null,
    };
  }
  const decoder = await open({
    module: "ndp_weight_scales",
    parameters: { Lanes: lanes, Mults: mults, Streams: 1 },
  });
  decoder.set("format_i", constantBits(formatCode(weights), 3));
  decoder.set("bf16_i", [inputs === "bf16" ? -1 : 0]);
  let row: readonly (readonly number[])[] = [];
  const scaled = weights === "wide" ? blocks : scaledBlocks(weights);
  const lanesOfBurst = weights === "wide" ? 1 : burstLanes(weights);
  const group = 1 + (scaled * lanes) / lanesOfBurst;
  // The scales of a lane are selected in the cycle before its load.
  const select = (block: number, lane: number): void => {
    decoder.set("next_valid_i", [-1]);
    decoder.set("next_lane_i", constantBits(lane, 3));
    decoder.set("block_i", constantBits(block % scaled, 3));
  };
  return {
    decoder,
    scaledBlocks: scaled,
    scales: (block) => {
      if (weights === "wide") return;
      if (block === 0) row = lowBitBursts(next, weights, blocks, weightScale);
      decoder.set("load_scales_i", [-1]);
      select(block, 0);
      decoder.set("weights_i", row[(block / scaled) * group] ?? []);
      decoder.cycle();
      decoder.set("load_scales_i", [0]);
    },
    lane: (block, lane) => {
      const burst =
        Math.floor(block / scaled) * group +
        1 +
        Math.floor(((block % scaled) * lanes + lane) / lanesOfBurst);
      decoder.set("weights_i", weights === "wide" ? wide(mults) : (row[burst] ?? []));
      decoder.set("part_i", constantBits(lane & 3, 2));
      select(lane === lanes - 1 ? block + 1 : block, (lane + 1) % lanes);
      decoder.cycle();
      const words = decoder.get("weights_o");
      return words.slice(0, (words.length / mults) * bankMults);
    },
    idle: () => {
      decoder.set("next_valid_i", [0]);
      decoder.cycle();
    },
  };
}
