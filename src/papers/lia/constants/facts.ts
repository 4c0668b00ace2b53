// SPDX-License-Identifier: Apache-2.0
// LIA: figures that follow from others.

import { present } from "../../../base/present.ts";
import { liaMachines } from "../../experiment/machines.ts";
import { switches } from "../policy/optimum.ts";
import { fact, type Fact } from "../../experiment/fact.ts";
import { cacheBytes, decoderBytes, gib, parameterBytes, tib } from "../../experiment/sizes.ts";

const model = "opt-30b";

function share(batch: number, output: number): number {
  const p = parameterBytes(model);
  return (100 * p) / (p + cacheBytes(model, batch, 32 + output));
}

function enlarged(output: number): number {
  return 900 + parameterBytes(model) / cacheBytes(model, 1, 32 + output);
}

/** Table 3: output length, share at B = 900, enlarged batch, share there. */
const table3 = [
  [32, 43.1, 1580, 30.1],
  [64, 33.5, 1350, 25.2],
  [128, 23.2, 1150, 19.1],
  [256, 14.4, 1050, 12.6],
] as const;

const table3Facts = table3.flatMap(([output, percent, batch, percentEnlarged]) => [
  fact("lia", `share-${output}`, {
    where: "table 3",
    what: `OPT-30B parameter share of memory, B=900, Lin=32, Lout=${output}`,
    published: percent,
    unit: "%",
    tolerance: 0.006,
    value: () => share(900, output),
  }),
  fact("lia", `share-enlarged-${output}`, {
    where: "table 3",
    what: `same at the enlarged batch B=${batch}`,
    published: percentEnlarged,
    unit: "%",
    tolerance: 0.006,
    value: () => share(batch, output),
  }),
  fact("lia", `enlarged-${output}`, {
    where: "table 3 note 6",
    what: `enlarged B for the same DDR footprint, Lout=${output}`,
    published: batch,
    unit: "1",
    tolerance: 0.025,
    value: () => enlarged(output),
  }),
]);

/** Tables 4 and 5: batch, total, and CPU, GPU and transfer of it. */
const breakdown = [
  [1, 5.05, 3.8, 1.2, 0.1],
  [64, 24.0, 16.9, 7.7, 3.9],
  [900, 291.02, 168.8, 110.8, 118.8],
] as const;

/** Layer work and transfer of OPT-175B in prefill at length L. */
const d175 = 12288;
const work = (length: number): number => 24 * length * d175 ** 2 + 4 * length ** 2 * d175;
const moved = (length: number): number => 24 * d175 ** 2 + 8 * 32 * length * d175;

function switchAt(stage: "prefill" | "decode"): number {
  const work = { stage, width: d175, length: 128 };
  return present(switches(liaMachines["spr-a100"], work, "hidden", 1, 2000)[1]?.tokens);
}

/**
 * IPEX at one sequence: 32 reads of the weights at the CPU's GEMV rate (199 GB/s, an operation a byte)
 * and the arithmetic of a prompt of 256 tokens at 20 TFLOPS.
 */
function ipex(): number {
  const weights = decoderBytes(model);
  return (32 * weights) / 199e9 + (256 * weights) / 20e12;
}

export const liaFacts: readonly Fact[] = [
  ...table3Facts,
  fact("lia", "enlarged-gain", {
    where: "table 3",
    what: "throughput gain of the enlarged batch, Lout=32",
    published: 1.45,
    unit: "1",
    tolerance: 0.003,
    value: () => 406.88 / 280.38,
  }),
  fact("lia", "kv-activations", {
    where: "section 3.1",
    what: "KV cache and activations, OPT-175B, B=32, L=1024",
    published: 145,
    unit: "GiB",
    tolerance: 0.005,
    value: () => (cacheBytes("opt-175b", 32, 1024) + 2 * 32 * 1024 * d175) / gib,
  }),
  fact("lia", "compute-growth", {
    where: "section 3.1",
    what: "growth of compute, L 64 to 1024",
    published: 16.2,
    unit: "1",
    tolerance: 0.005,
    value: () => work(1024) / work(64),
  }),
  fact("lia", "transfer-growth", {
    where: "section 3.1",
    what: "growth of transfer, L 64 to 1024, B=32",
    published: 1.8,
    unit: "1",
    tolerance: 0.01,
    value: () => moved(1024) / moved(64),
  }),
  fact("lia", "memory-1", {
    where: "section 1",
    what: "OPT-175B memory at B=1, L=1024",
    published: 330,
    unit: "GiB",
    tolerance: 0.01,
    value: () => (decoderBytes("opt-175b") + cacheBytes("opt-175b", 1, 1024)) / gib,
  }),
  fact("lia", "memory-256", {
    where: "section 1",
    what: "OPT-175B memory at B=256, L=1024",
    published: 1.6,
    unit: "TB",
    tolerance: 0.015,
    value: () => (decoderBytes("opt-175b") + cacheBytes("opt-175b", 256, 1024)) / 1e12,
  }),
  fact("lia", "memory-1024", {
    where: "section 6",
    what: "OPT-175B memory at B=1024, L=256",
    published: 1.4,
    unit: "TiB",
    tolerance: 0.035,
    value: () => (decoderBytes("opt-175b") + cacheBytes("opt-175b", 1024, 256)) / tib,
  }),
  fact("lia", "transfer", {
    where: "section 1",
    what: "OPT-175B transfer time on PCIe 5.0 at 64 GB/s",
    published: 5,
    unit: "s",
    tolerance: 0.1,
    value: () => decoderBytes("opt-175b") / 64e9,
  }),
  fact("lia", "resident", {
    where: "section 5.2",
    what: "share of OPT-30B layers resident in 35 GB",
    published: 62,
    unit: "%",
    tolerance: 0.01,
    value: () => (100 * Math.floor((35 * gib) / (decoderBytes(model) / 48))) / 48,
  }),
  fact("lia", "layer", {
    where: "section 5.2",
    what: "OPT-30B decoder layer",
    published: 1.2,
    unit: "GB",
    tolerance: 0.03,
    value: () => decoderBytes(model) / 48 / 1e9,
  }),
  fact("lia", "sublayer", {
    where: "section 5.2",
    what: "one sublayer of all OPT-30B layers",
    published: 4.7,
    unit: "GB",
    tolerance: 0.06,
    value: () => decoderBytes(model) / 12 / 1e9,
  }),
  ...breakdown.map(([batch, total, cpu, gpu, com]) =>
    fact("lia", `overlap-${batch}`, {
      where: "tables 4 and 5",
      what: `overlapped total from the breakdown, OPT-30B B=${batch}: CPU + max(GPU, transfer)`,
      published: total,
      unit: "s",
      tolerance: 0.03,
      value: () => cpu + Math.max(gpu, com),
    }),
  ),
  fact("lia", "ipex-1", {
    where: "table 5",
    what: "IPEX B=1 latency, OPT-30B",
    published: 10.2,
    unit: "s",
    tolerance: 0.02,
    value: ipex,
  }),
  fact("lia", "amx-peak", {
    where: "section 4.1",
    what: "SPR AMX peak: 40 x 1024 x 2.2 GHz",
    published: 90.1,
    unit: "TFLOPS",
    tolerance: 0.001,
    value: () => (40 * 1024 * 2.2e9) / 1e12,
  }),
  fact("lia", "ddr-peak", {
    where: "section 4.2",
    what: "SPR peak bandwidth 8 x DDR5-4800",
    published: 307.2,
    unit: "GB/s",
    tolerance: 1e-9,
    value: () => 8 * 4.8 * 8,
  }),
  fact("lia", "ddr-cost", {
    where: "section 8",
    what: "memory cost DDR only, 560 GB at 11.25 $/GB",
    published: 6300,
    unit: "$",
    tolerance: 0.01,
    value: () => 560 * 11.25,
  }),
  fact("lia", "cxl-cost", {
    where: "section 8",
    what: "memory cost half CXL, 560 GB at 5.60 $/GB",
    published: 3200,
    unit: "$",
    tolerance: 0.03,
    value: () => 560 * 5.6,
  }),
  fact("lia", "a100-gemm", {
    where: "table 2 / text",
    what: "A100 GEMM implied by SPR 20 TFLOPS = 7 % (used for th_gpu)",
    published: null,
    unit: "TFLOPS",
    tolerance: 0,
    value: () => 20 / 0.07,
  }),
  fact("lia", "decode-switch", {
    where: "section 7.1",
    what: "decode switch full CPU -> partial, OPT-175B, effective SPR-A100",
    published: 858,
    unit: "1",
    tolerance: 0.002,
    value: () => switchAt("decode"),
  }),
  fact("lia", "prefill-switch", {
    where: "section 7.1",
    what: "prefill switch BL full CPU -> full GPU, OPT-175B, effective SPR-A100",
    published: 850,
    unit: "1",
    tolerance: 0.015,
    value: () => switchAt("prefill"),
  }),
];
