// SPDX-License-Identifier: Apache-2.0
// Topologies of DIMM-Link: one expert moves from all DIMMs to DIMM 0, over the paper's links and over others.

import { present } from "../../../base/present.ts";
import { linksTitle, moeDimms, publishedLinks } from "../../../machine/resolve/dimm-links.ts";
import type { DimmLinks } from "../../../machine/resolve/dimm-links.ts";
import type { MovesResult } from "../../../kernels/moe/relayout.ts";
import type { Table } from "../../../report/page.ts";
import type { SimulatedExperiment } from "../../experiment/experiment.ts";
import { relayout } from "./relayout.ts";

/** The published links first. */
export const topologies: readonly DimmLinks[] = [
  publishedLinks,
  { topology: "ring", group: 8 },
  { topology: "mesh", group: 8 },
  { topology: "full", group: 8 },
  { topology: "chain", group: moeDimms },
  { topology: "ring", group: moeDimms },
  { topology: "mesh", group: moeDimms },
  { topology: "full", group: moeDimms },
];

const move = { model: "deepseek-v2", experts: 1, links: 3 } as const;

export const topologiesExperiment: SimulatedExperiment = {
  id: "trimoe/topologies",
  paper: "trimoe",
  title: "Topologies of DIMM-Link",
  run: async () => {
    const moves: MovesResult[] = [];
    for (const joined of topologies) moves.push(await relayout(move, joined));
    const table = tableOf(moves);
    return { findings: [], blocks: [table], rows: table.rows, timeline: [] };
  },
};

function tableOf(moves: readonly MovesResult[]): Table {
  return {
    kind: "table",
    id: "link-topologies",
    caption: `One expert of ${move.model} from all DIMMs to DIMM 0, at most ${String(move.links)} transfers at a time. A group is the DIMMs on one side of the CPU; the host forwards between groups.`,
    columns: [
      { key: "links", title: "links" },
      { key: "topology", title: "topology" },
      { key: "group", title: "DIMMs in a group" },
      { key: "time", title: "time", unit: "ms", source: "measured", digits: 4 },
      { key: "bound", title: "busiest part" },
      { key: "busy", title: "its utilisation", unit: "%", source: "measured", digits: 3 },
    ],
    rows: moves.map(({ time, bound }, i) => {
      const { topology, group } = present(topologies[i]);
      return {
        links: linksTitle({ topology, group }),
        topology,
        group,
        time: 1e3 * time,
        bound: bound.what,
        busy: 100 * bound.busy,
      };
    }),
  };
}
