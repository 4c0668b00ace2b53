// SPDX-License-Identifier: Apache-2.0
// The part of a run's page about sparse attention: SparF compared with dense attention on the same
// devices, activity of the channels and the engine, pages and bytes, heads over time.

import { channelsBusy, devicesOf, timeOfSteps, trafficOf } from "../../results/attention.ts";
import type { AttentionCase } from "../../results/types.ts";
import { attentionLatencySections, type HeadEstimate } from "./attention-latency.ts";
import { pipelineFigure } from "../figures/pipeline.ts";
import { shareFigure, type ShareDot } from "../figures/shares.ts";
import { headPhases, headSpans } from "./head-spans.ts";
import { machineBlocks, type RanMachine } from "../machine/machine.ts";
import { metricTable } from "../metric-table.ts";
import type { Block, Figure, Prose, Section, Table } from "../page.ts";

export function attentionSections(
  cases: readonly AttentionCase[],
  estimate?: HeadEstimate,
): readonly Section[] {
  if (cases.length === 0) return [];
  const ran = cases.filter((c) => c.steps.length > 0);
  const sections: readonly Section[] = [
    {
      id: "attention",
      title: "Sparse attention on a storage device",
      blocks: [
        lead(cases),
        ...byFlash(cases).map((attentionCases) => {
          const flash = attentionCases[0]?.flash ?? "";
          return metricTable(
            `attention-${flash}`,
            `Attention of the layer on ${flash}.`,
            attentionCases,
          );
        }),
        speedups(cases),
      ],
    },
    ...attentionLatencySections(ran, nameOf, estimate),
    { id: "pipeline", title: "Heads over time", blocks: pipelines(ran) },
    { id: "channels", title: "Channels, pages and bytes", blocks: channelBlocks(ran) },
    {
      id: "engine",
      title: "Activity of the engine",
      blocks: byFlash(ran.filter(hasActivities)).map(engineFigure),
    },
    {
      id: "devices",
      title: "The simulated storage devices",
      blocks: machineBlocks("devices-graph", ran.flatMap(firstStepOf)),
    },
  ];
  return sections.filter((section) => section.blocks.length > 0);
}

/** The machine and the time of a case's first attention. */
function firstStepOf(one: AttentionCase): readonly RanMachine[] {
  const [step] = one.steps;
  if (step === undefined) return [];
  const { machine } = step.run;
  return [{ title: nameOf(one), machine, time: timeOfSteps([step]) }];
}

function lead(cases: readonly AttentionCase[]): Prose {
  const [first] = cases;
  const text =
    `Decode attention of ${String(first?.heads ?? 0)} heads of ${String(first?.width ?? 0)} from ` +
    `pages of keys and values on flash: dense attention reads all of them; SparF ranks the tokens ` +
    `by the strongest dimensions of the query, from a copy of K in embedding order, and reads the ` +
    `pages of the best ones. Both run on the same devices.`;
  return { kind: "prose", text };
}

function speedups(cases: readonly AttentionCase[]): Block {
  return shareFigure({
    id: "attention-times",
    caption: "Simulated time of the layer's attention, dense and SparF.",
    label: "time",
    unit: "us",
    data: cases.map((c) => ({
      row: settingOf(c),
      series: c.method === "dense" ? "dense" : "SparF",
      value: c.time * 1e6,
    })),
  });
}

function settingOf({ flash, devices, inFlight }: AttentionCase): string {
  const count = devices === 1 ? "" : `, ${String(devices)} devices`;
  return `${flash}${count}, ${String(inFlight)} in flight`;
}

function pipelines(ran: readonly AttentionCase[]): readonly Block[] {
  const sparse = ran.filter((c) => c.method === "sparf");
  return [
    ...explanation(ran),
    ...sparse.map((c) =>
      pipelineFigure({
        id: `pipeline-${c.id}`,
        caption:
          `${nameOf(c)}: step 1 of a head ends when its last page in embedding ` +
          `order has arrived, step 2 when its outputs are written.`,
        parts: headPhases,
        spans: headSpans(c),
      }),
    ),
  ];
}

/** The reason why one head at a time is slower, with numbers of this run. */
function explanation(ran: readonly AttentionCase[]): readonly Prose[] {
  const numbers = byFlash(ran).flatMap((attentionCases) => {
    const fewest = Math.min(...attentionCases.map((c) => c.inFlight));
    const most = Math.max(...attentionCases.map((c) => c.inFlight));
    const [alone, together] = [fewest, most].map((n) => gainAt(attentionCases, n));
    if (fewest === most || alone === undefined || together === undefined) return [];
    return [
      `On ${attentionCases[0]?.flash ?? ""} SparF is ${alone.toFixed(2)} times as fast as dense attention ` +
        `with ${String(fewest)} in flight and ${together.toFixed(2)} times with ${String(most)}.`,
    ];
  });
  if (numbers.length === 0) return [];
  const why =
    "SparF requests the pages of step 2 after step 1 has ranked the tokens, so a head waits for the " +
    "sensing of flash cells twice, and the channels are idle during this time. Dense attention requests " +
    "all pages at once and waits once. With many heads in flight, step 1 of later heads overlaps with " +
    "step 2 of earlier heads.";
  return [{ kind: "prose", text: [...numbers, why].join(" ") }];
}

function byFlash(cases: readonly AttentionCase[]): readonly (readonly AttentionCase[])[] {
  const names = [...new Set(cases.map((c) => c.flash))];
  return names.map((flash) => cases.filter((c) => c.flash === flash));
}

function gainAt(cases: readonly AttentionCase[], inFlight: number): number | undefined {
  const time = (method: AttentionCase["method"]): number | undefined =>
    cases.find((c) => c.method === method && c.inFlight === inFlight)?.time;
  const [dense, sparf] = [time("dense"), time("sparf")];
  return dense === undefined || sparf === undefined ? undefined : dense / sparf;
}

function channelBlocks(ran: readonly AttentionCase[]): readonly Block[] {
  if (ran.length === 0) return [];
  return [...byFlash(ran).map(channelFigure), trafficTable(ran)];
}

function channelFigure(cases: readonly AttentionCase[]): Figure {
  const flash = cases[0]?.flash ?? "";
  const data = cases.flatMap((c): ShareDot[] => {
    const busy = channelsBusy(c.steps);
    const { channels } = c.machine.flash;
    return Array.from({ length: channels }, (_, channel) => {
      const ofChannel = busy.filter((_share, i) => i % channels === channel);
      const mean = ofChannel.reduce((a, b) => a + b, 0) / Math.max(1, ofChannel.length);
      return { row: `channel ${String(channel)}`, series: nameOf(c), value: 100 * mean };
    });
  });
  return shareFigure({
    id: `channels-${flash}`,
    caption: `${flash}: share of the time in which each channel's bus carried commands or data.`,
    label: "busy",
    unit: "%",
    data,
    top: 100,
  });
}

function nameOf(c: AttentionCase): string {
  return `${c.method === "dense" ? "dense" : "SparF"}, ${settingOf(c)}`;
}

function trafficTable(ran: readonly AttentionCase[]): Table {
  return {
    kind: "table",
    id: "attention-traffic",
    caption: "Pages by copy, and bytes before and after the filters in the flash controllers.",
    columns: [
      { key: "name", title: "run" },
      { key: "dims", title: "step 1: K by dimensions", unit: "pages", source: "measured" },
      { key: "keys", title: "step 2: K by tokens", unit: "pages", source: "measured" },
      { key: "values", title: "step 2: V", unit: "pages", source: "measured" },
      { key: "in", title: "read from flash", unit: "MB", source: "measured" },
      { key: "kept", title: "after the filter", unit: "MB", source: "measured" },
      { key: "share", title: "share after the filter", unit: "%", source: "derived", digits: 3 },
      { key: "dram", title: "DRAM", unit: "MB", source: "measured" },
    ],
    rows: ran.map((c) => {
      const { dims, keys, values, bytesIn, bytesKept } = trafficOf(c.steps);
      const dram = devicesOf(c.steps).reduce((n, d) => n + d.dram.read + d.dram.written, 0);
      return {
        name: nameOf(c),
        dims,
        keys,
        values,
        in: bytesIn / 1e6,
        kept: bytesKept / 1e6,
        share: bytesIn === 0 ? 0 : (100 * bytesKept) / bytesIn,
        dram: dram / 1e6,
      };
    }),
  };
}

const activities = [
  ["rankLogits", "logits of step 1"],
  ["rank", "argtopk"],
  ["softmax", "softmax of step 1"],
  ["logits", "logits of step 2"],
  ["attend", "softmax and weighted values"],
  ["fold", "fold, blend and output"],
  ["waitKeys", "waits for keys"],
  ["waitValues", "waits for values"],
  ["blocked", "output blocked"],
] as const;

/** False where the engine's time is not modelled. */
function hasActivities({ steps }: AttentionCase): boolean {
  const kernels = devicesOf(steps).flatMap((device) => device.kernels);
  return kernels.some((kernel) => activities.some(([key]) => kernel[key] > 0));
}

function engineFigure(cases: readonly AttentionCase[]): Figure {
  const flash = cases[0]?.flash ?? "";
  const data = cases.flatMap((c) => {
    const devices = devicesOf(c.steps);
    const cycles = devices.reduce((n, d) => n + d.cycles * d.kernels.length, 0);
    return activities.map(([key, row]): ShareDot => {
      const total = devices.flatMap((d) => d.kernels).reduce((n, k) => n + k[key], 0);
      return { row, series: nameOf(c), value: cycles === 0 ? 0 : (100 * total) / cycles };
    });
  });
  return shareFigure({
    id: `engine-${flash}`,
    caption: `${flash}: share of the kernels' cycles by activity; activities overlap.`,
    label: "cycles",
    unit: "%",
    data,
    top: 100,
  });
}
