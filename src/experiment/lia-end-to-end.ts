// SPDX-License-Identifier: Apache-2.0
// LIA end to end: latency and throughput against IPEX and FlexGen (figures 10 and 11), other CPUs
// (table 6).

import { bars, lines } from "./chart.ts";
import { shape, type Experiment } from "./experiment.ts";

import { flexGen, ipex, job, lia } from "./lia-run.ts";

const ratioNote = "equation 8 knows no launch, framework or NUMA time";

export const figure10: Experiment = {
  id: "lia/figure-10",
  paper: "lia",
  title: "Online latency (B = 1) against IPEX and FlexGen",
  run: () => {
    const cases = [
      ["opt-30b", "spr-a100", [1.8, 2.1], [5.3, 7.3]],
      ["opt-175b", "spr-a100", [1.1, 1.3], [8.5, 12]],
      ["opt-66b", "spr-h100", [2.1, 2.5], [4.9, 7]],
      ["opt-175b", "spr-h100", [1.1, 1.5], [4, 5.1]],
    ] as const;
    const lengths = [32, 256, 2016] as const;
    const rows = cases.map(([model, name, overIpex, overFlexGen]) => {
      const jobs = lengths.map((length) => job(model, 1, length, 32));
      const gain = (f: typeof ipex): number =>
        jobs.reduce((t, j) => t + f(name, j).total / lia(name, j).total, 0) / jobs.length;
      return {
        label: `${model} ${name}`,
        overIpex,
        overFlexGen,
        ipex: gain(ipex),
        flexGen: gain(flexGen),
      };
    });
    return {
      findings: rows.flatMap((r) => [
        shape(
          `${r.label}: over IPEX`,
          r.overIpex.join(" to "),
          r.ipex,
          "x",
          [r.overIpex[0] * 0.75, r.overIpex[1] * 1.4],
          ratioNote,
        ),
        shape(
          `${r.label}: over FlexGen`,
          r.overFlexGen.join(" to "),
          r.flexGen,
          "x",
          [r.overFlexGen[0] * 0.6, r.overFlexGen[1] * 1.4],
          ratioNote,
        ),
      ]),
      blocks: [
        bars(
          {
            id: "figure-10",
            caption: "Mean gain in latency over three prompt lengths.",
            xTitle: "model and system",
            yTitle: "gain",
            unit: "x",
          },
          rows.flatMap((r) => [
            { x: r.label, series: "IPEX", y: r.ipex },
            { x: r.label, series: "FlexGen", y: r.flexGen },
          ]),
        ),
      ],
      timeline: [],
    };
  },
};

export const figure11: Experiment = {
  id: "lia/figure-11",
  paper: "lia",
  title: "Offline throughput",
  run: () => {
    const batches = [64, 256, 900];
    const rate = (f: typeof ipex, batch: number): number =>
      (batch * 32) / f("spr-a100", job("opt-30b", batch, 32, 32)).total;
    const series = [
      ["LIA", lia],
      ["IPEX", ipex],
      ["FlexGen", flexGen],
    ] as const;
    return {
      findings: [
        shape(
          "LIA's throughput grows from B 64 to 900",
          "grows",
          rate(lia, 900) / rate(lia, 64),
          "x",
          [1, Infinity],
        ),
        shape(
          "FlexGen's throughput grows from B 64 to 900",
          "grows",
          rate(flexGen, 900) / rate(flexGen, 64),
          "x",
          [1, Infinity],
        ),
        shape(
          "LIA over IPEX at B 900",
          "1.5 to 6.0",
          rate(lia, 900) / rate(ipex, 900),
          "x",
          [1, 10],
          ratioNote,
        ),
        shape(
          "LIA over FlexGen at B 64",
          "2.0 to 5.9",
          rate(lia, 64) / rate(flexGen, 64),
          "x",
          [1, 10],
          ratioNote,
        ),
      ],
      blocks: [
        lines(
          {
            id: "figure-11",
            caption: "Throughput of OPT-30B, 32 tokens in and out.",
            xTitle: "batch",
            yTitle: "throughput",
            unit: "token/s",
          },
          series.flatMap(([name, f]) => batches.map((x) => ({ x, series: name, y: rate(f, x) }))),
        ),
      ],
      timeline: [],
    };
  },
};

export const table6: Experiment = {
  id: "lia/table-6",
  paper: "lia",
  title: "Granite Rapids",
  run: () => {
    const one = job("opt-175b", 1, 256, 32);
    const many = job("opt-175b", 900, 256, 32);
    return {
      findings: [
        shape(
          "online, GNR-A100 over SPR-H100",
          "1.4 to 2.0",
          lia("spr-h100", one).total / lia("gnr-a100", one).total,
          "x",
          [1, 2.5],
          ratioNote,
        ),
        shape(
          "online, GNR-A100 over FlexGen",
          "13 to 24",
          flexGen("gnr-a100", one).total / lia("gnr-a100", one).total,
          "x",
          [8, 30],
          ratioNote,
        ),
        shape(
          "offline B = 900, GNR-A100 against SPR-H100",
          0.7,
          lia("spr-h100", many).total / lia("gnr-a100", many).total,
          "x",
          [0.4, 1.2],
          ratioNote,
        ),
      ],
      blocks: [],
      timeline: [],
    };
  },
};
