// SPDX-License-Identifier: Apache-2.0
// Other readings and assumptions under which TriMoE's figures are run again, each by itself: what would
// explain the distance of ours from the printed numbers.

import type { System } from "../policy/trimoe/baselines.ts";
import { publishedDrift, zipf } from "../policy/trimoe/trace.ts";
import type { Seconds } from "../units.ts";
import type { Tried } from "./finding.ts";
import { study, type LayerStudy } from "./trimoe-run.ts";

type Options = Partial<LayerStudy>;

const half = {
  sigmaLevel: publishedDrift.sigmaLevel / 2,
  sigmaObs: publishedDrift.sigmaObs / 2,
};

/** What changes, and how. */
export const alternatives: readonly (readonly [what: string, options: Options])[] = [
  ["hot experts are those of 256 tokens or more, as section 3.1 has it", { hotShare: null }],
  ["hot experts are as many as the GPU's memory holds", { hotShare: 1 }],
  ["experts lie as a perfect predictor would have them", { oracle: true }],
  ["popularity drifts half as much", { drift: half }],
  ["popularity by Zipf, s = 1.6", { drift: { law: zipf(1.6) } }],
  ["CPU of half the rate", { machine: { cpuScale: 0.5 } }],
];

/** Each alternative, or those whose words match, and what `value` makes of it. */
export function triedOf(value: (options: Options) => number, only?: RegExp): readonly Tried[] {
  const chosen = alternatives.filter(([what]) => only?.test(what) ?? true);
  return chosen.map(([what, options]) => ({ what, value: value(options) }));
}

/** Times of some systems under an alternative. */
export function timesUnder(
  what: Pick<LayerStudy, "model" | "batch">,
  names: readonly System[],
  options: Options,
): ReadonlyMap<System, Seconds> {
  const found = study({ relayout: true, ...what, ...options }, names);
  return new Map([...found].map(([name, { time }]) => [name, time]));
}
