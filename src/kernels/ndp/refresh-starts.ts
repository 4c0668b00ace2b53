// SPDX-License-Identifier: Apache-2.0
// The phase of the refresh interval at which a run begins is arbitrary: unit cycles over begins that are equally
// far apart, as mean and range. The cycle model has the RTL's times and runs them.

import { cancelledRun } from "../cancelled.ts";
import { refreshStartMetrics } from "../../results/metrics.ts";
import type { Metric } from "../../results/metric.ts";
import { runExpert, type PreparedExpert } from "./cold-expert.ts";
import type { NdpMachine, OpenSession } from "../../machine/types.ts";

/**
 * Metrics of each of `prepared` over `starts` phases of the refresh, including the machine's own
 * phase. Empty for one phase, without refresh, or if a run does not finish.
 */
export async function overRefreshStarts(
  machine: NdpMachine,
  starts: number,
  prepared: readonly PreparedExpert[],
  open: OpenSession,
  signal: AbortSignal,
): Promise<readonly (readonly Metric[])[]> {
  const { memory } = machine;
  if (starts === 1 || "ideal" in memory || memory.refresh === "None") return prepared.map(() => []);
  const cycles: number[][] = prepared.map(() => []);
  for (let k = 0; k < starts; k += 1) {
    const refreshStart = (memory.refreshStart + k / starts) % 1;
    const session = await open({ ...machine, memory: { ...memory, refreshStart } });
    try {
      for (const [i, one] of prepared.entries()) {
        const { run } = await runExpert(session, one, { signal });
        if (run.outcome.kind === "cancelled") {
          throw cancelledRun();
        }
        if (run.outcome.kind === "completed") cycles[i]?.push(run.cycles);
      }
    } finally {
      session.close();
    }
  }
  return cycles.map((cycle) => (cycle.length === starts ? refreshStartMetrics(cycle) : []));
}
