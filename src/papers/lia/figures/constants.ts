// SPDX-License-Identifier: Apache-2.0
// The sensitivity of LIA's policy switches to the link, which was fitted to the first switch, and to
// the rates of sections 4.1 and 4.2.

import type { LiaMachine } from "../../experiment/machines.ts";
import { bytesPerSecond, flopsPerSecond } from "../../../base/units.ts";
import type { Experiment } from "../../experiment/experiment.ts";
import { switchOf } from "./policies.ts";
import { machine } from "./run.ts";
import { constantsExperiment, type Constant, type Headline } from "../../experiment/headline.ts";

const liaMachine = machine("spr-a100");

function constantsOf(stage: "decode" | "prefill", length: number): readonly Constant[] {
  const under = (change: Partial<LiaMachine>): number =>
    switchOf({ ...liaMachine, ...change }, stage, length);
  const gb = (x: number): LiaMachine["pcie"] => bytesPerSecond(x * 1e9);
  const tera = (x: number): LiaMachine["cpuRate"] => flopsPerSecond(x * 1e12);
  return [
    {
      name: "PCIe 4.0",
      unit: "GB/s",
      value: liaMachine.pcie / 1e9,
      range: [14, 25],
      source: "what table 5's rows at B = 900 and B = 1 imply; 32 is nominal",
      run: (x) => under({ pcie: gb(x) }),
    },
    {
      name: "CPU, products",
      unit: "TFLOPS",
      value: liaMachine.cpuRate / 1e12,
      range: [19.5, 20.5],
      source: "20 is printed with two digits (section 4.1)",
      run: (x) => under({ cpuRate: tera(x) }),
    },
    {
      name: "CPU, memory",
      unit: "GB/s",
      value: liaMachine.cpuBandwidth / 1e9,
      range: [199, 260],
      source: "products with one vector, and the memory by itself (section 4.2)",
      run: (x) => under({ cpuBandwidth: gb(x) }),
    },
    {
      name: "A100, products",
      unit: "TFLOPS",
      value: liaMachine.gpuRate / 1e12,
      range: [267, 308],
      source: "20 TFLOPS over 7 %, which is printed with one digit (section 4.1)",
      run: (x) => under({ gpuRate: tera(x) }),
    },
    {
      name: "A100, memory",
      unit: "GB/s",
      value: liaMachine.gpuBandwidth / 1e9,
      range: [1021, 1300],
      source: "199 GB/s over 19.5 %, 260 GB/s over 20 % (section 4.2)",
      run: (x) => under({ gpuBandwidth: gb(x) }),
    },
  ];
}

function headlines(): readonly Headline[] {
  return (
    [
      ["decode", 128, 858, "batch at which decode leaves the CPU", "sequences"],
      ["prefill", 32, 850, "B x L at which prefill leaves the CPU", "tokens"],
    ] as const
  ).map(([stage, length, published, what, unit]) => ({
    id: `constants-${stage}`,
    what,
    unit,
    published,
    ours: switchOf(liaMachine, stage, length),
    constants: constantsOf(stage, length),
  }));
}

export const liaConstants: Experiment = constantsExperiment("lia", headlines);
