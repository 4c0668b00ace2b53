// SPDX-License-Identifier: Apache-2.0
// The traffic on the edges of a machine in a run. A port transfers at most one message per cycle of the
// slower clock of its edge, so its utilisation is messages divided by cycles; the utilisation of a part
// is that of its busiest port.

import type { EdgeFamily, MachineFamilies, PartFamily } from "../../machine/machine-families.ts";
import { ratio, type Ratio, type Seconds } from "../../base/units.ts";

/** A machine with the messages of a run that lasted so long. */
export interface MachineRun {
  readonly machine: MachineFamilies;
  readonly time: Seconds;
}

/** Share of the cycles in which an edge of the family moved a message, 0 to 1. */
export function portBusy({ machine, time }: MachineRun, edge: EdgeFamily): Ratio {
  const hertz = [edge.fromClock, edge.toClock].map(
    (name) => machine.clocks.find((clock) => clock.name === name)?.hertz ?? 0,
  );
  const cycles = Math.min(...hertz) * time * edge.count;
  return ratio(cycles === 0 ? 0 : edge.messages / cycles);
}

/** That of the busiest kind of edge of a part, from or to it. */
export function busiestPort(run: MachineRun, part: Pick<PartFamily, "name" | "count">): Ratio {
  const matchingEdges = run.machine.edges.filter(
    (e) => e.fromPart === part.name || e.toPart === part.name,
  );
  return ratio(Math.max(0, ...matchingEdges.map((edge) => portBusy(run, edge))));
}

/** Bytes per second over all edges of a family; null where messages carry no data, or not always as much. */
export function edgeRate({ dataBytes, messages }: EdgeFamily, time: Seconds): number | null {
  return dataBytes === 0 || time === 0 ? null : (dataBytes * messages) / time;
}

/** The rate, or how many messages there were. */
export function rateText(edge: EdgeFamily, time: Seconds): string {
  const rate = edgeRate(edge, time);
  return rate === null ? String(edge.messages) : `${(rate / 1e9).toPrecision(4)} GB/s`;
}

export function shareText(share: Ratio): string {
  return `${(100 * share).toFixed(1)} %`;
}
