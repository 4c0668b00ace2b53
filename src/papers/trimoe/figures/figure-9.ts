// SPDX-License-Identifier: Apache-2.0
// TriMoE's figure 9: the effect of the number of NDP DIMMs and of the compute of the CPU, by the equations and
// simulated. The simulated machine has at most two DIMMs per channel.

import { present } from "../../../base/present.ts";
import type { Figure } from "../../../report/page.ts";
import { spansOf } from "../../experiment/chart-map.ts";
import { lines } from "../../experiment/chart.ts";
import type { Experiment, SimulatedExperiment } from "../../experiment/experiment.ts";
import { explained, compareStatement, type Finding } from "../../experiment/finding.ts";
import { tracksOf } from "./cycle/cycle.ts";
import type { LabLayer, LayerLab } from "./lab.ts";
import { layerSpans, resultOf, traceNote } from "./layer.ts";
import type { LayerStudy } from "./run.ts";
import { timesUnder, explanationsOf } from "./explanations.ts";

const figure = { id: "trimoe/figure-9", paper: "trimoe" } as const;
const layer = { system: "TriMoE", model: "qwen3-235b-a22b", batch: 512 } as const;

/** The text's statement about the times at two points of a sweep: the first over the second. */
interface Claim {
  readonly what: string;
  readonly words: string;
  readonly points: readonly [number, number];
  readonly range: readonly [number, number];
}

const slowerThanOne: readonly [number, number] = [1, Infinity];
const flat: readonly [number, number] = [0.9, 1.1];
const withAvx: Claim = {
  what: "loss with AVX (0.125)",
  words: "worse",
  points: [0.125, 1],
  range: slowerThanOne,
};

/** Layers of one sweep: the swept value of each and its time. */
type Sweep = readonly { readonly n: number; readonly time: number }[];

function judge(sweep: Sweep, claims: readonly Claim[], note?: string): readonly Finding[] {
  const at = (n: number): number => present(sweep.find((point) => point.n === n)?.time);
  return claims.map(({ what, words, points: [above, below], range }) =>
    compareStatement(what, {
      statement: words,
      ours: at(above) / at(below),
      unit: "x",
      range,
      note,
    }),
  );
}

function chart(id: string, caption: string, xTitle: string, sweep: Sweep): Figure {
  return lines(
    { id, caption, xTitle, yTitle: "time", unit: "ms" },
    sweep.map(({ n, time }) => ({ x: n, series: "TriMoE", y: time * 1e3 })),
  );
}

function cpuChart(sweep: Sweep): Figure {
  return chart("figure-9b", "Layer time against the CPU's compute.", "AMX of table 1", sweep);
}

/** The gain of 32 DIMMs over 16 under another reading. */
function twiceTheDimms(options: Partial<LayerStudy>): number {
  const { system, ...of } = layer;
  const time = (dimms: number): number =>
    timesUnder(of, [system], { ...options, machine: { ...options.machine, dimms } }).get(system) ??
    NaN;
  return time(16) / time(32);
}

export const figure9: Experiment = {
  ...figure,
  title: "Number of NDP DIMMs, and compute of the CPU",
  run: () => {
    const { system, model, batch } = layer;
    const dimms = [4, 8, 16, 32].map((n) => ({
      n,
      ...resultOf(system, model, batch, true, { dimms: n }),
    }));
    const cpus = [0.125, 0.25, 0.5, 1, 2].map((n) => ({
      n,
      ...resultOf(system, model, batch, true, { cpuScale: n }),
    }));
    return {
      findings: [
        ...judge(
          dimms,
          [
            { what: "gain of 32 DIMMs over 16", words: "flat", points: [16, 32], range: flat },
            {
              what: "loss with 4 DIMMs against 16",
              words: "worse",
              points: [4, 16],
              range: slowerThanOne,
            },
          ],
          traceNote,
        ).map((finding, i) =>
          i === 0 ? explained(finding, explanationsOf(twiceTheDimms)) : finding,
        ),
        ...judge(
          cpus,
          [withAvx, { what: "gain of 2.0 over 0.5", words: "flat", points: [0.5, 2], range: flat }],
          traceNote,
        ),
      ],
      blocks: [chart("figure-9a", "Layer time against NDP DIMMs.", "DIMMs", dimms), cpuChart(cpus)],
      timeline: [
        ...dimms.map((one) => [`${one.n} DIMMs`, one, { dimms: one.n }] as const),
        ...cpus.map((one) => [`CPU x ${one.n}`, one, { cpuScale: one.n }] as const),
      ].flatMap(([name, result, machine]) => layerSpans(name, model, result, machine)),
    };
  },
};

export function simulatedFigure9(lab: LayerLab): SimulatedExperiment {
  return {
    ...figure,
    title: `${figure9.title}, simulated`,
    run: async () => {
      const base: LabLayer = layer;
      const counts = [4, 8, 16];
      const scales = [0.125, 0.5, 1];
      const dimmLayers = await lab.layers(
        counts.map((n) => (n === 16 ? base : { ...base, machine: { dimms: n } })),
      );
      const cpuLayers = await lab.layers(
        scales.map((n) => (n === 1 ? base : { ...base, machine: { cpuScale: n } })),
      );
      const dimms = dimmLayers.map(({ time }, i) => ({ n: present(counts[i]), time }));
      const cpus = cpuLayers.map(({ time }, i) => ({ n: present(scales[i]), time }));
      return {
        findings: [
          ...judge(dimms, [
            {
              // Flatter than in proportion: twice the DIMMs, less than twice the rate.
              what: "gain of 16 NDP DIMMs over 8",
              words: "flattens",
              points: [8, 16],
              range: [1, 2],
            },
            {
              what: "loss with 4 NDP DIMMs against 16",
              words: "worse",
              points: [4, 16],
              range: slowerThanOne,
            },
          ]),
          ...judge(cpus, [
            withAvx,
            { what: "gain of 1.0 over 0.5", words: "flat", points: [0.5, 1], range: flat },
          ]),
        ],
        blocks: [
          chart(
            "figure-9a",
            "Layer time against DIMMs with an NDP unit, of 16 (DDR5-4800 allows at most two DIMMs per channel).",
            "NDP DIMMs",
            dimms,
          ),
          cpuChart(cpus),
        ],
        timeline: [
          ...tracksOf(dimmLayers.map((one, i) => [`${present(counts[i])} NDP DIMMs`, one])),
          ...tracksOf(cpuLayers.map((one, i) => [`CPU x ${present(scales[i])}`, one])),
        ].flatMap(spansOf),
      };
    },
  };
}
