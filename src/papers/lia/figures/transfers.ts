// SPDX-License-Identifier: Apache-2.0
// LIA: operations per byte of each sublayer (figure 1), and the limits of FlexGen on SPR-A100:
// transfers (figure 3) and attention on a CPU without AMX (figure 4). OPT-175B.

import { present } from "../../../base/present.ts";
import { releasedCpu } from "../../flexgen/constants/published.ts";
import { layerTime } from "../model/cost.ts";
import { decoderLayer, type Layer, type Stage } from "../model/layer.ts";
import { allGpu, attentionOnCpu } from "../policy/systems.ts";
import { flopsPerSecond } from "../../../base/units.ts";
import { bars, lines } from "../../experiment/chart.ts";
import type { Experiment } from "../../experiment/experiment.ts";
import {
  explained,
  compareNumber,
  compareStatement,
  type Finding,
} from "../../experiment/finding.ts";
import { compareReadings, explanationsWith } from "./readings.ts";
import { job, type Lab } from "./lab.ts";
import { ownLab } from "./run.ts";
import { jobSpans } from "./timeline.ts";

const width = 12288;
const layers = 96;
const names = ["QKV", "QK^T", "SV", "output", "FC1", "FC2"] as const;
const lengths = [64, 128, 256, 512, 1024] as const;

/** Operations a byte of operands, or of the second operand alone. */
function intensities(layer: Layer, second: boolean): readonly number[] {
  return layer.sublayers.map(({ x, y, work }) => work / (second ? y : x + y));
}

export const figure1: Experiment = {
  id: "lia/figure-1",
  paper: "lia",
  title: "Operations per byte, OPT-175B, L = 512 and B = 180",
  run: () => {
    const of = (stage: Stage): Layer => decoderLayer({ stage, width, batch: 180, length: 512 });
    const all = (second: boolean): readonly number[] =>
      (["prefill", "decode"] as const).flatMap((stage) => intensities(of(stage), second));
    const most = compareNumber("greatest of all sublayers, FC1 of prefill", {
      published: 50000,
      ours: Math.max(...all(false)),
      unit: "FLOP/B",
      kind: "A",
    });
    return {
      findings: [
        compareNumber("least of all sublayers, QK^T of decode", {
          published: 1,
          ours: Math.min(...all(false)),
          unit: "FLOP/B",
          kind: "A",
        }),
        // The number is read from a rounded heat map, so it need not match exactly.
        explained(
          {
            ...most,
            class: "S",
            note: "C / (D_X + D_Y) of table 1; the paper does not state which bytes the figure counts",
          },
          [
            {
              what: "only bytes of parameters and caches, C / D_Y",
              value: Math.max(...all(true)),
            },
          ],
        ),
      ],
      blocks: [
        bars(
          {
            id: "figure-1",
            caption: "Operations per byte of both operands.",
            xTitle: "sublayer",
            yTitle: "operations per byte",
            unit: "FLOP/B",
            logY: true,
          },
          (["prefill", "decode"] as const).flatMap((series) =>
            intensities(of(series), false).map((y, i) => ({ x: present(names[i]), series, y })),
          ),
        ),
      ],
      timeline: [],
    };
  },
};

/** Seconds of a pass: transfers and GPU; with one sequence caches and activations stay on the GPU. */
function pass(
  lab: Lab,
  stage: Stage,
  batch: number,
  length: number,
): { readonly transfer: number; readonly gpu: number; readonly share: number } {
  const rates = lab.machine("spr-a100", "FlexGen", batch);
  const layer = decoderLayer({ stage, width, batch, length });
  const { gpu, transfer: all } = layerTime(rates, layer, allGpu);
  const weights = [0, 3, 4, 5].reduce((t, i) => t + (layer.sublayers[i]?.y ?? 0), 0) / rates.pcie;
  const transfer = batch === 1 ? weights : all;
  return {
    transfer: layers * transfer,
    gpu: layers * gpu,
    share: (100 * transfer) / (transfer + gpu),
  };
}

export const figure3: Experiment = {
  id: "lia/figure-3",
  paper: "lia",
  title: "Transfers of FlexGen, OPT-175B on SPR-A100",
  run: () => {
    const shareOfTransfers = (stage: Stage, batch: number, length: number): number =>
      pass(ownLab, stage, batch, length).share;
    const long = compareReadings("prefill at B = 1, L = 1024: share of transfers", {
      published: 87,
      value: (lab) => pass(lab, "prefill", 1, 1024).share,
      unit: "%",
    });
    return {
      findings: [
        compareReadings("prefill at B = 1, L = 64: share of transfers", {
          published: "above 98",
          value: (lab) => pass(lab, "prefill", 1, 64).share,
          unit: "%",
        }),
        compareReadings("decode at B = 1, L = 64: share of transfers", {
          published: "above 98",
          value: (lab) => pass(lab, "decode", 1, 64).share,
          unit: "%",
        }),
        explained(long, [
          {
            what: "L = 2016, the longest prompt of section 5.2",
            value: shareOfTransfers("prefill", 1, 2016),
          },
        ]),
        compareReadings("decode at B = 32, any L: least share of transfers", {
          published: "above 80",
          value: (lab) => Math.min(...lengths.map((l) => pass(lab, "decode", 32, l).share)),
          unit: "%",
        }),
        compareStatement("prefill at B = 32: share at L = 1024 over L = 64", {
          statement: "decreases",
          ours: shareOfTransfers("prefill", 32, 1024) / shareOfTransfers("prefill", 32, 64),
          unit: "1",
          range: [0, 1],
        }),
      ],
      blocks: [
        lines(
          {
            id: "figure-3",
            caption: "Share of a pass's latency that transfers take, all computed on the GPU.",
            xTitle: "L",
            yTitle: "share of transfers",
            unit: "%",
            logX: true,
          },
          (["prefill", "decode"] as const).flatMap((stage) =>
            [1, 32].flatMap((batch) =>
              lengths.map((x) => ({
                x,
                series: `${stage}, B ${batch}`,
                y: shareOfTransfers(stage, batch, x),
              })),
            ),
          ),
        ),
      ],
      timeline: [1, 32].flatMap((batch) =>
        jobSpans(`B ${batch}`, "spr-a100", job("opt-175b", batch, 1024, 32), ["FlexGen"]),
      ),
    };
  },
};

/** Attention of a decode step on the CPU, its cache over the link, and the step with and without. */
function offload(
  lab: Lab,
  length: number,
  cpu?: number,
): { readonly cpu: number; readonly link: number; readonly saved: number } {
  const given = lab.machine("spr-a100", "FlexGen", 32);
  const rates = cpu === undefined ? given : { ...given, cpuRate: flopsPerSecond(cpu) };
  const layer = decoderLayer({ stage: "decode", width, batch: 32, length });
  const with_ = layerTime(rates, layer, attentionOnCpu);
  const without = layerTime(rates, layer, allGpu);
  const time = (t: typeof with_): number => t.cpu + Math.max(t.gpu, t.transfer);
  const cache = (layer.sublayers[1]?.y ?? 0) + (layer.sublayers[2]?.y ?? 0);
  return {
    cpu: layers * with_.cpu,
    link: (layers * cache) / rates.pcie,
    saved: 100 * (1 - time(with_) / time(without)),
  };
}

export const figure4: Experiment = {
  id: "lia/figure-4",
  paper: "lia",
  title: "Attention of FlexGen on the CPU, OPT-175B at B = 32",
  run: () => {
    const release = "the CPU of FlexGen's released fit, 0.0123 TFLOPS on another host";
    /** The finding with FlexGen's own fit of its attention among the readings. */
    const judgedToo = (finding: Finding, value: (lab: Lab, cpu?: number) => number): Finding =>
      finding.verdict !== "differs"
        ? finding
        : explained(finding, [
            ...explanationsWith((lab) => value(lab)),
            { what: release, value: value(ownLab, releasedCpu) },
          ]);
    const note = "the CPU's attention at the rate of table 5's B = 900 under FlexGen";
    const saved = (lab: Lab, cpu?: number): number => offload(lab, 1024, cpu).saved;
    const cpu = (lab: Lab, rate?: number): number => offload(lab, 64, rate).cpu;
    const slower = (lab: Lab, rate?: number): number => 1 - offload(lab, 64, rate).saved / 100;
    return {
      findings: [
        judgedToo(
          compareNumber("decode latency saved at L = 1024", {
            published: 10.2,
            ours: saved(ownLab),
            unit: "%",
            kind: "C",
            note,
          }),
          saved,
        ),
        compareNumber("cache over the link at L = 64", {
          published: 0.4,
          ours: offload(ownLab, 64).link,
          unit: "s",
          kind: "C",
        }),
        judgedToo(
          compareNumber("attention on the CPU at L = 64", {
            published: 1,
            ours: cpu(ownLab),
            unit: "s",
            kind: "C",
            note: `${note}; L is not printed, 0.4 s are those of 64`,
          }),
          cpu,
        ),
        judgedToo(
          compareStatement("latency with offloading over without, L = 64", {
            statement: "longer",
            ours: slower(ownLab),
            unit: "1",
            range: [1, Infinity],
            note,
          }),
          slower,
        ),
      ],
      blocks: [
        lines(
          {
            id: "figure-4",
            caption: "A decode step's attention on the CPU, and its cache over the link instead.",
            xTitle: "L",
            yTitle: "time",
            unit: "s",
            logX: true,
            logY: true,
          },
          lengths.flatMap((x) => [
            { x, series: "CPU", y: offload(ownLab, x).cpu },
            { x, series: "CPU by FlexGen's fit", y: offload(ownLab, x, releasedCpu).cpu },
            { x, series: "cache over the link", y: offload(ownLab, x).link },
          ]),
        ),
      ],
      timeline: jobSpans("B 32", "spr-a100", job("opt-175b", 32, 64, 32), ["FlexGen"]),
    };
  },
};
