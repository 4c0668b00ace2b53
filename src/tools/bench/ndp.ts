// SPDX-License-Identifier: Apache-2.0
// Speed of the NDP unit: alone under a plain C++ testbench, in a session behind an ideal memory, as a cycle
// model, and behind DDR5 (src/tools/bench/unit.ts has what driving its ports from TypeScript costs). Every figure
// is the median of several rounds in one run.

import type { ExpertShape } from "../../workload/ndp/layout.ts";
import type { NdpMachine, NdpRun, NdpSession } from "../../machine/types.ts";
import { temporaryDirectory } from "../../base/files/temporary.ts";
import { buildNdpMain } from "../../native/ndp/ndp-main.ts";
import { openSession } from "../../native/session.ts";
import { cycles, hertz } from "../../base/units.ts";
import { benchExpert, idealMemory, type BenchExpert } from "./expert.ts";
import { mainAnswer, type MainAnswer } from "./main-answer.ts";
import { interleave, processorSeconds } from "./measure.ts";
import { atLeast, atMost, type BenchFigure } from "./result.ts";

/** `machine` is the paper's DIMM behind DDR5; `shape` one expert. */
export async function benchNdp(
  machine: NdpMachine,
  shape: ExpertShape,
  repeats: number,
): Promise<readonly BenchFigure[]> {
  const directory = temporaryDirectory("bench");
  try {
    const prepared = await benchExpert(machine, shape, directory.path);
    return await measure(machine, prepared, repeats);
  } finally {
    directory.remove();
  }
}

async function measure(
  machine: NdpMachine,
  prepared: BenchExpert,
  repeats: number,
): Promise<readonly BenchFigure[]> {
  const main = await buildNdpMain(machine.unit);
  const ideal: NdpMachine["memory"] = {
    ideal: true,
    clock: hertz(2_400_000_000),
    latency: cycles(idealMemory.latency),
  };
  const sessions = {
    idealRtl: await openSession({ ...machine, engine: "rtl", memory: ideal }),
    rtl: await openSession({ ...machine, engine: "rtl" }),
    cycle: await openSession({ ...machine, engine: "cycle" }),
  };
  const runs = new Map<string, NdpRun[]>();
  const timed = (name: string, session: NdpSession) => async (): Promise<number> => {
    const result = await session.run(prepared.job);
    runs.set(name, [...(runs.get(name) ?? []), result]);
    return result.host.total;
  };
  let mainCycles = 0;
  // `alone` times the unit by itself: it gets recorded inputs, without the memory behind it.
  const mainSeconds = (engine: "rtl" | "cycle", alone: boolean) => async (): Promise<number> => {
    const answer = await runMain(main, engine, alone, prepared.image);
    mainCycles = answer.count;
    return answer.seconds;
  };
  const { medians: seconds, ratio: ratioOf } = await interleave(
    {
      mainRtl: mainSeconds("rtl", false),
      // Processor seconds, as reported by the testbench.
      sessionRtl: async () => processorSeconds(timed("idealRtl", sessions.idealRtl)),
      aloneRtl: mainSeconds("rtl", true),
      aloneCycle: mainSeconds("cycle", true),
      expertRtl: timed("rtl", sessions.rtl),
      expertCycle: timed("cycle", sessions.cycle),
    },
    repeats,
  );
  for (const session of Object.values(sessions)) session.close();
  const sessionCycles = runs.get("idealRtl")?.at(-1)?.cycles ?? mainCycles;
  const perCycle = (ratioOf("sessionRtl", "mainRtl") * mainCycles) / sessionCycles;
  const ratio = ratioOf("aloneRtl", "aloneCycle");
  return [
    {
      name: "RTL alone in the C++ testbench",
      value: mainCycles / seconds.aloneRtl / 1000,
      unit: "kcycle/s",
    },
    {
      // A session also checks order and rates, tracks tags and crosses clocks. The testbench does not.
      name: "RTL in a session of a machine / C++ testbench, time per cycle",
      unit: "ratio",
      ...atMost(perCycle, 1.05),
    },
    {
      name: "cycle model / RTL, unit alone",
      unit: "x faster",
      ...atLeast(ratio, 200),
    },
    {
      name: "one expert, one token, RTL behind DDR5",
      unit: "s",
      ...atMost(seconds.expertRtl, 1.5),
    },
    ...shares("RTL", runs.get("rtl") ?? []),
    {
      name: "one expert, one token, cycle model behind DDR5",
      unit: "s",
      ...atMost(seconds.expertCycle, 0.2),
    },
    ...shares("cycle", runs.get("cycle") ?? []),
  ];
}

/** The shares of the last run's time. */
function shares(name: string, runs: readonly NdpRun[]): readonly BenchFigure[] {
  const host = runs.at(-1)?.host;
  if (host === undefined) return [];
  const rest = host.total - host.rtl - host.memory - host.engine;
  return [
    { name: `  ${name}: unit`, value: host.rtl, unit: "s" },
    { name: `  ${name}: DDR5`, value: host.memory, unit: "s" },
    { name: `  ${name}: engine`, value: host.engine, unit: "s" },
    { name: `  ${name}: addon`, value: Math.max(0, rest), unit: "s" },
  ];
}

async function runMain(
  main: string,
  engine: string,
  alone: boolean,
  image: string,
): Promise<MainAnswer> {
  return mainAnswer(main, [
    `engine=${engine}`,
    "check=0",
    "skip=1",
    `replay=${alone ? "1" : "0"}`,
    `image=${image}`,
    ...idealMemory.words,
  ]);
}
