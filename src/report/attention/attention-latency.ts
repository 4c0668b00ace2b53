// SPDX-License-Identifier: Apache-2.0
// Time of attention by unit of the engine, beside InstInfer's figure 16; by interval of a head, with
// percentiles; and the roofline of the device.

import { defined } from "../../base/defined.ts";
import { trafficOf } from "../../results/attention.ts";
import type { AttentionLatency } from "../../results/latency.ts";
import { busiestResource, sharedResources } from "../../results/latency/attention-latency.ts";
import type { AttentionCase } from "../../results/types.ts";
import type { Seconds } from "../../base/units.ts";
import { breakdownFigure, type BreakdownPart } from "../figures/breakdown.ts";
import { rooflineFigure } from "../figures/roofline.ts";
import type { Block, Cell, Figure, Prose, Section, Table } from "../page.ts";
import { pivotTable, type PivotRow } from "../pivot.ts";

const micro = 1e6;
const giga = 1e9;
const parts = ["logit-0", "softmax", "argtopk", "logit", "attend", "fold", "flash"];

/** Times of a head by part of the engine, in closed form: by run that is estimated. */
export type HeadEstimate = (head: {
  readonly tokens: number;
  readonly headDim: number;
}) => readonly {
  readonly run: string;
  readonly part: string;
  readonly time: Seconds;
}[];

type Ran = AttentionCase & { readonly latency: AttentionLatency };

export function attentionLatencySections(
  cases: readonly AttentionCase[],
  nameOf: (one: AttentionCase) => string,
  estimate?: HeadEstimate,
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
      blocks: [
        figure16(ran, nameOf, estimate),
        ...(estimate === undefined ? [] : [published()]),
        ...phaseTable(ran, nameOf),
        ...headTable(ran, nameOf),
      ],
    },
  ];
}

/** A multiply-accumulate for each value that passes the filters; flash bytes before them. */
function rooflines(ran: readonly Ran[]): readonly Block[] {
  const [first] = ran;
  if (first === undefined) return [];
  const most = Math.max(...ran.map((c) => c.inFlight));
  const isFullest = (c: Ran): boolean => c.inFlight === most;
  const { unit, clock, flash } = first.machine;
  // Both GeMV units of a kernel, a product and a sum a lane.
  const peak = 2 * 2 * unit.kernels * unit.lanes * clock;
  const channel = (2 * flash.ticks_per_ns) / flash.bus_ticks_per_2_bytes;
  return [
    rooflineFigure({
      id: "attention-roofline-plot",
      caption:
        "Each case on one device, at the largest number of heads in flight, with the limits of the " +
        "multipliers and of the flash channels. Operations count values after the NFC filter, bytes " +
        "count whole flash pages. SparF reads fewer bytes and computes less per byte.",
      peakGflops: peak / giga,
      ceilings: [{ name: "flash channels", gbps: flash.channels * channel }],
      points: ran.filter(isFullest).map((c) => {
        const { bytesIn, bytesKept } = trafficOf(c.steps);
        return {
          name: c.devices === 1 ? c.flash : `${c.flash}, ${String(c.devices)} devices`,
          group: c.method === "dense" ? "dense" : "SparF",
          intensity: bytesKept / bytesIn,
          gflops: bytesKept / c.time / giga / c.devices,
        };
      }),
    }),
  ];
}

/** Bars as in the figure, of this run and of closed forms. */
function figure16(
  ran: readonly Ran[],
  nameOf: (one: AttentionCase) => string,
  estimate: HeadEstimate = () => [],
): Figure {
  const tokens = ran[0]?.steps[0]?.length ?? 0;
  const estimated = estimate({ tokens, headDim: ran[0]?.width ?? 0 }).map(
    ({ run, part, time }): BreakdownPart => ({ run, part, value: time * micro }),
  );
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
      "Busy time of each unit for one head, as in figure 16 of InstInfer. Units work in parallel, so the " +
      "length of a bar is not a latency. Parallel kernels and channels count as one unit.",
    parts,
    whole: "a head's work",
    unit: "us a head",
    data: [...measured, ...estimated],
  });
}

/** The paper's statement about that figure. */
function published(): Prose {
  return {
    kind: "prose",
    text:
      "Figure 16 of InstInfer has no numbers. Section VI-D of the paper states that SparF adds logit-0 " +
      "to dense attention, and that flash reads dominate both methods. The closed forms are those of " +
      "`neardata reproduce instinfer`, figure 16: flash at 11.2 GB/s, 768 DSPs in two kernels.",
  };
}

function phaseTable(ran: readonly Ran[], nameOf: (one: AttentionCase) => string): readonly Table[] {
  const ids = parts.filter((id) => ran.some((c) => c.latency.phases.some((p) => p.id === id)));
  const rows = ids.flatMap((id): readonly PivotRow[] => {
    const phases = ran.map((c) => c.latency.phases.find((phase) => phase.id === id));
    const known = phases.find((phase) => phase !== undefined);
    return [
      {
        name: id,
        unit: "us/head",
        values: phases.map((phase) => (phase === undefined ? null : phase.perHead * micro)),
        source: "measured",
        ...defined({ note: known?.counts }),
      },
      {
        name: `${id}: ${known?.resource ?? ""} utilisation`,
        unit: "% of run",
        values: phases.map((phase) => (phase === undefined ? null : 100 * phase.busy)),
        source: "measured",
      },
    ];
  });
  const shared = sharedResources.flatMap(([name, id]): readonly PivotRow[] => {
    const uses = ran.map(({ metrics }) => metrics.find((metric) => metric.id === id));
    const known = uses.find((use) => use !== undefined);
    if (known === undefined) return [];
    return [
      {
        name: `${name} utilisation`,
        unit: "% of run",
        values: uses.map((use) => use?.value ?? null),
        source: known.source,
        note: known.title,
      },
    ];
  });
  const busiest = ran.map(({ latency, metrics }) => busiestResource(latency, metrics).resource);
  return pivotTable(
    "attention-phase-table",
    "The values of the figure, and the utilisation of each resource during the run (mean over kernels, " +
      "channels or dies). The resource with the highest utilisation limits the run.",
    ran.map(nameOf),
    [
      ...rows,
      {
        name: "flash dies sensing",
        unit: "% of run",
        values: ran.map((c) => 100 * c.latency.diesBusy),
        source: "derived",
        note: "pages read times tR, over all dies",
      },
      ...shared,
      { name: "busiest", unit: "", values: busiest },
    ],
  );
}

function headTable(ran: readonly Ran[], nameOf: (one: AttentionCase) => string): readonly Table[] {
  const ids = [...new Set(ran.flatMap((c) => c.latency.intervals.map((i) => i.id)))];
  const order = ["queue", "query", "step 1", "rank", "step 2", "finish", "return"];
  const rows = order
    .filter((id) => ids.some((known) => known === id))
    .flatMap((id): readonly PivotRow[] => {
      const intervals = ran.map((c) => c.latency.intervals.find((interval) => interval.id === id));
      const known = intervals.find((interval) => interval !== undefined);
      const of = (key: "mean" | "p99"): readonly Cell[] =>
        intervals.map((interval) => (interval === undefined ? null : interval.times[key] * micro));
      return [
        {
          name: id,
          unit: "us",
          values: of("mean"),
          source: "measured",
          ...defined({ note: known?.counts }),
        },
        { name: `${id}, 99 %`, unit: "us", values: of("p99"), source: "measured" },
        { name: `${id} waits for`, unit: "", values: intervals.map((i) => i?.critical ?? null) },
      ];
    });
  const spread = ["mean", "p50", "p90", "p99", "most"] as const;
  const names = ["mean", "median", "90 %", "99 %", "longest"];
  const whole = spread.map((key, i): PivotRow => ({
    name: `whole, ${names[i] ?? key}`,
    unit: "us",
    values: ran.map((c) => c.latency.whole[key] * micro),
    source: "measured",
    ...(i === 0 ? { note: "sent, until the outputs are at the host" } : {}),
  }));
  return pivotTable(
    "attention-head-table",
    "A head's way through the device, interval by interval: means, which add up to the mean of the " +
      "whole, percentiles over heads (nearest rank), and what each interval waits for.",
    ran.map(nameOf),
    [...rows, ...whole],
  );
}
