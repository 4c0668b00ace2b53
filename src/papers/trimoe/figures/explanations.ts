// SPDX-License-Identifier: Apache-2.0
// Other readings and assumptions for TriMoE's figures, each in a separate run: possible explanations of
// the difference between ours and the printed numbers.

import type { System } from "../policy/baselines.ts";
import { coldLimit } from "../../../lm/moe/expert-classes.ts";
import { zipf } from "../model/trace.ts";
import type { Seconds } from "../../../base/units.ts";
import type { Explanation } from "../../experiment/finding.ts";
import { study, type LayerStudy } from "./run.ts";
import { setting } from "./setting.ts";

type Options = Partial<LayerStudy>;

/** An alternative assumption: in words, and as options of the study. */
interface Alternative {
  readonly what: string;
  readonly options: Options;
}

/** An alternative's name. */
export type AlternativeId =
  | "equations"
  | "coldSix"
  | "noisy"
  | "predictable"
  | "oracle"
  | "hotBy256"
  | "hotByMemory"
  | "zipf"
  | "slowCpu";

/** Accuracy that "above 78 %" allows, and the noise of the trace so reaches with the experts of every model. */
const higherAccuracy = 0.83;

const alternatives: Readonly<Record<AlternativeId, Alternative>> = {
  equations: {
    what: "planner and times are equations 5 to 7, and a cold expert has up to six tokens",
    options: { planner: "equations", cold: coldLimit },
  },
  coldSix: { what: "a cold expert has up to six tokens", options: { cold: coldLimit } },
  noisy: {
    what: "accuracy of the predictor 73 %, with the noise before scaling",
    options: { accuracy: null },
  },
  predictable: {
    what: "accuracy of the predictor 83 %, as an example of above 78 %",
    options: { accuracy: higherAccuracy },
  },
  hotBy256: {
    what: "hot experts have 256 tokens or more, as in section 3.1",
    options: { hotShare: null },
  },
  hotByMemory: {
    what: "the number of hot experts is the number that GPU memory can store",
    options: { hotShare: 1 },
  },
  oracle: { what: "experts are placed by a perfect predictor", options: { oracle: true } },
  zipf: { what: "popularity by Zipf, s = 1.6", options: { drift: { law: zipf(1.6) } } },
  slowCpu: { what: "a CPU with half of the rate", options: { machine: { cpuScale: 0.5 } } },
};

const everyId = Object.keys(alternatives) as readonly AlternativeId[];

/** The alternatives of these names, in the order of their definition. */
export function alternativesOf(only: readonly AlternativeId[] = everyId): readonly Alternative[] {
  return everyId.filter((id) => only.includes(id)).map((id) => alternatives[id]);
}

/** Each alternative, or those of these names, with the result of `value`. */
export function explanationsOf(
  value: (options: Options) => number,
  only: readonly AlternativeId[] = everyId,
): readonly Explanation[] {
  return alternativesOf(only).map(({ what, options }) => ({ what, value: value(options) }));
}

/** Times of some systems under an alternative. */
export function timesUnder(
  what: Pick<LayerStudy, "model" | "batch">,
  names: readonly System[],
  options: Options,
): ReadonlyMap<System, Seconds> {
  const results = study({ relayout: true, ...setting, ...what, ...options }, names);
  return new Map([...results].map(([name, { time }]) => [name, time]));
}
