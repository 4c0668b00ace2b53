// SPDX-License-Identifier: Apache-2.0
// InstInfer: more devices and more sparsity (figure 17), and GPU and devices at work together in
// prefill and decode (section IV-D).

import { present } from "../../../base/present.ts";
import { deviceUse, endOf, runTasks } from "../../../base/timeline.ts";
import { deviceStep, type Sparsity } from "../model/steps.ts";
import { decodeTasks, prefillTasks } from "../model/pipeline.ts";
import { calibrated, publishedSetting, type InstInferSetting } from "../model/systems.ts";
import { gantt, spansOf, type Track } from "../../experiment/chart-map.ts";
import { lines } from "../../experiment/chart.ts";
import type { Experiment, Outcome } from "../../experiment/experiment.ts";
import { compareStatement } from "../../experiment/finding.ts";
import { stepSpans } from "./timeline.ts";
import { between } from "../../experiment/internal-check.ts";

const { model } = publishedSetting;
/** Mean length over a decode from 1024 to 2048 tokens. */
const tokens = 1536;

export const figure17: Experiment = {
  id: "instinfer/figure-17",
  paper: "instinfer",
  title: "Number of devices and sparsity",
  run: () => outcome17(publishedSetting),
};

/** Figure 17 of a setting. */
export function outcome17(setting: InstInferSetting): Outcome {
  const { timer, other } = setting;
  const counts = [1, 2, 4, 8, 16, 20];
  const total = (n: number, sparsity: Sparsity | null): number =>
    deviceStep(model, { batch: 256, tokens, devices: n, sparsity, timer, other }).total;
  const gain = (n: number, sparsity: Sparsity | null): number =>
    total(1, sparsity) / total(n, sparsity);
  const ratios = [1 / 2, 1 / 4, 1 / 8, 1 / 16];
  const at = (x: number): Sparsity => ({ dims: x, tokens: x / 2, eta: calibrated.eta });
  return {
    findings: [
      compareStatement("16 devices lose to 20 by imbalance: 3 heads on some", {
        statement: "16 < 20",
        ours: gain(20, null) / gain(16, null),
        unit: "x",
        range: [1, Infinity],
      }),
      compareStatement("throughput at 1/16 over 1/2", {
        statement: "grows",
        ours: total(1, at(1 / 2)) / total(1, at(1 / 16)),
        unit: "x",
        range: [1, Infinity],
      }),
    ],
    blocks: [
      lines(
        {
          id: "figure-17a",
          caption: "Throughput against devices, batch 256, over one device.",
          xTitle: "devices",
          yTitle: "gain",
          unit: "x",
        },
        counts.flatMap((x) => [
          { x, series: "dense", y: gain(x, null) },
          { x, series: "SparF 1/8", y: gain(x, calibrated) },
        ]),
      ),
      lines(
        {
          id: "figure-17b",
          caption: "Throughput against the share kept, batch 256.",
          xTitle: "share kept",
          yTitle: "throughput",
          unit: "token/s",
          logX: true,
        },
        ratios.flatMap((x) =>
          [1, 2].map((n) => ({
            x,
            series: `${n} device${n === 1 ? "" : "s"}`,
            y: 256 / total(n, at(x)),
          })),
        ),
      ),
    ],
    timeline: [1, 20].flatMap((devices) => stepSpans({ ...setting, devices }, 256)),
  };
}

export const prefillPipeline: Experiment = {
  id: "instinfer/prefill",
  paper: "instinfer",
  title: "Prefill: caches sent layer by layer (section IV-D)",
  run: () => {
    const track = (layerwise: boolean): Track => ({
      name: layerwise ? "layer by layer" : "at the end",
      runs: runTasks(
        prefillTasks(model, { batch: 32, prompt: 1024, devices: 1, sparse: true, layerwise }),
      ),
    });
    const [sent, local] = [track(true), track(false)];
    const uses = [...deviceUse(sent.runs).values()].map((use) => use.busy);
    return {
      findings: [
        compareStatement("prefill with layers sent at once over all sent at the end", {
          statement: "hidden under compute",
          ours: endOf(sent.runs) / endOf(local.runs),
          unit: "1",
          range: [0, 1],
        }),
      ],
      checks: [
        between(
          "that prefill over its busiest device",
          endOf(sent.runs) / Math.max(...uses),
          "1",
          [1, 1.1],
        ),
      ],
      blocks: [
        gantt(
          {
            id: "prefill-timeline",
            caption: "Prompts of a batch of 32: 40 layers on the GPU and their caches on the link.",
          },
          [sent, local],
          ({ device }) => device,
        ),
      ],
      timeline: [sent, local].flatMap(spansOf),
    };
  },
};

export const decodePipeline: Experiment = {
  id: "instinfer/decode",
  paper: "instinfer",
  title: "Decode: mini-batches between GPU and devices (section IV-D)",
  run: () => outcomeOfDecode(publishedSetting),
};

/** The pipeline of a decode step in a setting. */
export function outcomeOfDecode({ timer, other }: InstInferSetting): Outcome {
  const layers = 4;
  const track = (miniBatches: number): Track => ({
    name: `${miniBatches} mini-batch${miniBatches === 1 ? "" : "es"}`,
    runs: runTasks(
      decodeTasks(model, {
        batch: 64,
        tokens,
        devices: 1,
        sparsity: calibrated,
        miniBatches,
        layers,
        timer,
      }),
    ),
  });
  const [one, two] = [track(1), track(2)];
  const flash = present(deviceUse(two.runs).get("flash")?.busy);
  const exposed = (endOf(one.runs) - flash) * (model.layers / layers);
  return {
    findings: [
      compareStatement("two mini-batches over one", {
        statement: "overlapped",
        ours: endOf(two.runs) / endOf(one.runs),
        unit: "1",
        range: [0, 1],
      }),
    ],
    checks: [
      between(
        "what two mini-batches leave beside the flash",
        endOf(two.runs) / flash - 1,
        "1",
        [0, 0.1],
      ),
      between(
        "GPU and link work of a step over its calibrated time outside the cache",
        exposed / other,
        "1",
        [0, 1],
        "the rest of it is not hardware of this model: kernels, launches, the host's software",
      ),
    ],
    blocks: [
      gantt(
        { id: "decode-timeline", caption: "Four layers of a decode step, batch 64, SparF." },
        [one, two],
        ({ id }) => id.replace(/layer \d+ batch \d+ /, ""),
      ),
    ],
    timeline: [one, two].flatMap(spansOf),
  };
}
