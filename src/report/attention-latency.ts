// SPDX-License-Identifier: Apache-2.0
// Time of attention by unit of the engine, beside InstInfer's figure 16; by interval of a head, with
// percentiles; and the roofline of the device.

import { engineTimes, engineUnits } from "../policy/instinfer/engine.ts";
import { calibrated } from "../policy/instinfer/systems.ts";
import { trafficOf } from "../results/attention.ts";
import type { AttentionLatency } from "../results/attention-latency.ts";
import type { AttentionCase } from "../results/types.ts";
import { breakdownFigure, type BreakdownPart } from "./figures/breakdown.ts";
import { rooflineFigure } from "./figures/roofline.ts";
import type { Block, Cell, Figure, Prose, Section, Table } from "./page.ts";

const micro = 1e6;
const giga = 1e9;
const parts = ["logit-0", "softmax", "argtopk", "logit", "attend", "fold", "flash"];

type Ran = AttentionCase & { readonly latency: AttentionLatency };

export function attentionLatencySections(
  cases: readonly AttentionCase[],
  nameOf: (one: AttentionCase) => string,
): readonly Section[] {
  const ran = cases.flatMap((c) => (c.latency === null ? [] : [{ ...c, latency: c.latency }]));
  if (ran.length === 0) return [];
  return [
    {
      id: "attention-roofline",
      title: "Attention: roofline",
      blocks: rooflines(ran),
    },
    {
      id: "attention-latency",
      title: "Attention: latency by phase",
      blocks: [figure16(ran, nameOf), published(), phaseTable(ran, nameOf), headTable(ran, nameOf)],
    },
  ];
}

/** A multiply-accumulate for each value that passes the filters; flash bytes before them. */
function rooflines(ran: readonly Ran[]): readonly Block[] {
  const [first] = ran;
  if (first === undefined) return [];
  const { unit, clock, flash } = first.machine;
  // Both GeMV units of a kernel, a product and a sum a lane.
  const peak = 2 * 2 * unit.kernels * unit.lanes * clock;
  const channel = (2 * flash.ticks_per_ns) / flash.bus_ticks_per_2_bytes;
  return [
    rooflineFigure({
      id: "attention-roofline-plot",
      caption:
        "One device against its multipliers and its flash channels: operations on values that pass " +
        "the filters, bytes that leave the flash. SparF does less with a byte, and needs fewer.",
      peakGflops: peak / giga,
      ceilings: [{ name: "flash channels", gbps: flash.channels * channel }],
      points: ran.map((c) => {
        const { bytesIn, bytesKept } = trafficOf(c.steps);
        return {
          name: `${c.flash}, ${String(c.inFlight)} in flight`,
          group: c.method === "dense" ? "dense" : "SparF",
          intensity: bytesKept / bytesIn,
          gflops: bytesKept / c.time / giga / c.devices,
        };
      }),
    }),
  ];
}

/** Bars as in the figure, of this run and of the closed forms that `reproduce` draws. */
function figure16(ran: readonly Ran[], nameOf: (one: AttentionCase) => string): Figure {
  const tokens = ran[0]?.steps[0]?.length ?? 0;
  const closed = [
    ["closed form, dense", null],
    ["closed form, SparF 1/8", calibrated],
  ] as const;
  const estimated = closed.flatMap(([run, sparsity]): BreakdownPart[] => {
    const times = engineTimes({ tokens, headDim: ran[0]?.width ?? 0, sparsity });
    return engineUnits.map((unit) => ({
      run,
      part: unit === "flash reads" ? "flash" : unit,
      value: times[unit] * micro,
    }));
  });
  const measured = ran.flatMap((c) =>
    c.latency.phases.map((p): BreakdownPart => ({
      run: nameOf(c),
      part: p.id,
      value: p.perHead * micro,
    })),
  );
  return breakdownFigure({
    id: "figure-16",
    caption:
      "Time at work for one head by unit, as InstInfer's figure 16 shows it: units work side by side, " +
      "so a bar is not a latency. Kernels and channels count once for all that stand side by side.",
    parts,
    whole: "a head's work",
    unit: "us a head",
    data: [...measured, ...estimated],
  });
}

/** What the paper says of that figure. */
function published(): Prose {
  return {
    kind: "prose",
    text:
      "InstInfer prints no numbers beside the bars of its figure 16; what it states (section VI-D) is " +
      "that logit-0 is what SparF adds to dense attention, and that reading flash is what both spend " +
      "their time on. The closed forms are those of `neardata reproduce instinfer`, figure 16: flash " +
      "at 11.2 GB/s, 768 DSPs over two kernels.",
  };
}

function phaseTable(ran: readonly Ran[], nameOf: (one: AttentionCase) => string): Table {
  return {
    kind: "table",
    id: "attention-phase-table",
    caption: "The same in numbers, and how much of the run each resource was at work.",
    columns: [
      { key: "run", title: "run" },
      { key: "phase", title: "phase" },
      { key: "perHead", title: "at work for a head", unit: "us", source: "measured" },
      { key: "busy", title: "of the run", unit: "%", source: "measured", digits: 3 },
      { key: "resource", title: "resource" },
      { key: "critical", title: "busiest" },
      { key: "counts", title: "what is counted" },
    ],
    rows: ran.flatMap((c) => {
      const { phases } = c.latency;
      const most = Math.max(...phases.map((p) => p.busy));
      return phases.map((p): Record<string, Cell> => ({
        run: nameOf(c),
        phase: p.id,
        perHead: p.perHead * micro,
        busy: 100 * p.busy,
        resource: p.resource,
        critical: p.busy === most ? "yes" : "",
        counts: p.counts,
      }));
    }),
  };
}

function headTable(ran: readonly Ran[], nameOf: (one: AttentionCase) => string): Table {
  const us = (title: string, key: string): Table["columns"][number] => ({
    key,
    title,
    unit: "us",
    source: "measured",
  });
  return {
    kind: "table",
    id: "attention-head-table",
    caption:
      "A head's way through the device, interval by interval: percentiles over heads (nearest rank), " +
      "and what it waits for. Means add up to the mean of the whole.",
    columns: [
      { key: "run", title: "run" },
      { key: "interval", title: "interval" },
      us("mean", "mean"),
      us("median", "p50"),
      us("90 %", "p90"),
      us("99 %", "p99"),
      us("longest", "most"),
      { key: "critical", title: "waits for" },
      { key: "counts", title: "from and to" },
    ],
    rows: ran.flatMap((c) => {
      const whole = {
        id: "whole",
        critical: "",
        counts: "sent, until the outputs are at the host",
      };
      const rows = [...c.latency.intervals, { ...whole, times: c.latency.whole }];
      return rows.map(({ id, critical, counts, times }): Record<string, Cell> => ({
        run: nameOf(c),
        interval: id,
        mean: times.mean * micro,
        p50: times.p50 * micro,
        p90: times.p90 * micro,
        p99: times.p99 * micro,
        most: times.most * micro,
        critical,
        counts,
      }));
    }),
  };
}
