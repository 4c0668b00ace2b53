// SPDX-License-Identifier: Apache-2.0
// LIA end to end: latency and throughput against IPEX and FlexGen (figures 10 and 11), other CPUs
// (table 6, figure 13), other models and Grace-Hopper (sections 7.7 and 8).

import type { LiaMachineName as MachineName } from "../host/machines.ts";
import { modelShape } from "../model/shapes.ts";
import type { LiaJob } from "../policy/lia/run.ts";
import { bars, lines, type Datum } from "./chart.ts";
import type { Experiment } from "./experiment.ts";
import { printed, stated, type Finding } from "./finding.ts";
import { flexGen, ipex, job, lia, type Runner } from "./lia-run.ts";
import { jobSpans } from "./lia-timeline.ts";

const ratioNote = "equation 8 knows no launch, framework or NUMA time";

/** As printed, so that the last digit tells the precision. */
type Range = readonly [low: string | number, high: string | number];

/** Prompt lengths of figures 10 and 11. */
const lengths = [32, 256, 1024, 2016] as const;
const systems: readonly (readonly [string, Runner])[] = [
  ["LIA", lia],
  ["IPEX", ipex],
  ["FlexGen", flexGen],
];

function meanGain(over: Runner, name: MachineName, jobs: readonly LiaJob[]): number {
  const gains = jobs.map((j) => over(name, j).total / lia(name, j).total);
  return gains.reduce((a, b) => a + b, 0) / gains.length;
}

function gain(what: string, [low, high]: Range, ours: number): Finding {
  return printed(what, `${low} to ${high}`, ours, "x", "S", ratioNote);
}

/** Model, machine, and the printed gains over IPEX and FlexGen. */
const online: readonly (readonly [string, MachineName, Range, Range])[] = [
  ["opt-30b", "spr-a100", [1.8, 2.1], [5.3, 7.3]],
  ["opt-175b", "spr-a100", [1.1, 1.3], [8.5, 12]],
  ["opt-66b", "spr-h100", [2.1, 2.5], [4.9, "7.0"]],
  ["opt-175b", "spr-h100", [1.1, 1.5], ["4.0", 5.1]],
];

function label(model: string, name: MachineName): string {
  return `${modelShape(model, "the experiment").title}, ${name.toUpperCase()}`;
}

export const figure10: Experiment = {
  id: "lia/figure-10",
  paper: "lia",
  title: "Online latency (B = 1) against IPEX and FlexGen",
  run: () => ({
    findings: online.flatMap(([model, name, overIpex, overFlexGen]) => {
      const jobs = lengths.map((length) => job(model, 1, length, 32));
      return [
        gain(`${label(model, name)}: over IPEX`, overIpex, meanGain(ipex, name, jobs)),
        gain(`${label(model, name)}: over FlexGen`, overFlexGen, meanGain(flexGen, name, jobs)),
      ];
    }),
    blocks: online.map(([model, name]) =>
      bars(
        {
          id: `figure-10-${model}-${name}`,
          caption: `Latency of a query, ${label(model, name)}.`,
          xTitle: "prompt and output tokens",
          yTitle: "latency",
          unit: "s",
          logY: true,
        },
        [32, 256].flatMap((output) =>
          lengths.flatMap((length) =>
            systems.map(([series, run]) => ({
              x: `${length}, ${output}`,
              series,
              y: run(name, job(model, 1, length, output)).total,
            })),
          ),
        ),
      ),
    ),
    timeline: online.flatMap(([model, name]) =>
      jobSpans(`${label(model, name)}, B 1`, name, job(model, 1, 256, 32)),
    ),
  }),
};

function rate(run: Runner, name: MachineName, model: string, batch: number): number {
  return run(name, job(model, batch, 32, 32)).throughput;
}

export const figure11: Experiment = {
  id: "lia/figure-11",
  paper: "lia",
  title: "Offline throughput",
  run: () => {
    const at = (run: Runner, batch: number): number => rate(run, "spr-a100", "opt-30b", batch);
    const grows = (what: string, run: Runner): Finding =>
      stated(what, "grows", at(run, 900) / at(run, 64), "x", [1, Infinity]);
    const longer = (length: number): number =>
      ipex("spr-a100", job("opt-30b", 64, length, 32)).total /
      lia("spr-a100", job("opt-30b", 64, length, 32)).total;
    return {
      findings: [
        grows("LIA's throughput grows from B 64 to 900", lia),
        grows("FlexGen's throughput grows from B 64 to 900", flexGen),
        gain("LIA over IPEX at B 900", [1.5, 6], at(lia, 900) / at(ipex, 900)),
        gain("LIA over FlexGen at B 64", [2, 5.9], at(lia, 64) / at(flexGen, 64)),
        stated(
          "LIA over IPEX grows with the prompt: 2016 tokens over 32",
          "grows",
          longer(2016) / longer(32),
          "x",
          [1, Infinity],
        ),
      ],
      blocks: online.map(([model, name]) =>
        bars(
          {
            id: `figure-11-${model}-${name}`,
            caption: `Throughput, ${label(model, name)}, 32 tokens made.`,
            xTitle: "batch and prompt",
            yTitle: "throughput",
            unit: "token/s",
            logY: true,
          },
          [64, 900].flatMap((batch) =>
            lengths.flatMap((length) =>
              systems.map(([series, run]) => ({
                x: `${batch}, ${length}`,
                series,
                y: run(name, job(model, batch, length, 32)).throughput,
              })),
            ),
          ),
        ),
      ),
      timeline: [64, 900].flatMap((batch) =>
        jobSpans(`OPT-30B, B ${batch}`, "spr-a100", job("opt-30b", batch, 256, 32)),
      ),
    };
  },
};

export const table6: Experiment = {
  id: "lia/table-6",
  paper: "lia",
  title: "Granite Rapids (table 6, figure 13)",
  run: () => {
    const one = job("opt-175b", 1, 256, 32);
    const many = job("opt-175b", 900, 256, 32);
    const rows: readonly (readonly [string, MachineName, Range, Range])[] = [
      ["opt-30b", "gnr-a100", [1.5, 1.7], [5.6, 9.1]],
      ["opt-175b", "gnr-a100", [1.1, 1.2], [13, 24]],
      ["opt-66b", "gnr-h100", [1.5, 1.8], [3.9, 5.9]],
      ["opt-175b", "gnr-h100", [1.2, 1.4], [8.3, 12]],
    ];
    const faster = (j: LiaJob): number => lia("spr-h100", j).total / lia("gnr-a100", j).total;
    return {
      findings: [
        ...rows.flatMap(([model, name, overIpex, overFlexGen]) => {
          const jobs = lengths.map((length) => job(model, 1, length, 32));
          return [
            gain(`${label(model, name)}: over IPEX`, overIpex, meanGain(ipex, name, jobs)),
            gain(`${label(model, name)}: over FlexGen`, overFlexGen, meanGain(flexGen, name, jobs)),
          ];
        }),
        gain("online, GNR-A100 over SPR-H100", [1.4, "2.0"], faster(one)),
        printed(
          "offline B = 900, GNR-A100 over SPR-H100",
          "70",
          100 * faster(many),
          "%",
          "S",
          ratioNote,
        ),
      ],
      blocks: [
        bars(
          {
            id: "figure-13",
            caption: "OPT-175B: throughput, 256 tokens in and 32 out.",
            xTitle: "batch",
            yTitle: "throughput",
            unit: "token/s",
            logY: true,
          },
          [1, 64, 900].flatMap((batch) =>
            (["gnr-a100", "spr-h100"] as const).map((name): Datum => ({
              x: String(batch),
              series: name.toUpperCase(),
              y: lia(name, job("opt-175b", batch, 256, 32)).throughput,
            })),
          ),
        ),
      ],
      timeline: (["gnr-a100", "spr-h100"] as const).flatMap((name) =>
        jobSpans(`OPT-175B, ${name.toUpperCase()}, B 900`, name, many, ["LIA"]),
      ),
    };
  },
};

/** Model and the printed online gains over FlexGen and IPEX, all four systems together. */
const generality: readonly (readonly [string, Range, Range])[] = [
  ["llama2-70b", [6.1, 8.4], [1.2, 1.4]],
  ["chinchilla-70b", [7.4, 10], [1.3, 1.7]],
  ["bloom-176b", [7.6, 11], [1.1, 1.4]],
];

export const otherModels: Experiment = {
  id: "lia/section-7-7",
  paper: "lia",
  title: "Other models, and Grace-Hopper (section 8)",
  run: () => {
    const gains = (model: string, over: Runner): number => {
      const names: readonly MachineName[] = ["spr-a100", "spr-h100", "gnr-a100", "gnr-h100"];
      const jobs = lengths.map((length) => job(model, 1, length, 32));
      return names.reduce((t, name) => t + meanGain(over, name, jobs), 0) / names.length;
    };
    const hopper = (batch: number): number => {
      const j = job("opt-175b", batch, 256, 32);
      return lia("gnr-h100", j).total / lia("grace-hopper", j).total;
    };
    const batches = [1, 16, 64, 256, 900];
    return {
      findings: [
        ...generality.flatMap(([model, overFlexGen, overIpex]) => [
          gain(`${model}: over FlexGen, online`, overFlexGen, gains(model, flexGen)),
          gain(`${model}: over IPEX, online`, overIpex, gains(model, ipex)),
        ]),
        gain("Grace-Hopper over GNR-H100, B = 1", [1.8, 2.3], hopper(1)),
        gain("Grace-Hopper over GNR-H100, B = 900", ["3.0", 4.1], hopper(900)),
      ],
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
            batches.map((x) => ({
              x,
              series,
              y: lia("spr-a100", job(series, x, 256, 32)).throughput,
            })),
          ),
        ),
      ],
      timeline: [
        ...generality.flatMap(([model]) =>
          jobSpans(`${model}, B 1`, "spr-a100", job(model, 1, 256, 32), ["LIA"]),
        ),
        ...jobSpans("Grace-Hopper, B 900", "grace-hopper", job("opt-175b", 900, 256, 32), ["LIA"]),
      ],
    };
  },
};
