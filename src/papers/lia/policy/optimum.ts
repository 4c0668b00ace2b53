// SPDX-License-Identifier: Apache-2.0
// The best of LIA's 64 policies (equation 3), and where it changes as the batch grows.

import { seconds, type Seconds } from "../../../base/units.ts";
import { present } from "../../../base/present.ts";
import { policyCount, serialTime } from "../model/cost.ts";
import type { PolicyBits, ResidualReading } from "../model/cost.ts";
import type { LiaMachine } from "../../experiment/machines.ts";
import { decoderLayer, type Layer, type LayerWork } from "../model/layer.ts";

export interface RankedPolicy {
  readonly policy: PolicyBits;
  readonly time: Seconds;
}

/** The fastest policy and the next one. */
export interface Optimum {
  readonly best: RankedPolicy;
  readonly runnerUp: RankedPolicy;
}

/** The fastest policy by any measure of a layer's time; of equal ones the first. */
export function fastestBy(timeOf: (policy: PolicyBits) => Seconds): Optimum {
  return fastest(Array.from({ length: policyCount }, (_, policy) => timeOf(policy)));
}

/** Compares all policies; of equal ones the first in order of their strings. */
export function optimum(machine: LiaMachine, layer: Layer, residual: ResidualReading): Optimum {
  return fastest(policyTimes(machine, layer, residual));
}

function policyTimes(
  machine: LiaMachine,
  layer: Layer,
  residual: ResidualReading,
): readonly Seconds[] {
  return Array.from({ length: policyCount }, (_, p) => serialTime(machine, layer, p, residual));
}

function fastest(times: readonly Seconds[]): Optimum {
  const last = { policy: 0, time: seconds(Infinity) };
  let [best, runnerUp] = [last, last];
  times.forEach((time, policy) => {
    if (time < best.time) [best, runnerUp] = [{ policy, time }, best];
    else if (time < runnerUp.time) runnerUp = { policy, time };
  });
  return { best, runnerUp };
}

/** From `tokens` tokens on, `policy` is best. */
export interface Switch {
  readonly tokens: number;
  readonly policy: PolicyBits;
}

/**
 * The points at which the best policy changes for `first` to `last` tokens in flight. In prefill
 * these are distributed over sequences of `work.length`, so the batch may be a fraction. Every term
 * of the model is a constant or proportional to the batch, so the times at both ends determine
 * those between.
 */
export function switches(
  machine: LiaMachine,
  work: Omit<LayerWork, "batch">,
  residual: ResidualReading,
  first: number,
  last: number,
): readonly Switch[] {
  const perSequence = work.stage === "prefill" ? work.length : 1;
  const timesAt = (tokens: number): readonly Seconds[] =>
    policyTimes(machine, decoderLayer({ ...work, batch: tokens / perSequence }), residual);
  const [low, high] = [timesAt(first), timesAt(last)];
  const switchPoints: Switch[] = [];
  for (let tokens = first; tokens <= last; tokens += 1) {
    const position = last === first ? 0 : (tokens - first) / (last - first);
    const times = low.map((time, p) =>
      seconds(time * (1 - position) + present(high[p]) * position),
    );
    const { policy } = fastest(times).best;
    if (switchPoints.at(-1)?.policy !== policy) switchPoints.push({ tokens, policy });
  }
  return switchPoints;
}
