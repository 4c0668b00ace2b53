// SPDX-License-Identifier: Apache-2.0
// The machine of a run as it was built, shown with the traffic of its edges, and those numbers for every
// run on such a machine.

import { grouped } from "../../base/grouped.ts";
import type { MachineGraph } from "../../machine/machine-graph.ts";
import {
  familiesOf,
  type EdgeFamily,
  type MachineFamilies,
} from "../../machine/machine-families.ts";
import type { Seconds } from "../../base/units.ts";
import { machinesSvg } from "./machine-svg.ts";
import { edgeRate, portBusy } from "./machine-traffic.ts";
import type { Block, Cell, Column } from "../page.ts";

/** A run on a machine. */
export interface RanMachine {
  readonly title: string;
  readonly machine: MachineGraph;
  readonly time: Seconds;
}

/** A figure for each kind of machine: it shows the first run, and its data have the others. */
export function machineBlocks(id: string, runs: readonly RanMachine[]): readonly Block[] {
  const shown = runs.map(({ machine, ...run }): Families => ({
    ...run,
    machine: familiesOf(machine),
  }));
  const kinds = grouped(shown, ({ machine: { clocks, parts, edges } }) =>
    JSON.stringify([clocks, parts, edges.map((edge) => ({ ...edge, messages: 0 }))]),
  );
  return kinds.flatMap((alike, i) => machineFigure(i === 0 ? id : `${id}-${String(i + 1)}`, alike));
}

interface Families extends Omit<RanMachine, "machine"> {
  readonly machine: MachineFamilies;
}

function machineFigure(id: string, runs: readonly Families[]): readonly Block[] {
  const [drawn] = runs;
  if (drawn === undefined) return [];
  const columns: readonly Column[] = [
    { key: "edge", title: "edge" },
    { key: "message", title: "message" },
    { key: "bytes", title: "data of a message", unit: "B", source: "derived" },
    { key: "holds", title: "capacity", unit: "messages", source: "derived" },
    { key: "run", title: "run" },
    { key: "messages", title: "messages", source: "measured", digits: 12 },
    { key: "rate", title: "rate", unit: "GB/s", source: "measured" },
    { key: "busy", title: "port busy", unit: "%", source: "measured" },
  ];
  const rows = drawn.machine.edges.flatMap((edge, e) =>
    runs.map((run): Readonly<Record<string, Cell>> => {
      const same = run.machine.edges[e] ?? edge;
      const rate = edgeRate(same, run.time);
      return {
        edge: endsOf(edge),
        message: edge.message,
        bytes: edge.dataBytes === 0 ? null : edge.dataBytes,
        holds: edge.capacity,
        run: run.title,
        messages: same.messages,
        rate: rate === null ? null : rate / 1e9,
        busy: 100 * portBusy(run, same),
      };
    }),
  );
  const caption =
    `The machine, with the traffic of each edge in the run ${drawn.title}: the data rate or, of ` +
    "messages without data, their number. A port moves at most one message per cycle. The utilisation " +
    "of a part is that of its busiest port.";
  return [{ kind: "figure", id, caption, svg: machinesSvg([drawn], id), data: { columns, rows } }];
}

function endsOf({ fromPart, fromPort, toPart, toPort, count }: EdgeFamily): string {
  const many = count === 1 ? "" : `${String(count)} x `;
  return `${many}${fromPart}.${fromPort} to ${toPart}.${toPort}`;
}
