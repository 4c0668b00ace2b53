// SPDX-License-Identifier: Apache-2.0
// The effect of costs of real hardware that equations 5 to 7 omit: a layer with each cost changed, and with all of them
// off. The assignment of the experts and the moves are always the same.

import { present } from "../../../base/present.ts";
import { bytes } from "../../../base/units.ts";
import { moeDimms } from "../../../machine/resolve/dimm-links.ts";
import type { Table } from "../../../report/page.ts";
import { modelShape } from "../../../workload/shapes.ts";
import type { SimulatedExperiment } from "../../experiment/experiment.ts";
import { batch, equationLayer } from "./cycle/cycle.ts";
import type { MachineChanges, SimulatedLayer } from "./cycle/simulated-layer.ts";
import type { LayerLab } from "./lab.ts";
import { models } from "./layer.ts";
import { timeColumn } from "./columns.ts";

/** A change of the machine, and its name in tables and records. */
interface Change {
  readonly change: string;
  readonly changes: MachineChanges;
}

const short = { queueBursts: 64 } as const;
const shortTogether = { ...short, refreshPhase: "together" } as const;
const noTransfers = { hostTransfers: false } as const;
const noHeaders = { pcieHeader: bytes(0) } as const;

/** The unchanged machine first. */
export const overheadChanges: readonly Change[] = [
  { change: "none", changes: {} },
  {
    change: "links between all pairs of DIMMs",
    changes: { links: { topology: "full", group: moeDimms } },
  },
  { change: "no transfers of inputs and outputs", changes: noTransfers },
  { change: "no headers of PCIe packets", changes: noHeaders },
  { change: "stream queues of 64 bursts", changes: short },
  {
    change: "stream queues of 64 bursts, all ranks refresh at the same time",
    changes: shortTogether,
  },
  { change: "overheads off", changes: { ...noTransfers, ...noHeaders, ...shortTogether } },
];

export function overheadsExperiment(lab: LayerLab): SimulatedExperiment {
  return {
    id: "trimoe/overheads",
    paper: "trimoe",
    title: "Effect of modelled overheads on a layer",
    run: async () => {
      const wanted = models.flatMap((model) =>
        overheadChanges.map(({ change, changes }) => ({ model, change, changes })),
      );
      const done = await lab.layers(
        wanted.map(({ model, changes }) => ({ ...equationLayer(model), changes })),
      );
      const table = tableOf(
        wanted.map(({ model, change }, i) => ({ model, change, layer: present(done[i]) })),
      );
      return { findings: [], blocks: [table], rows: table.rows, timeline: [] };
    },
  };
}

interface ChangedLayer {
  readonly model: string;
  readonly change: string;
  readonly layer: SimulatedLayer;
}

function tableOf(layers: readonly ChangedLayer[]): Table {
  const ratio = (key: string, title: string): Table["columns"][number] => ({
    key,
    title,
    unit: "x",
    source: "derived",
    digits: 4,
  });
  return {
    kind: "table",
    id: "overheads",
    caption: `A layer at batch ${batch} with the assignment of equations 5 to 7 while four experts move. Ratios are simulated times divided by the times of the equations, which no change affects. "Overheads off" is every change but the links.`,
    columns: [
      { key: "model", title: "model" },
      { key: "change", title: "change" },
      timeColumn("layer", "layer"),
      ratio("layerRatio", "layer over equation 7"),
      timeColumn("dimm", "last DIMM"),
      ratio("dimmRatio", "last DIMM over equation 6"),
    ],
    rows: layers.map(({ model, change, layer: { time, dimms, run } }) => {
      const last = Math.max(...dimms);
      return {
        model: modelShape(model, "the layer").title,
        change,
        layer: 1e3 * time,
        layerRatio: time / run.time,
        dimm: 1e3 * last,
        dimmRatio: last / Math.max(...run.load.dimms),
      };
    }),
  };
}
