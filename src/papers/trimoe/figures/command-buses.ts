// SPDX-License-Identifier: Apache-2.0
// The effect of a shared command bus on a layer: by default each rank has a command bus of its own in NDP mode.

import { present } from "../../../base/present.ts";
import type { Table } from "../../../report/page.ts";
import { modelShape } from "../../../workload/shapes.ts";
import type { SimulatedExperiment } from "../../experiment/experiment.ts";
import { batch, equationLayer } from "./cycle/cycle.ts";
import type { SimulatedLayer } from "./cycle/simulated-layer.ts";
import type { LayerLab } from "./lab.ts";
import { models } from "./layer.ts";
import { timeColumn } from "./columns.ts";

export function commandBusesExperiment(lab: LayerLab): SimulatedExperiment {
  return {
    id: "trimoe/command-buses",
    paper: "trimoe",
    title: "Effect of a shared command bus on a layer",
    run: async () => {
      const own = models.map(equationLayer);
      const shared = own.map((layer) => ({ ...layer, changes: { commandBus: "shared" } as const }));
      const done = await lab.layers([...own, ...shared]);
      const table = tableOf(done.slice(0, own.length), done.slice(own.length));
      return { findings: [], blocks: [table], rows: table.rows, timeline: [] };
    },
  };
}

/** Layers by model. */
function tableOf(own: readonly SimulatedLayer[], shared: readonly SimulatedLayer[]): Table {
  const change = (key: string, title: string): Table["columns"][number] => ({
    key,
    title,
    unit: "%",
    source: "derived",
    digits: 2,
  });
  const lastDimm = ({ dimms }: SimulatedLayer): number => 1e3 * Math.max(...dimms);
  return {
    kind: "table",
    id: "command-buses",
    caption: `A layer at batch ${batch} with the assignment of equations 5 to 7 while four experts move. In NDP mode each rank has a command bus, or the four ranks of a sub-channel share one in slots of two cycles.`,
    columns: [
      { key: "model", title: "model" },
      timeColumn("own", "layer, a bus per rank", 5),
      timeColumn("shared", "layer, a bus per sub-channel", 5),
      change("slower", "layer slower by"),
      timeColumn("ownDimm", "last DIMM, a bus per rank", 5),
      timeColumn("sharedDimm", "last DIMM, a bus per sub-channel", 5),
      change("slowerDimm", "last DIMM slower by"),
    ],
    rows: own.map((layer, i) => {
      const changed = present(shared[i]);
      return {
        model: modelShape(layer.model, "the layer").title,
        own: 1e3 * layer.time,
        shared: 1e3 * changed.time,
        slower: 100 * (changed.time / layer.time - 1),
        ownDimm: lastDimm(layer),
        sharedDimm: lastDimm(changed),
        slowerDimm: 100 * (lastDimm(changed) / lastDimm(layer) - 1),
      };
    }),
  };
}
