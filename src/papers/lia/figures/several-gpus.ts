// SPDX-License-Identifier: Apache-2.0
// LIA on a host with several GPUs (section 8): tensor parallelism of the sublayers that a policy assigns to the GPU.
// The paper prints two claims and no numbers.

import { liaHosts, type LiaMachine } from "../../experiment/machines.ts";
import { bytesPerSecond, flopsPerSecond, seconds } from "../../../base/units.ts";
import { lines } from "../../experiment/chart.ts";
import type { Experiment } from "../../experiment/experiment.ts";
import { compareStatement } from "../../experiment/finding.ts";
import { between } from "../../experiment/internal-check.ts";
import { onCpu, type PolicyBits } from "../model/cost.ts";
import { planSystem } from "../policy/plan.ts";
import type { LiaJob, LiaRun } from "../policy/run.ts";
import { calibratedPcie4, job, paperLab } from "./lab.ts";
import { layerSpans } from "./timeline.ts";

/** NVLink 3 of a DGX A100 in one direction, or the PCIe 4.0 that also loads weights; a reduction has no serving system. */
const joins = {
  NVLink: bytesPerSecond(300e9),
  "PCIe 4.0": bytesPerSecond(calibratedPcie4),
} as const;
type Join = keyof typeof joins;
const reduction = seconds(20e-6);
const counts = [1, 2, 4, 8] as const;
const batches = [1, 64, 256, 900];

const workOf = (batch: number): LiaJob => job("opt-175b", batch, 256, 32);

/** SPR with so many A100 at the rates of the equations. */
function ratesOf(count: number, join: Join): LiaMachine {
  const one = paperLab.machine("spr-a100");
  if (count === 1) return one;
  return {
    ...one,
    pcie: bytesPerSecond(Math.min(count * one.pcie, one.cpuBandwidth)),
    gpuBandwidth: bytesPerSecond(count * one.gpuBandwidth),
    gpuRate: flopsPerSecond(count * one.gpuRate),
    group: { count, link: joins[join], reduction },
  };
}

/** OPT-175B on such a machine. */
function run(count: number, join: Join, batch: number): LiaRun {
  const host = liaHosts["spr-a100"];
  const rates = ratesOf(count, join);
  const { group } = rates;
  const work = workOf(batch);
  const reading = { rates: () => rates, room: () => 1, hostMemory: "as large as needed" } as const;
  return planSystem("LIA", group === undefined ? host : { ...host, group }, work, reading).run;
}

/** Sublayers that both phases compute on the GPU. */
function onGpu(...policies: readonly PolicyBits[]): number {
  const all = [0, 1, 2, 3, 4, 5];
  return policies.reduce((sum, policy) => sum + all.filter((i) => !onCpu(policy, i)).length, 0);
}

export const severalGpus: Experiment = {
  id: "lia/several-gpus",
  paper: "lia",
  title: "LIA with several GPUs (section 8), OPT-175B",
  run: () => {
    const sublayers = (count: number): number =>
      batches.reduce((sum, batch) => {
        const { prefill, decode } = run(count, "NVLink", batch);
        return sum + onGpu(prefill.policy, decode.policy);
      }, 0);
    const scaling = (join: Join): number =>
      run(8, join, 900).throughput / run(1, join, 900).throughput;
    const note =
      "the paper has no numbers; SPR with A100, prompts of 256 tokens and outputs of 32 tokens";
    return {
      findings: [
        compareStatement("sublayers on the GPU with 8 GPUs over those with one, at four batches", {
          statement: "more often",
          ours: sublayers(8) / sublayers(1),
          unit: "x",
          range: [1.0001, Infinity],
          note,
        }),
        compareStatement("gain in throughput from 8 GPUs, over PCIe against over NVLink, B 900", {
          statement: "reduced",
          ours: scaling("PCIe 4.0") / scaling("NVLink"),
          unit: "x",
          range: [0, 0.9999],
          note,
        }),
      ],
      checks: [
        between(
          "one GPU of a group over LIA's own host, throughput at B 900",
          run(1, "NVLink", 900).throughput / paperLab.lia("spr-a100", workOf(900)).throughput,
          "x",
          [0.999999, 1.000001],
        ),
      ],
      blocks: [
        lines(
          {
            id: "several-gpus",
            caption: "OPT-175B under LIA on SPR with A100, B 900, 256 in and 32 out.",
            xTitle: "GPUs",
            yTitle: "throughput",
            unit: "token/s",
            logX: true,
          },
          (Object.keys(joins) as readonly Join[]).flatMap((join) =>
            counts.map((x) => ({ x, series: join, y: run(x, join, 900).throughput })),
          ),
        ),
      ],
      timeline: (Object.keys(joins) as readonly Join[]).flatMap((join) =>
        layerSpans(`8 GPUs, ${join}, B 900`, ratesOf(8, join), workOf(900), run(8, join, 900)),
      ),
    };
  },
};
