// SPDX-License-Identifier: Apache-2.0
// LIA: the policy map (figure 9) and tables 4 and 5; and the list of its experiments.

import { liaMachines, type LiaMachineName as MachineName } from "../host/machines.ts";
import { layerTime, policyText } from "../policy/lia/cost.ts";
import { decoderLayer } from "../policy/lia/layer.ts";
import { optimum, switches } from "../policy/lia/optimum.ts";
import { runLia, type LiaJob } from "../policy/lia/run.ts";
import type { Span } from "../report/perfetto.ts";
import { bars, type Datum } from "./chart.ts";
import { shape, within, type Experiment, type Finding } from "./experiment.ts";

import { figure10, figure11, table6 } from "./lia-end-to-end.ts";
import { attentionOnCpu, flexGen, job, lia, machine } from "./lia-run.ts";

const figure9: Experiment = {
  id: "lia/figure-9",
  paper: "lia",
  title: "Best policies for OPT-175B",
  run: () => {
    const at = (name: MachineName, stage: "prefill" | "decode", length: number): number =>
      switches(liaMachines[name], { stage, width: 12288, length }, "hidden", 1, 3000)[1]?.tokens ??
      NaN;
    const named = (stage: "prefill" | "decode", batch: number, length: number): string =>
      policyText(
        optimum(
          liaMachines["spr-a100"],
          decoderLayer({ stage, width: 12288, batch, length }),
          "hidden",
        ).best.policy,
      );
    const isText = (what: string, published: string, found: string): Finding =>
      shape(`${what}: ${found}`, published, found === published ? 1 : 0, "match", [1, 1]);
    const systems: readonly MachineName[] = [
      "avx512-a100",
      "spr-h100",
      "spr-a100",
      "gnr-h100",
      "gnr-a100",
    ];
    return {
      findings: [
        within(
          "decode switch, SPR-A100",
          858,
          at("spr-a100", "decode", 128),
          "sequences",
          "C",
          0.002,
          "PCIe 4.0 at 23.75 GB/s is calibrated on this number",
        ),
        within(
          "prefill switch B x L, SPR-A100",
          850,
          at("spr-a100", "prefill", 32),
          "tokens",
          "C",
          0.015,
          "predicted with the same constant",
        ),
        isText("decode, B = 64", "111111", named("decode", 64, 256)),
        isText("decode, B = 900", "011000", named("decode", 900, 256)),
        isText("prefill, B = 64, L = 256", "000000", named("prefill", 64, 256)),
        shape(
          "H100 goes to the GPU earlier: switch over A100's",
          "earlier",
          at("spr-h100", "decode", 128) / at("spr-a100", "decode", 128),
          "1",
          [0, 0.99],
        ),
      ],
      blocks: [
        bars(
          {
            id: "figure-9",
            caption: "Batch at which decode leaves the CPU.",
            xTitle: "system",
            yTitle: "batch",
            unit: "sequences",
          },
          systems.map((x) => ({ x, series: "OPT-175B", y: at(x, "decode", 128) })),
        ),
      ],
      timeline: [],
    };
  },
};

const tables45: Experiment = {
  id: "lia/table-4",
  paper: "lia",
  title: "Ablation of OPT-30B, 256 tokens in and 32 out (tables 4 and 5)",
  run: () => {
    const j = (batch: number): LiaJob => job("opt-30b", batch, 256, 32);
    const one = lia("spr-a100", j(1)).total;
    const forced = flexGen("spr-a100", j(1)).total;
    const without = runLia(machine("spr-a100"), j(1), { resident: 0, overlap: true }).total;
    const printed = [
      [1, 5.05],
      [64, 24.0],
      [900, 291.02],
    ] as const;
    return {
      findings: [
        within(
          "B = 1, all optimisations",
          5.05,
          one,
          "s",
          "C",
          0.08,
          "CPU streams at 199 GB/s (section 4.2)",
        ),
        within("B = 1, without optimisation 1", 10.09, without, "s", "C", 0.08, "predicted"),
        within(
          "B = 1, with FlexGen's policy",
          31.07,
          forced,
          "s",
          "C",
          0.08,
          "predicted, with the 58 % of sublayers that FlexGen keeps resident",
        ),
        ...printed
          .slice(1)
          .map(([batch, value]) =>
            shape(
              `B = ${batch}, all optimisations: ours over published`,
              1,
              lia("spr-a100", j(batch)).total / value,
              "1",
              [0.4, 1.1],
              "batched CPU attention runs far below 199 GB/s and the frameworks' own time is not in equation 8",
            ),
          ),
      ],
      blocks: [
        bars(
          {
            id: "table-4",
            caption: "Latency, published and ours.",
            xTitle: "batch",
            yTitle: "latency",
            unit: "s",
            logY: true,
          },
          printed.flatMap(([batch, value]): readonly Datum[] => [
            { x: String(batch), series: "published", y: value },
            { x: String(batch), series: "ours", y: lia("spr-a100", j(batch)).total },
          ]),
        ),
      ],
      timeline: timelineOf(900),
    };
  },
};

/** Figure 7: a decode layer with its parameters loaded under the GPU's work. */
function timelineOf(batch: number): readonly Span[] {
  const layer = decoderLayer({ stage: "decode", width: 7168, batch, length: 256 });
  const { cpu, gpu, transfer } = layerTime(machine("spr-a100"), layer, attentionOnCpu);
  const period = cpu + Math.max(gpu, transfer);
  return [0, 1, 2, 3].flatMap((i): readonly Span[] => {
    const span = (lane: string, at: number, time: number): Span => ({
      track: "LIA decode, policy 011000",
      lane,
      name: `layer ${i}`,
      startNs: (i * period + at) * 1e9,
      durationNs: time * 1e9,
    });
    return [span("CPU", 0, cpu), span("GPU", cpu, gpu), span("PCIe", cpu, transfer)];
  });
}

export const liaExperiments: readonly Experiment[] = [
  figure9,
  tables45,
  figure10,
  figure11,
  table6,
];
