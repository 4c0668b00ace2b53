// SPDX-License-Identifier: Apache-2.0
// TriMoE: how experts' loads differ and how well they can be predicted (figure 3), on synthetic
// traces; and the list of its experiments.

import { predictionAccuracy } from "../policy/trimoe/predictor.ts";
import { loadShares } from "../policy/trimoe/shares.ts";
import { driftingLoads, publishedDrift, staticLoads } from "../policy/trimoe/trace.ts";
import { lines, type Datum } from "./chart.ts";
import { shape, within, type Experiment } from "./experiment.ts";
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
        shape(
          "share of tokens of the coldest 70 % of experts",
          0.08,
          shares.rest70,
          "1",
          [0.05, 0.11],
        ),
        shape("share of tokens of the next 27 %", 0.7, shares.next27, "1", [0.67, 0.73]),
        within(
          "accuracy of the EMA at alpha 0.3",
          0.78,
          atChosen,
          "1",
          "C",
          0.04,
          "the drift of the generator was chosen for it",
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
