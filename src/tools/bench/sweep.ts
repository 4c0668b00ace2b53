// SPDX-License-Identifier: Apache-2.0
// The breakdown of a sweep's time: the harness' share of a hundred points at cycle fidelity, points
// per core and minute, and closed forms per minute. Processes, store and commits are those of `neardata sweep`.

import { tmpdir } from "node:os";
import { join } from "node:path";

import { NeardataError } from "../../base/errors.ts";
import { localExecutor } from "../../explore/local.ts";
import { pointsOf, type SweepSpec } from "../../explore/spec.ts";
import { SweepStore } from "../../explore/store.ts";
import { runSweep, type SweepProgress, type SweepSummary } from "../../explore/sweep.ts";
import { temporaryDirectory } from "../../base/files/temporary.ts";
import { interleave, median } from "./measure.ts";
import { atLeast, atMost, type BenchFigure } from "./result.ts";

type Drawn = NonNullable<SweepSpec["random"]>["of"];

const expert = { name: "bench", expert: { model: "deepseek-v2" }, tokens: [1] };
const unit: Drawn = {
  "ndp.queueBursts": [32, 64, 128, 256],
  "ndp.buffer": ["128 KiB", "256 KiB", "512 KiB"],
  "ndp.activationLanes": [32, 64, 128, 256],
};
const attention = { name: "bench", attention: { model: "opt-13b", methods: ["sparf"] } };
const device: Drawn = {
  "attention.channels": [4, 8],
  "attention.diesPerChannel": [2, 4, 8],
  "attention.r": [8, 16, 32],
  "attention.k": [64, 128, 256],
};
const cyclePoints = 100;
const closedForms = 10_000;
const maxShare = 5; // % of the processes' time
const minPoints = 100; // per core and minute
const minClosedForms = 10_000; // per minute

/** A failed point would distort the measured time. */
function noneFailed({ failed }: SweepProgress): void {
  if (failed > 0)
    throw new NeardataError("check-failed", "points of the sweep that is timed failed.");
}

/** `worker` is the program of a sweep's processes. */
export async function benchSweep(worker: string, repeats: number): Promise<readonly BenchFigure[]> {
  const executor = localExecutor(worker);
  const cores = executor.width ?? Number.NaN; // one process per core, fewer than the points
  const run = async (
    scenario: object,
    fidelity: "cycle" | "analytic",
    count: number,
    of: Drawn,
  ): Promise<SweepSummary> => {
    const points = pointsOf({ name: "bench", scenario: "", random: { count, seed: 1, of } });
    const context = { file: join(tmpdir(), "bench.yaml"), scenario, fidelity };
    const directory = temporaryDirectory("bench");
    const store = await SweepStore.open(join(directory.path, "bench.duckdb"));
    try {
      const { signal } = new AbortController();
      return await runSweep(points, {
        done: new Set(),
        context,
        executor,
        store,
        onProgress: noneFailed,
        signal,
      });
    } finally {
      store.close();
      directory.remove();
    }
  };
  const attentionRates: number[] = []; // points per core and minute, of each run
  const share = async (scenario: object, of: Drawn, rates?: number[]): Promise<number> => {
    const { shares, seconds } = await run(scenario, "cycle", cyclePoints, of);
    rates?.push((60 * cyclePoints) / seconds / cores);
    return shares === null ? Number.NaN : 100 * (shares.around + shares.idle);
  };
  const { medians } = await interleave(
    {
      expert: () => share(expert, unit),
      attention: () => share(attention, device, attentionRates),
      closed: async () =>
        (60 * closedForms) / (await run(expert, "analytic", closedForms, unit)).seconds,
    },
    repeats,
  );
  const harness = (points: string, value: number): BenchFigure => ({
    name: `sweep of ${String(cyclePoints)} points, ${points}: harness`,
    unit: "% of time",
    ...atMost(value, maxShare),
  });
  return [
    harness("an expert, one token", medians.expert),
    harness("SparF, one step of a layer", medians.attention),
    {
      name: `sweep of ${String(cyclePoints)} points, SparF, one step of a layer: per core`,
      unit: "points/min",
      // The first run is the warm-up.
      ...atLeast(median(attentionRates.slice(1)), minPoints),
    },
    {
      name: "sweep of closed forms",
      unit: "points/min",
      ...atLeast(medians.closed, minClosedForms),
    },
  ];
}
