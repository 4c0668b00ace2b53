// SPDX-License-Identifier: Apache-2.0
// Other readings and assumptions under which TriMoE's figures are run again, each by itself: what would
// explain the distance of ours from the printed numbers.

import type { System } from "../policy/baselines.ts";
import { publishedDrift, zipf } from "../model/trace.ts";
import type { Seconds } from "../../../base/units.ts";
import type { Tried } from "../../experiment/finding.ts";
import { study, type LayerStudy } from "./run.ts";

type Options = Partial<LayerStudy>;

const half = {
  sigmaLevel: publishedDrift.sigmaLevel / 2,
  sigmaObs: publishedDrift.sigmaObs / 2,
};

/** What changes: in words, and in the study. */
interface Alternative {
  readonly what: string;
  readonly options: Options;
}

/** An alternative's name. */
export type AlternativeId = "hotBy256" | "hotByMemory" | "oracle" | "calmer" | "zipf" | "slowCpu";

const alternatives: Readonly<Record<AlternativeId, Alternative>> = {
  hotBy256: {
    what: "hot experts are those of 256 tokens or more, as section 3.1 has it",
    options: { hotShare: null },
  },
  hotByMemory: {
    what: "hot experts are as many as the GPU's memory holds",
    options: { hotShare: 1 },
  },
  oracle: { what: "experts lie as a perfect predictor would have them", options: { oracle: true } },
  calmer: { what: "popularity drifts half as much", options: { drift: half } },
  zipf: { what: "popularity by Zipf, s = 1.6", options: { drift: { law: zipf(1.6) } } },
  slowCpu: { what: "CPU of half the rate", options: { machine: { cpuScale: 0.5 } } },
};

const everyId = Object.keys(alternatives) as readonly AlternativeId[];

/** The alternatives of these names, in the order in which they stand here. */
export function alternativesOf(only: readonly AlternativeId[] = everyId): readonly Alternative[] {
  return everyId.filter((id) => only.includes(id)).map((id) => alternatives[id]);
}

/** Each alternative, or those of these names, and what `value` makes of it. */
export function triedOf(
  value: (options: Options) => number,
  only: readonly AlternativeId[] = everyId,
): readonly Tried[] {
  return alternativesOf(only).map(({ what, options }) => ({ what, value: value(options) }));
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
