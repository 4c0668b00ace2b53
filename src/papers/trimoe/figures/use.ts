// SPDX-License-Identifier: Apache-2.0
// TriMoE: what runs when in one layer (figure 1), how busy devices are (table 3), what each part of
// the design brings (figure 8).

import { deviceUse, endOf, runTasks } from "../../../base/timeline.ts";
import { expertBytes, modelShape } from "../../../workload/shapes.ts";
import type { System } from "../policy/baselines.ts";
import { paperMachine } from "../model/machine.ts";
import { publishedMigration } from "../policy/migration.ts";
import { layerTasks } from "../policy/timeline.ts";
import { gantt, spansOf } from "../../experiment/chart-map.ts";
import { bars, type Datum } from "../../experiment/chart.ts";
import type { Experiment } from "../../experiment/experiment.ts";
import { explained, printed, type Tried } from "../../experiment/finding.ts";
import { compared, layerSpans, models, resultOf, traceNote } from "./layer.ts";
import { study, type DeviceShares, type LayerStudy, type StudyResult } from "./run.ts";
import { alternativesOf, timesUnder, triedOf } from "./tried.ts";
import { between } from "../../experiment/own-check.ts";

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
export const printed3: readonly (readonly [System, string, string, string])[] = [
  ["Klotski", "28.6", "", ""],
  ["En-KTransformers", "57.6", "42", ""],
  ["MoNDE", "33.9", "", "70.1"],
  ["TriMoE", "66.0", "74.9", "87.8"],
];
export const titles3 = { gpu: "GPU", cpu: "CPU", ndp: "NDP units" } as const;
const computesNote =
  "waits for PCIe and for the host's memory are not work; the text under the table has the paper's words for it";
const computesText =
  "Computing is taken as the paper's text has it: waits for PCIe and for the host's memory are not work " +
  '("severe PCIe bottlenecks, resulting in only 28.6 %"; "limited by host bandwidth, capping CPU utilization at 42 %"). ' +
  "GPU shares of 34 to 66 % contradict section 3.1, where fetched warm experts leave the GPU below 8.6 %.";

/** Shares of Table 3 when something else counts. */
function triedShares(
  name: System,
  device: keyof DeviceShares,
  { time, use, occupied }: StudyResult,
): readonly Tried[] {
  const window = publishedMigration.window;
  const withWindow = (use.gpu * time + window) / (time + window);
  return [
    {
      what: "waits for weights count, and on DIMMs the reads that they serve for the host",
      value: 100 * occupied[device],
    },
    ...(device === "gpu"
      ? [
          {
            what: "attention and MLP of section 5.5 count, 0.68 ms a layer",
            value: 100 * withWindow,
          },
        ]
      : []),
    ...triedOf(
      (options) => {
        const found = study({ model, batch: 512, relayout: true, ...options }, [name]).get(name);
        return 100 * (found?.use[device] ?? NaN);
      },
      ["hotByMemory", "oracle", "slowCpu"],
    ),
  ];
}

function meanOf({ gpu, cpu, ndp }: DeviceShares): number {
  return (gpu + cpu + ndp) / 3;
}

export const table3: Experiment = {
  id: "trimoe/table-3",
  paper: "trimoe",
  title: "Resource utilisation",
  run: () => {
    const found = study({ model, batch: 512, relayout: true }, compared);
    const ours = found.get("TriMoE") ?? resultOf("TriMoE", model, 512);
    const mean = meanOf(ours.use);
    return {
      findings: [
        ...printed3.flatMap(([name, ...shares]) =>
          (["gpu", "cpu", "ndp"] as const).flatMap((device, i) => {
            const share = shares[i] ?? "";
            const ours = 100 * (found.get(name)?.use[device] ?? NaN);
            const what = `${name}: ${titles3[device]} compute`;
            const result = found.get(name);
            if (share === "" || result === undefined) return [];
            const finding = printed(what, share, ours, "%", "S", computesNote);
            return [explained(finding, triedShares(name, device, result))];
          }),
        ),
        explained(
          printed("TriMoE: mean of the three", "76.2", 100 * mean, "%", "S", computesNote),
          [
            {
              what: "waits for weights and reads for the host count",
              value: 100 * meanOf(ours.occupied),
            },
          ],
        ),
      ],
      checks: [...found].flatMap(([name, { use, occupied }]) =>
        (["gpu", "cpu", "ndp"] as const).map((device) =>
          between(
            `${name}: ${titles3[device]} compute no longer than they are occupied`,
            use[device],
            "1",
            [0, Math.min(1, occupied[device])],
          ),
        ),
      ),
      blocks: [
        bars(
          {
            id: "table-3",
            caption: "Share of the time in which each device computes: published (p) and ours.",
            xTitle: "system",
            yTitle: "computing",
            unit: "1",
          },
          printed3.flatMap(([x, gpu, cpu, ndp]): readonly Datum[] => {
            const share = found.get(x)?.use ?? { gpu: 0, cpu: 0, ndp: 0 };
            return [
              { x, series: "GPU (p)", y: Number(gpu) / 100 },
              { x, series: "GPU", y: share.gpu },
              { x, series: "CPU (p)", y: Number(cpu) / 100 },
              { x, series: "CPU", y: share.cpu },
              { x, series: "NDP (p)", y: Number(ndp) / 100 },
              { x, series: "NDP", y: ndp === "" ? 0 : share.ndp },
            ];
          }),
        ),
        { kind: "prose", text: computesText },
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
    const names = ["+CPU", "+Refinement", "+Relayout"];
    const stepsUnder = (name: string, options: Partial<LayerStudy>): readonly number[] => {
      const what = { model: name, batch: 512 };
      const fixed = timesUnder(what, ["GPU-NDP", "+CPU", "TriMoE"], {
        relayout: false,
        ...options,
      });
      const moving = timesUnder(what, ["TriMoE"], options).get("TriMoE") ?? NaN;
      const times = [...fixed.values(), moving];
      return times.slice(1).map((time, i) => (times[i] ?? NaN) / time);
    };
    const compared = alternativesOf(["hotByMemory", "oracle", "zipf", "slowCpu"]);
    const under = compared.map(({ what, options }) => {
      const all = models.map((name) => stepsUnder(name, options));
      return {
        what,
        means: names.map((_, i) => all.reduce((t, s) => t + (s[i] ?? NaN), 0) / all.length),
      };
    });
    const tried = (i: number): readonly Tried[] =>
      under.map(({ what, means }) => ({ what, value: means[i] ?? NaN }));
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
    return {
      findings: [
        explained(printed("adding the CPU", "1.75", mean(0), "x", "S", traceNote), tried(0)),
        explained(printed("refinement", "1.28", mean(1), "x", "S", traceNote), tried(1)),
        explained(
          printed("relayout and rebalancing", "1.16", mean(2), "x", "S", traceNote),
          tried(2),
        ),
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
