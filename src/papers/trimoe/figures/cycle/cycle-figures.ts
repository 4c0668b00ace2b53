// SPDX-License-Identifier: Apache-2.0
// TriMoE on the simulated machine at batch 512: what runs when (figure 1), what its parts bring (figure 8,
// all models), fewer NDP units and other CPUs (figure 9); all but figure 8 of Qwen3-235B.

import { modelShape } from "../../../../workload/shapes.ts";
import type { System } from "../../policy/baselines.ts";
import { gantt, spansOf } from "../../../experiment/chart-map.ts";
import { bars, lines, type Datum } from "../../../experiment/chart.ts";
import type { SimulatedExperiment } from "../../../experiment/experiment.ts";
import { explained, printed, stated } from "../../../experiment/finding.ts";
import type { SimulatedLayer } from "./simulated-layer.ts";
import { tracksOf } from "./cycle.ts";
import type { LabLayer, LayerLab } from "../lab.ts";
import { byEquation, met } from "./cycle-speedup.ts";
import { models } from "../layer.ts";
import { between } from "../../../experiment/own-check.ts";

const stages = ["GPU-NDP", "+CPU", "+Refinement", "+Relayout"];
const qwen: Omit<LabLayer, "system"> = { model: "qwen3-235b-a22b", batch: 512 };

export function figure1(lab: LayerLab): SimulatedExperiment {
  return {
    id: "trimoe/figure-1",
    paper: "trimoe",
    title: "One layer under each system as it ran, Qwen3-235B at batch 512",
    run: async () => {
      const drawn: readonly System[] = ["Klotski", "En-KTransformers", "MoNDE", "TriMoE"];
      const layers = await lab.layers(drawn.map((system) => ({ system, ...qwen })));
      const tracks = tracksOf(layers.map((layer, i) => [drawn[i] ?? "", layer]));
      const shown = tracks.map(({ name, runs }) => ({
        name,
        runs: runs.filter(({ device }) => !/DIMM (?!0$)|relayout (?!0$)/.test(device)),
      }));
      return {
        findings: [],
        checks: layers.map(({ run, time }, i) =>
          between(`${drawn[i] ?? ""}: layer over its equations`, time / run.time, "x", [0.8, 1.6]),
        ),
        blocks: [
          gantt(
            {
              id: "figure-1",
              caption: "One of 16 DIMMs and one of four moves are drawn; colours are devices.",
            },
            shown,
            ({ device }) => device,
          ),
        ],
        timeline: tracks.flatMap(spansOf),
      };
    },
  };
}

export function figure8(lab: LayerLab): SimulatedExperiment {
  return {
    id: "trimoe/figure-8",
    paper: "trimoe",
    title: "Ablation at batch 512, simulated",
    run: async () => {
      const runs = await Promise.all(
        models.map(async (model) => {
          const of = { model, batch: qwen.batch };
          const list: readonly LabLayer[] = [
            // The same split as MoNDE's, which other figures run.
            { system: "MoNDE", ...of },
            { system: "+CPU", ...of },
            { system: "TriMoE", ...of, relayout: false },
            { system: "TriMoE", ...of },
          ];
          return { model, layers: await lab.layers(list) };
        }),
      );
      const unmoved = await lab.layer({ system: "TriMoE", ...qwen, alone: ["G", "C", "N"] });
      const moved = runs.find(({ model }) => model === qwen.model)?.layers.at(-1)?.time ?? NaN;
      const mean = (i: number, time: (of: SimulatedLayer) => number): number =>
        runs.reduce((sum, { layers: [...layers] }) => {
          const [above = NaN, below = NaN] = layers.slice(i, i + 2).map(time);
          return sum + above / below / runs.length;
        }, 0);
      const gains = [
        ["adding the CPU", "1.75"],
        ["refinement", "1.28"],
        ["relayout and rebalancing", "1.16"],
      ] as const;
      return {
        findings: [
          ...gains.map(([what, text], i) =>
            explained(
              printed(
                what,
                text,
                mean(i, ({ time }) => time),
                "x",
                "S",
                met,
              ),
              [{ what: byEquation, value: mean(i, ({ run }) => run.time) }],
            ),
          ),
          printed(
            "what four experts that move add to the layer",
            "below 3.3",
            100 * (moved / unmoved.time - 1),
            "%",
            "S",
          ),
        ],
        blocks: [
          bars(
            {
              id: "figure-8",
              caption: "Speed-up over GPU-NDP as parts are added, everything simulated.",
              xTitle: "model",
              yTitle: "speed-up",
              unit: "x",
            },
            runs.flatMap(({ model, layers }) =>
              layers.map(({ time }, i): Datum => ({
                x: modelShape(model, "figure 8").title,
                series: stages[i] ?? "",
                y: (layers[0]?.time ?? NaN) / time,
              })),
            ),
          ),
        ],
        timeline: runs.flatMap(({ model, layers }) =>
          tracksOf(layers.map((layer, i) => [`${model}, ${stages[i] ?? ""}`, layer])).flatMap(
            spansOf,
          ),
        ),
      };
    },
  };
}

export function figure9(lab: LayerLab): SimulatedExperiment {
  return {
    id: "trimoe/figure-9",
    paper: "trimoe",
    title: "Number of NDP DIMMs, and compute of the CPU, simulated",
    run: async () => {
      const base: LabLayer = { system: "TriMoE", ...qwen };
      const counts = [4, 8, 16];
      const scales = [0.125, 0.5, 1];
      const dimms = await lab.layers(
        counts.map((n) => (n === 16 ? base : { ...base, machine: { dimms: n } })),
      );
      const cpus = await lab.layers(
        scales.map((n) => (n === 1 ? base : { ...base, machine: { cpuScale: n } })),
      );
      const time = (list: readonly SimulatedLayer[], i: number): number => list[i]?.time ?? NaN;
      const draw = (list: readonly SimulatedLayer[], xs: readonly number[]): readonly Datum[] =>
        list.map((layer, i) => ({ x: xs[i] ?? NaN, series: "TriMoE", y: layer.time * 1e3 }));
      return {
        findings: [
          stated(
            "gain of 16 NDP DIMMs over 8",
            "flattens",
            time(dimms, 1) / time(dimms, 2),
            "x",
            // Flatter than in proportion: twice the DIMMs, less than twice the rate.
            [1, 2],
          ),
          stated(
            "loss with 4 NDP DIMMs against 16",
            "worse",
            time(dimms, 0) / time(dimms, 2),
            "x",
            [1, Infinity],
          ),
          stated("loss with AVX (0.125)", "worse", time(cpus, 0) / time(cpus, 2), "x", [
            1,
            Infinity,
          ]),
          stated("gain of 1.0 over 0.5", "flat", time(cpus, 1) / time(cpus, 2), "x", [0.9, 1.1]),
        ],
        blocks: [
          lines(
            {
              id: "figure-9a",
              caption:
                "Layer time against DIMMs with an NDP unit, of 16 (more than two DIMMs a channel is no machine of DDR5-4800).",
              xTitle: "NDP DIMMs",
              yTitle: "time",
              unit: "ms",
            },
            draw(dimms, counts),
          ),
          lines(
            {
              id: "figure-9b",
              caption: "Layer time against the CPU's compute.",
              xTitle: "AMX of table 1",
              yTitle: "time",
              unit: "ms",
            },
            draw(cpus, scales),
          ),
        ],
        timeline: [
          ...tracksOf(dimms.map((layer, i) => [`${counts[i] ?? 0} NDP DIMMs`, layer])),
          ...tracksOf(cpus.map((layer, i) => [`CPU x ${scales[i] ?? 0}`, layer])),
        ].flatMap(spansOf),
      };
    },
  };
}
