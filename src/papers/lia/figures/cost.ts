// SPDX-License-Identifier: Apache-2.0
// LIA: energy a token (figure 12), and one GPU with a large CPU against several GPUs (figure 14).

import { effective, gpus, idlePower, type Processor } from "../../../machine/host/devices.ts";
import { liaHosts } from "../../experiment/machines.ts";
import { energyPerToken, type LiaJob, type Power } from "../policy/run.ts";
import { runGroup, type GpuGroup } from "../policy/systems.ts";
import { bytes, bytesPerSecond, flopsPerSecond, ratio, seconds } from "../../../base/units.ts";
import { bars } from "../../experiment/chart.ts";
import type { Experiment } from "../../experiment/experiment.ts";
import {
  explained,
  fitted,
  compareNumber,
  compareName,
  compareStatement,
  type Finding,
  type Explanation,
} from "../../experiment/finding.ts";
import { jobsOf, type Rival } from "./end-to-end.ts";
import { otherLabs, explanationsWith } from "./readings.ts";
import { job, labOf, type Lab } from "./lab.ts";
import { ownLab } from "./run.ts";
import { jobSpans } from "./timeline.ts";

/** Power of a server, in addition to the design powers of its devices. */
type Draw = Omit<Power, "cpuWatts" | "gpuWatts">;
const devicesAlone: Draw = { idle: ratio(idlePower.value) };
/** The paper measured whole servers, and threads of OpenMP spin between regions. The base power is assumed. */
const defaultDraw: Draw = { ...devicesAlone, spins: true, baseWatts: 300 };

/** Joules per token of a rival over LIA's, SPR-A100. */
function energyGain(lab: Lab, rival: Rival, j: LiaJob, draw: Draw = defaultDraw): number {
  const { cpu, gpu } = liaHosts["spr-a100"];
  const power = { cpuWatts: cpu.watts.value, gpuWatts: gpu.watts.value, ...draw };
  const joules = (run: Rival | "lia"): number => energyPerToken(lab[run]("spr-a100", j), j, power);
  return joules(rival) / joules("lia");
}

const energyJobs = ["opt-30b", "opt-175b"].flatMap((model) => jobsOf(model, [1, 64, 900]));

function energyEnd(
  what: string,
  published: number,
  rival: Rival,
  pick: (...values: readonly number[]) => number,
): Finding {
  const of = (lab: Lab, draw: Draw = defaultDraw): number =>
    pick(...energyJobs.map((j) => energyGain(lab, rival, j, draw)));
  const note =
    "the paper measured whole systems. The model assumes the design powers, 300 W for boards, memory and fans, a CPU at full power while it waits, and an idle GPU at 0.3 of its power";
  const finding = compareNumber(what, { published, ours: of(ownLab), unit: "x", kind: "S", note });
  if (finding.verdict !== "differs") return finding;
  const draws: readonly (readonly [what: string, draw: Draw])[] = [
    ["only CPU and GPU, and a CPU without power while it waits", devicesAlone],
    ["CPU and GPU alone", { ...devicesAlone, spins: true }],
    ["a CPU without power while it waits", { ...devicesAlone, baseWatts: 300 }],
    ["an idle GPU needs 0.1 of its power", { ...defaultDraw, idle: ratio(0.1) }],
    ["an idle GPU needs 0.6 of its power", { ...defaultDraw, idle: ratio(0.6) }],
    ["1000 W of boards, memory and fans", { ...defaultDraw, baseWatts: 1000 }],
  ];
  return explained(finding, [
    ...explanationsWith((lab) => of(lab)),
    ...draws.map(([name, draw]): Explanation => ({ what: name, value: of(ownLab, draw) })),
  ]);
}

export const energy: Experiment = {
  id: "lia/figure-12",
  paper: "lia",
  title: "Energy per token, SPR-A100",
  run: () => {
    const cases = [
      ["OPT-30B, B 1", job("opt-30b", 1, 32, 32)],
      ["OPT-30B, B 64", job("opt-30b", 64, 32, 32)],
      ["OPT-30B, B 64, long", job("opt-30b", 64, 2016, 32)],
      ["OPT-30B, B 900", job("opt-30b", 900, 32, 32)],
      ["OPT-175B, B 1", job("opt-175b", 1, 32, 32)],
      ["OPT-175B, B 64", job("opt-175b", 64, 32, 32)],
      ["OPT-175B, B 900", job("opt-175b", 900, 32, 32)],
    ] as const;
    const gain = (rival: Rival, j: LiaJob): number => energyGain(ownLab, rival, j);
    return {
      findings: [
        energyEnd("least gain over IPEX", 1.1, "ipex", Math.min),
        energyEnd("greatest gain over IPEX", 5.8, "ipex", Math.max),
        energyEnd("least gain over FlexGen", 1.6, "flexGen", Math.min),
        energyEnd("greatest gain over FlexGen", 10.3, "flexGen", Math.max),
      ],
      blocks: [
        bars(
          {
            id: "figure-12",
            caption: "Energy per token over LIA's.",
            xTitle: "model and batch",
            yTitle: "energy",
            unit: "x",
          },
          cases.flatMap(([x, j]) => [
            { x, series: "LIA", y: 1 },
            { x, series: "IPEX", y: gain("ipex", j) },
            { x, series: "FlexGen", y: gain("flexGen", j) },
          ]),
        ),
      ],
      timeline: cases.flatMap(([name, j]) => jobSpans(name, "spr-a100", j, ["LIA"])),
    };
  },
};

/** The 80 GB card has 2039 GB/s where the 40 GB one has 1555: the same share of it is reached. */
const a100: Processor = {
  ...gpus["a100-40"],
  title: "A100 80 GB",
  memory: bytes(80 * 2 ** 30),
  bandwidth: {
    peak: { value: 2039e9, class: "published", source: "data sheet" },
    effective: {
      value: (effective(gpus["a100-40"].bandwidth) * 2039) / 1555,
      class: "assumed",
      source: "the 40 GB card's share of its peak",
    },
  },
};
/**
 * NVLink of a DGX A100. The paper's simulator has a serving system, whose launches and scheduling
 * count here as part of the reductions: 800 us each reproduce the first gain of figure 14.
 */
const dgx: GpuGroup = {
  gpu: a100,
  count: 8,
  link: bytesPerSecond(300e9),
  reduction: seconds(800e-6),
};

/** AMX at half of its theoretical rate (section 7.8). */
const betterLibraries = labOf({
  rates: (rates) => ({
    ...rates,
    cpuRate: flopsPerSecond(0.5 * liaHosts["gnr-a100"].cpu.compute.peak.value),
  }),
});

/** The DGX under other assumptions. */
const groups: readonly (readonly [what: string, group: GpuGroup])[] = [
  ["an all-reduce of 20 us instead of 800 us", { ...dgx, reduction: seconds(20e-6) }],
  ["an all-reduce of 200 us", { ...dgx, reduction: seconds(200e-6) }],
  [
    "one of the eight GPUs computes at a time: the memory of eight, the bandwidth and the products of one",
    { ...dgx, gpu: eighthOf(a100) },
  ],
];

/** A processor of an eighth of the rates, so that eight are as fast as one. */
function eighthOf(whole: Processor): Processor {
  const eighth = ({ peak, effective: reached }: Processor["compute"]): Processor["compute"] => ({
    peak: { ...peak, value: peak.value / 8 },
    effective: { ...reached, value: reached.value / 8 },
  });
  return { ...whole, compute: eighth(whole.compute), bandwidth: eighth(whole.bandwidth) };
}

const years = 3 * 365.25 * 24 * 3600;

/** Dollars a million tokens: price over three years, electricity at 0.1 $/kWh (footnote 7). */
function cost(price: number, watts: number, rate: number): number {
  return (1e6 * (price / years + (watts / 3.6e6) * 0.1)) / rate;
}

/** Tokens per second a GPU of the group; 0 where the model does not fit. */
function perGpu(group: GpuGroup, batch: number): number {
  const j = job("opt-175b", batch, 256, 32);
  const time = runGroup(group, j);
  return time === null ? 0 : (j.batch * j.output) / time / group.count;
}

const liaThroughput = (lab: Lab, batch: number): number =>
  lab.lia("gnr-a100", job("opt-175b", batch, 256, 32)).throughput;

/** Design powers, and prices of section 7.8. */
const one = { price: 22_000, watts: 750 };
const eight = { price: 200_000, watts: 6500 };

const rateGain = (lab: Lab, group: GpuGroup, batch: number): number =>
  liaThroughput(lab, batch) / perGpu(group, batch);
const costGain = (lab: Lab, group: GpuGroup, batch: number): number =>
  cost(eight.price, eight.watts, 8 * perGpu(group, batch)) /
  cost(one.price, one.watts, liaThroughput(lab, batch));

function groupFinding(
  what: string,
  published: string,
  value: (lab: Lab, group: GpuGroup) => number,
  unit: string = "x",
  from: Lab = ownLab,
): Finding {
  const note =
    "our eight GPUs are a roofline of weights and caches with 800 us per all-reduce; the paper uses a simulator of a serving system";
  const finding = compareNumber(what, { published, ours: value(from, dgx), unit, kind: "S", note });
  if (finding.verdict !== "differs") return finding;
  const tried = [
    ...groups.map(([title, group]): Explanation => ({ what: title, value: value(from, group) })),
    ...(from === ownLab
      ? otherLabs
          .slice(0, 2)
          .map(([title, lab]): Explanation => ({ what: title, value: value(lab, dgx) }))
      : []),
  ];
  return explained(
    finding,
    tried.filter((one) => one.value !== finding.ours),
  );
}

export const multiGpu: Experiment = {
  id: "lia/figure-14",
  paper: "lia",
  title: "GNR-A100 against eight A100 GPUs, OPT-175B",
  run: () => ({
    findings: [
      fitted(
        "throughput a GPU at B = 1, LIA over eight GPUs",
        "1.4 to 1.8",
        rateGain(ownLab, dgx, 1),
        "x",
        "sets the time of a reduction over eight GPUs, 800 us",
      ),
      groupFinding("cost of eight GPUs over LIA at B = 1", "1.5 to 2.0", (lab, group) =>
        costGain(lab, group, 1),
      ),
      groupFinding(
        "throughput a GPU lost at B = 64 against eight GPUs",
        "30 to 33",
        (lab, group) => 100 * (1 - rateGain(lab, group, 64)),
        "%",
      ),
      groupFinding(
        "cost of LIA over eight GPUs at B = 64",
        "1.3 to 1.4",
        (lab, group) => 1 / costGain(lab, group, 64),
      ),
      groupFinding(
        "throughput a GPU at B = 64 with AMX at half of its peak",
        "1.1 to 1.3",
        (lab, group) => rateGain(lab, group, 64),
        "x",
        betterLibraries,
      ),
      groupFinding(
        "cost of eight GPUs over LIA at B = 64 with AMX at half of its peak",
        "1.1 to 1.2",
        (lab, group) => costGain(lab, group, 64),
        "x",
        betterLibraries,
      ),
      compareName(
        "eight GPUs at B = 900",
        "out of memory",
        perGpu(dgx, 900) === 0 ? "out of memory" : "fits",
      ),
      compareStatement("LIA at B = 900 over B = 64", {
        statement: "higher",
        ours: liaThroughput(ownLab, 900) / liaThroughput(ownLab, 64),
        unit: "x",
        range: [1, Infinity],
      }),
    ],
    blocks: [
      bars(
        {
          id: "figure-14a",
          caption: "Throughput a GPU.",
          xTitle: "batch",
          yTitle: "throughput",
          unit: "token/s",
          zero: "out of memory",
        },
        [1, 64, 900].flatMap((batch) => [
          { x: String(batch), series: "LIA, GNR-A100", y: liaThroughput(ownLab, batch) },
          { x: String(batch), series: "eight A100", y: perGpu(dgx, batch) },
        ]),
      ),
      bars(
        {
          id: "figure-14b",
          caption: "Cost of a million tokens.",
          xTitle: "batch",
          yTitle: "cost",
          unit: "$",
        },
        [1, 64].flatMap((batch) => [
          {
            x: String(batch),
            series: "LIA, GNR-A100",
            y: cost(one.price, one.watts, liaThroughput(ownLab, batch)),
          },
          {
            x: String(batch),
            series: "eight A100",
            y: cost(eight.price, eight.watts, 8 * perGpu(dgx, batch)),
          },
        ]),
      ),
    ],
    timeline: [1, 64].flatMap((batch) =>
      jobSpans(`GNR-A100, B ${batch}`, "gnr-a100", job("opt-175b", batch, 256, 32), ["LIA"]),
    ),
  }),
};
