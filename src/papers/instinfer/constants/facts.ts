// SPDX-License-Identifier: Apache-2.0
// InstInfer: figures that follow from others.

import { fact, type Fact } from "../../experiment/fact.ts";
import { cacheBytes, gib, parameterBytes, tib } from "../../experiment/sizes.ts";

const model = "opt-13b";
const page = 4096;
const head = 128;

/** The share that does not speed up when n devices give a speed-up (Amdahl). */
function serialShare(speedUp: number, n: number): number {
  return (100 * (n / speedUp - 1)) / (n - 1);
}

/** Table I: what each kernel takes of the FPGA, what there is, and the printed share. */
const resources = [
  ["LUT", [99.2, 5.83, 58.332, 7.99, 4.12], 218.6, 80.27],
  ["FF", [207.3, 3.87, 27.8, 12.45, 6.17], 437.2, 58.92],
  ["BRAM", [96, 24, 96, 27.5, 7.5], 545, 46.06],
  ["DSP", [768], 900, 85.33],
] as const;

const resourceFacts = resources.map(([name, used, available, percent]) =>
  fact(
    "instinfer",
    `fpga-${name.toLowerCase()}`,
    "table I",
    `${name} utilisation from the rows`,
    [percent, "%", 2e-4],
    () => (100 * used.reduce((a: number, b) => a + b, 0)) / available,
  ),
);

export const instInferFacts: readonly Fact[] = [
  ...resourceFacts,
  fact(
    "instinfer",
    "kv-32",
    "section I",
    "OPT-13B KV at B=32, 4K tokens",
    [100, "GiB", 0.001],
    () => cacheBytes(model, 32, 4096) / gib,
  ),
  fact(
    "instinfer",
    "kv-over-weights",
    "section I",
    "that KV over the weights",
    [4.2, "1", 0.01],
    () => cacheBytes(model, 32, 4096) / parameterBytes(model),
  ),
  fact(
    "instinfer",
    "kv-128",
    "section III-A",
    "OPT-13B KV at B=128, 2K tokens",
    [200, "GiB", 0.001],
    () => cacheBytes(model, 128, 2048) / gib,
  ),
  fact(
    "instinfer",
    "weights",
    "section III-A",
    "OPT-13B weights",
    [24, "GiB", 0.003],
    () => parameterBytes(model) / gib,
  ),
  fact(
    "instinfer",
    "weights-175b",
    "section III-A",
    "OPT-175B weights",
    [325, "GiB", 0.003],
    () => parameterBytes("opt-175b") / gib,
  ),
  fact(
    "instinfer",
    "kv-175b",
    "section III-A",
    "OPT-175B KV at B=128, 2K tokens",
    [2.63, "TiB", 0.01],
    () => cacheBytes("opt-175b", 128, 2048) / tib,
  ),
  fact(
    "instinfer",
    "tokens-a-page",
    "section IV-C",
    "tokens per page",
    [16, "1", 1e-9],
    () => page / (2 * head),
  ),
  fact(
    "instinfer",
    "tokens-m8",
    "section IV-C",
    "tokens per page per embedding, m=8",
    [256, "1", 1e-9],
    () => page / (2 * 8),
  ),
  fact(
    "instinfer",
    "tokens-m2",
    "section IV-C",
    "tokens per page per embedding, m=2 and m=8 (256 to 1K)",
    [1024, "1", 1e-9],
    () => page / (2 * 2),
  ),
  fact(
    "instinfer",
    "footprint",
    "section II-B",
    "KV footprint with K stored twice",
    [1.5, "1", 1e-9],
    () => (2 + 1) / 2,
  ),
  fact(
    "instinfer",
    "traffic",
    "section II-B/VI-A",
    "SparQ traffic ratio with r=16, k=128, S=2048, d=128",
    [0.125, "1", 1e-9],
    () => 16 / 256 + 128 / 2048,
  ),
  fact(
    "instinfer",
    "channels",
    "section V",
    "flash bandwidth: 8 channels x 1.4 GB/s",
    [11.2, "GB/s", 1e-9],
    () => 8 * 1.4,
  ),
  fact(
    "instinfer",
    "over-flexgen",
    "section VI-C, D",
    "InstI over FlexGen at bs=64 from the breakdown: 0.807/(0.119 x 0.989)",
    [6.85, "1", 0.01],
    () => 0.807 / (0.119 * 0.989),
  ),
  fact(
    "instinfer",
    "two-csd",
    "section VI-D",
    "KV time of one CSD over two: 11.9 % / 6.0 %",
    [2, "1", 0.02],
    () => (1 - 0.881) / (1 - 0.94),
  ),
  fact(
    "instinfer",
    "ssd-path",
    "section VI-D",
    "effective SSD path of FlexGen: 11.2 x 0.119",
    [null, "GB/s", 0],
    () => 11.2 * 0.119,
  ),
  fact(
    "instinfer",
    "drop",
    "section III-A / VI-C",
    "97.01 % drop as a ratio against 32.6x",
    [32.6, "1", 0.03],
    () => 1 / (1 - 0.9701),
  ),
  fact(
    "instinfer",
    "serial-dense",
    "figure 17a",
    "serial share of 20 CSDs at 8.99x dense",
    [null, "%", 0],
    () => serialShare(8.99, 20),
  ),
  fact(
    "instinfer",
    "serial-sparse",
    "figure 17a",
    "serial share of 20 CSDs at 7.29x sparse",
    [null, "%", 0],
    () => serialShare(7.29, 20),
  ),
];
