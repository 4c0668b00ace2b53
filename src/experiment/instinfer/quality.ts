// SPDX-License-Identifier: Apache-2.0
// InstInfer's figure 11 without its models: what sparse attention loses against dense attention on
// synthetic heads, method by method, from half of the traffic to a thirty-second.

import { quality, type QualityMethod } from "../../driver/csd/attention-quality.ts";
import { generateHta1 } from "../../workload/hta1.ts";
import { lines, type Datum } from "../chart.ts";
import type { Experiment } from "../experiment.ts";
import { stated } from "../finding.ts";
import { between } from "../own-check.ts";

const heads = { seeds: [1, 2], length: 1024, width: 128, steps: 8 };
const shares = [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32];
const methods = [
  ["sparq", "SparF"],
  ["topk", "exact top k and mean"],
  ["h2o", "H2O"],
  ["lminf", "LM-infinite"],
  ["local", "local window"],
] as const satisfies readonly (readonly [QualityMethod, string])[];

export const qualityExperiment: Experiment = {
  id: "instinfer/figure-11",
  paper: "instinfer",
  title: "What sparse attention loses",
  run: () => {
    const { seeds, length, width, steps } = heads;
    const generated = seeds.map((seed) => generateHta1(seed, length, width));
    const data = methods.flatMap(([method, series]) =>
      shares.map((share): Datum => ({
        x: -Math.log2(share),
        series,
        y: quality(method, share, generated, steps).rel,
      })),
    );
    const error = (series: string, share: number): number =>
      data.find((d) => d.series === series && d.x === -Math.log2(share))?.y ?? Number.NaN;
    const eighth = error("SparF", 1 / 8);
    return {
      findings: [
        stated("H2O over SparF at 1/8", "worse", error("H2O", 1 / 8) / eighth, "x", [1, Infinity]),
        stated(
          "local window over SparF at 1/8",
          "worse",
          error("local window", 1 / 8) / eighth,
          "x",
          [1, Infinity],
        ),
        stated(
          "SparF at 1/32 over 1/8",
          "falls off below 1/8",
          error("SparF", 1 / 32) / eighth,
          "x",
          [1, Infinity],
        ),
      ],
      checks: [between("error of SparF at 1/8", eighth, "relative L2", [0, 0.2])],
      blocks: [
        {
          kind: "prose",
          text:
            "The paper's figure is the accuracy of OPT and Llama on question answering, which is " +
            "not here; the order of the methods is. On a trained model the same comparison in " +
            "bits per byte is `neardata lm eval --attention NAME --ratio 1/8`.",
        },
        lines(
          {
            id: "figure-11",
            caption:
              "Error of the outputs against dense attention, the last 8 queries of two generated " +
              "heads of 1024 tokens; 3 is 1/8.",
            xTitle: "halvings of the traffic",
            yTitle: "error",
            unit: "relative L2",
          },
          data,
        ),
      ],
      timeline: [],
    };
  },
};
