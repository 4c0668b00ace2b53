// SPDX-License-Identifier: Apache-2.0
// TriMoE's table 3 (how busy devices are) and section 5.5 (small batches) on simulated layers, whose time
// has all contention in it.

import { expertBytes, modelShape } from "../../../../workload/shapes.ts";
import type { System } from "../../policy/baselines.ts";
import { paperMachine } from "../../model/machine.ts";
import { computing } from "../../policy/use.ts";
import type { Table } from "../../../../report/page.ts";
import { spansOf } from "../../../experiment/chart-map.ts";
import { lines } from "../../../experiment/chart.ts";
import type { SimulatedExperiment } from "../../../experiment/experiment.ts";
import { explained, printed, type Finding } from "../../../experiment/finding.ts";
import { tracksOf } from "./cycle.ts";
import { met } from "./cycle-speedup.ts";
import { strictBaselines } from "../end-to-end.ts";
import { timeOf } from "../layer.ts";
import type { LayerLab } from "../lab.ts";
import type { DeviceShares } from "../run.ts";
import type { SimulatedLayer } from "./simulated-layer.ts";
import { printed3, titles3 } from "../use.ts";

const model = "qwen3-235b-a22b";
const batch = 512;
const devices = ["gpu", "cpu", "ndp"] as const;

/** Arithmetic of each device over the simulated time; of the NDP units the mean over DIMMs. */
function sharesOf({ run, time }: SimulatedLayer): DeviceShares {
  const size = expertBytes(modelShape(model, "the layer"));
  const { gpu, cpu, ndp } = computing(run, paperMachine(), size);
  return { gpu: gpu / time, cpu: cpu / time, ndp: ndp / time };
}

export function table3(lab: LayerLab): SimulatedExperiment {
  return {
    id: "trimoe/table-3",
    paper: "trimoe",
    title: "Resource utilisation, simulated",
    run: async () => {
      const done = await lab.layers(printed3.map(([system]) => ({ system, model, batch })));
      const rows = printed3.map(([name, ...texts], i) => {
        const layer = done[i];
        if (layer === undefined) throw new RangeError(`no layer of ${name}`);
        return { name, texts, layer, shares: sharesOf(layer) };
      });
      const why =
        "arithmetic over the simulated time of one step; waits are not work. trimoe/recorded-steps has several steps";
      const of = ({ gpu, cpu, ndp }: DeviceShares): number => (gpu + cpu + ndp) / 3;
      const equations = ({ layer }: (typeof rows)[number]): DeviceShares =>
        sharesOf({ ...layer, time: layer.run.time });
      const finding = (
        what: string,
        text: string,
        row: (typeof rows)[number],
        share: (of: DeviceShares) => number,
      ): Finding =>
        explained(printed(what, text, 100 * share(row.shares), "%", "S", why), [
          { what: "the time of equation 7", value: 100 * share(equations(row)) },
        ]);
      const own = rows.filter(({ name }) => name === "TriMoE");
      return {
        findings: [
          ...rows.flatMap((row) =>
            devices.flatMap((device, i) => {
              const text = row.texts[i] ?? "";
              if (text === "") return [];
              const what = `${row.name}: ${titles3[device]} compute`;
              return [finding(what, text, row, (shares) => shares[device])];
            }),
          ),
          ...own.map((row) => finding("TriMoE: mean of the three", "76.2", row, of)),
        ],
        blocks: [
          {
            kind: "table",
            id: "table-3",
            caption: `Share of a layer's time in which each device computes, Qwen3-235B at batch ${batch}.`,
            columns: [
              { key: "name", title: "system" },
              { key: "time", title: "simulated", unit: "ms", source: "measured", digits: 4 },
              ...devices.map((key) => ({
                ...({ key, unit: "%", source: "derived", digits: 3 } as const),
                title: titles3[key],
              })),
            ],
            rows: rows.map(({ name, layer, shares }) => ({
              ...{ name, time: 1e3 * layer.time },
              ...Object.fromEntries(devices.map((key) => [key, 100 * shares[key]])),
            })),
          },
        ],
        timeline: tracksOf(rows.map(({ name, layer }) => [name, layer])).flatMap(spansOf),
      };
    },
  };
}

/** Batches of section 5.5 and the gains that it prints. */
const small: readonly (readonly [batch: number, gain: string])[] = [
  [128, "2.72"],
  [64, "2.18"],
  [32, "1.82"],
];

/** The best baseline by the equations, which alone is simulated beside TriMoE. */
function strongest(batch: number): System {
  const times = strictBaselines.map((name) => [name, timeOf(name, model, batch)] as const);
  return times.toSorted(([, a], [, b]) => a - b)[0]?.[0] ?? "En-KTransformers";
}

export function smallBatches(lab: LayerLab): SimulatedExperiment {
  return {
    id: "trimoe/section-5-5",
    paper: "trimoe",
    title: "Small batches, simulated",
    run: async () => {
      const points = await Promise.all(
        small.map(async ([batch, text]) => {
          const best = strongest(batch);
          const pair = [best, "TriMoE"] as const;
          const [base, own] = await lab.layers(pair.map((system) => ({ system, model, batch })));
          if (base === undefined || own === undefined) throw new RangeError("no layer");
          return { batch, text, best, base, own, gain: base.time / own.time };
        }),
      );
      const table: Table = {
        kind: "table",
        id: "small-batches-table",
        caption:
          "Layers of Qwen3-235B; of the baselines the best by the equations is simulated (KTransformers computes every cold expert on its CPU).",
        columns: [
          { key: "batch", title: "batch" },
          { key: "best", title: "best baseline" },
          { key: "base", title: "its layer", unit: "ms", source: "measured", digits: 4 },
          { key: "own", title: "TriMoE's", unit: "ms", source: "measured", digits: 4 },
          { key: "gain", title: "gain", unit: "x", source: "derived", digits: 3 },
          { key: "equations", title: "by equation 7", unit: "x", source: "derived", digits: 3 },
        ],
        rows: points.map(({ batch, best, base, own, gain }) => ({
          ...{ batch, best, gain, base: 1e3 * base.time, own: 1e3 * own.time },
          equations: base.run.time / own.run.time,
        })),
      };
      return {
        findings: points.map(({ batch, best, text, gain, base, own }) =>
          explained(
            printed(
              `gain over the best baseline at batch ${batch}`,
              text,
              gain,
              "x",
              "S",
              `over ${best}; ${met}`,
            ),
            [{ what: "times of equation 7", value: base.run.time / own.run.time }],
          ),
        ),
        blocks: [
          table,
          lines(
            {
              id: "small-batches",
              caption: "Gain against batch.",
              ...{ xTitle: "batch", yTitle: "gain", unit: "x" },
            },
            points.flatMap(({ batch: x, text, gain }) => [
              { x, series: "simulated", y: gain },
              { x, series: "published", y: Number(text) },
            ]),
          ),
        ],
        timeline: points.flatMap(({ batch, best, base, own }) =>
          tracksOf([
            [`batch ${batch}, ${best}`, base],
            [`batch ${batch}, TriMoE`, own],
          ]).flatMap(spansOf),
        ),
      };
    },
  };
}
