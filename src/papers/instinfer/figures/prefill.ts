// SPDX-License-Identifier: Apache-2.0
// InstInfer's prefill (section IV-D) on simulated flash: the caches of OPT-13B are written to the
// devices layer by layer while the GPU computes the next layer, or all at the end. The time of the
// flash programs determines whether the GPU hides them.

import {
  writeLayers,
  type PrefillLayout,
  type WrittenLayer,
} from "../../../kernels/csd/flash-prefill.ts";
import { loadFlash } from "../../../native/flash-binding.ts";
import { flashPresets, type FlashPreset } from "../../../machine/flash/presets.ts";
import { deviceLink, prefillTasks } from "../model/pipeline.ts";
import { publishedSetting } from "../model/systems.ts";
import type { Prose, Table } from "../../../report/page.ts";
import type { TaskRun } from "../../../base/timeline.ts";
import type { Span } from "../../../results/latency/span.ts";
import { bytes, seconds, type Seconds } from "../../../base/units.ts";
import { spansOf } from "../../experiment/chart-map.ts";
import { lines } from "../../experiment/chart.ts";
import type { Experiment } from "../../experiment/experiment.ts";
import { explained, compareStatement } from "../../experiment/finding.ts";

const { model, prompt } = publishedSetting;
/** Number of simulated layers of the model's 40, which all have equal times. */
const layers = 4;
const counts = [1, 2, 4, 8, 20];
const presets = ["tlc4k", "tlc16k", "znand4k"] as const;

/** Prefill of one prompt with its caches on so many devices. */
interface PrefillRun {
  readonly preset: FlashPreset;
  readonly devices: number;
  /** The GPU alone. */
  readonly compute: Seconds;
  readonly layerwise: Seconds;
  readonly atEnd: Seconds;
  /** Rate at which one device stores its layers when they are queued. */
  readonly writeRate: number;
  /** Layer by layer: GPU, link and flash. */
  readonly timeline: readonly Span[];
}

/** Heads are spread evenly; the device with most of them ends last. */
function prefillOn(preset: FlashPreset, devices: number): PrefillRun {
  const device = flashPresets[preset];
  const width = model.hidden / model.heads;
  const heads = Math.ceil(model.heads / devices);
  const layout: PrefillLayout = { heads, width, tokens: prompt, dimsPerPage: 4 };
  const options = { batch: 1, prompt, devices, sparse: true, layerwise: true };
  const layer = prefillTasks(model, options)[0]?.time ?? 0;
  const compute = seconds(layers * layer);
  const write = (ready: (l: number) => number): readonly WrittenLayer[] =>
    writeLayers(
      loadFlash(),
      device,
      deviceLink,
      layout,
      Array.from({ length: layers }, (_, l) => seconds(ready(l))),
    );
  const layerwise = write((l) => (l + 1) * layer);
  const atEnd = write(() => compute);
  const end = (run: readonly WrittenLayer[]): number => Math.max(...run.map((l) => l.written));
  const pages = atEnd.reduce((sum, l) => sum + l.pages, 0);
  return {
    preset,
    devices,
    compute,
    layerwise: seconds(end(layerwise)),
    atEnd: seconds(end(atEnd)),
    writeRate: (pages * device.page_bytes) / (end(atEnd) - compute),
    timeline: layerwiseSpans(
      `${preset}, ${devices === 1 ? "one device" : `${devices} devices`}`,
      layer,
      layerwise,
      device.page_bytes,
    ),
  };
}

/** A link and a flash that do one layer after another; pages are programmed as soon as they arrive. */
function layerwiseSpans(
  name: string,
  layer: number,
  written: readonly WrittenLayer[],
  pageBytes: number,
): readonly Span[] {
  let [sent, programmed] = [0, 0];
  const runs = written.flatMap((one, l): readonly TaskRun[] => {
    const ready = (l + 1) * layer;
    const at = (device: string, start: number, end: number, more: Partial<TaskRun>): TaskRun => {
      const times = { start: seconds(start), end: seconds(end), time: seconds(end - start) };
      return { id: `layer ${l}`, device, after: [], ...times, ...more };
    };
    const sending = Math.max(ready, sent);
    const moved = { bytes: bytes(one.pages * pageBytes) };
    const of = [
      at("GPU", ready - layer, ready, { tokens: prompt }),
      at("link", sending, one.sent, {}),
      at("flash programs", Math.max(sending, programmed), one.written, moved),
    ];
    [sent, programmed] = [one.sent, one.written];
    return of;
  });
  return spansOf({ name, runs });
}

/** The same for all layers of the model; only the programs of the last layer are not hidden. */
function ofAllLayers(runs: readonly PrefillRun[], preset: FlashPreset, devices: number): number {
  return 1 + ((overCompute(runs, preset, devices) - 1) * layers) / model.layers;
}

function overCompute(runs: readonly PrefillRun[], preset: FlashPreset, devices: number): number {
  const run = runs.find((r) => r.preset === preset && r.devices === devices);
  return run === undefined ? Number.NaN : run.layerwise / run.compute;
}

function table(runs: readonly PrefillRun[]): Table {
  const column = (key: string, title: string, unit?: string): Table["columns"][number] => ({
    key,
    title,
    ...(unit === undefined ? {} : { unit, source: "measured" as const }),
  });
  return {
    kind: "table",
    id: "prefill-flash-table",
    caption: `${String(layers)} layers of OPT-13B, a prompt of ${String(prompt)} tokens.`,
    columns: [
      column("preset", "flash of a device"),
      column("devices", "devices"),
      { ...column("compute", "GPU alone", "ms"), source: "derived" },
      column("layerwise", "layer by layer", "ms"),
      column("atEnd", "all at the end", "ms"),
      column("rate", "a device writes", "GB/s"),
    ],
    rows: runs.map(({ preset, devices, compute, layerwise, atEnd, writeRate }) => ({
      preset,
      devices,
      compute: 1e3 * compute,
      layerwise: 1e3 * layerwise,
      atEnd: 1e3 * atEnd,
      rate: writeRate / 1e9,
    })),
  };
}

const explanation: Prose = {
  kind: "prose",
  text:
    "Prefill waits for programs, never for the link. A die is busy for the whole time of a program, and K is written twice. " +
    "A device with 32 single-plane dies of 450 us per program writes 0.29 GB/s, and a device with Z-NAND 1.3 GB/s; the channels " +
    "could transfer more. The computation of the GPU hides the programs if all devices together write the caches of a layer in " +
    "the time that the GPU needs for a layer.",
};

export const prefillFlash: Experiment = {
  id: "instinfer/prefill-flash",
  paper: "instinfer",
  title: "Prefill on simulated flash: layer by layer over one to twenty devices",
  run: () => {
    const runs = presets.flatMap((preset) => counts.map((devices) => prefillOn(preset, devices)));
    const saved = Math.max(...runs.map(({ layerwise, atEnd }) => layerwise / atEnd));
    return {
      findings: [
        compareStatement("layer by layer over all at the end, at worst", {
          statement: "hidden under compute",
          ours: saved,
          unit: "1",
          range: [0, 1],
        }),
        explained(
          compareStatement("Z-NAND, 20 devices: prefill over the GPU alone", {
            statement: "hidden under compute",
            ours: overCompute(runs, "znand4k", 20),
            unit: "1",
            range: [0, 1],
            note: "no computation follows the programs of the last layer, so it cannot hide them",
          }),
          [
            {
              what: `all ${String(model.layers)} layers in place of ${String(layers)}`,
              value: ofAllLayers(runs, "znand4k", 20),
            },
          ],
        ),
        explained(
          compareStatement("TLC, one device: prefill over the GPU alone", {
            statement: "hidden under compute",
            ours: overCompute(runs, "tlc4k", 1),
            unit: "1",
            range: [0, 1],
            note: "32 dies with one plane program 0.29 GB/s; the paper does not include the time of programs",
          }),
          [
            {
              what: "pages of 16 KB on two planes of a die",
              value: overCompute(runs, "tlc16k", 1),
            },
            { what: "twenty devices", value: overCompute(runs, "tlc4k", 20) },
            {
              what: "twenty devices, 16 KB on two planes",
              value: overCompute(runs, "tlc16k", 20),
            },
            { what: "Z-NAND", value: overCompute(runs, "znand4k", 1) },
          ],
        ),
      ],
      blocks: [
        explanation,
        lines(
          {
            id: "prefill-flash",
            caption: "Prefill with caches sent layer by layer, over the time of the GPU alone.",
            xTitle: "devices",
            yTitle: "time over compute",
            unit: "1",
            logY: true,
          },
          runs.map(({ preset, devices, compute, layerwise }) => ({
            x: devices,
            series: preset,
            y: layerwise / compute,
          })),
        ),
        table(runs),
      ],
      timeline: runs
        .filter(({ devices }) => devices === 1 || devices === 20)
        .flatMap(({ timeline }) => timeline),
    };
  },
};
