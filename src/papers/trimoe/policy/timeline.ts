// SPDX-License-Identifier: Apache-2.0
// The timeline of one layer: missing weights of the GPU cross PCIe one after another, each before the
// computation of its expert; CPU and DIMMs compute their experts in order. Contention on the DIMMs
// stays a term of equation 6 and is not shown.

import { curveTime } from "../../../machine/host/curve.ts";
import type { Task } from "../../../base/timeline.ts";
import { longer, scale, transferTime, type Bytes } from "../../../base/units.ts";
import type { LayerRun } from "./baselines.ts";
import type { TriMoeMachine } from "../model/cost.ts";

/** The tasks of a layer that was run; heavier experts first. */
export function layerTasks(
  { experts, assignment, costs }: LayerRun,
  machine: TriMoeMachine,
  size: Bytes,
): readonly Task[] {
  const order = experts
    .map((_, i) => i)
    .toSorted((a, b) => (experts[b]?.load ?? 0) - (experts[a]?.load ?? 0));
  return order.flatMap((i): readonly Task[] => {
    const expert = experts[i];
    const cost = costs[i];
    const device = assignment[i];
    if (expert === undefined || cost === undefined || device === undefined) return [];
    const { id, load: tokens, layout } = expert;
    const name = `expert ${id}`;
    switch (device) {
      case "G": {
        const time = scale(curveTime(machine.gpu, tokens), size / machine.curveBytes);
        if (expert.resident) return [{ id: name, device: "GPU", time, after: [], tokens }];
        const rate = layout === "striped" ? machine.hostBandwidth : machine.dimmHostBandwidth;
        const read = longer(transferTime(size, machine.pcie), transferTime(size, rate));
        const load = `${name} weights`;
        return [
          { id: load, device: "PCIe", time: read, after: [], bytes: size },
          { id: name, device: "GPU", time, after: [load], tokens },
        ];
      }
      case "C":
        return [{ id: name, device: "CPU", time: cost.cpu, after: [], tokens, bytes: size }];
      case "N": {
        const dimm = `DIMM ${cost.home}`;
        return cost.ndp === null
          ? []
          : [{ id: name, device: dimm, time: cost.ndp, after: [], tokens, bytes: size }];
      }
    }
  });
}
