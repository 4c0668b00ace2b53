// SPDX-License-Identifier: Apache-2.0
// InstInfer's motivation: the batches at which caches exceed a memory (figure 4), the breakdown of a
// decode step (figure 5), and the limits of operators on a GPU and on a storage device (figure 6).

import { present } from "../../../base/present.ts";
import { effective, gpus } from "../../../machine/host/devices.ts";
import { fitHost, fitPrompts, publishedCapacities, weightsOf } from "../model/memory.ts";
import { cacheOf, deviceRate } from "../model/steps.ts";
import { publishedSetting } from "../model/systems.ts";
import type { Table } from "../../../report/page.ts";
import { bytes, type Bytes } from "../../../base/units.ts";
import { dots } from "../../experiment/chart.ts";
import type { Experiment } from "../../experiment/experiment.ts";
import {
  explained,
  notComparable,
  compareName,
  compareStatement,
} from "../../experiment/finding.ts";

const { model, prompt } = publishedSetting;
const tokens = 2 * prompt;
const batches = [4, 8, 16, 32, 64, 128, 256];

function gigabytes(amount: number): number {
  return Number((amount / 1e9).toPrecision(3));
}

/** The first batch whose caches exceed this capacity of host memory. */
function leavesHost(room: Bytes): string {
  const batch = batches.find((b) => fitHost(model, b, tokens, room).kind === "swaps");
  return batch === undefined ? "none" : String(batch);
}

function leavesGpu(): number {
  const fits = (b: number): boolean =>
    weightsOf(model) + cacheOf(model, b, tokens) <= publishedCapacities.gpu;
  return present(batches.find((b) => !fits(b)));
}

/**
 * The memory that a batch needs, compared with the capacity; the same formulas for every system.
 */
function memoryTable(): Table {
  const gb = (n: number): number => n / 1e9;
  const column = (key: string, title: string): Table["columns"][number] => ({
    key,
    title,
    unit: "GB",
    source: "derived",
    digits: 3,
  });
  return {
    kind: "table",
    id: "figure-4-memory",
    caption:
      `OPT-13B with ${prompt} tokens in and out. GPU memory is ${gb(publishedCapacities.gpu)} GB, host memory 96 GB. Of these ` +
      `${gb(publishedCapacities.host)} GB are for caches, so that DeepSpeed swaps from batch 32 on. FlexGen holds a layer's working set of all ` +
      "prompts at once and is out of memory from batch 128 on. By the same formula InstI does not fit at 128 and 256 " +
      "either, so its prompts come in parts, as its layer-wise transmission allows.",
    columns: [
      { key: "batch", title: "batch" },
      column("cache", "caches at the end"),
      column("weights", "weights"),
      column("set", "weights and a layer of all prompts at once"),
      column("prompts", "weights and caches of all prompts"),
    ],
    rows: batches.map((batch) => {
      const fit = fitPrompts(model, batch, prompt, bytes(0));
      return {
        batch,
        cache: gb(cacheOf(model, batch, tokens)),
        weights: gb(weightsOf(model)),
        set: fit.kind === "fits" ? null : gb(fit.needs),
        prompts: gb(weightsOf(model) + cacheOf(model, batch, prompt)),
      };
    }),
  };
}

const figure4: Experiment = {
  id: "instinfer/figure-4",
  paper: "instinfer",
  title: "Batches at which caches exceed GPU and host memory",
  run: () => {
    const host = publishedCapacities.host;
    const left = bytes(96e9 - weightsOf(model));
    const ends = (room: Bytes): { what: string; value: string } => ({
      what: `${gigabytes(room)} GB of host memory for caches`,
      value: leavesHost(room),
    });
    return {
      findings: [
        notComparable(
          "batch at which caches leave GPU memory",
          8,
          leavesGpu(),
          "sequences",
          `according to the text of figure 5 the caches of batch 8 fit the GPU; with the weights they need ${gigabytes(weightsOf(model) + cacheOf(model, 8, tokens))} of 48 GB`,
        ),
        explained(
          compareName(
            "batch at which FlexGen's caches leave host memory",
            "64",
            leavesHost(host),
            `our capacity for caches, ${gigabytes(host)} GB, is between the caches of batches 16 and 32, because DeepSpeed swaps at 32; ` +
              `FlexGen needs ${gigabytes(cacheOf(model, 32, tokens))} GB at 32 and does not swap, so the two systems have different capacities`,
          ),
          [ends(bytes(60e9)), ends(left)],
        ),
      ],
      blocks: [memoryTable()],
      timeline: [],
    };
  },
};

const figure5: Experiment = {
  id: "instinfer/figure-5",
  paper: "instinfer",
  title: "Bottlenecks of FlexGen's decode",
  run: () => {
    const over = (batch: number): number =>
      weightsOf(model) / cacheOf(model, batch, prompt + prompt / 2);
    return {
      findings: [4, 8].map((batch) =>
        compareStatement(
          `bytes of weights over bytes of caches at batch ${batch}, both in GPU memory`,
          {
            statement: "the primary bottleneck is Weight Access",
            ours: over(batch),
            unit: "1",
            range: [1, Infinity],
          },
        ),
      ),
      blocks: [
        {
          kind: "prose",
          text: "The 98.94 % of a step for the cache is the 98.9 % of figure 14, which this page compares there. The other bars have no printed numbers.",
        },
      ],
      timeline: [],
    };
  },
};

/** Two operations each of the DSP blocks of table I, at the engine's clock. */
const deviceCompute = 768 * 2 * 0.285e9;

/** Operations a byte from which a machine is bound by arithmetic. */
const ridges = {
  A6000: effective(gpus.a6000.compute) / effective(gpus.a6000.bandwidth),
  "storage device": deviceCompute / deviceRate,
};

/** Operations a byte of 16-bit weights that so many tokens share. */
const product = (rows: number): number => rows;
/** Two operations per value of K or V. */
const attention = 1;

const figure6: Experiment = {
  id: "instinfer/figure-6",
  paper: "instinfer",
  title: "Rooflines of GPU and storage device",
  run: () => {
    const { A6000: gpu, "storage device": device } = ridges;
    const batch = 64;
    return {
      findings: [
        compareStatement("products of prefill: operations per byte over the A6000's ridge", {
          statement: "extremely computing-intensive",
          ours: product(batch * prompt) / gpu,
          unit: "1",
          range: [1, Infinity],
        }),
        compareStatement(`products of decode at batch ${batch}: over the A6000's ridge`, {
          statement: "memory-bound on the GPU",
          ours: product(batch) / gpu,
          unit: "1",
          range: [0, 1],
        }),
        compareStatement(`products of decode at batch ${batch}: over the storage device's ridge`, {
          statement: "near the maximum computing capability of CSD",
          ours: product(batch) / device,
          unit: "1",
          range: [1, Infinity],
          note: "above this value the arithmetic would limit the device",
        }),
        compareStatement("attention of decode: over the storage device's ridge", {
          statement: "extremely low-intensity",
          ours: attention / device,
          unit: "1",
          range: [0, 1],
        }),
      ],
      blocks: [
        dots(
          {
            id: "figure-6",
            caption: "Operations per byte of the operators, and the ridges of both machines.",
            xTitle: "operator",
            yTitle: "operations per byte",
            unit: "FLOP/B",
          },
          [
            { x: "attention, decode", series: "operator", y: attention },
            { x: `products, decode, batch ${batch}`, series: "operator", y: product(batch) },
            { x: "ridge of the storage device", series: "ridge", y: device },
            { x: "ridge of the A6000", series: "ridge", y: gpu },
          ],
        ),
      ],
      timeline: [],
    };
  },
};

export const motivationFigures: readonly Experiment[] = [figure4, figure5, figure6];
