// SPDX-License-Identifier: Apache-2.0
// LIA: where its policies change (figure 9), under one machine and under every reading of its
// equations and of its bandwidths; mixtures of experts (section 7.1).

import { present } from "../../../base/present.ts";
import { runTasks } from "../../../base/timeline.ts";
import {
  liaMachines,
  type LiaMachineName as MachineName,
  type LiaMachine,
} from "../../experiment/machines.ts";
import { overlappedTime, policyOf, policyText } from "../model/cost.ts";
import { decoderLayer, layerOf, plainShape, type Stage } from "../model/layer.ts";
import { fastestBy, optimum, switches } from "../policy/optimum.ts";
import { policiesAsRead } from "../policy/readings.ts";
import { layerTasks } from "../model/timeline.ts";
import type { Table } from "../../../report/page.ts";
import type { Span } from "../../../results/latency/span.ts";
import { bytesPerSecond } from "../../../base/units.ts";
import { choices, spansOf, type Cell } from "../../experiment/chart-map.ts";
import { bars } from "../../experiment/chart.ts";
import type { Experiment } from "../../experiment/experiment.ts";
import {
  explained,
  fitted,
  compareNumber,
  compareName,
  compareStatement,
  type Finding,
} from "../../experiment/finding.ts";
import { calibratedPcie4, cpuVectorRate } from "./lab.ts";
import { machine } from "./run.ts";

/** Width of OPT-175B. */
const width = 12288;
const spr = machine("spr-a100");

function best(rates: LiaMachine, stage: Stage, batch: number, length: number): string {
  const layer = decoderLayer({ stage, width, batch, length });
  return policyText(optimum(rates, layer, "hidden").best.policy);
}

export function switchOf(rates: LiaMachine, stage: Stage, length: number): number {
  const switchPoints = switches(rates, { stage, width, length }, "hidden", 1, 3000);
  return present(switchPoints[1]?.tokens);
}

/** The policies of figure 9 over batch and length. */
function policyMap(name: MachineName, stage: Stage): readonly Cell[] {
  const batches = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 1200];
  const lengths = [32, 64, 128, 256, 512, 1024, 2048];
  const rates = machine(name);
  return lengths.flatMap((y) => batches.map((x) => ({ x, y, choice: best(rates, stage, x, y) })));
}

/** Three layers under the best policy, SPR-A100 and 256 tokens. */
function bestSpans(stage: Stage, batch: number): readonly Span[] {
  const layer = decoderLayer({ stage, width, batch, length: 256 });
  const policy = best(spr, stage, batch, 256);
  const runs = runTasks(layerTasks(spr, layer, policyOf(policy), 3));
  return spansOf({ name: `${stage}, B ${batch}, ${policy}`, runs });
}

/** Bandwidths that section 4.2 prints for one machine, each with the link that 858 sets then. */
const bandwidths: readonly (readonly [what: string, rates: LiaMachine])[] = [
  ["products: CPU 199, A100 1047 (every figure here)", spr],
  ["bandwidths: CPU 260, A100 1300", liaMachines["spr-a100"]],
  [
    "products of the CPU alone: CPU 199, A100 1300",
    { ...spr, gpuBandwidth: liaMachines["spr-a100"].gpuBandwidth, pcie: bytesPerSecond(23.09e9) },
  ],
];

/** Seconds of 32 reads of OPT-30B's weights, and of the prompt's work: IPEX of table 5 at B = 1. */
function ipexTime({ cpuBandwidth, cpuRate }: LiaMachine): number {
  const weights = 48 * 24 * 7168 ** 2;
  return (32 * weights) / cpuBandwidth + (256 * weights) / cpuRate;
}

function bandwidthTable(): Table {
  const number = (key: string, title: string, unit: string): Table["columns"][number] => ({
    key,
    title,
    unit,
    source: "derived",
    digits: 4,
  });
  return {
    kind: "table",
    id: "figure-9-bandwidths",
    caption:
      "Section 4.2 prints 260 GB/s for the memory and 199 GB/s for what a product with one vector " +
      "reaches, 20 % and 19 % of an A100. Equation 8 divides bytes of products, so every figure here " +
      "takes products, of CPU and GPU alike. Each row has the link that the switch at 858 sets with " +
      "it, and what that row then predicts: 850 and 10.2 s are printed.",
    columns: [
      { key: "what", title: "CPU and GPU, GB/s" },
      number("pcie", "link set by 858", "GB/s"),
      number("decode", "decode switch", "sequences"),
      number("same", "decode switch with the first row's link", "sequences"),
      number("prefill", "prefill switch", "tokens"),
      number("ipex", "IPEX of OPT-30B, B = 1", "s"),
    ],
    rows: bandwidths.map(([what, rates]) => ({
      what,
      pcie: rates.pcie / 1e9,
      decode: switchOf(rates, "decode", 128),
      same: switchOf({ ...rates, pcie: spr.pcie }, "decode", 128),
      prefill: switchOf(rates, "prefill", 32),
      ipex: ipexTime(rates),
    })),
  };
}

function equationTable(): Table {
  const read = (flipped: boolean): string => (flipped ? "CPU" : "GPU");
  const wanted = "111111 111111 011000 111111 000000";
  return {
    kind: "table",
    id: "figure-9-equations",
    caption:
      "Equations 5, 8 and 9 print their cases for p = 1; the text says that 1 is the CPU, the " +
      "equations agree with each other when 1 is the GPU. Each equation with 1 as the GPU (as " +
      "printed) or the CPU (its cases exchanged): the eight readings and their best policies of " +
      "OPT-175B. The text names 111111, 011000 and 000000, with 111111 below 858.",
    columns: [
      ...(["five", "eight", "nine"] as const).map((key, i) => ({
        key,
        title: `equation ${present([5, 8, 9][i])}: 1 is`,
      })),
      { key: "decode1", title: "decode, B = 1" },
      { key: "decode857", title: "B = 857" },
      { key: "decode900", title: "B = 900" },
      { key: "prefill32", title: "prefill, B L = 32" },
      { key: "prefill2048", title: "B L = 2048" },
      { key: "fits", title: "as the text" },
    ],
    rows: policiesAsRead(spr, width, 857, 900).map(({ flipped, decode, prefill }) => ({
      five: read(flipped.five),
      eight: read(flipped.eight),
      nine: read(flipped.nine),
      decode1: decode[0],
      decode857: decode[1],
      decode900: decode[2],
      prefill32: prefill[0],
      prefill2048: prefill[1],
      fits: [...decode, ...prefill].join(" ") === wanted,
    })),
  };
}

/** Section 8: one direction of C2C has half of the 900 GB/s. */
function hopperFinding(): Finding {
  const rates = machine("grace-hopper");
  const layer = decoderLayer({ stage: "decode", width, batch: 900, length: 256 });
  const least = fastestBy((p) => overlappedTime(rates, layer, p)).best.policy;
  const doubled = { ...rates, pcie: bytesPerSecond(2 * rates.pcie) };
  const finding = compareName(
    "Grace-Hopper, decode at B = 900",
    "000000",
    best(rates, "decode", 900, 256),
    "900 GB/s is the sum of both directions, 7 times the 128 GB/s of PCIe 5.0 in both directions. The model uses 450 GB/s for one direction. Equation 2 adds the GPU's reads of its own memory to the transfer",
  );
  return explained(finding, [
    {
      what: "minimum time with transfers during computation (optimisation 2)",
      value: policyText(least),
    },
    { what: "900 GB/s in one direction", value: best(doubled, "decode", 900, 256) },
  ]);
}

export const figure9: Experiment = {
  id: "lia/figure-9",
  paper: "lia",
  title: "Best policies for OPT-175B",
  run: () => ({
    findings: [
      fitted(
        "decode switch, SPR-A100",
        858,
        switchOf(spr, "decode", 128),
        "sequences",
        `PCIe 4.0 at ${calibratedPcie4 / 1e9} GB/s is the result of this number, with the CPU at ${cpuVectorRate / 1e9} GB/s as in all figures of this page`,
      ),
      compareNumber("prefill switch B x L, SPR-A100", {
        published: 850,
        ours: switchOf(spr, "prefill", 32),
        unit: "tokens",
        kind: "C",
        note: "predicted with the same constant",
      }),
      compareName("decode, B = 64", "111111", best(spr, "decode", 64, 256)),
      compareName("decode, B = 900", "011000", best(spr, "decode", 900, 256)),
      compareName("prefill, B = 64, L = 256", "000000", best(spr, "prefill", 64, 256)),
      compareName("prefill, B = 1, L = 256", "111111", best(spr, "prefill", 1, 256)),
      compareStatement("H100 goes to the GPU earlier: switch over A100's", {
        statement: "earlier",
        ours: switchOf(machine("spr-h100"), "decode", 128) / switchOf(spr, "decode", 128),
        unit: "1",
        range: [0, 1],
      }),
      hopperFinding(),
    ],
    blocks: [
      bandwidthTable(),
      equationTable(),
      ...(["spr-a100", "spr-h100"] as const).flatMap((name) =>
        (["prefill", "decode"] as const).map((stage) =>
          choices(
            {
              id: `figure-9-${name}-${stage}`,
              caption: `Best policy of ${stage}, ${name.toUpperCase()}; 1 is the CPU.`,
              xTitle: "batch",
              yTitle: stage === "prefill" ? "prompt" : "tokens in the cache",
            },
            policyMap(name, stage),
          ),
        ),
      ),
      bars(
        {
          id: "figure-9-switch",
          caption: "Batch at which decode leaves the CPU, by system.",
          xTitle: "system",
          yTitle: "batch",
          unit: "sequences",
        },
        (["avx512-a100", "spr-h100", "spr-a100", "gnr-h100", "gnr-a100"] as const).map((x) => ({
          x,
          series: "OPT-175B",
          y: switchOf(machine(x), "decode", 128),
        })),
      ),
    ],
    timeline: (["decode", "prefill"] as const).flatMap((stage) =>
      [64, 900].flatMap((batch) => bestSpans(stage, batch)),
    ),
  }),
};

export const mixtures: Experiment = {
  id: "lia/section-7-1",
  paper: "lia",
  title: "Policies of mixtures of experts",
  run: () => {
    const mixture = { ...plainShape(width), experts: { count: 8, perToken: 2 } };
    const at = (batch: number): string => {
      const layer = layerOf(mixture, { stage: "decode", batch, length: 256 });
      return policyText(optimum(spr, layer, "hidden").best.policy);
    };
    const batches = [64, 256, 512, 800, 900, 960, 1000, 1500, 2000, 3000, 3400, 4000];
    const dense = (batch: number): string => best(spr, "decode", batch, 256);
    return {
      findings: [
        compareName("8 experts, 2 a token, decode at B = 1500", "011011", at(1500)),
        compareName("the same width without experts", "011000", dense(1500)),
      ],
      blocks: [
        choices(
          {
            id: "mixture-policies",
            caption: "Best policy of decode at OPT-175B's width, SPR-A100.",
            xTitle: "batch",
            yTitle: "layer",
          },
          batches.flatMap((x) => [
            { x, y: "8 experts, 2 a token", choice: at(x) },
            { x, y: "dense", choice: dense(x) },
          ]),
        ),
      ],
      timeline: [960, 1500].flatMap((batch) => {
        const layer = layerOf(mixture, { stage: "decode", batch, length: 256 });
        const runs = runTasks(layerTasks(spr, layer, policyOf(at(batch)), 3));
        return spansOf({ name: `8 experts, B ${batch}, ${at(batch)}`, runs });
      }),
    };
  },
};
