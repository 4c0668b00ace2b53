// SPDX-License-Identifier: Apache-2.0
// TriMoE: how experts' loads differ and how well they can be predicted (figure 3), on synthetic
// traces; and the list of its experiments.

import { predictionAccuracy } from "../policy/trimoe/predictor.ts";
import { loadShares } from "../policy/trimoe/shares.ts";
import { driftingLoads, publishedDrift, staticLoads } from "../policy/trimoe/trace.ts";
import { lines, type Datum } from "./chart.ts";
import type { Experiment } from "./experiment.ts";
import { fitted, printed } from "./finding.ts";
import { figure9, robustness } from "./trimoe-sensitivity.ts";
import { figure6, figure7 } from "./trimoe-speedup.ts";
import { figure1, figure8, table3 } from "./trimoe-use.ts";

const figure3: Experiment = {
  id: "trimoe/figure-3",
  paper: "trimoe",
  title: "Expert heterogeneity, and how well it can be predicted",
  run: () => {
    const routing = { experts: 160, perToken: 6, batch: 512 };
    const shares = loadShares(staticLoads(routing, 8.5, 100, 1));
    const trace = driftingLoads(routing, publishedDrift, 180, 1);
    const accuracy = [0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1].map((x): Datum => ({
      x,
      series: "DeepSeek-V2",
      y: predictionAccuracy(trace, x).decisive,
    }));
    const atChosen = accuracy.find((d) => d.x === 0.3)?.y ?? NaN;
    return {
      findings: [
        printed(
          "share of tokens of the coldest 70 % of experts",
          "8",
          100 * shares.rest70,
          "%",
          "S",
        ),
        printed("share of tokens of the next 27 %", "at most 70", 100 * shares.next27, "%", "S"),
        fitted(
          "accuracy of the EMA at alpha 0.3",
          "78",
          100 * atChosen,
          "%",
          "the drift of the generator (0.97, 0.20, 0.56) is set by it",
        ),
      ],
      blocks: [
        lines(
          {
            id: "accuracy",
            caption: "Accuracy of the predictor against alpha.",
            xTitle: "alpha",
            yTitle: "accuracy",
            unit: "1",
          },
          accuracy,
        ),
      ],
      timeline: [],
    };
  },
};

export const triMoeExperiments: readonly Experiment[] = [
  figure1,
  figure3,
  figure6,
  figure7,
  table3,
  figure8,
  figure9,
  robustness,
];
