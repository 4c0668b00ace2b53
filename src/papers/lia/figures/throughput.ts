// SPDX-License-Identifier: Apache-2.0
// LIA: throughput of matrix products (figure 5). The rates of the devices are the largest printed
// ones; equation 8 then predicts the shares at small sizes, and the shares of two sockets.

import { cpus, effective, gpus, type Processor } from "../../../machine/host/devices.ts";
import type { LiaMachine } from "../../experiment/machines.ts";
import { decoderLayer } from "../model/layer.ts";
import { bars } from "../../experiment/chart.ts";
import type { Experiment } from "../../experiment/experiment.ts";
import {
  explained,
  fitted,
  notComparable,
  compareNumber,
  compareStatement,
  type Finding,
} from "../../experiment/finding.ts";
import { cpuVectorRate, vectorShare } from "./lab.ts";
import { machine } from "./run.ts";

const spr = effective(cpus["spr-amx"].compute);
const gnr = effective(cpus["gnr-amx"].compute);
const avx = effective(cpus["spr-avx512"].compute);

interface Compared {
  readonly title: string;
  readonly gpu: Processor;
  /** The CPU's share of its rate in products with one vector, printed for large sizes. */
  readonly vector: number;
  /** The CPU's share at B L = 64, and where products are small: as printed. */
  readonly small: string | null;
  readonly smallVector: number;
  /** Two sockets of GNR. */
  readonly sockets: number | null;
}

const compared: readonly Compared[] = [
  { title: "P100", gpu: gpus.p100, vector: 0.54, small: null, smallVector: 70, sockets: null },
  { title: "V100", gpu: gpus.v100, vector: 0.31, small: "28", smallVector: 57, sockets: 68 },
  {
    title: "A100",
    gpu: gpus["a100-40"],
    vector: vectorShare.a100,
    small: "15",
    smallVector: 38,
    sockets: 30,
  },
  {
    title: "H100",
    gpu: gpus["h100-80"],
    vector: vectorShare.h100,
    small: "11",
    smallVector: 35,
    sockets: 16,
  },
];

/** The CPU's bandwidth relative to the GPU's, in per cent. */
function vectorRatio({ cpuBandwidth, gpuBandwidth }: LiaMachine): number {
  return (100 * cpuBandwidth) / gpuBandwidth;
}

/** FC1 of OPT-175B for 64 tokens: equation 8 for a device. */
function smallProduct(bandwidth: number, rate: number): number {
  const layer = decoderLayer({ stage: "prefill", width: 12288, batch: 1, length: 64 });
  const { x = 0, y = 0, work = 0 } = layer.sublayers[4] ?? {};
  return (x + y) / bandwidth + work / rate;
}

function smallFinding({ title, gpu, vector, small }: Compared): readonly Finding[] {
  if (small === null) return [];
  const share = (rate: number, bandwidth: number): number =>
    (100 * smallProduct(bandwidth, rate)) / smallProduct(cpuVectorRate, spr);
  const rate = effective(gpu.compute);
  const finding = compareNumber(`SPR over ${title} in products of 64 tokens`, {
    published: small,
    ours: share(rate, cpuVectorRate / vector),
    unit: "%",
    kind: "C",
    note: "equation 8 for FC1: CPU and GPU read the weights once; launches of kernels have no time",
  });
  if (finding.verdict !== "differs") return [finding];
  return [
    explained(finding, [
      {
        what: "GPU and CPU at the bandwidths of section 4.2",
        value:
          (100 * smallProduct(effective(gpu.bandwidth), rate)) /
          smallProduct(effective(cpus["spr-amx"].bandwidth), spr),
      },
      {
        what: "a launch of 10 us per product on the GPU",
        value:
          (100 * (smallProduct(cpuVectorRate / vector, rate) + 10e-6)) /
          smallProduct(cpuVectorRate, spr),
      },
    ]),
  ];
}

function socketFinding({ title, gpu, sockets }: Compared): readonly Finding[] {
  if (sockets === null) return [];
  const share = (rate: number): number => (100 * 1.8 * gnr) / rate;
  const finding = compareNumber(`two sockets of GNR over ${title}`, {
    published: sockets,
    ours: share(effective(gpu.compute)),
    unit: "%",
    kind: "C",
    note: "1.8 times the rate of one socket, divided by the GPU rate that follows from SPR's smallest share",
  });
  return [finding];
}

const notModelled =
  "the sizes are not published. Equation 8 has no launches of GPU kernels, which cause the difference";

export const figure5: Experiment = {
  id: "lia/figure-5",
  paper: "lia",
  title: "Throughput of matrix products",
  run: () => ({
    findings: [
      fitted("SPR over AVX512", 4.5, spr / avx, "x", "sets the rate of FlexGen's CPU (AVX512)"),
      fitted(
        "SPR over P100",
        2.4,
        spr / effective(gpus.p100.compute),
        "x",
        "sets the rate of a P100",
      ),
      fitted(
        "SPR over A100, least share",
        7,
        (100 * spr) / effective(gpus["a100-40"].compute),
        "%",
        "sets the rate of an A100",
      ),
      fitted(
        "SPR over H100, least share",
        4,
        (100 * spr) / effective(gpus["h100-80"].compute),
        "%",
        "sets the rate of an H100",
      ),
      fitted("GNR over SPR", 2.4, gnr / spr, "x", "sets the rate of GNR"),
      notComparable(
        "SPR over V100, least share",
        14,
        (100 * spr) / effective(gpus.v100.compute),
        "%",
        "20 TFLOPS would be 14 % of 143 TFLOPS. This exceeds the peak of a V100, 125 TFLOPS, which the model uses instead",
      ),
      ...compared.flatMap(smallFinding),
      ...compared.flatMap(socketFinding),
      notComparable(
        "AVX512 over A100, section 3.2",
        "below 1",
        (100 * avx) / effective(gpus["a100-40"].compute),
        "%",
        "contradicts section 4.1, where 7 % for SPR divided by 4.5 is 1.6 %",
      ),
      notComparable(
        "SPR over A100, section 1",
        11,
        (100 * spr) / effective(gpus["a100-40"].compute),
        "%",
        "section 1 states up to 11 % and 5 %, section 4.1 states 7 to 15 % and 4 to 11 %",
      ),
      ...(["a100", "h100"] as const).map((name) =>
        fitted(
          `products with one vector: SPR over ${name.toUpperCase()}`,
          100 * vectorShare[name],
          vectorRatio(machine(name === "a100" ? "spr-a100" : "spr-h100")),
          "%",
          "sets the memory rate of the GPU in all figures of this page",
        ),
      ),
      ...compared.map(({ title, vector, smallVector }) =>
        notComparable(
          `products with one vector, small: SPR over ${title}`,
          smallVector,
          100 * vector,
          "%",
          notModelled,
        ),
      ),
      compareStatement("GNR's memory over SPR's", {
        statement: "doubles",
        ours: effective(cpus["gnr-amx"].bandwidth) / effective(cpus["spr-amx"].bandwidth),
        unit: "x",
        range: [1.5, 2.5],
        note: "12 channels of DDR5-5600 have 1.75 times the rate of 8 channels of DDR5-4800; the published 70 % is the gain of matrix products",
      }),
    ],
    blocks: [
      bars(
        {
          id: "figure-5",
          caption: "Rates of matrix products that section 4.1 gives, as devices here have them.",
          xTitle: "device",
          yTitle: "rate",
          unit: "TFLOPS",
          logY: true,
        },
        [
          ["AVX512", avx],
          ["P100", effective(gpus.p100.compute)],
          ["SPR", spr],
          ["GNR", gnr],
          ["V100", effective(gpus.v100.compute)],
          ["A100", effective(gpus["a100-40"].compute)],
          ["H100", effective(gpus["h100-80"].compute)],
        ].map(([x, y]) => ({ x: String(x), series: "16-bit products", y: Number(y) / 1e12 })),
      ),
    ],
    timeline: [],
  }),
};
