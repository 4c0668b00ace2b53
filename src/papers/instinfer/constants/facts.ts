// SPDX-License-Identifier: Apache-2.0
// InstInfer: figures that follow from others.

import { fact, type Fact } from "../../experiment/fact.ts";
import { cacheBytes, gib, parameterBytes, tib } from "../../experiment/sizes.ts";

const model = "opt-13b";
const page = 4096;
const head = 128;

/** The serial share in per cent, if n devices have a speed-up (Amdahl). */
function serialShare(speedUp: number, n: number): number {
  return (100 * (n / speedUp - 1)) / (n - 1);
}

/** Table I: resources of each kernel, resources of the FPGA, and the printed share. */
const resources = [
  ["LUT", [99.2, 5.83, 58.332, 7.99, 4.12], 218.6, 80.27],
  ["FF", [207.3, 3.87, 27.8, 12.45, 6.17], 437.2, 58.92],
  ["BRAM", [96, 24, 96, 27.5, 7.5], 545, 46.06],
  ["DSP", [768], 900, 85.33],
] as const;

const resourceFacts = resources.map(([name, used, available, percent]) =>
  fact("instinfer", `fpga-${name.toLowerCase()}`, {
    where: "table I",
    what: `${name} utilisation from the rows`,
    published: percent,
    unit: "%",
    tolerance: 2e-4,
    value: () => (100 * used.reduce((a: number, b) => a + b, 0)) / available,
  }),
);

export const instInferFacts: readonly Fact[] = [
  ...resourceFacts,
  fact("instinfer", "kv-32", {
    where: "section I",
    what: "OPT-13B KV at B=32, 4K tokens",
    published: 100,
    unit: "GiB",
    tolerance: 0.001,
    value: () => cacheBytes(model, 32, 4096) / gib,
  }),
  fact("instinfer", "kv-over-weights", {
    where: "section I",
    what: "that KV over the weights",
    published: 4.2,
    unit: "1",
    tolerance: 0.01,
    value: () => cacheBytes(model, 32, 4096) / parameterBytes(model),
  }),
  fact("instinfer", "kv-128", {
    where: "section III-A",
    what: "OPT-13B KV at B=128, 2K tokens",
    published: 200,
    unit: "GiB",
    tolerance: 0.001,
    value: () => cacheBytes(model, 128, 2048) / gib,
  }),
  fact("instinfer", "weights", {
    where: "section III-A",
    what: "OPT-13B weights",
    published: 24,
    unit: "GiB",
    tolerance: 0.003,
    value: () => parameterBytes(model) / gib,
  }),
  fact("instinfer", "weights-175b", {
    where: "section III-A",
    what: "OPT-175B weights",
    published: 325,
    unit: "GiB",
    tolerance: 0.003,
    value: () => parameterBytes("opt-175b") / gib,
  }),
  fact("instinfer", "kv-175b", {
    where: "section III-A",
    what: "OPT-175B KV at B=128, 2K tokens",
    published: 2.63,
    unit: "TiB",
    tolerance: 0.01,
    value: () => cacheBytes("opt-175b", 128, 2048) / tib,
  }),
  fact("instinfer", "tokens-a-page", {
    where: "section IV-C",
    what: "tokens per page",
    published: 16,
    unit: "1",
    tolerance: 1e-9,
    value: () => page / (2 * head),
  }),
  fact("instinfer", "tokens-m8", {
    where: "section IV-C",
    what: "tokens per page per embedding, m=8",
    published: 256,
    unit: "1",
    tolerance: 1e-9,
    value: () => page / (2 * 8),
  }),
  fact("instinfer", "tokens-m2", {
    where: "section IV-C",
    what: "tokens per page per embedding, m=2 and m=8 (256 to 1K)",
    published: 1024,
    unit: "1",
    tolerance: 1e-9,
    value: () => page / (2 * 2),
  }),
  fact("instinfer", "footprint", {
    where: "section II-B",
    what: "KV footprint with K stored twice",
    published: 1.5,
    unit: "1",
    tolerance: 1e-9,
    value: () => (2 + 1) / 2,
  }),
  fact("instinfer", "traffic", {
    where: "section II-B/VI-A",
    what: "SparQ traffic ratio with r=16, k=128, S=2048, d=128",
    published: 0.125,
    unit: "1",
    tolerance: 1e-9,
    value: () => 16 / 256 + 128 / 2048,
  }),
  fact("instinfer", "channels", {
    where: "section V",
    what: "flash bandwidth: 8 channels x 1.4 GB/s",
    published: 11.2,
    unit: "GB/s",
    tolerance: 1e-9,
    value: () => 8 * 1.4,
  }),
  fact("instinfer", "over-flexgen", {
    where: "section VI-C, D",
    what: "InstI over FlexGen at bs=64 from the breakdown: 0.807/(0.119 x 0.989)",
    published: 6.85,
    unit: "1",
    tolerance: 0.01,
    value: () => 0.807 / (0.119 * 0.989),
  }),
  fact("instinfer", "two-csd", {
    where: "section VI-D",
    what: "KV time of one CSD over two: 11.9 % / 6.0 %",
    published: 2,
    unit: "1",
    tolerance: 0.02,
    value: () => (1 - 0.881) / (1 - 0.94),
  }),
  fact("instinfer", "ssd-path", {
    where: "section VI-D",
    what: "effective SSD path of FlexGen: 11.2 x 0.119",
    published: null,
    unit: "GB/s",
    tolerance: 0,
    value: () => 11.2 * 0.119,
  }),
  fact("instinfer", "drop", {
    where: "section III-A / VI-C",
    what: "97.01 % drop as a ratio against 32.6x",
    published: 32.6,
    unit: "1",
    tolerance: 0.03,
    value: () => 1 / (1 - 0.9701),
  }),
  fact("instinfer", "serial-dense", {
    where: "figure 17a",
    what: "serial share of 20 CSDs at 8.99x dense",
    published: null,
    unit: "%",
    tolerance: 0,
    value: () => serialShare(8.99, 20),
  }),
  fact("instinfer", "serial-sparse", {
    where: "figure 17a",
    what: "serial share of 20 CSDs at 7.29x sparse",
    published: null,
    unit: "%",
    tolerance: 0,
    value: () => serialShare(7.29, 20),
  }),
];
