// SPDX-License-Identifier: Apache-2.0
// Speed of the attention device: heads per second on the Verilated engine, its cycle model and golden.
// Both engines use the same simulated flash, DRAM and link, whose time is included. A round of the
// cycle model repeats its heads, so that it needs about as long as a round of the RTL and other work
// of the machine slows down both alike.

import { engineAttention } from "../../golden/attention-engine.ts";
import {
  choice,
  headCaches,
  heads,
  lastQuery,
  openHeads,
  shape,
  type BenchDevice,
  type Kind,
} from "./heads.ts";
import { interleave } from "./measure.ts";
import { atLeast, type BenchFigure } from "./result.ts";

const minRatio = { sparse: 150, dense: 200 };
/** Runs of the heads per round. */
const runs = { rtl: 1, cycle: 64 };

export async function benchSparf(repeats: number): Promise<readonly BenchFigure[]> {
  const caches = headCaches();
  const open = async (engine: "rtl" | "cycle"): Promise<BenchDevice> =>
    openHeads(caches, { engine });
  const [rtl, cycle] = await Promise.all([open("rtl"), open("cycle")]);
  const pages = { sparse: 0, dense: 0 };
  const device =
    ({ session, jobs }: BenchDevice, count: number, kind: Kind) =>
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
    return Promise.resolve((performance.now() - start) / 1000 / caches.length);
  };
  const { medians: seconds, ratio: ratioOf } = await interleave(
    {
      rtlSparse: device(rtl, runs.rtl, "sparse"),
      cycleSparse: device(cycle, runs.cycle, "sparse"),
      rtlDense: device(rtl, runs.rtl, "dense"),
      cycleDense: device(cycle, runs.cycle, "dense"),
      golden,
    },
    repeats,
  );
  for (const { session } of [rtl, cycle]) session.close();
  const rate = (name: string, value: number): BenchFigure => ({ name, value, unit: "heads/s" });
  const ratio = (kind: Kind, value: number): BenchFigure => ({
    name: `cycle model / RTL behind flash, ${kind} heads`,
    unit: "x",
    ...atLeast(value, minRatio[kind]),
  });
  return [
    rate("sparse heads on RTL behind flash", 1 / seconds.rtlSparse),
    rate("sparse heads on the cycle model behind flash", 1 / seconds.cycleSparse),
    rate("sparse heads on golden", 1 / seconds.golden),
    rate("dense heads on RTL behind flash", 1 / seconds.rtlDense),
    rate("dense heads on the cycle model behind flash", 1 / seconds.cycleDense),
    ratio("sparse", ratioOf("rtlSparse", "cycleSparse")),
    ratio("dense", ratioOf("rtlDense", "cycleDense")),
    {
      name: "flash page reads of sparse heads on the cycle model",
      value: pages.sparse / heads / seconds.cycleSparse,
      unit: "requests/s",
    },
  ];
}
