// SPDX-License-Identifier: Apache-2.0
// LIA beyond its evaluation: other models (section 7.7), PowerInfer (figure 15), Grace-Hopper, several
// V100 and the price of memory (section 8).

import { effective, gpus, links } from "../../../machine/host/devices.ts";
import {
  liaHosts,
  type LiaMachineName as MachineName,
  type LiaMachine,
} from "../../experiment/machines.ts";
import { overlappedTime } from "../model/cost.ts";
import { layerOf, type Stage } from "../model/layer.ts";
import { fastestBy } from "../policy/optimum.ts";
import { gpuMemoryBudget, residentBytes, workingSet } from "../policy/gpu-memory.ts";
import { residentLayers, runLia, type LiaJob } from "../policy/run.ts";
import { allGpu } from "../policy/systems.ts";
import { bytes, bytesPerSecond, flopsPerSecond } from "../../../base/units.ts";
import { lines } from "../../experiment/chart.ts";
import type { Experiment } from "../../experiment/experiment.ts";
import { explained, notComparable, compareNumber, type Finding } from "../../experiment/finding.ts";
import { gainFindings, gains, jobsOf, offlineBatches, type Rival } from "./end-to-end.ts";
import { compareReadings, compareRangeEnds, otherLabs, type Range } from "./readings.ts";
import { calibratedPcie4, cpuVectorRate, job, type Lab } from "./lab.ts";
import { lia, machine, ownLab } from "./run.ts";
import { jobSpans } from "./timeline.ts";

type Ranges = Readonly<Record<Rival, Range>>;
/** Model and the printed gains, all four systems together: in latency, and in throughput. */
const generality: readonly (readonly [model: string, online: Ranges, offline: Ranges])[] = [
  [
    "llama2-70b",
    { ipex: [1.2, 1.4], flexGen: [6.1, 8.4] },
    { ipex: [1.4, 7.6], flexGen: [1.4, 7.6] },
  ],
  [
    "chinchilla-70b",
    { ipex: [1.3, 1.7], flexGen: [7.4, 10] },
    { ipex: [1.3, 4.8], flexGen: [1.3, "5.0"] },
  ],
  [
    "bloom-176b",
    { ipex: [1.1, 1.4], flexGen: [7.6, 11] },
    { ipex: [1.1, 6.5], flexGen: [1.2, 4.9] },
  ],
];
const hosts: readonly MachineName[] = ["spr-a100", "spr-h100", "gnr-a100", "gnr-h100"];

/** The printed ranges do not assign their ends to hosts: each host is a separate reading. */
function hostFindings(what: string, jobs: readonly LiaJob[], ranges: Ranges): readonly Finding[] {
  return gainFindings(what, hosts, jobs, ranges, (rival, pick) =>
    hosts.map((name) => ({
      what: `${name.toUpperCase()} alone`,
      value: pick(...gains(ownLab, rival, [name], jobs)),
    })),
  );
}

export const otherModels: Experiment = {
  id: "lia/section-7-7",
  paper: "lia",
  title: "Other models, all four hosts",
  run: () => ({
    findings: generality.flatMap(([model, online, offline]) => [
      ...hostFindings(`${model}, online`, jobsOf(model, [1]), online),
      ...hostFindings(`${model}, offline`, jobsOf(model, offlineBatches), offline),
    ]),
    blocks: [
      lines(
        {
          id: "mixture-throughput",
          caption:
            "Throughput of mixtures and gated models under LIA, SPR-A100, 256 in and 32 out.",
          xTitle: "batch",
          yTitle: "throughput",
          unit: "token/s",
          logX: true,
          logY: true,
        },
        ["llama2-70b", "mixtral-8x7b", "mixtral-8x22b", "qwen3-235b-a22b"].flatMap((series) =>
          [1, 16, 64, 256, 900].map((x) => ({
            x,
            series,
            y: lia("spr-a100", job(series, x, 256, 32)).throughput,
          })),
        ),
      ),
    ],
    timeline: generality.flatMap(([model]) =>
      jobSpans(`${model}, B 1`, "spr-a100", job(model, 1, 256, 32), ["LIA"]),
    ),
  }),
};

/** A job with the policies of least time when transfers run under compute. */
function overlapped(rates: LiaMachine, j: LiaJob): number {
  const best = (stage: Stage, length: number): number => {
    const layer = layerOf(j.shape, { stage, batch: j.batch, length });
    return fastestBy((p) => overlappedTime(rates, layer, p)).best.policy;
  };
  const prefill = best("prefill", j.input);
  const decode = best("decode", j.input + j.output / 2);
  const { layers } = gpuMemoryBudget(liaHosts["grace-hopper"].gpu.memory, j, decode);
  const resident = residentLayers(layers, residentBytes(j));
  return runLia(rates, j, { prefill, decode, resident, overlap: true }).total;
}

function hopperGain(lab: Lab, j: LiaJob): number {
  return lab.lia("gnr-h100", j).total / lab.lia("grace-hopper", j).total;
}

/** Both ends of a printed range, under readings of Grace-Hopper's link and policy. */
function hopperFindings(
  what: string,
  range: Range,
  batches: readonly number[],
): readonly Finding[] {
  const jobs = jobsOf("opt-175b", batches);
  const rates = machine("grace-hopper");
  const doubled = { ...rates, pcie: bytesPerSecond(2 * rates.pcie) };
  const other = (on: LiaMachine): readonly number[] =>
    jobs.map((j) => lia("gnr-h100", j).total / overlapped(on, j));
  const extra = [
    ["policies with the minimum time, with transfers during computation", other(rates)],
    ["policies with the minimum time, and 900 GB/s in one direction", other(doubled)],
  ] as const;
  return compareRangeEnds(what, {
    range,
    values: (lab) => jobs.map((j) => hopperGain(lab, j)),
    unit: "x",
    note: "450 GB/s in one direction; the lengths are not published, so the model uses those of figures 10 and 11",
  }).map((finding, i) => {
    if (finding.verdict !== "differs") return finding;
    const pick = i === 0 ? Math.min : Math.max;
    const more = extra.map(([reading, values]) => ({ what: reading, value: pick(...values) }));
    return explained(finding, [...finding.tried, ...more]);
  });
}

/** Three V100 as one: all rates and memories threefold, without losses between them (section 8). */
function threeV100(j: LiaJob, pcie3: number): number {
  const rates: LiaMachine = {
    pcie: bytesPerSecond(3 * pcie3),
    gpuBandwidth: bytesPerSecond((3 * cpuVectorRate) / 0.31),
    gpuRate: flopsPerSecond(3 * effective(gpus.v100.compute)),
    // Only data is offloaded: all computation is on the GPU.
    cpuBandwidth: machine("spr-a100").cpuBandwidth,
    cpuRate: machine("spr-a100").cpuRate,
  };
  // Each card needs a working space; `gpuMemoryBudget` reserves one.
  const memory = bytes(3 * gpus.v100.memory - 2 * workingSet);
  const resident = residentLayers(gpuMemoryBudget(memory, j, allGpu).layers, residentBytes(j));
  return runLia(rates, j, { prefill: allGpu, decode: allGpu, resident, overlap: true }).total;
}

function v100Findings(
  what: string,
  [low, high]: Range,
  batches: readonly number[],
): readonly Finding[] {
  const nominal = links.pcie3.rate.peak.value;
  const efficiency = (nominal * calibratedPcie4) / links.pcie4.rate.peak.value;
  const jobs = jobsOf("opt-175b", batches);
  const ratios = (lab: Lab, pcie3: number): readonly number[] =>
    jobs.map((j) => threeV100(j, pcie3) / lab.lia("gnr-a100", j).total);
  const ends = [
    ["least", low, Math.min],
    ["greatest", high, Math.max],
  ] as const;
  return ends.map(([name, published, pick]) => {
    const finding = compareReadings(`${what}, ${name}`, {
      published,
      value: (lab) => pick(...ratios(lab, efficiency)),
      unit: "x",
      note: "OPT-175B on three cards with 32 GB and one link each; PCIe 3.0 has the same share of its nominal rate as PCIe 4.0",
    });
    if (finding.verdict !== "differs") return finding;
    const [equations] = otherLabs;
    const shared = [
      { what: "one link for all three", value: pick(...ratios(ownLab, efficiency / 3)) },
      ...(equations === undefined
        ? []
        : [
            {
              what: "one link for all three, and rates of equation 8 for every batch",
              value: pick(...ratios(equations[1], efficiency / 3)),
            },
          ]),
    ];
    return explained(finding, [...finding.tried, ...shared]);
  });
}

export const otherSystems: Experiment = {
  id: "lia/section-8",
  paper: "lia",
  title: "Grace-Hopper, three V100, CXL's price; PowerInfer (figure 15)",
  run: () => ({
    findings: [
      ...hopperFindings("Grace-Hopper over GNR-H100, latency", [1.8, 2.3], [1]),
      ...hopperFindings("Grace-Hopper over GNR-H100, throughput", ["3.0", 4.1], offlineBatches),
      ...v100Findings("GNR-A100 over three V100, latency", [6.3, 11], [1]),
      ...v100Findings("GNR-A100 over three V100, throughput", [2.2, 16], offlineBatches),
      notComparable(
        "memory of DDR alone",
        6300,
        (512 * 2 ** 30 * 11.25) / 1e9,
        "$",
        "the amount of memory is not published: our number is the 512 GiB of table 2 at 11.25 $/GB; 6300 $ would be 560 GB",
      ),
      compareNumber("memory half of CXL, from 6300 $ and the prices a GB", {
        published: 3200,
        ours: (6300 * 5.6) / 11.25,
        unit: "$",
        kind: "A",
      }),
      notComparable(
        "PowerInfer on GNR-A100, Llama2-70B: LIA's gain in latency (figure 15)",
        "1.4 to 9.0",
        "no model of PowerInfer",
        "x",
        "the hot neurons of PowerInfer and the rates of its kernels are not published",
      ),
    ],
    blocks: [
      lines(
        {
          id: "section-8",
          caption: "OPT-175B under LIA, 256 in and 32 out.",
          xTitle: "batch",
          yTitle: "throughput",
          unit: "token/s",
          logX: true,
          logY: true,
        },
        (["gnr-a100", "gnr-h100", "grace-hopper"] as const).flatMap((name) =>
          [1, 16, 64, 256, 900].map((x) => ({
            x,
            series: name.toUpperCase(),
            y: lia(name, job("opt-175b", x, 256, 32)).throughput,
          })),
        ),
      ),
    ],
    timeline: jobSpans("Grace-Hopper, B 900", "grace-hopper", job("opt-175b", 900, 256, 32), [
      "LIA",
    ]),
  }),
};
