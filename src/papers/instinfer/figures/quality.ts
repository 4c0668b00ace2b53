// SPDX-License-Identifier: Apache-2.0
// InstInfer's figure 11 without its models: the loss of sparse attention against dense attention, per
// method, on a byte model that was trained for this project (recorded) and on generated heads.

import { present } from "../../../base/present.ts";
import { quality, type QualityMethod } from "../../../kernels/csd/attention/attention-quality.ts";
import { generateHta1 } from "../../../workload/hta1.ts";
import type { Table } from "../../../report/page.ts";
import { lines, type Datum } from "../../experiment/chart.ts";
import type { Experiment } from "../../experiment/experiment.ts";
import { compareStatement, type Finding } from "../../experiment/finding.ts";
import { between } from "../../experiment/internal-check.ts";
import { recorded, recordedFrom, type RecordedName } from "../../experiment/recorded.ts";
import { bitsOf, bitsOver } from "../../experiment/recorded-bits.ts";

const heads = { seeds: [1, 2], length: 1024, width: 128, steps: 8 };
const shares = [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32];
const methods = [
  ["sparf", "SparF"],
  ["sparq", "SparQ"],
  ["topk", "exact top k and mean"],
  ["h2o", "H2O"],
  ["lminf", "LM-infinite"],
  ["local", "local window"],
] as const satisfies readonly (readonly [QualityMethod, string])[];

const base = "flexgen-16-bits";
/** Recorded runs of the trained model, 512 scored bytes per window. */
const trained = [
  [base, "dense", "1"],
  ["tinylm-sparf-8", "SparF", "1/8"],
  ["tinylm-h2o-8", "H2O", "1/8"],
  ["tinylm-local-8", "local window", "1/8"],
  ["tinylm-sparf-32", "SparF", "1/32"],
  ["tinymoe-dense", "mixture of experts: dense", "1"],
  ["tinymoe-sparf-8", "mixture of experts: SparF", "1/8"],
  ["tinymoe-h2o-8", "mixture of experts: H2O", "1/8"],
  ["tinymoe-local-8", "mixture of experts: local window", "1/8"],
] as const satisfies readonly (readonly [RecordedName, string, string])[];

function denseOf(name: RecordedName): RecordedName {
  return name.startsWith("tinymoe") ? "tinymoe-dense" : base;
}

/** Bits a byte that a recorded run has more than dense attention. */
function lossOf(name: RecordedName): number {
  return bitsOf(name).bitsPerByte - bitsOf(denseOf(name)).bitsPerByte;
}

/** The loss of `other` relative to the loss of SparF at 1/8, on the same model. */
function worse(model: string, what: string, words: string, other: RecordedName): Finding {
  const sparf = denseOf(other) === base ? "tinylm-sparf-8" : "tinymoe-sparf-8";
  const loss = lossOf(other) / lossOf(sparf);
  return compareStatement(`${model}, bits lost: ${what}`, {
    statement: words,
    ours: loss,
    unit: "x",
    range: [1, Infinity],
  });
}

function trainedFindings(): readonly Finding[] {
  const dense = "trained byte model";
  const mixture = "trained mixture of experts";
  return [
    worse(dense, "H2O over SparF at 1/8", "worse", "tinylm-h2o-8"),
    worse(dense, "local window over SparF at 1/8", "worse", "tinylm-local-8"),
    worse(dense, "SparF at 1/32 over 1/8", "falls off below 1/8", "tinylm-sparf-32"),
    worse(mixture, "H2O over SparF at 1/8", "worse", "tinymoe-h2o-8"),
    worse(mixture, "local window over SparF at 1/8", "worse", "tinymoe-local-8"),
  ];
}

function trainedTable(): Table {
  return {
    kind: "table",
    id: "figure-11-trained",
    caption:
      "Two byte models that were trained for this project, one dense and one with a mixture of experts. Bits per byte of each method, their ratio to dense attention, and the 95 % interval of the ratio over text windows.",
    columns: [
      { key: "method", title: "attention" },
      { key: "ratio", title: "traffic" },
      { key: "windows", title: "windows", source: "measured" },
      { key: "bits", title: "bits per byte", source: "measured", digits: 5 },
      { key: "over", title: "over dense", source: "derived", digits: 5 },
      { key: "low", title: "from", source: "derived", digits: 5 },
      { key: "high", title: "to", source: "derived", digits: 5 },
      { key: "date", title: "recorded on" },
      { key: "command", title: "by" },
      { key: "hash", title: "config hash" },
    ],
    rows: trained.map(([name, method, ratio]) => {
      const { ratio: over, low, high, each } = bitsOver(name, denseOf(name));
      const { bitsPerByte: bits } = bitsOf(name);
      const { date } = recorded(name);
      const from = recordedFrom(recorded(name));
      return { method, ratio, windows: each.length, bits, over, low, high, date, ...from };
    }),
  };
}

export const qualityExperiment: Experiment = {
  id: "instinfer/figure-11",
  paper: "instinfer",
  title: "Loss of quality by sparse attention",
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
      present(data.find((d) => d.series === series && d.x === -Math.log2(share))?.y);
    const eighth = error("SparF", 1 / 8);
    const on = "generated heads, error of";
    return {
      findings: trainedFindings(),
      checks: [
        between("generated heads: error of SparF at 1/8", eighth, "relative L2", [0, 0.2]),
        ...(["H2O", "local window"] as const).map((name) =>
          between(`${on} ${name} over SparF at 1/8`, error(name, 1 / 8) / eighth, "x", [
            1,
            Infinity,
          ]),
        ),
        between(`${on} SparF at 1/32 over 1/8`, error("SparF", 1 / 32) / eighth, "x", [
          1,
          Infinity,
        ]),
      ],
      blocks: [
        {
          kind: "prose",
          text:
            "The paper's figure is the accuracy of OPT and Llama on question answering, whose weights are " +
            "not here. What the methods lose is shown on a byte model of 3.3 million parameters and on a " +
            "mixture of experts, both trained for this project, over all windows of their text that do not overlap.",
        },
        trainedTable(),
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
