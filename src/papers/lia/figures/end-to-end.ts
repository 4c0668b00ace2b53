// SPDX-License-Identifier: Apache-2.0
// LIA end to end: latency and throughput against IPEX and FlexGen at every length of figures 10 and
// 11, on both hosts. The paper prints ranges; both ends are judged.

import { liaHosts, type LiaMachineName as MachineName } from "../../experiment/machines.ts";
import { modelShape } from "../../../workload/shapes.ts";
import { weightBytes } from "../model/layer.ts";
import { bytesUsed, shortagesOf, sizeText } from "../../experiment/memory-map.ts";
import { planSystem } from "../policy/plan.ts";
import type { LiaJob } from "../policy/run.ts";
import { bars } from "../../experiment/chart.ts";
import type { Experiment } from "../../experiment/experiment.ts";
import {
  explained,
  notComparable,
  compareStatement,
  type Finding,
  type Explanation,
} from "../../experiment/finding.ts";
import { compareReadings, compareRangeEnds, type Pick, type Range } from "./readings.ts";
import { job, type Lab } from "./lab.ts";
import { lia, ownLab } from "./run.ts";
import { jobSpans } from "./timeline.ts";

const note = "equation 8 has no time for kernel launches, for the software framework and for NUMA";

/** Prompts and outputs: to 2016 for 32 tokens made, to 1792 for 256. */
const lengths: readonly (readonly [input: number, output: number])[] = [
  ...[32, 256, 1024, 2016].map((input) => [input, 32] as const),
  ...[32, 256, 1024, 1792].map((input) => [input, 256] as const),
];
export const offlineBatches: readonly number[] = [64, 900];
/** Systems that LIA is compared with. */
export type Rival = "ipex" | "flexGen";
export const rivalTitles: Readonly<Record<Rival, string>> = { ipex: "IPEX", flexGen: "FlexGen" };

/** All lengths at some batches. */
export function jobsOf(model: string, batches: readonly number[]): readonly LiaJob[] {
  return batches.flatMap((batch) =>
    lengths.map(([input, output]) => job(model, batch, input, output)),
  );
}

/** LIA's gains over another system, one per job. */
export function gains(
  lab: Lab,
  rival: Rival,
  names: readonly MachineName[],
  jobs: readonly LiaJob[],
): readonly number[] {
  return names.flatMap((name) =>
    jobs.map((j) => lab[rival](name, j).total / lab.lia(name, j).total),
  );
}

/** Both ends of the printed gains over both systems. */
export function gainFindings(
  what: string,
  names: readonly MachineName[],
  jobs: readonly LiaJob[],
  ranges: Readonly<Record<Rival, Range>>,
  more: (rival: Rival, pick: Pick) => readonly Explanation[] = () => [],
): readonly Finding[] {
  return (["ipex", "flexGen"] as const).flatMap((rival) =>
    compareRangeEnds(`${what}: over ${rivalTitles[rival]}`, {
      range: ranges[rival],
      values: (lab) => gains(lab, rival, names, jobs),
      unit: "x",
      note,
      more: (pick) => more(rival, pick),
    }),
  );
}

/** Model, host, and the printed gains in latency and in throughput. */
interface Row {
  readonly model: string;
  readonly name: MachineName;
  readonly online: Readonly<Record<Rival, Range>>;
  readonly offline: Readonly<Record<Rival, Range>>;
}

const rows: readonly Row[] = [
  {
    model: "opt-30b",
    name: "spr-a100",
    online: { ipex: [1.8, 2.1], flexGen: [5.3, 7.3] },
    offline: { ipex: [1.5, "6.0"], flexGen: ["2.0", 5.9] },
  },
  {
    model: "opt-175b",
    name: "spr-a100",
    online: { ipex: [1.1, 1.3], flexGen: [8.5, 12] },
    offline: { ipex: [1.1, 6.1], flexGen: [1.3, "6.0"] },
  },
  {
    model: "opt-66b",
    name: "spr-h100",
    online: { ipex: [2.1, 2.5], flexGen: [4.9, "7.0"] },
    offline: { ipex: [1.3, 8.3], flexGen: [1.2, 3.3] },
  },
  {
    model: "opt-175b",
    name: "spr-h100",
    online: { ipex: [1.1, 1.5], flexGen: ["4.0", 5.1] },
    offline: { ipex: [1.2, 10], flexGen: [1.5, 3.7] },
  },
];

export function label(model: string, name: MachineName): string {
  return `${modelShape(model, "the experiment").title}, ${name.toUpperCase()}`;
}

const systems = [
  ["LIA", "lia"],
  ["IPEX", "ipex"],
  ["FlexGen", "flexGen"],
] as const;

/** H100 over A100 for OPT-175B under LIA. */
function newerGpu(lab: Lab, batches: readonly number[]): readonly number[] {
  const jobs = jobsOf("opt-175b", batches);
  return jobs.map((j) => lab.lia("spr-a100", j).total / lab.lia("spr-h100", j).total);
}

/** FlexGen's transfers over LIA's, OPT-30B at one sequence and the longest prompts. */
function fewerTransfers(lab: Lab): number {
  const amounts = jobsOf("opt-30b", [1]).map(
    (j) => lab.flexGen("spr-a100", j).busy.transfer / lab.lia("spr-a100", j).busy.transfer,
  );
  return Math.min(...amounts);
}

/** Parameters that FlexGen moves a pass over the hidden state that LIA moves to the GPU and back. */
function greatestReduction(): number {
  const { shape, layers } = job("opt-175b", 1, 32, 32);
  return (layers * weightBytes(shape)) / (2 * 2 * shape.width);
}

/** Section 5.2's 62 % of OPT-30B's layers in GPU memory at the longest prompt: 30 of 48 by their weights alone. */
function residentFinding(): Finding {
  const longest = job("opt-30b", 1, 2016, 32);
  const share = (lab: Lab): number => (100 * lab.resident("spr-a100", longest)) / longest.layers;
  return compareReadings("OPT-30B, 2016 tokens: share of layers in GPU memory with their caches", {
    published: 62,
    value: share,
    unit: "%",
    note: "the published share counts weights only: with 30 of 48 layers (62.5 %), 35 GB have no space for the caches of these layers",
  });
}

/**
 * The jobs that need more memory than the host has: for these the paper uses its latency model
 * (section 7).
 */
function beyondHost(): string {
  const needs = rows.flatMap(({ model, name }) =>
    jobsOf(model, offlineBatches).map((j) => {
      const { memory } = planSystem("LIA", liaHosts[name], j);
      const host = memory.filter(({ device }) => device.startsWith("DDR"));
      const largest = Math.max(...host.map(bytesUsed));
      return { largest, short: shortagesOf(host).length > 0 };
    }),
  );
  const short = needs.filter((one) => one.short);
  const most = Math.max(...needs.map(({ largest }) => largest));
  return (
    `${short.length} of the ${needs.length} jobs behind these ranges need more than the 512 GiB of the host, up to ` +
    `${sizeText(most)}. The paper takes its latency model there, which knows no capacity (section 7, starred ` +
    "results), and so do we; the GPU's memory counts in every job."
  );
}

export const figure10: Experiment = {
  id: "lia/figure-10",
  paper: "lia",
  title: "Online latency (B = 1) against IPEX and FlexGen",
  run: () => ({
    findings: [
      ...rows.flatMap(({ model, name, online }) =>
        gainFindings(label(model, name), [name], jobsOf(model, [1]), online),
      ),
      ...compareRangeEnds("OPT-175B, SPR-H100 over SPR-A100", {
        range: [1.1, 1.3],
        values: (lab) => newerGpu(lab, [1]),
        unit: "x",
        note,
      }),
      compareReadings("OPT-30B: least reduction of transfers over FlexGen", {
        published: 31,
        value: fewerTransfers,
        unit: "x",
        note: "the number depends on the layers that stay on the GPU",
      }),
      residentFinding(),
      notComparable(
        "greatest reduction of transfers over FlexGen",
        222524,
        greatestReduction(),
        "x",
        "the paper does not state how often activations move between layers on the GPU and other layers. The model has OPT-175B and two such moves per pass",
      ),
    ],
    blocks: rows.map(({ model, name }) =>
      bars(
        {
          id: `figure-10-${model}-${name}`,
          caption: `Latency of a query, ${label(model, name)}.`,
          xTitle: "prompt and output tokens",
          yTitle: "latency",
          unit: "s",
          logY: true,
        },
        lengths.flatMap(([input, output]) =>
          systems.map(([series, run]) => ({
            x: `${input}, ${output}`,
            series,
            y: ownLab[run](name, job(model, 1, input, output)).total,
          })),
        ),
      ),
    ),
    timeline: rows.flatMap(({ model, name }) =>
      jobSpans(`${label(model, name)}, B 1`, name, job(model, 1, 256, 32)),
    ),
  }),
};

export const figure11: Experiment = {
  id: "lia/figure-11",
  paper: "lia",
  title: "Offline throughput",
  run: () => {
    const at = (run: "lia" | "flexGen", batch: number): number =>
      ownLab[run]("spr-a100", job("opt-30b", batch, 32, 32)).throughput;
    const grows = (what: string, run: "lia" | "flexGen"): Finding =>
      compareStatement(what, {
        statement: "grows",
        ours: at(run, 900) / at(run, 64),
        unit: "x",
        range: [1, Infinity],
      });
    const long = job("opt-30b", 64, 2016, 32);
    const prefill = (lab: Lab, rival: Rival | "lia"): number => {
      const { cpu, gpu, transfer } = lab[rival]("spr-a100", long).prefill.time;
      return cpu + Math.max(gpu, transfer);
    };
    const longer = (length: number): number =>
      ownLab.ipex("spr-a100", job("opt-30b", 64, length, 32)).total /
      lia("spr-a100", job("opt-30b", 64, length, 32)).total;
    const [least, ...most] = compareRangeEnds("OPT-175B, SPR-H100 over SPR-A100", {
      range: [1.1, 1.9],
      values: (lab) => newerGpu(lab, offlineBatches),
      unit: "x",
      note,
    });
    return {
      findings: [
        ...rows.flatMap(({ model, name, offline }) =>
          gainFindings(label(model, name), [name], jobsOf(model, offlineBatches), offline),
        ),
        ...(least === undefined ? [] : [least, ...most]),
        compareReadings("OPT-30B, B 64, 2016 tokens: IPEX' time in prefill", {
          published: 92,
          value: (lab) => (100 * prefill(lab, "ipex")) / lab.ipex("spr-a100", long).total,
          unit: "%",
        }),
        compareReadings("the same: IPEX' prefill over LIA's", {
          published: 7.8,
          value: (lab) => prefill(lab, "ipex") / prefill(lab, "lia"),
          unit: "x",
          note,
        }),
        grows("LIA's throughput grows from B 64 to 900", "lia"),
        grows("FlexGen's throughput grows from B 64 to 900", "flexGen"),
        compareStatement("LIA over IPEX grows with the prompt: 2016 tokens over 32", {
          statement: "grows",
          ours: longer(2016) / longer(32),
          unit: "x",
          range: [1, Infinity],
        }),
        explained(
          notComparable(
            "OPT-175B at B = 900: decode without mini-batches over FlexGen's",
            "1.1 to 1.3",
            ownLab.flexGen("spr-a100", job("opt-175b", 900, 256, 32)).decode.time.cpu /
              lia("spr-a100", job("opt-175b", 900, 256, 32)).decode.time.cpu,
            "x",
            "our number is the time of the CPU only; the slowdown of kernels in mini-batches (section 5.2) is not published",
          ),
          [],
        ),
      ],
      blocks: [
        { kind: "prose", text: beyondHost() },
        ...rows.map(({ model, name }) =>
          bars(
            {
              id: `figure-11-${model}-${name}`,
              caption: `Throughput, ${label(model, name)}, 32 tokens made.`,
              xTitle: "batch and prompt",
              yTitle: "throughput",
              unit: "token/s",
              logY: true,
            },
            offlineBatches.flatMap((batch) =>
              [32, 256, 1024, 2016].flatMap((length) =>
                systems.map(([series, run]) => ({
                  x: `${batch}, ${length}`,
                  series,
                  y: ownLab[run](name, job(model, batch, length, 32)).throughput,
                })),
              ),
            ),
          ),
        ),
      ],
      timeline: offlineBatches.flatMap((batch) =>
        jobSpans(`OPT-30B, B ${batch}`, "spr-a100", job("opt-30b", batch, 256, 32)),
      ),
    };
  },
};
