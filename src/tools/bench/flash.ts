// SPDX-License-Identifier: Apache-2.0
// Speed of the flash back end: page requests a second, read closed-loop and as many heads at once.

import { denseChains } from "../../kernels/csd/flash-heads.ts";
import { loadFlash } from "../../native/flash-binding.ts";
import { runChains } from "../../kernels/flash/chains.ts";
import { flashPresets } from "../../machine/flash/presets.ts";
import { interleave, processorSeconds } from "./measure.ts";
import { atLeast, type BenchFigure } from "./result.ts";

/** 40 heads of 2048 tokens and 128 dimensions, four times over. */
const heads = 160;
const headsInFlight = 16;
const layout = { length: 2048, width: 128, m: 2, n: 16, pageBytes: 4096 };
/**
 * Page requests per second of MQSim: the upper end of 190,000 to 380,000, measured for this project by November 2026.
 * Commit 7ec40e3 of github.com/CMU-SAFARI/MQSim as its Makefile compiles it (g++ -O3), from the start of the process to
 * its end without 0.25 s for the initialization of the device, on one core of a shared AMD EPYC whose two cores had a
 * load of about three. `bench --only mqsim` measures an installed MQSim in the same run as neardata.
 */
const mqsim = 380_000;

export async function benchFlash(repeats: number): Promise<readonly BenchFigure[]> {
  const flash = loadFlash();
  const device = flashPresets.znand4k;
  const chains = denseChains(device, layout, heads);
  const pages = chains.flat(2).length;
  const timed = (arbitration: "cmd_first" | "data_first") => (): Promise<number> =>
    processorSeconds(() =>
      Promise.resolve(runChains(flash, device, arbitration, chains, headsInFlight)),
    );
  const { medians } = await interleave(
    { commandFirst: timed("cmd_first"), dataFirst: timed("data_first") },
    repeats,
  );
  return (["commandFirst", "dataFirst"] as const).map((name) => {
    const rate = pages / medians[name];
    return {
      name: `flash page reads, ${name === "commandFirst" ? "commands first" : "data first"}`,
      unit: "requests/s",
      ...atLeast(rate, 5 * mqsim),
      aim: `at least 5 times MQSim's ${mqsim.toLocaleString("en-US")}`,
    };
  });
}
