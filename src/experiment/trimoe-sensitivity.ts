// SPDX-License-Identifier: Apache-2.0
// TriMoE: what more DIMMs and a slower CPU do (figure 9), and other batches and traces (section 5.5).

import { lines, type Datum } from "./chart.ts";
import type { Experiment } from "./experiment.ts";
import { printed, same, stated } from "./finding.ts";
import { expertBytes, modelShape } from "../model/shapes.ts";
import { linkRound, publishedMigration } from "../policy/trimoe/migration.ts";
import { baselines, compareOn, layerSpans, resultOf, traceNote } from "./trimoe-layer.ts";
import { study } from "./trimoe-run.ts";

export const figure9: Experiment = {
  id: "trimoe/figure-9",
  paper: "trimoe",
  title: "Number of NDP DIMMs, and compute of the CPU",
  run: () => {
    const model = "qwen3-235b-a22b";
    const dimms = [4, 8, 16, 32].map((n) => ({
      n,
      ...resultOf("TriMoE", model, 512, true, { dimms: n }),
    }));
    const cpu = [0.125, 0.25, 0.5, 1, 2].map((n) => ({
      n,
      ...resultOf("TriMoE", model, 512, true, { cpuScale: n }),
    }));
    const at = (list: readonly { n: number; time: number }[], n: number): number =>
      list.find((p) => p.n === n)?.time ?? NaN;
    const draw = (list: readonly { n: number; time: number }[]): readonly Datum[] =>
      list.map(({ n, time }) => ({ x: n, series: "TriMoE", y: time * 1e3 }));
    return {
      findings: [
        stated(
          "gain of 32 DIMMs over 16",
          "flat",
          at(dimms, 16) / at(dimms, 32),
          "x",
          [0.9, 1.3],
          traceNote,
        ),
        stated(
          "loss with 4 DIMMs against 16",
          "worse",
          at(dimms, 4) / at(dimms, 16),
          "x",
          [1, Infinity],
          traceNote,
        ),
        stated(
          "loss with AVX (0.125)",
          "worse",
          at(cpu, 0.125) / at(cpu, 1),
          "x",
          [1.02, Infinity],
          traceNote,
        ),
        stated(
          "gain of 2.0 over 0.5",
          "flat",
          at(cpu, 0.5) / at(cpu, 2),
          "x",
          [0.95, 1.3],
          traceNote,
        ),
      ],
      blocks: [
        lines(
          {
            id: "figure-9a",
            caption: "Layer time against NDP DIMMs.",
            xTitle: "DIMMs",
            yTitle: "time",
            unit: "ms",
          },
          draw(dimms),
        ),
        lines(
          {
            id: "figure-9b",
            caption: "Layer time against the CPU's compute.",
            xTitle: "AMX of table 1",
            yTitle: "time",
            unit: "ms",
          },
          draw(cpu),
        ),
      ],
      timeline: [
        ...dimms.map((one) => [`${one.n} DIMMs`, one, { dimms: one.n }] as const),
        ...cpu.map((one) => [`CPU x ${one.n}`, one, { cpuScale: one.n }] as const),
      ].flatMap(([name, result, machine]) => layerSpans(name, model, result, machine)),
    };
  },
};

export const robustness: Experiment = {
  id: "trimoe/section-5-5",
  paper: "trimoe",
  title: "Small batches",
  run: () => {
    const printedGains = [
      [128, 2.72],
      [64, 2.18],
      [32, 1.82],
    ] as const;
    const gains = printedGains.map(([batch, value]) => {
      const { times, timeline } = compareOn("qwen3-235b-a22b", batch);
      const ours = times.get("TriMoE") ?? NaN;
      const best = Math.min(...baselines.map((name) => times.get(name) ?? NaN));
      return { batch, published: value, gain: best / ours, timeline };
    });
    const size = expertBytes(modelShape("deepseek-v2", "section 5.5"));
    const round = linkRound(publishedMigration, size, 16);
    const { moves = NaN, moveTime = NaN } =
      study({ model: "deepseek-v2", batch: 512, relayout: true }, ["TriMoE"]).get("TriMoE") ?? {};
    return {
      findings: [
        ...gains.map(({ batch, published, gain }) =>
          printed(
            `gain over the best baseline at batch ${batch}`,
            published,
            gain,
            "x",
            "S",
            traceNote,
          ),
        ),
        printed(
          "time of a migration of up to four experts, DeepSeek-V2",
          "0.63",
          1e3 * round.time,
          "ms",
          "A",
          "three links an expert",
        ),
        same("experts that move at once", "up to four", round.experts <= 4 ? "up to four" : "more"),
        stated(
          "migrations a step over the four that may move at once",
          "infrequent: most steps move fewer",
          moves / 4,
          "1",
          [0, 0.5],
          "the generator's loads drift in every step, so the cap is reached; real routers may not",
        ),
        same(
          "time of migrations beyond the window of 0.68 ms",
          "masked",
          moveTime <= publishedMigration.window ? "masked" : "exposed",
        ),
      ],
      blocks: [
        lines(
          {
            id: "small-batches",
            caption: "Gain against batch.",
            xTitle: "batch",
            yTitle: "gain",
            unit: "x",
          },
          gains.flatMap(({ batch, published, gain }) => [
            { x: batch, series: "ours", y: gain },
            { x: batch, series: "published", y: published },
          ]),
        ),
      ],
      timeline: gains.flatMap(({ timeline }) => timeline),
    };
  },
};
