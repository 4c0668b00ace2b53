// SPDX-License-Identifier: Apache-2.0
// Speed of the attention device: heads a second on the Verilated engine, its cycle model and golden.
// Both engines stand behind the same simulated flash, DRAM and link, whose time counts. A turn of
// the cycle model runs its heads again and again, so that it lasts about as long as one of the RTL
// and other work of the machine slows down both alike.

import { csdMachine, sparfUnit } from "../config/csd.ts";
import type { CsdJob } from "../driver/csd/csd-jobs.ts";
import type { CsdSession } from "../driver/csd/csd-types.ts";
import { flashPresets } from "../flash/presets.ts";
import { engineAttention } from "../golden/attention-engine.ts";
import { numbersToHalves } from "../golden/half.ts";
import { openCsdSession } from "../native/csd-session.ts";
import { generateHta1 } from "../workload/hta1.ts";
import { interleave } from "./measure.ts";
import type { BenchFigure } from "./result.ts";

/** OPT-13B at 1/8: heads of 128 dimensions, 2048 tokens; sixteen are in flight. */
const shape = { width: 128, length: 2048, dimsPerPage: 2 };
const choice = { r: 16, k: 128, l: 16 };
const heads = 16;
/** Different contents; the other heads repeat them. */
const contents = 4;
const leastRatio = 100;
/** Runs of the heads in a turn. */
const runs = { rtl: 1, cycle: 64 };

type Kind = "sparse" | "dense";

export async function benchSparf(repeats: number): Promise<readonly BenchFigure[]> {
  const caches = Array.from({ length: contents }, (_, i) =>
    generateHta1(i + 1, shape.length, shape.width),
  );
  const lastQuery = (queries: Float64Array): Float64Array => queries.slice(-shape.width);
  const open = async (engine: "rtl" | "cycle"): Promise<readonly [CsdSession, Jobs]> => {
    const flash = flashPresets.znand4k;
    const unit = sparfUnit(shape.width, flash.channels, flash.page_bytes / (2 * shape.width));
    const session = await openCsdSession(csdMachine({ engine, devices: 1, unit, flash }));
    const spec = { device: 0, heads, dimsPerPage: shape.dimsPerPage, tail: "padded" } as const;
    const sequence = session.createSequence(spec);
    const jobs = Array.from({ length: heads }, (_, head) => {
      const cache = caches[head % contents];
      if (cache === undefined) throw new Error("no such head");
      const [keys, values] = [numbersToHalves(cache.keys), numbersToHalves(cache.values)];
      session.prefill(sequence, head, session.pagesOf(sequence, head, keys, values));
      return { sequence, head, queries: numbersToHalves(lastQuery(cache.queries)) };
    });
    return [
      session,
      {
        sparse: jobs.map((job) => ({ ...job, kind: "sparse", ...choice, mean: true })),
        dense: jobs.map((job) => ({ ...job, kind: "dense" })),
      },
    ];
  };
  const [rtl, cycle] = await Promise.all([open("rtl"), open("cycle")]);
  const pages = { sparse: 0, dense: 0 };
  const device =
    ([session, jobs]: readonly [CsdSession, Jobs], count: number, kind: Kind) =>
    async () => {
      const start = performance.now();
      for (let i = 0; i < count; ++i) {
        const { devices } = await session.run(jobs[kind]);
        pages[kind] = devices[0]?.pagesRead ?? 0;
      }
      return (performance.now() - start) / 1000 / heads / count;
    };
  const golden = (): Promise<number> => {
    const start = performance.now();
    for (const { queries, keys, values } of caches) {
      engineAttention(lastQuery(queries), { ...shape, keys, values }, choice);
    }
    return Promise.resolve((performance.now() - start) / 1000 / contents);
  };
  const seconds = await interleave(
    {
      rtlSparse: device(rtl, runs.rtl, "sparse"),
      cycleSparse: device(cycle, runs.cycle, "sparse"),
      rtlDense: device(rtl, runs.rtl, "dense"),
      cycleDense: device(cycle, runs.cycle, "dense"),
      golden,
    },
    repeats,
  );
  for (const [session] of [rtl, cycle]) session.close();
  const rate = (name: string, value: number): BenchFigure => ({ name, value, unit: "heads/s" });
  const ratio = (kind: Kind, value: number): BenchFigure => ({
    name: `cycle model / RTL behind flash, ${kind} heads`,
    value,
    unit: "x",
    aim: `at least ${String(leastRatio)}`,
    met: value >= leastRatio,
  });
  return [
    rate("sparse heads on RTL behind flash", 1 / seconds.rtlSparse),
    rate("sparse heads on the cycle model behind flash", 1 / seconds.cycleSparse),
    rate("sparse heads on golden", 1 / seconds.golden),
    rate("dense heads on RTL behind flash", 1 / seconds.rtlDense),
    rate("dense heads on the cycle model behind flash", 1 / seconds.cycleDense),
    ratio("sparse", seconds.rtlSparse / seconds.cycleSparse),
    ratio("dense", seconds.rtlDense / seconds.cycleDense),
    {
      name: "flash page reads of sparse heads on the cycle model",
      value: pages.sparse / heads / seconds.cycleSparse,
      unit: "requests/s",
    },
  ];
}

type Jobs = Readonly<Record<Kind, readonly CsdJob[]>>;
