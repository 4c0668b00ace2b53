// SPDX-License-Identifier: Apache-2.0
// The effect of DIMM-Link's topology on a layer: four experts move while a layer runs, and the same four experts move
// alone.

import { present } from "../../../base/present.ts";
import { linksTitle, publishedLinks, type DimmLinks } from "../../../machine/resolve/dimm-links.ts";
import type { MovesResult } from "../../../kernels/moe/relayout.ts";
import type { Table } from "../../../report/page.ts";
import { modelShape } from "../../../workload/shapes.ts";
import type { SimulatedExperiment } from "../../experiment/experiment.ts";
import { batch, equationLayer } from "./cycle/cycle.ts";
import { busiestChannel, layerUses, linkUse } from "./cycle/layer-uses.ts";
import type { SimulatedLayer } from "./cycle/simulated-layer.ts";
import type { LabLayer, LayerLab } from "./lab.ts";
import { relayout } from "./relayout.ts";
import { topologies } from "./topologies.ts";
import { timeColumn } from "./columns.ts";

const models = ["deepseek-v2", "qwen3-235b-a22b"] as const;
const moved = { experts: 4, links: 3 } as const;

/** A layer and, alone, its moves, over these links. */
interface Measured {
  readonly model: string;
  readonly joined: DimmLinks;
  readonly layer: SimulatedLayer;
  readonly alone: MovesResult;
}

/** The layer over these links; over the published ones it is the layer of every other experiment. */
function layerOver(model: string, joined: DimmLinks): LabLayer {
  const layer = equationLayer(model);
  return joined === publishedLinks ? layer : { ...layer, changes: { links: joined } };
}

export function layerTopologiesExperiment(lab: LayerLab): SimulatedExperiment {
  return {
    id: "trimoe/layer-topologies",
    paper: "trimoe",
    title: "Effect of DIMM-Link's topology on a layer",
    run: async () => {
      const cases = models.flatMap((model) => topologies.map((joined) => ({ model, joined })));
      const layers = await lab.layers(cases.map(({ model, joined }) => layerOver(model, joined)));
      const measured: Measured[] = [];
      for (const [i, { model, joined }] of cases.entries()) {
        const alone = await relayout({ model, ...moved }, joined);
        measured.push({ model, joined, layer: present(layers[i]), alone });
      }
      const table = tableOf(measured);
      return { findings: [], blocks: [table], rows: table.rows, timeline: [] };
    },
  };
}

function tableOf(measured: readonly Measured[]): Table {
  const utilisation = (key: string, title: string): Table["columns"][number] => ({
    key,
    title,
    unit: "%",
    source: "measured",
    digits: 3,
  });
  return {
    kind: "table",
    id: "layer-topologies",
    caption: `A layer at batch ${batch} with the assignment of equations 5 to 7. Four experts move from all DIMMs to one each (0, 4, 8 and 12), from the layer's start on or alone, with at most ${String(moved.links)} transfers per expert at a time. A group is the DIMMs on one side of the CPU; the host forwards packets between groups. Bursts are those of the busiest sub-channel of the host during the layer.`,
    columns: [
      { key: "model", title: "model" },
      { key: "links", title: "links" },
      { key: "topology", title: "topology" },
      { key: "group", title: "DIMMs in a group" },
      timeColumn("layer", "layer"),
      { key: "bound", title: "busiest part during the layer" },
      utilisation("busy", "its utilisation"),
      { key: "next", title: "next part" },
      utilisation("nextBusy", "its utilisation"),
      { key: "packets", title: "bursts of packets", source: "measured" },
      { key: "bursts", title: "other bursts", source: "measured" },
      timeColumn("moves", "moves during the layer"),
      utilisation("link", "utilisation of the busiest link until their end"),
      timeColumn("alone", "moves alone"),
      { key: "aloneBound", title: "busiest part of the moves alone" },
      utilisation("aloneBusy", "its utilisation"),
    ],
    rows: measured.map(({ model, joined, layer, alone }) => {
      const uses = layerUses(layer);
      const [limit, next] = [present(uses[0]), present(uses[1])];
      const { packets, memory } = busiestChannel(layer);
      return {
        model: modelShape(model, "the layer").title,
        links: linksTitle(joined),
        topology: joined.topology,
        group: joined.group,
        layer: 1e3 * layer.time,
        bound: limit.what,
        busy: 100 * limit.busy,
        next: next.what,
        nextBusy: 100 * next.busy,
        packets,
        bursts: memory,
        moves: 1e3 * layer.moves,
        link: 100 * linkUse(layer),
        alone: 1e3 * alone.time,
        aloneBound: alone.bound.what,
        aloneBusy: 100 * alone.bound.busy,
      };
    }),
  };
}
