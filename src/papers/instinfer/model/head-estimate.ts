// SPDX-License-Identifier: Apache-2.0
// Closed forms of the engine beside a run's heads: the bars of figure 16 that `neardata reproduce instinfer` draws.

import type { HeadEstimate } from "../../../report/attention/attention-latency.ts";
import { engineTimes, engineUnits } from "./engine.ts";
import { calibrated } from "./systems.ts";

const closedForms = [
  ["closed form, dense", null],
  ["closed form, SparF 1/8", calibrated],
] as const;

/** Dense attention and SparF at 1/8, by unit of the engine. */
export const headEstimate: HeadEstimate = ({ tokens, headDim }) =>
  closedForms.flatMap(([run, sparsity]) => {
    const times = engineTimes({ tokens, headDim, sparsity });
    return engineUnits.map((unit) => ({
      run,
      part: unit === "flash reads" ? "flash" : unit,
      time: times[unit],
    }));
  });
