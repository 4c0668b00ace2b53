// SPDX-License-Identifier: Apache-2.0
// LIA's equations 5, 8 and 9 are printed for p_i = 1 on the GPU, its text for p_i = 1 on the CPU. Each
// equation as printed or with its cases exchanged: eight readings, and the policies of each.

import { policyText, serialTime, type FlippedEquations } from "../model/cost.ts";
import { type LiaMachine } from "../../experiment/machines.ts";
import { decoderLayer, type LayerWork } from "../model/layer.ts";
import { fastestBy } from "./optimum.ts";

/** Decode at three batches and prefill at two products of batch and length. */
export interface ReadPolicies {
  readonly flipped: FlippedEquations;
  readonly decode: readonly [one: string, below: string, above: string];
  readonly prefill: readonly [short: string, long: string];
}

const both = [false, true] as const;

/** The eight readings, from as printed to all three exchanged. */
export const equationReadings: readonly FlippedEquations[] = both.flatMap((five) =>
  both.flatMap((eight) => both.map((nine) => ({ five, eight, nine }))),
);

/**
 * Best policies of a layer under each reading; `below` and `above` are batches on both sides of the
 * switch.
 */
export function policiesAsRead(
  machine: LiaMachine,
  width: number,
  below: number,
  above: number,
): readonly ReadPolicies[] {
  return equationReadings.map((flipped) => {
    const best = (work: Omit<LayerWork, "width">): string => {
      const layer = decoderLayer({ ...work, width });
      const { policy } = fastestBy((p) => serialTime(machine, layer, p, "hidden", flipped)).best;
      return policyText(policy);
    };
    const decode = (batch: number): string => best({ stage: "decode", batch, length: 128 });
    const prefill = (length: number): string => best({ stage: "prefill", batch: 1, length });
    return {
      flipped,
      decode: [decode(1), decode(below), decode(above)],
      prefill: [prefill(32), prefill(2048)],
    };
  });
}
