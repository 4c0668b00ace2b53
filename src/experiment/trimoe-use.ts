// SPDX-License-Identifier: Apache-2.0
// TriMoE: what runs when in one layer (figure 1), how busy devices are (table 3), what each part of
// the design brings (figure 8).

import { deviceUse, endOf, runTasks } from "../host/timeline.ts";
import { expertBytes, modelShape } from "../model/shapes.ts";
import type { System } from "../policy/trimoe/baselines.ts";
import { paperMachine } from "../policy/trimoe/machine.ts";
import { layerTasks } from "../policy/trimoe/timeline.ts";
import { gantt, spansOf } from "./chart-map.ts";
import { bars, type Datum } from "./chart.ts";
import type { Experiment } from "./experiment.ts";
import { printed } from "./finding.ts";
import { compared, layerSpans, models, resultOf, traceNote } from "./trimoe-layer.ts";
import { study } from "./trimoe-run.ts";
import { between } from "./own-check.ts";

const model = "qwen3-235b-a22b";
const drawn: readonly System[] = ["Klotski", "En-KTransformers", "MoNDE", "TriMoE"];

export const figure1: Experiment = {
  id: "trimoe/figure-1",
  paper: "trimoe",
  title: "One layer under each system, Qwen3-235B at batch 512",
  run: () => {
    const found = study({ model, batch: 512, relayout: true }, drawn);
    const size = expertBytes(modelShape(model, "figure 1"));
    const machine = paperMachine();
    const tracks = drawn.flatMap((name) => {
      const last = found.get(name)?.last ?? null;
      if (last === null) return [];
      return [{ name, time: last.time, runs: runTasks(layerTasks(last, machine, size)) }];
    });
    const shown = tracks.map(({ name, runs }) => ({
      name,
      runs: runs.filter(({ device }) => !/DIMM (?!0$)/.test(device)),
    }));
    return {
      findings: [],
      checks: tracks.map(({ name, time, runs }) => {
        const busiest = Math.max(...[...deviceUse(runs).values()].map((use) => use.busy));
        return between(
          `${name}: end of the timeline over equation 7`,
          endOf(runs) / time,
          "1",
          [0.6, 1.15],
          `busiest device ${(1e3 * busiest).toPrecision(3)} ms; the host's reads on DIMMs are not drawn`,
        );
      }),
      blocks: [
        gantt(
          { id: "figure-1", caption: "One of 16 DIMMs is drawn; colours are devices." },
          shown,
          ({ device }) => device,
        ),
      ],
      timeline: tracks.flatMap(spansOf),
    };
  },
};

/** Printed shares of GPU, CPU and NDP in percent; empty where a system has no such device. */
const printed3: readonly (readonly [System, string, string, string])[] = [
  ["Klotski", "28.6", "", ""],
  ["En-KTransformers", "57.6", "42", ""],
  ["MoNDE", "33.9", "", "70.1"],
  ["TriMoE", "66.0", "74.9", "87.8"],
];
const titles3 = { gpu: "GPU", cpu: "CPU", ndp: "DIMMs, own work and the host's reads," } as const;

export const table3: Experiment = {
  id: "trimoe/table-3",
  paper: "trimoe",
  title: "Resource utilisation",
  run: () => {
    const found = study({ model, batch: 512, relayout: true }, compared);
    const use = found.get("TriMoE")?.use ?? { gpu: NaN, cpu: NaN, ndp: NaN };
    const mean = (use.gpu + use.cpu + use.ndp) / 3;
    const note = `${traceNote}; busy with transfers counts as busy here`;
    return {
      findings: [
        ...printed3.flatMap(([name, ...shares]) =>
          (["gpu", "cpu", "ndp"] as const).flatMap((device, i) => {
            const share = shares[i] ?? "";
            const ours = 100 * (found.get(name)?.use[device] ?? NaN);
            const what = `${name}: ${titles3[device]} busy`;
            return share === "" ? [] : [printed(what, share, ours, "%", "S", note)];
          }),
        ),
        printed("TriMoE: mean of the three", "76.2", 100 * mean, "%", "S", note),
      ],
      blocks: [
        bars(
          {
            id: "table-3",
            caption: "Busy share of each device: published (p) and ours.",
            xTitle: "system",
            yTitle: "busy",
            unit: "1",
          },
          printed3.flatMap(([x, gpu, cpu, ndp]): readonly Datum[] => {
            const ours = found.get(x)?.use ?? { gpu: 0, cpu: 0, ndp: 0 };
            return [
              { x, series: "GPU (p)", y: Number(gpu) / 100 },
              { x, series: "GPU", y: ours.gpu },
              { x, series: "CPU (p)", y: Number(cpu) / 100 },
              { x, series: "CPU", y: ours.cpu },
              { x, series: "NDP (p)", y: Number(ndp) / 100 },
              { x, series: "NDP", y: ndp === "" ? 0 : ours.ndp },
            ];
          }),
        ),
      ],
      timeline: [...found].flatMap(([name, result]) => layerSpans(name, model, result)),
    };
  },
};

export const figure8: Experiment = {
  id: "trimoe/figure-8",
  paper: "trimoe",
  title: "Ablation at batch 512",
  run: () => {
    const rows = models.map((name) => {
      const base = resultOf("GPU-NDP", name, 512);
      const cpu = resultOf("+CPU", name, 512);
      const refined = resultOf("TriMoE", name, 512, false);
      const relayout = resultOf("TriMoE", name, 512, true);
      const results = [base, cpu, refined, relayout];
      const steps = results.slice(1).map(({ time }, i) => (results[i]?.time ?? NaN) / time);
      return { name, steps, results };
    });
    const mean = (i: number): number =>
      rows.reduce((t, r) => t + (r.steps[i] ?? NaN), 0) / rows.length;
    const names = ["+CPU", "+Refinement", "+Relayout"];
    return {
      findings: [
        printed("adding the CPU", "1.75", mean(0), "x", "S", traceNote),
        printed("refinement", "1.28", mean(1), "x", "S", traceNote),
        printed("relayout and rebalancing", "1.16", mean(2), "x", "S", traceNote),
      ],
      blocks: [
        bars(
          {
            id: "figure-8",
            caption: "Speed-up over GPU-NDP as parts are added.",
            xTitle: "model",
            yTitle: "speed-up",
            unit: "x",
          },
          rows.flatMap(({ name, steps }) => [
            { x: name, series: "GPU-NDP", y: 1 },
            ...steps.map((_, i) => ({
              x: name,
              series: names[i] ?? "",
              y: steps.slice(0, i + 1).reduce((a, b) => a * b, 1),
            })),
          ]),
        ),
      ],
      timeline: rows.flatMap(({ name, results }) =>
        results.flatMap((result, i) =>
          layerSpans(`${name}, ${["GPU-NDP", ...names][i] ?? ""}`, name, result),
        ),
      ),
    };
  },
};
