// SPDX-License-Identifier: Apache-2.0
// LIA: figures that follow from others.

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
  fact(
    "lia",
    `share-${output}`,
    "table 3",
    `OPT-30B parameter share of memory, B=900, Lin=32, Lout=${output}`,
    [percent, "%", 0.006],
    () => share(900, output),
  ),
  fact(
    "lia",
    `share-enlarged-${output}`,
    "table 3",
    `same at the enlarged batch B=${batch}`,
    [percentEnlarged, "%", 0.006],
    () => share(batch, output),
  ),
  fact(
    "lia",
    `enlarged-${output}`,
    "table 3 note 6",
    `enlarged B for the same DDR footprint, Lout=${output}`,
    [batch, "1", 0.025],
    () => enlarged(output),
  ),
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
  return switches(liaMachines["spr-a100"], work, "hidden", 1, 2000)[1]?.tokens ?? NaN;
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
  fact(
    "lia",
    "enlarged-gain",
    "table 3",
    "throughput gain of the enlarged batch, Lout=32",
    [1.45, "1", 0.003],
    () => 406.88 / 280.38,
  ),
  fact(
    "lia",
    "kv-activations",
    "section 3.1",
    "KV cache and activations, OPT-175B, B=32, L=1024",
    [145, "GiB", 0.005],
    () => (cacheBytes("opt-175b", 32, 1024) + 2 * 32 * 1024 * d175) / gib,
  ),
  fact(
    "lia",
    "compute-growth",
    "section 3.1",
    "growth of compute, L 64 to 1024",
    [16.2, "1", 0.005],
    () => work(1024) / work(64),
  ),
  fact(
    "lia",
    "transfer-growth",
    "section 3.1",
    "growth of transfer, L 64 to 1024, B=32",
    [1.8, "1", 0.01],
    () => moved(1024) / moved(64),
  ),
  fact(
    "lia",
    "memory-1",
    "section 1",
    "OPT-175B memory at B=1, L=1024",
    [330, "GiB", 0.01],
    () => (decoderBytes("opt-175b") + cacheBytes("opt-175b", 1, 1024)) / gib,
  ),
  fact(
    "lia",
    "memory-256",
    "section 1",
    "OPT-175B memory at B=256, L=1024",
    [1.6, "TB", 0.015],
    () => (decoderBytes("opt-175b") + cacheBytes("opt-175b", 256, 1024)) / 1e12,
  ),
  fact(
    "lia",
    "memory-1024",
    "section 6",
    "OPT-175B memory at B=1024, L=256",
    [1.4, "TiB", 0.035],
    () => (decoderBytes("opt-175b") + cacheBytes("opt-175b", 1024, 256)) / tib,
  ),
  fact(
    "lia",
    "transfer",
    "section 1",
    "OPT-175B transfer time on PCIe 5.0 at 64 GB/s",
    [5, "s", 0.1],
    () => decoderBytes("opt-175b") / 64e9,
  ),
  fact(
    "lia",
    "resident",
    "section 5.2",
    "share of OPT-30B layers resident in 35 GB",
    [62, "%", 0.01],
    () => (100 * Math.floor((35 * gib) / (decoderBytes(model) / 48))) / 48,
  ),
  fact(
    "lia",
    "layer",
    "section 5.2",
    "OPT-30B decoder layer",
    [1.2, "GB", 0.03],
    () => decoderBytes(model) / 48 / 1e9,
  ),
  fact(
    "lia",
    "sublayer",
    "section 5.2",
    "one sublayer of all OPT-30B layers",
    [4.7, "GB", 0.06],
    () => decoderBytes(model) / 12 / 1e9,
  ),
  ...breakdown.map(([batch, total, cpu, gpu, com]) =>
    fact(
      "lia",
      `overlap-${batch}`,
      "tables 4 and 5",
      `overlapped total from the breakdown, OPT-30B B=${batch}: CPU + max(GPU, transfer)`,
      [total, "s", 0.03],
      () => cpu + Math.max(gpu, com),
    ),
  ),
  fact("lia", "ipex-1", "table 5", "IPEX B=1 latency, OPT-30B", [10.2, "s", 0.02], ipex),
  fact(
    "lia",
    "amx-peak",
    "section 4.1",
    "SPR AMX peak: 40 x 1024 x 2.2 GHz",
    [90.1, "TFLOPS", 0.001],
    () => (40 * 1024 * 2.2e9) / 1e12,
  ),
  fact(
    "lia",
    "ddr-peak",
    "section 4.2",
    "SPR peak bandwidth 8 x DDR5-4800",
    [307.2, "GB/s", 1e-9],
    () => 8 * 4.8 * 8,
  ),
  fact(
    "lia",
    "ddr-cost",
    "section 8",
    "memory cost DDR only, 560 GB at 11.25 $/GB",
    [6300, "$", 0.01],
    () => 560 * 11.25,
  ),
  fact(
    "lia",
    "cxl-cost",
    "section 8",
    "memory cost half CXL, 560 GB at 5.60 $/GB",
    [3200, "$", 0.03],
    () => 560 * 5.6,
  ),
  fact(
    "lia",
    "a100-gemm",
    "table 2 / text",
    "A100 GEMM implied by SPR 20 TFLOPS = 7 % (used for th_gpu)",
    [null, "TFLOPS", 0],
    () => 20 / 0.07,
  ),
  fact(
    "lia",
    "decode-switch",
    "section 7.1",
    "decode switch full CPU -> partial, OPT-175B, effective SPR-A100",
    [858, "1", 0.002],
    () => switchAt("decode"),
  ),
  fact(
    "lia",
    "prefill-switch",
    "section 7.1",
    "prefill switch BL full CPU -> full GPU, OPT-175B, effective SPR-A100",
    [850, "1", 0.015],
    () => switchAt("prefill"),
  ),
];
