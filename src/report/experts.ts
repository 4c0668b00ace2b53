// SPDX-License-Identifier: Apache-2.0
// The sections of a run's page about an expert, and the machine that it ran on.

import { bytesRead } from "../results/metrics.ts";
import type { CaseResult } from "../results/types.ts";
import { expertLatencyBlocks } from "./expert-latency.ts";
import { rooflineFigure } from "./figures/roofline.ts";
import { rateFigure } from "./figures/series.ts";
import { machineBlocks } from "./machine/machine.ts";
import { metricTable } from "./metric-table.ts";
import type { Block, Figure, Section } from "./page.ts";

const giga = 1e9;

/** Numbers, roofline, bandwidth and latency of an expert; none without cases. */
export function expertSections(cases: readonly CaseResult[]): readonly Section[] {
  if (cases.length === 0) return [];
  const numbers = metricTable("metrics", "Every number of the expert's runs.", cases);
  return [
    { id: "numbers", title: "A cold expert: numbers", blocks: [numbers, ...notes(cases)] },
    { id: "roofline", title: "Roofline", blocks: rooflines(cases) },
    { id: "bandwidth", title: "Bandwidth over time", blocks: bandwidths(cases) },
    { id: "latency", title: "Latency by phase", blocks: expertLatencyBlocks(cases) },
  ];
}

function notes(cases: readonly CaseResult[]): readonly Block[] {
  const plain = cases.find((c) => c.layout === "row-major");
  const same = cases.find(
    (c) => c.layout === "interleaved" && c.work.tokens === plain?.work.tokens,
  );
  if (plain === undefined || same === undefined) return [];
  const ratio = (100 * same.time) / plain.time;
  return [
    {
      kind: "prose",
      text:
        `With the layout row-major, consecutive bursts are in one bank group, so a burst waits tCCD_L ` +
        `after the previous one. The expert has ${ratio.toFixed(1)} % of the speed of the layout ` +
        `interleaved, which rotates over the bank groups.`,
    },
  ];
}

function rooflines(cases: readonly CaseResult[]): readonly Block[] {
  const ran = cases.filter((c) => c.run !== null);
  const first = ran[0];
  if (first === undefined) return [{ kind: "prose", text: "Nothing was simulated." }];
  const { bounds } = first;
  return [
    rooflineFigure({
      id: "roofline-plot",
      caption:
        "Each case with the limits of peak compute and of the memory bandwidth, without (solid) and with " +
        "(dashed) refresh. The operational intensity counts the bytes on the buses.",
      peakGflops: bounds.peakCompute / giga,
      ceilings: [
        { name: "all pins", gbps: bounds.peakBandwidth / giga },
        { name: "after refresh", gbps: bounds.refreshLimitedBandwidth / giga },
      ],
      points: ran.map((c) => ({
        name: c.work.tokens === 1 ? "1 token" : `${String(c.work.tokens)} tokens`,
        group: c.layout,
        intensity: c.run === null ? 0 : c.work.flops / bytesRead(c.run),
        gflops: c.work.flops / c.time / giga,
      })),
    }),
  ];
}

function bandwidths(cases: readonly CaseResult[]): readonly Block[] {
  const ran = cases.filter((c) => c.run !== null && c.run.bandwidth.length > 0);
  return ran.map((c): Figure =>
    rateFigure({
      id: `bandwidth-${c.id}`,
      caption: `${c.title}: bytes delivered to the unit in windows of simulated time. Short drops are refreshes.`,
      unit: "GB/s",
      small: ran.length > 1,
      bounds: [
        { name: "pins", rate: c.bounds.peakBandwidth / giga },
        { name: "refresh", rate: c.bounds.refreshLimitedBandwidth / giga },
      ],
      series: [
        {
          name: c.title,
          points: (c.run?.bandwidth ?? []).map((s) => ({
            us: s.start / 1e9,
            // Bytes a femtosecond are 1e6 GB/s.
            rate: (s.bytes / s.length) * 1e6,
          })),
        },
      ],
    }),
  );
}

/** The machine of the first case: parameters and timings as they were used. */
export function machineSection(cases: readonly CaseResult[]): readonly Section[] {
  const machine = cases[0]?.machine;
  if (machine === undefined) return [];
  const memory: Readonly<Record<string, unknown>> = { ...machine.memory };
  const timing = "ideal" in machine.memory ? {} : machine.memory.timing;
  const rows = [
    ...Object.entries<number>({ ...machine.unit }).map(([name, value]) => ({
      part: "unit",
      name,
      value,
    })),
    { part: "unit", name: "clock, Hz", value: machine.clock },
    ...Object.entries(memory)
      .filter(([name]) => name !== "timing" && name !== "currents")
      .map(([name, value]) => ({
        part: "memory",
        name: name === "clock" ? "clock, Hz" : name,
        value: typeof value === "number" ? value : String(value),
      })),
    ...Object.entries(timing).map(([name, value]) => ({
      part: "timing, memory cycles",
      name,
      value,
    })),
  ];
  return [
    {
      id: "machine",
      title: "Machine",
      blocks: [
        ...machineBlocks(
          "machine-graph",
          cases.flatMap(({ title, time, run }) =>
            run === null ? [] : [{ title, time, machine: run.machine }],
          ),
        ),
        ...machineBlocks(
          "arrival-graph",
          cases
            .filter(({ layout }, i) => cases.findIndex((c) => c.layout === layout) === i)
            .flatMap(({ layout, arrival }) =>
              arrival === null
                ? []
                : [{ title: `an expert that is collected from all DIMMs, ${layout}`, ...arrival }],
            ),
        ),
        {
          kind: "table",
          id: "machine-table",
          caption:
            "The simulated machine with all default values. The table of timings has their sources.",
          columns: [
            { key: "part", title: "part" },
            { key: "name", title: "parameter" },
            { key: "value", title: "value" },
          ],
          rows,
        },
      ],
    },
  ];
}
