// SPDX-License-Identifier: Apache-2.0
// TriMoE's layer on the simulated machine compared with equations 5 to 7 for the same assignment.

import type { Table } from "../../../../report/page.ts";
import { spansOf, type Track } from "../../../experiment/chart-map.ts";
import { energiesOf } from "../layer-energy.ts";
import { expertTimes } from "../expert-times.ts";
import type { SimulatedExperiment } from "../../../experiment/experiment.ts";
import type { SimulatedLayer } from "./simulated-layer.ts";
import { seconds } from "../../../../base/units.ts";
import { present } from "../../../../base/present.ts";
import { models } from "../layer.ts";
import { equationSetting } from "../setting.ts";
import { farMoves } from "./far-moves.ts";
import type { LabLayer, LayerLab } from "../lab.ts";
import { between, type InternalCheck } from "../../../experiment/internal-check.ts";

/** Tokens of the layer. */
export const batch = 512;
/** Moves begin with the experts, so that their contention shows. */
const none = seconds(0);
const note =
  "the equations give each device the memory to itself, fill no pipelines and hand over no ranks";
const gpuNote =
  "CPU and GPU read the same channels; of an expert that lies in one DIMM the GPU reads two sub-channels, 38.4 GB/s at most where the equations have all of PCIe, and the CPU takes its turns there, too";
const dimmNote =
  "equation 6 adds a DIMM's experts and the reads it serves for the host; the simulated DIMM computes between those reads, and is done with its own experts before the last of them";

function checksOf({ model, run, ...of }: SimulatedLayer): readonly InternalCheck[] {
  const busiest = Math.max(...run.load.dimms);
  const beside = (what: string, ratio: number, low: number, why = note): InternalCheck =>
    between(`${model}: ${what}`, ratio, "x", [low, 1.5], why);
  return [
    beside("layer over equation 7", of.time / run.time, 0.8, gpuNote),
    beside("CPU over equation 5", of.cpu / run.load.cpu, 0.9),
    beside("GPU over equation 5", of.gpu / run.load.gpu, 0.9, gpuNote),
    beside("slowest DIMM over equation 6", Math.max(...of.dimms) / busiest, 0.7, dimmNote),
    between(`${model}: four moves under the layer`, of.moves / of.time, "1", [0, 1], note),
  ];
}

function tableOf({ model, run, gpu, cpu, dimms }: SimulatedLayer): Table {
  const row = (what: string, equation: number, simulated: number): Table["rows"][number] => ({
    what,
    equation: equation * 1e3,
    simulated: simulated * 1e3,
    ratio: equation === 0 ? 0 : simulated / equation,
  });
  return {
    kind: "table",
    id: `layer-${model}`,
    caption: `${model} at batch ${batch}: busy times of equations 5 and 6 (with the reads that a DIMM serves), and when each device was done with its own experts.`,
    columns: [
      { key: "what", title: "device" },
      { key: "equation", title: "equations", unit: "ms", source: "derived", digits: 4 },
      { key: "simulated", title: "simulated", unit: "ms", source: "measured", digits: 4 },
      { key: "ratio", title: "ratio", unit: "x", source: "derived", digits: 3 },
    ],
    rows: [
      row("GPU", run.load.gpu, gpu),
      row("CPU", run.load.cpu, cpu),
      ...dimms.map((end, d) => row(`DIMM ${d}`, present(run.load.dimms[d]), end)),
    ],
  };
}

/**
 * Refreshes by rank of each layer, from host and NDP units, compared with the number due in the
 * layer's time.
 */
function refreshTable(layers: readonly SimulatedLayer[]): Table {
  return {
    kind: "table",
    id: "refresh",
    caption:
      "Refreshes of the ranks with fewest and most by the end of the layer, sent by the host and by NDP, beside what the time calls for. JESD79-5 lets four be postponed.",
    columns: [
      { key: "what", title: "model" },
      { key: "due", title: "due", unit: "REFab", source: "derived" },
      { key: "fewest", title: "fewest", unit: "REFab", source: "measured" },
      { key: "most", title: "most", unit: "REFab", source: "measured" },
    ],
    rows: layers.map(({ model, refreshes }) => ({ what: model, ...refreshes })),
  };
}

function captionOf(model: string): string {
  return `${model} at batch ${batch}: times over the layer's experts, by nearest rank, of each kind of device.`;
}

/** Timelines of layers, with one lane per device. */
export function tracksOf(layers: readonly (readonly [string, SimulatedLayer])[]): readonly Track[] {
  return layers.map(([name, { tasks }]) => ({ name, runs: tasks }));
}

/**
 * A layer with the decisions of equations 5 to 7 and always the same four moves, for comparisons of machines.
 */
export function equationLayer(model: string): LabLayer {
  return {
    ...equationSetting,
    system: "TriMoE",
    model,
    batch,
    moves: farMoves(model),
    window: none,
  };
}

/** The increase of a layer's time with each further kind of work. */
async function contention(lab: LayerLab, model: string): Promise<Table> {
  const what = equationLayer(model);
  const steps: readonly (readonly [string, LabLayer])[] = [
    ["the CPU's experts alone", { ...what, alone: ["C"] }],
    ["and the GPU's", { ...what, alone: ["C", "G"] }],
    ["all, and four experts that move", what],
    [
      "all, as the channel-aware planner decides on the same trace",
      { ...what, planner: "channels" },
    ],
  ];
  const done = await lab.layers(steps.map(([, layer]) => layer));
  return {
    kind: "table",
    id: `contention-${model}`,
    caption: `${model} at batch ${batch}: when CPU, GPU and the last DIMM are done as more of the layer is run. CPU and GPU read through the same channels, which equations 2, 3 and 6 give to each alone.`,
    columns: [
      { key: "what", title: "experts that run" },
      { key: "cpu", title: "CPU", unit: "ms", source: "measured", digits: 4 },
      { key: "gpu", title: "GPU", unit: "ms", source: "measured", digits: 4 },
      { key: "dimm", title: "last DIMM", unit: "ms", source: "measured", digits: 4 },
    ],
    rows: done.map(({ cpu, gpu, dimms }, i) => ({
      what: present(steps[i]?.[0]),
      cpu: 1e3 * cpu,
      gpu: 1e3 * gpu,
      dimm: 1e3 * Math.max(...dimms),
    })),
  };
}

export function layerExperiment(lab: LayerLab): SimulatedExperiment {
  return {
    id: "trimoe/layer",
    paper: "trimoe",
    title: "A MoE layer with all its contention, beside equations 5 to 7",
    run: async () => {
      const list = models.map(equationLayer);
      const done = await lab.layers(list);
      const energy = energiesOf(done);
      const tracks = tracksOf(done.map((layer) => [`${layer.model}, simulated`, layer]));
      return {
        findings: [],
        checks: done.flatMap(checksOf),
        blocks: [
          ...done.map(tableOf),
          refreshTable(done),
          ...energy.tables,
          ...done.map(({ model, tasks }) =>
            expertTimes(`experts-${model}`, captionOf(model), tasks),
          ),
          await contention(lab, "deepseek-v2"),
        ],
        rows: energy.rows,
        timeline: tracks.flatMap(spansOf),
      };
    },
  };
}
