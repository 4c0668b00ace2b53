// SPDX-License-Identifier: Apache-2.0
// The machine of a run as it was built, drawn with what went over its edges, and those numbers for every
// run on such a machine.

import type { MachineGraph } from "../driver/machine-graph.ts";
import { familiesOf, type EdgeFamily } from "../driver/machine-families.ts";
import type { Seconds } from "../units.ts";
import { machinesSvg } from "./machine-svg.ts";
import { edgeRate, portBusy } from "./machine-traffic.ts";
import type { Block, Cell, Column } from "./page.ts";

/** A run on a machine. */
export interface RanMachine {
  readonly title: string;
  readonly machine: MachineGraph;
  readonly time: Seconds;
}

/** Runs on machines that are alike: the first is drawn. */
export function machineBlocks(id: string, runs: readonly RanMachine[]): readonly Block[] {
  const [first] = runs;
  if (first === undefined) return [];
  const all = runs.map(({ title, machine, time }) => ({
    title,
    time,
    machine: familiesOf(machine),
  }));
  const [drawn] = all;
  if (drawn === undefined) return [];
  const columns: readonly Column[] = [
    { key: "edge", title: "edge" },
    { key: "message", title: "message" },
    { key: "bytes", title: "data of a message", unit: "B", source: "derived" },
    { key: "holds", title: "holds", unit: "messages", source: "derived" },
    ...all.flatMap(({ title }, i): readonly Column[] => [
      { key: `messages${String(i)}`, title: `${title}: messages`, source: "measured", digits: 12 },
      { key: `rate${String(i)}`, title: `${title}: rate`, unit: "GB/s", source: "measured" },
      { key: `busy${String(i)}`, title: `${title}: port busy`, unit: "%", source: "measured" },
    ]),
  ];
  const rows = drawn.machine.edges.map((edge, e) => {
    const cells = all.map((run, i): readonly (readonly [string, Cell])[] => {
      const same = run.machine.edges[e] ?? edge;
      const rate = edgeRate(same, run.time);
      return [
        [`messages${String(i)}`, same.messages],
        [`rate${String(i)}`, rate === null ? null : rate / 1e9],
        [`busy${String(i)}`, 100 * portBusy(run, same)],
      ];
    });
    return {
      edge: endsOf(edge),
      message: edge.message,
      bytes: edge.dataBytes === 0 ? null : edge.dataBytes,
      holds: edge.capacity,
      ...Object.fromEntries(cells.flat()),
    };
  });
  return [
    {
      kind: "figure",
      id,
      caption:
        `The machine as it was built, with what went over each edge in the run of ${first.title}: ` +
        "data where messages carry as much, else how many there were. A port moves a message a cycle " +
        "at most; a part is as busy as the busiest of its ports.",
      svg: machinesSvg([drawn], id),
      data: { columns, rows },
    },
  ];
}

function endsOf({ fromPart, fromPort, toPart, toPort, count }: EdgeFamily): string {
  const many = count === 1 ? "" : `${String(count)} x `;
  return `${many}${fromPart}.${fromPort} to ${toPart}.${toPort}`;
}
