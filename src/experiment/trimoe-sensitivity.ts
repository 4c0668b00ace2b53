// SPDX-License-Identifier: Apache-2.0
// TriMoE: what more DIMMs and a slower CPU do (figure 9), and other batches and traces (section 5.5).

import { lines, type Datum } from "./chart.ts";
import { shape, within, type Experiment } from "./experiment.ts";
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
        shape(
          "gain of 32 DIMMs over 16",
          "flat",
          at(dimms, 16) / at(dimms, 32),
          "x",
          [0.9, 1.3],
          traceNote,
        ),
        shape(
          "loss with 4 DIMMs against 16",
          "worse",
          at(dimms, 4) / at(dimms, 16),
          "x",
          [1, Infinity],
          traceNote,
        ),
        shape(
          "loss with AVX (0.125)",
          "worse",
          at(cpu, 0.125) / at(cpu, 1),
          "x",
          [1.02, Infinity],
          traceNote,
        ),
        shape(
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
    const printed = [
      [128, 2.72],
      [64, 2.18],
      [32, 1.82],
    ] as const;
    const gains = printed.map(([batch, value]) => {
      const { times, timeline } = compareOn("qwen3-235b-a22b", batch);
      const ours = times.get("TriMoE") ?? NaN;
      const best = Math.min(...baselines.map((name) => times.get(name) ?? NaN));
      return { batch, printed: value, gain: best / ours, timeline };
    });
    const [large, , small] = gains;
    const size = expertBytes(modelShape("deepseek-v2", "section 5.5"));
    const round = linkRound(publishedMigration, size, 16);
    const { moves = NaN, moveTime = NaN } =
      study({ model: "deepseek-v2", batch: 512, relayout: true }, ["TriMoE"]).get("TriMoE") ?? {};
    return {
      findings: [
        ...gains.map(({ batch, printed, gain }) =>
          shape(
            `gain over the best baseline at batch ${batch}`,
            printed,
            gain,
            "x",
            [1, 4],
            traceNote,
          ),
        ),
        shape(
          "gain at batch 32 over that at 128",
          "0.67",
          (small?.gain ?? NaN) / (large?.gain ?? NaN),
          "1",
          [0, 1],
          "at small batches most experts are cold, and our KTransformers leaves them all to its CPU",
        ),
        within(
          "time of a migration of up to four experts, DeepSeek-V2",
          0.63,
          1e3 * round.time,
          "ms",
          "A",
          0.01,
          "three links an expert",
        ),
        shape("experts that move at once", "up to four", round.experts, "1", [4, 4]),
        shape("migrations a step", "infrequent", moves, "1", [0, 4.5]),
        shape(
          "time of migrations beyond the window of 0.68 ms",
          "masked",
          Math.max(0, 1e3 * (moveTime - publishedMigration.window)),
          "ms",
          [0, 0],
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
          gains.flatMap(({ batch, printed, gain }) => [
            { x: batch, series: "ours", y: gain },
            { x: batch, series: "published", y: printed },
          ]),
        ),
      ],
      timeline: gains.flatMap(({ timeline }) => timeline),
    };
  },
};
