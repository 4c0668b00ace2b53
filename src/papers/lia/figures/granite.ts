// SPDX-License-Identifier: Apache-2.0
// LIA on Granite Rapids: gains over IPEX and FlexGen (table 6, section 7.6), and a newer CPU against a
// newer GPU (figure 13).

import { present } from "../../../base/present.ts";
import { liaHosts, type LiaMachineName as MachineName } from "../../experiment/machines.ts";
import { bars, type Datum } from "../../experiment/chart.ts";
import type { Experiment } from "../../experiment/experiment.ts";
import { explained, notComparable } from "../../experiment/finding.ts";
import { gainFindings, gains, jobsOf, label, offlineBatches, type Rival } from "./end-to-end.ts";
import { compareReadings, compareRangeEnds, type Range } from "./readings.ts";
import { job, type Lab } from "./lab.ts";
import { lia, ownLab } from "./run.ts";
import { jobSpans } from "./timeline.ts";

const note = "equation 8 has no time for kernel launches, for the software framework and for NUMA";

type Ranges = Readonly<Record<Rival, Range>>;
const rows: readonly (readonly [
  model: string,
  name: MachineName,
  online: Ranges,
  offline: Ranges,
])[] = [
  [
    "opt-30b",
    "gnr-a100",
    { ipex: [1.5, 1.7], flexGen: [5.6, 9.1] },
    { ipex: [1.1, 4.2], flexGen: [1.6, 7.5] },
  ],
  [
    "opt-175b",
    "gnr-a100",
    { ipex: [1.1, 1.2], flexGen: [13, 24] },
    { ipex: [1.1, 4.1], flexGen: [1.5, 9.4] },
  ],
  [
    "opt-66b",
    "gnr-h100",
    { ipex: [1.5, 1.8], flexGen: [3.9, 5.9] },
    { ipex: [1.3, 3.6], flexGen: [1.8, 3.5] },
  ],
  [
    "opt-175b",
    "gnr-h100",
    { ipex: [1.2, 1.4], flexGen: [8.3, 12] },
    { ipex: [1.1, 4.4], flexGen: [1.3, 4.1] },
  ],
];

function mean(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0) / values.length;
}

/** The mean gain on GNR over that on SPR, all models and batches. */
function newerCpu(lab: Lab, rival: Rival): number {
  const ratios = rows.flatMap(([model, name]) => {
    const jobs = jobsOf(model, [1, ...offlineBatches]);
    const older = name === "gnr-a100" ? "spr-a100" : "spr-h100";
    const [now, before] = [gains(lab, rival, [name], jobs), gains(lab, rival, [older], jobs)];
    return now.map((g, i) => g / present(before[i]));
  });
  return mean(ratios);
}

export const table6: Experiment = {
  id: "lia/table-6",
  paper: "lia",
  title: "Granite Rapids against IPEX and FlexGen",
  run: () => ({
    findings: [
      ...rows.flatMap(([model, name, online, offline]) => [
        ...gainFindings(`${label(model, name)}, online`, [name], jobsOf(model, [1]), online),
        ...gainFindings(
          `${label(model, name)}, offline`,
          [name],
          jobsOf(model, offlineBatches),
          offline,
        ),
      ]),
      compareReadings("gain over IPEX lost from SPR to GNR, mean", {
        published: 14,
        value: (lab) => 100 * (1 - newerCpu(lab, "ipex")),
        unit: "%",
        note,
      }),
      compareReadings("gain over FlexGen, GNR over SPR, mean", {
        published: 1.7,
        value: (lab) => newerCpu(lab, "flexGen"),
        unit: "x",
        note,
      }),
      notComparable(
        "OPT-66B and OPT-175B on GNR-H100, online, over FlexGen (abstract and section 1)",
        "10 to 19",
        Math.max(...gains(ownLab, "flexGen", ["gnr-h100"], jobsOf("opt-175b", [1]))),
        "x",
        "contradicts table 6, which has 3.9 to 12 for the same quantity; our number is the largest",
      ),
    ],
    blocks: [
      bars(
        {
          id: "table-6",
          caption: "Gains over FlexGen, 256 tokens in and 32 out.",
          xTitle: "model, host and batch",
          yTitle: "gain",
          unit: "x",
          logY: true,
        },
        rows.flatMap(([model, name]) =>
          [1, 64, 900].flatMap((batch): readonly Datum[] => {
            const x = `${label(model, name)}, ${batch}`;
            const jobs = [job(model, batch, 256, 32)];
            const [y = NaN] = gains(ownLab, "flexGen", [name], jobs);
            return [{ x, series: "ours", y }];
          }),
        ),
      ),
    ],
    timeline: jobSpans("OPT-30B, B 1", "gnr-a100", job("opt-30b", 1, 256, 32)),
  }),
};

export const figure13: Experiment = {
  id: "lia/figure-13",
  paper: "lia",
  title: "A newer CPU against a newer GPU, OPT-175B",
  run: () => {
    const faster = (lab: Lab, batch: number): readonly number[] =>
      jobsOf("opt-175b", [batch]).map(
        (j) => lab.lia("spr-h100", j).total / lab.lia("gnr-a100", j).total,
      );
    const hosts = ["gnr-a100", "spr-h100"] as const;
    const watts = (name: MachineName): number =>
      liaHosts[name].cpu.watts.value + liaHosts[name].gpu.watts.value;
    const efficiency = (lab: Lab, batch: number): number =>
      (mean(faster(lab, batch)) * watts("spr-h100")) / watts("gnr-a100");
    const perWatt = compareReadings("token/s/W of GNR-A100 over SPR-H100, B = 1, mean", {
      published: 1.6,
      value: (lab) => efficiency(lab, 1),
      unit: "x",
      note: "only the design powers of CPU and GPU; the batch is not published",
    });
    return {
      findings: [
        ...compareRangeEnds("online, GNR-A100 over SPR-H100", {
          range: [1.4, "2.0"],
          values: (lab) => faster(lab, 1),
          unit: "x",
          note,
        }),
        compareReadings("B = 64, GNR-A100 over SPR-H100, greatest", {
          published: 1.9,
          value: (lab) => Math.max(...faster(lab, 64)),
          unit: "x",
          note,
        }),
        compareReadings("B = 900, GNR-A100 over SPR-H100, mean", {
          published: 70,
          value: (lab) => 100 * mean(faster(lab, 900)),
          unit: "%",
          note,
        }),
        explained(perWatt, [
          { what: "at B = 64", value: efficiency(ownLab, 64) },
          { what: "at B = 900", value: efficiency(ownLab, 900) },
        ]),
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
            hosts.map((name): Datum => ({
              x: String(batch),
              series: name.toUpperCase(),
              y: lia(name, job("opt-175b", batch, 256, 32)).throughput,
            })),
          ),
        ),
      ],
      timeline: hosts.flatMap((name) =>
        jobSpans(`${name.toUpperCase()}, B 900`, name, job("opt-175b", 900, 256, 32), ["LIA"]),
      ),
    };
  },
};
