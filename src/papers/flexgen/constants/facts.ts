// SPDX-License-Identifier: Apache-2.0
// FlexGen: figures that follow from others, and throughputs of its cost model.

import { bytes } from "../../../base/units.ts";
import { evaluate } from "../model/evaluate.ts";
import { flexGenModel, machineOf, placed, publishedRun } from "./published.ts";
import { scheduleCost } from "../model/schedule.ts";
import { fact, type Fact } from "../../experiment/fact.ts";
import { cacheBytes, decoderBytes, gib, tib } from "../../experiment/sizes.ts";

/** A published run's tokens per second by the released cost model. */
function throughputOf(
  name: "opt-30b" | "opt-175b",
  prompt: number,
  block: readonly [number, number],
  [wg, wc]: readonly [number, number],
): number {
  const placement = placed(wg, wc, name === "opt-175b" ? "disk" : "cpu");
  const run = publishedRun(name, prompt, block, placement);
  return evaluate({
    variant: "runtime",
    machine: machineOf(run),
    model: flexGenModel(name),
    load: run.load,
    placement,
  }).throughput;
}

/** Cache bytes that decode reads from disk in table 4's run, over its 7046 s. */
const diskRead = cacheBytes("opt-175b", 256, 1) * (512 + 16) * 31;
const prefillWork = 256 * 96 * 24 * 512 * 12288 ** 2;

export const flexGenFacts: readonly Fact[] = [
  fact("flexgen", "weights", {
    where: "section 3",
    what: "OPT-175B weights",
    published: 325,
    unit: "GiB",
    tolerance: 0.004,
    value: () => decoderBytes("opt-175b") / gib,
  }),
  fact("flexgen", "kv", {
    where: "section 3",
    what: "KV at b=512, s=512, n=32",
    published: 1.2,
    unit: "TiB",
    tolerance: 0.005,
    value: () => cacheBytes("opt-175b", 512, 544) / tib,
  }),
  fact("flexgen", "kv-over-weights", {
    where: "section 3",
    what: "KV over the weights",
    published: 3.8,
    unit: "1",
    tolerance: 0.01,
    value: () => cacheBytes("opt-175b", 512, 544) / decoderBytes("opt-175b"),
  }),
  fact("flexgen", "no-overlap", {
    where: "tables 4 and 5",
    what: "throughput without overlap: 8192 / (2711 + 11315)",
    published: 0.59,
    unit: "token/s",
    tolerance: 0.015,
    value: () => 8192 / (2711 + 11315),
  }),
  fact("flexgen", "prefill-use", {
    where: "section 6.1",
    what: "GPU utilisation in prefill: 2220 / 2711",
    published: 82,
    unit: "%",
    tolerance: 0.005,
    value: () => (100 * 2220) / 2711,
  }),
  fact("flexgen", "decode-use", {
    where: "section 6.1",
    what: "GPU utilisation in decode: 1498 / 11315",
    published: 13,
    unit: "%",
    tolerance: 0.02,
    value: () => (100 * 1498) / 11315,
  }),
  fact("flexgen", "gain", {
    where: "section 6.1",
    what: "OPT-175B over the baselines: 0.69 / 0.01",
    published: 69,
    unit: "1",
    tolerance: 1e-9,
    value: () => 0.69 / 0.01,
  }),
  fact("flexgen", "gain-compressed", {
    where: "section 6.1",
    what: "with compression: 1.12 / 0.01",
    published: 112,
    unit: "1",
    tolerance: 1e-9,
    value: () => 1.12 / 0.01,
  }),
  fact("flexgen", "t4-dollar", {
    where: "section 6.3",
    what: "tokens per dollar on the T4 (cost rounded to $0.05)",
    published: 49680,
    unit: "token/$",
    tolerance: 1e-9,
    value: () => (3600 * 0.69) / 0.05,
  }),
  fact("flexgen", "a100-dollar", {
    where: "section 6.3",
    what: "tokens per dollar on 8xA100",
    published: 12142,
    unit: "token/$",
    tolerance: 0.001,
    value: () => 497355 / 40.96,
  }),
  fact("flexgen", "dollar-ratio", {
    where: "section 6.3",
    what: "ratio of tokens per dollar",
    published: 4.2,
    unit: "1",
    tolerance: 0.03,
    value: () => 49680 / 12142.4560546875,
  }),
  fact("flexgen", "disk-read", {
    where: "table 4",
    what: "effective disk read rate behind Cache (R) = 7046 s",
    published: null,
    unit: "GB/s",
    tolerance: 0,
    value: () => diskRead / 7046 / 1e9,
  }),
  fact("flexgen", "prefill-rate", {
    where: "table 4",
    what: "prefill compute rate behind 2220 s",
    published: null,
    unit: "TFLOPS",
    tolerance: 0,
    value: () => prefillWork / 2220 / 1e12,
  }),
  fact("flexgen", "175b-512", {
    where: "tables 2 and 5",
    what: "175B prompt 512 (32x8), disk read of table 4",
    published: 0.69,
    unit: "token/s",
    tolerance: 0.02,
    value: () => throughputOf("opt-175b", 512, [32, 8], [0, 0.5]),
  }),
  fact("flexgen", "175b-512-32x1", {
    where: "table 5",
    what: "175B no policy search (32x1), same constants",
    published: 0.27,
    unit: "token/s",
    tolerance: 0.05,
    value: () => throughputOf("opt-175b", 512, [32, 1], [0, 0.5]),
  }),
  fact("flexgen", "175b-256", {
    where: "release",
    what: "175B prompt 256 (64x8), same constants",
    published: 1.36,
    unit: "token/s",
    tolerance: 0.02,
    value: () => throughputOf("opt-175b", 256, [64, 8], [0, 0.5]),
  }),
  fact("flexgen", "175b-1024", {
    where: "table 2",
    what: "175B prompt 1024 (12x12), same constants",
    published: 0.35,
    unit: "token/s",
    tolerance: 0.02,
    value: () => throughputOf("opt-175b", 1024, [12, 12], [0, 0.5]),
  }),
  fact("flexgen", "30b-512", {
    where: "table 2",
    what: "30B prompt 512 (48x3, 20/80), public T4 constants",
    published: 7.32,
    unit: "token/s",
    tolerance: 0.03,
    value: () => throughputOf("opt-30b", 512, [48, 3], [0.2, 0.8]),
  }),
  fact("flexgen", "30b-512-0", {
    where: "table 5",
    what: "30B no policy search (48x3, 0/100), public T4 constants",
    published: 6.93,
    unit: "token/s",
    tolerance: 0.02,
    value: () => throughputOf("opt-30b", 512, [48, 3], [0, 1]),
  }),
  fact("flexgen", "30b-1024", {
    where: "table 2",
    what: "30B prompt 1024 (20x4, 4/96), public T4 constants",
    published: 3.5,
    unit: "token/s",
    tolerance: 0.04,
    value: () => throughputOf("opt-30b", 1024, [20, 4], [0.04, 0.96]),
  }),
  fact("flexgen", "diagonal", {
    where: "appendix A.2",
    what: "zig-zag to diagonal batch ratio, s=512, n=32",
    published: null,
    unit: "1",
    tolerance: 0,
    value: () => scheduleCost(flexGenModel("opt-175b"), 512, 32, 1, bytes(gib)).limit,
  }),
  fact("flexgen", "frontier", {
    where: "figure 1",
    what: "latency of an effective batch of 256: 8192 / 0.69",
    published: 12000,
    unit: "s",
    tolerance: 0.015,
    value: () => 8192 / 0.69,
  }),
  fact("flexgen", "scaling", {
    where: "table 3",
    what: "decode throughput of 4 GPUs over 1, 175B",
    published: null,
    unit: "1",
    tolerance: 0,
    value: () => 3.86 / 0.83,
  }),
  fact("flexgen", "compression", {
    where: "table 2",
    what: "compression gain, 175B prompt 512",
    published: null,
    unit: "1",
    tolerance: 0,
    value: () => 1.12 / 0.69,
  }),
];
