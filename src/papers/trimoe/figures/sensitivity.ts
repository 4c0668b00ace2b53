// SPDX-License-Identifier: Apache-2.0
// TriMoE: what more DIMMs and a slower CPU do (figure 9), and other batches and traces (section 5.5).

import { z } from "zod";
import { lines, type Datum } from "../../experiment/chart.ts";
import type { Experiment } from "../../experiment/experiment.ts";
import { explained, notComparable, printed, same, stated } from "../../experiment/finding.ts";
import type { Finding, Tried } from "../../experiment/finding.ts";
import { expertBytes, modelShape } from "../../../workload/shapes.ts";
import type { System } from "../policy/baselines.ts";
import { paperMachine } from "../model/machine.ts";
import { linkRound, publishedMigration } from "../policy/migration.ts";
import { transferTime } from "../../../base/units.ts";
import { baselines, compareOn, layerSpans, models, resultOf, traceNote } from "./layer.ts";
import { gainOver, strictBaselines } from "./end-to-end.ts";
import { recorded, recordedNote } from "../../experiment/recorded.ts";
import { study, type LayerStudy } from "./run.ts";
import { timesUnder, triedOf } from "./tried.ts";

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
          [0.9, 1.1],
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
          [1, Infinity],
          traceNote,
        ),
        stated(
          "gain of 2.0 over 0.5",
          "flat",
          at(cpu, 0.5) / at(cpu, 2),
          "x",
          [0.9, 1.1],
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

const small = "qwen3-235b-a22b";

/** The gain at a small batch under other assumptions and over other baselines. */
function triedAt(batch: number): readonly Tried[] {
  const gain = (names: readonly System[], options: Partial<LayerStudy>): number =>
    gainOver(timesUnder({ model: small, batch }, [...names, "TriMoE"], options), names);
  return [
    ...triedOf((options) => gain(strictBaselines, options)),
    {
      what: "KTransformers balances onto the GPU, too, which the paper does not describe",
      value: gain(baselines, {}),
    },
    {
      what: "KTransformers is the strongest baseline",
      value: gain(["En-KTransformers"], {}),
    },
  ];
}

const smallBatches = z.looseObject({
  experiments: z.tuple([
    z.looseObject({ findings: z.array(z.looseObject({ what: z.string(), ours: z.number() })) }),
  ]),
});

/** The same on one simulated step, as recorded. */
function simulatedAt(batch: number): readonly Tried[] {
  const { experiments } = smallBatches.parse(recorded("trimoe-small-batches").result);
  return experiments[0].findings
    .filter(({ what }) => what.endsWith(` ${batch}`))
    .map(({ ours: value }) => ({ what: "one step, simulated (recorded)", value }));
}

/** Section 4.3 hides prefetches, too, under the window of section 5.5. */
function prefetches(): readonly Finding[] {
  const { window } = publishedMigration;
  const times = models.map((name) =>
    transferTime(expertBytes(modelShape(name, "section 5.5")), paperMachine().pcie),
  );
  return [
    explained(
      stated(
        "prefetch of one hot expert over the window of 0.68 ms, most of the models",
        "hidden",
        Math.max(...times) / window,
        "1",
        [0, 1],
        "an expert of DeepSeek-V2 takes 0.74 ms over PCIe, so none is ever prefetched under this window",
      ),
      models.map((name, i) => ({ what: name, value: (times[i] ?? NaN) / window })),
    ),
  ];
}

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
      const { times, timeline } = compareOn(small, batch);
      const ours = times.get("TriMoE") ?? NaN;
      const best = Math.min(...strictBaselines.map((name) => times.get(name) ?? NaN));
      return { batch, published: value, gain: best / ours, timeline };
    });
    const size = expertBytes(modelShape("deepseek-v2", "section 5.5"));
    const round = linkRound(publishedMigration, size, 16);
    const movesUnder = (options: Partial<LayerStudy>): number => {
      const what = { model: "deepseek-v2", batch: 512, relayout: true, ...options };
      return (study(what, ["TriMoE"]).get("TriMoE")?.moves ?? NaN) / 4;
    };
    return {
      findings: [
        ...gains.map(({ batch, published, gain }) =>
          explained(
            printed(
              `gain over the best baseline at batch ${batch}`,
              published,
              gain,
              "x",
              "S",
              traceNote,
            ),
            [...triedAt(batch), ...simulatedAt(batch)],
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
        explained(
          stated(
            "migrations a step over the four that may move at once",
            "infrequent: most steps move fewer",
            movesUnder({}),
            "1",
            [0, 0.5],
            "any expert whose class is predicted to change moves, however little that frees; with an accuracy of four in five there are more than four a step",
          ),
          triedOf(movesUnder),
        ),
        ...prefetches(),
        notComparable(
          "overhead of migrations",
          "below 3.3",
          "none, by construction",
          "%",
          "what does not fit the window is not moved, so the equations have no overhead; figure 8 at cycle fidelity measures it",
        ),
      ],
      blocks: [
        recordedNote(recorded("trimoe-small-batches")),
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
