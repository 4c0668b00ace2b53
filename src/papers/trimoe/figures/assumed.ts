// SPDX-License-Identifier: Apache-2.0
// The effects of assumptions about TriMoE's machine. Links between DIMMs: the relayout of section 5.5 and layers
// with four moves under them, with DIMM-Link's topologies, and with links from each DIMM to each other. Command buses:
// a layer whose ranks have their own in NDP mode, and one whose ranks share that of their sub-channel.

import { present } from "../../../base/present.ts";
import { linksTitle, publishedLinks, type DimmLinks } from "../../../machine/resolve/dimm-links.ts";
import type { MovesResult } from "../../../kernels/moe/relayout.ts";
import type { Table } from "../../../report/page.ts";
import type { SimulatedExperiment } from "../../experiment/experiment.ts";
import type { SimulatedLayer } from "./cycle/simulated-layer.ts";
import { batch, equationLayer } from "./cycle/cycle.ts";
import type { LabLayer, LayerLab } from "./lab.ts";
import { models } from "./layer.ts";
import { relayout } from "./relayout.ts";
import { topologies } from "./topologies.ts";

const model = "deepseek-v2";
/** Links that an expert may use: TriMoE's reading, and all of a DIMM's. */
const links = [3, 15] as const;

/** The layer over these links; over the published ones it is the layer of every other experiment. */
function layerOver(joined: DimmLinks): LabLayer {
  const layer = equationLayer(model);
  return joined === publishedLinks ? layer : { ...layer, changes: { links: joined } };
}

export function assumedExperiment(lab: LayerLab): SimulatedExperiment {
  return {
    id: "trimoe/assumed",
    paper: "trimoe",
    title: "What links between DIMMs and command buses of ranks are worth",
    run: async () => {
      const layers = await lab.layers(topologies.map(layerOver));
      const moves: (readonly MovesResult[])[] = [];
      for (const joined of topologies) {
        const cases = [
          { experts: 4, links: links[0] },
          { experts: 4, links: links[1] },
        ];
        const results: MovesResult[] = [];
        for (const one of cases) results.push(await relayout({ model, ...one }, joined));
        moves.push(results);
      }
      const buses = [];
      for (const of of models) {
        const what = equationLayer(of);
        buses.push(await lab.layers([what, { ...what, changes: { commandBus: "shared" } }]));
      }
      const blocks = [tableOf(layers, moves), busTable(buses)];
      return { findings: [], blocks, rows: blocks.flatMap(({ rows }) => rows), timeline: [] };
    },
  };
}

function tableOf(
  layers: readonly SimulatedLayer[],
  moves: readonly (readonly MovesResult[])[],
): Table {
  const ms = (key: string, title: string): Table["columns"][number] => ({
    key,
    title,
    unit: "ms",
    digits: 4,
    source: "measured",
  });
  return {
    kind: "table",
    id: "topologies",
    caption: `Experts of ${model} from all DIMMs to one each (0, 4, 8 and 12), at most so many flows from a DIMM each at a time, and a layer at batch ${batch} while four move. A group is the DIMMs on one side of the CPU; the host forwards between groups. Bursts are those of the busiest sub-channel of the host during the layer.`,
    columns: [
      { key: "links", title: "links" },
      { key: "topology", title: "topology" },
      { key: "group", title: "DIMMs in a group" },
      ms("four", `four experts, ${links[0]} flows each`),
      ms("all", `four experts, ${links[1]} flows each`),
      { key: "bound", title: "bound by" },
      ms("layer", "layer"),
      ms("moves", "its moves"),
      { key: "packets", title: "bursts of packets", source: "measured" },
      { key: "bursts", title: "other bursts", source: "measured" },
    ],
    rows: topologies.map((joined, i) => ({
      links: linksTitle(joined),
      topology: joined.topology,
      group: joined.group,
      four: msOf(moves[i]?.[0]?.time),
      all: msOf(moves[i]?.[1]?.time),
      bound: moves[i]?.[0]?.bound.what ?? "",
      layer: msOf(layers[i]?.time),
      moves: msOf(layers[i]?.moves),
      ...busiestChannel(present(layers[i])),
    })),
  };
}

/** Bursts of the host's sub-channel with the most: of forwarded packets, and of reads and writes. */
function busiestChannel({ counts }: SimulatedLayer): { packets: number; bursts: number } {
  const channels = counts.host.map(({ readBursts, writeBursts, forwardedBursts }) => ({
    packets: forwardedBursts,
    bursts: readBursts + writeBursts,
  }));
  const total = (of: { packets: number; bursts: number }): number => of.packets + of.bursts;
  return channels.reduce((most, one) => (total(one) > total(most) ? one : most));
}

/** By model, the layer with command buses of ranks and of sub-channels. */
function busTable(layers: readonly (readonly SimulatedLayer[])[]): Table {
  const ms = (key: string, title: string): Table["columns"][number] => ({
    key,
    title,
    unit: "ms",
    digits: 5,
    source: "measured",
  });
  return {
    kind: "table",
    id: "command-buses",
    caption: `A layer at batch ${batch}, and its last DIMM, when each rank has a command bus in NDP mode, and when the four ranks of a sub-channel share one in turns of two cycles.`,
    columns: [
      { key: "model", title: "model" },
      ms("own", "layer, a bus a rank"),
      ms("shared", "layer, shared"),
      ms("ownDimm", "last DIMM, a bus a rank"),
      ms("sharedDimm", "last DIMM, shared"),
    ],
    rows: layers.map(([simulatedLayer, shared], i) => ({
      model: present(models[i]),
      own: msOf(simulatedLayer?.time),
      shared: msOf(shared?.time),
      ownDimm: msOf(Math.max(...(simulatedLayer?.dimms ?? []))),
      sharedDimm: msOf(Math.max(...(shared?.dimms ?? []))),
    })),
  };
}

function msOf(time: number | undefined): number {
  return 1e3 * present(time);
}
