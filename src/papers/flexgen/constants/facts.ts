// SPDX-License-Identifier: Apache-2.0
// FlexGen: figures that follow from others, and throughputs of its cost model.

import { bytes } from "../../../base/units.ts";
import { evaluate } from "../model/evaluate.ts";
import { flexGenModel, machineOf, placed, publishedRun } from "./published.ts";
import { scheduleCost } from "../model/schedule.ts";
import { fact, type Fact } from "../../experiment/fact.ts";
import { cacheBytes, decoderBytes, gib, tib } from "../../experiment/sizes.ts";

/** A published run's tokens a second by the released cost model. */
function throughputOf(
  name: "opt-30b" | "opt-175b",
  prompt: number,
  block: readonly [number, number],
  [wg, wc]: readonly [number, number],
): number {
  const placement = placed(wg, wc, name === "opt-175b" ? "disk" : "cpu");
  const run = publishedRun(name, prompt, block, placement);
  return evaluate("runtime", machineOf(run), flexGenModel(name), run.load, placement).throughput;
}

/** Cache bytes that decode reads from disk in table 4's run, over its 7046 s. */
const diskRead = cacheBytes("opt-175b", 256, 1) * (512 + 16) * 31;
const prefillWork = 256 * 96 * 24 * 512 * 12288 ** 2;

export const flexGenFacts: readonly Fact[] = [
  fact(
    "flexgen",
    "weights",
    "section 3",
    "OPT-175B weights",
    [325, "GiB", 0.004],
    () => decoderBytes("opt-175b") / gib,
  ),
  fact(
    "flexgen",
    "kv",
    "section 3",
    "KV at b=512, s=512, n=32",
    [1.2, "TiB", 0.005],
    () => cacheBytes("opt-175b", 512, 544) / tib,
  ),
  fact(
    "flexgen",
    "kv-over-weights",
    "section 3",
    "KV over the weights",
    [3.8, "1", 0.01],
    () => cacheBytes("opt-175b", 512, 544) / decoderBytes("opt-175b"),
  ),
  fact(
    "flexgen",
    "no-overlap",
    "tables 4 and 5",
    "throughput without overlap: 8192 / (2711 + 11315)",
    [0.59, "token/s", 0.015],
    () => 8192 / (2711 + 11315),
  ),
  fact(
    "flexgen",
    "prefill-use",
    "section 6.1",
    "GPU utilisation in prefill: 2220 / 2711",
    [82, "%", 0.005],
    () => (100 * 2220) / 2711,
  ),
  fact(
    "flexgen",
    "decode-use",
    "section 6.1",
    "GPU utilisation in decode: 1498 / 11315",
    [13, "%", 0.02],
    () => (100 * 1498) / 11315,
  ),
  fact(
    "flexgen",
    "gain",
    "section 6.1",
    "OPT-175B over the baselines: 0.69 / 0.01",
    [69, "1", 1e-9],
    () => 0.69 / 0.01,
  ),
  fact(
    "flexgen",
    "gain-compressed",
    "section 6.1",
    "with compression: 1.12 / 0.01",
    [112, "1", 1e-9],
    () => 1.12 / 0.01,
  ),
  fact(
    "flexgen",
    "t4-dollar",
    "section 6.3",
    "tokens per dollar on the T4 (cost rounded to $0.05)",
    [49680, "token/$", 1e-9],
    () => (3600 * 0.69) / 0.05,
  ),
  fact(
    "flexgen",
    "a100-dollar",
    "section 6.3",
    "tokens per dollar on 8xA100",
    [12142, "token/$", 0.001],
    () => 497355 / 40.96,
  ),
  fact(
    "flexgen",
    "dollar-ratio",
    "section 6.3",
    "ratio of tokens per dollar",
    [4.2, "1", 0.03],
    () => 49680 / 12142.4560546875,
  ),
  fact(
    "flexgen",
    "disk-read",
    "table 4",
    "effective disk read rate behind Cache (R) = 7046 s",
    [null, "GB/s", 0],
    () => diskRead / 7046 / 1e9,
  ),
  fact(
    "flexgen",
    "prefill-rate",
    "table 4",
    "prefill compute rate behind 2220 s",
    [null, "TFLOPS", 0],
    () => prefillWork / 2220 / 1e12,
  ),
  fact(
    "flexgen",
    "175b-512",
    "tables 2 and 5",
    "175B prompt 512 (32x8), disk read of table 4",
    [0.69, "token/s", 0.02],
    () => throughputOf("opt-175b", 512, [32, 8], [0, 0.5]),
  ),
  fact(
    "flexgen",
    "175b-512-32x1",
    "table 5",
    "175B no policy search (32x1), same constants",
    [0.27, "token/s", 0.05],
    () => throughputOf("opt-175b", 512, [32, 1], [0, 0.5]),
  ),
  fact(
    "flexgen",
    "175b-256",
    "release",
    "175B prompt 256 (64x8), same constants",
    [1.36, "token/s", 0.02],
    () => throughputOf("opt-175b", 256, [64, 8], [0, 0.5]),
  ),
  fact(
    "flexgen",
    "175b-1024",
    "table 2",
    "175B prompt 1024 (12x12), same constants",
    [0.35, "token/s", 0.02],
    () => throughputOf("opt-175b", 1024, [12, 12], [0, 0.5]),
  ),
  fact(
    "flexgen",
    "30b-512",
    "table 2",
    "30B prompt 512 (48x3, 20/80), public T4 constants",
    [7.32, "token/s", 0.03],
    () => throughputOf("opt-30b", 512, [48, 3], [0.2, 0.8]),
  ),
  fact(
    "flexgen",
    "30b-512-0",
    "table 5",
    "30B no policy search (48x3, 0/100), public T4 constants",
    [6.93, "token/s", 0.02],
    () => throughputOf("opt-30b", 512, [48, 3], [0, 1]),
  ),
  fact(
    "flexgen",
    "30b-1024",
    "table 2",
    "30B prompt 1024 (20x4, 4/96), public T4 constants",
    [3.5, "token/s", 0.04],
    () => throughputOf("opt-30b", 1024, [20, 4], [0.04, 0.96]),
  ),
  fact(
    "flexgen",
    "diagonal",
    "appendix A.2",
    "zig-zag to diagonal batch ratio, s=512, n=32",
    [null, "1", 0],
    () => scheduleCost(flexGenModel("opt-175b"), 512, 32, 1, bytes(gib)).limit,
  ),
  fact(
    "flexgen",
    "frontier",
    "figure 1",
    "latency of an effective batch of 256: 8192 / 0.69",
    [12000, "s", 0.015],
    () => 8192 / 0.69,
  ),
  fact(
    "flexgen",
    "scaling",
    "table 3",
    "decode throughput of 4 GPUs over 1, 175B",
    [null, "1", 0],
    () => 3.86 / 0.83,
  ),
  fact(
    "flexgen",
    "compression",
    "table 2",
    "compression gain, 175B prompt 512",
    [null, "1", 0],
    () => 1.12 / 0.69,
  ),
];
