// SPDX-License-Identifier: Apache-2.0
// Experts that change their DIMM between steps: TriMoE's predictor, an average of each expert's loads
// that forgets, says which DIMM will be the busiest; its relayout takes the expert off it that balances most,
// as often as moves fit under attention, projections and router of a layer (section 4.3).

import { publishedAlpha, updateAverage } from "../moe/predictor.ts";
import type { Seconds } from "../../base/units.ts";
import { present } from "../../base/present.ts";
import type { ExpertMove, ExpertPlaces, StepTimes } from "./token-plan.ts";

/** The initial placement of experts, and the loads of the prompts. */
export interface RelayoutStart {
  /** By layer and expert: tokens of all prompts. */
  readonly loads: readonly (readonly number[])[];
  readonly homes: readonly (readonly number[])[];
  /** Positions of a prompt. */
  readonly prompt: number;
  readonly dimms: number;
  /** Of one expert, from DIMM to DIMM. */
  readonly moveTime: Seconds;
  /** Host time of a layer before its experts. */
  readonly hostTime: Seconds;
}

/** Places of all steps. */
export interface RelayoutPlaces extends ExpertPlaces {
  readonly moves: number;
}

/** Moves experts by a prediction, which before each step is based on all previous steps. */
export function relayoutPlaces(times: StepTimes, start: RelayoutStart): RelayoutPlaces {
  const { loads, homes, prompt, dimms, moveTime, hostTime } = start;
  const steps = times[0]?.length ?? 0;
  const plans = loads.map((load, layer) => {
    let average: readonly number[] = load.map((tokens) => tokens / prompt);
    let places: readonly number[] = homes[layer] ?? [];
    return Array.from({ length: steps }, (_, step): LayerPlaces => {
      if (step === 0) return { places, moves: [] };
      average = updateAverage(
        average,
        stepLoads(times, step - 1, layer, load.length),
        publishedAlpha,
      );
      // Moves begin at the end of the layer and are hidden by the work before its experts in the
      // next step.
      const attends = times.flatMap((sequence) => sequence[step]?.[layer]?.attention ?? []);
      const most = Math.floor((hostTime + Math.max(0, ...attends)) / moveTime);
      const moves = rebalance(average, places, dimms, most).map((move) => ({
        ...move,
        time: moveTime,
      }));
      for (const { expert, to } of moves) places = places.with(expert, to);
      return { places, moves };
    });
  });
  return {
    homeOf: (layer, expert, step) => present(plans[layer]?.[step]?.places[expert]),
    movesBefore: (layer, step) => plans[layer]?.[step]?.moves ?? [],
    moves: plans.flat().reduce((sum, { moves }) => sum + moves.length, 0),
  };
}

interface LayerPlaces {
  readonly places: readonly number[];
  readonly moves: readonly ExpertMove[];
}

/** By expert: tokens of all sequences in one step. */
function stepLoads(times: StepTimes, step: number, layer: number, experts: number): Int32Array {
  const loads = new Int32Array(experts);
  for (const sequence of times) {
    for (const { expert } of sequence[step]?.[layer]?.experts ?? []) {
      loads[expert] = present(loads[expert]) + 1;
    }
  }
  return loads;
}

/** From the busiest DIMM to the idlest, each expert at most once, while it lessens the difference. */
export function rebalance(
  predicted: readonly number[],
  places: readonly number[],
  dimms: number,
  most: number,
): readonly Omit<ExpertMove, "time">[] {
  const busy = new Array<number>(dimms).fill(0);
  places.forEach((home, e) => (busy[home] = present(busy[home]) + present(predicted[e])));
  const moves: Omit<ExpertMove, "time">[] = [];
  let now = places;
  while (moves.length < most) {
    const [from, to] = [busy.indexOf(Math.max(...busy)), busy.indexOf(Math.min(...busy))];
    const gap = present(busy[from]) - present(busy[to]);
    let best: { readonly expert: number; readonly gain: number } | null = null;
    now.forEach((home, expert) => {
      const load = present(predicted[expert]);
      const gain = Math.min(load, gap - load);
      const again = moves.some((move) => move.expert === expert);
      if (home === from && !again && gain > (best?.gain ?? 0)) best = { expert, gain };
    });
    const chosen = best as { readonly expert: number } | null;
    if (chosen === null) break;
    const load = present(predicted[chosen.expert]);
    busy[from] = present(busy[from]) - load;
    busy[to] = present(busy[to]) + load;
    now = now.with(chosen.expert, to);
    moves.push({ expert: chosen.expert, from, to });
  }
  return moves;
}
