// SPDX-License-Identifier: Apache-2.0
// The page of one run: the cold-expert kernel, sparse attention, or both.

import { bytesRead } from "../results/metrics.ts";
import { casesOf, type ResultContent } from "./saved/document.ts";
import type { CaseResult } from "../results/types.ts";
import type { AreaReport } from "../results/area-report.ts";
import type { RunCost, RunResult } from "./run-result.ts";
import type { HeadEstimate } from "./attention/attention-latency.ts";
import { attentionSections } from "./attention/attention.ts";
import { rooflineFigure } from "./figures/roofline.ts";
import { rateFigure } from "./figures/series.ts";
import { costSections } from "./cost.ts";
import { expertLatencyBlocks } from "./expert-latency.ts";
import { machineBlocks } from "./machine/machine.ts";
import { metricTable } from "./metric-table.ts";
import type { Block, Figure, Page, Section } from "./page.ts";
import { summaryOf } from "./summary.ts";
import { tokenSections } from "./token.ts";
import { readFst } from "../rtl/waves/fst.ts";
import { lastCycles, shownValue } from "../rtl/waves/picture.ts";

const giga = 1e9;

/** What else a page shows. */
export interface RunPageParts {
  /** Null where no cost of the hardware was recorded. */
  readonly cost?: RunCost | null;
  /** Sections of a unit's area. */
  readonly areaSections?: (area: AreaReport) => readonly Section[];
  /** Other files of the run directory. */
  readonly beside?: Page["beside"];
  readonly waves?: readonly FailureWaves[];
  /** Closed forms beside the time of a head by unit. */
  readonly estimate?: HeadEstimate;
}

/** The page of a run. */
export function runPage(
  result: RunResult,
  document: ResultContent,
  parts: RunPageParts = {},
): Page {
  const { cost = null, areaSections = () => [], beside = [], waves = [], estimate } = parts;
  const all = casesOf(result);
  const checks = all.flatMap((c) => c.checks);
  const passed = checks.filter((check) => check.pass).length;
  return {
    title: result.title,
    lead:
      `Scenario ${result.scenario}: ${String(all.length)} run${all.length === 1 ? "" : "s"}, ` +
      `${String(passed)} of ${String(checks.length)} checks hold.`,
    summary: summaryOf(result, checks),
    provenance: [
      ["config hash", document.configHash],
      ["result hash", document.resultHash],
      ["seed", String(document.seed)],
      ...Object.entries({ ...document.versions, ...document.host }),
    ],
    beside,
    sections: [
      ...(result.cases.length === 0 ? [] : expertSections(result)),
      ...attentionSections(result.attention, estimate),
      ...tokenSections(result.tokens),
      ...(cost === null ? [] : costSections(cost, areaSections)),
      { id: "checks", title: "Checks", blocks: checkBlocks(all) },
      ...failureSection(waves),
      ...machineSection(result.cases),
    ],
  };
}

/** The waveform of a case that failed: its file, and what it holds. */
export interface FailureWaves {
  readonly file: string;
  readonly bytes: Uint8Array;
}

/** Pictures of what led to failures. */
function failureSection(waves: readonly FailureWaves[]): readonly Section[] {
  const blocks = waves.flatMap(({ file, bytes }): readonly Block[] => {
    const picture = lastCycles(readFst(file, bytes));
    if (picture === null) return [];
    const { from, ports, more, svg } = picture;
    const others = more === 0 ? "" : ` ${String(more)} more ports changed.`;
    return [
      {
        kind: "figure",
        id: `waves-${file.replace(/\W+/g, "-")}`,
        caption: `${file}: the ports of the unit in the last cycles in which one changed, as they were before each edge.${others}`,
        svg,
        data: {
          columns: [
            { key: "cycle", title: "cycle" },
            ...ports.map(({ name }) => ({ key: name, title: name })),
          ],
          rows: (ports[0]?.values ?? []).map((_, i) => ({
            cycle: from + i,
            ...Object.fromEntries(ports.map((p) => [p.name, shownValue(p.values[i] ?? "x")])),
          })),
        },
      },
    ];
  });
  return blocks.length === 0 ? [] : [{ id: "failures", title: "Last cycles of failures", blocks }];
}

function expertSections(result: RunResult): readonly Section[] {
  const { cases } = result;
  const numbers = metricTable("metrics", "Every number of the expert's runs.", cases);
  return [
    { id: "numbers", title: "A cold expert: numbers", blocks: [numbers, ...notes(result)] },
    { id: "roofline", title: "Roofline", blocks: rooflines(cases) },
    { id: "bandwidth", title: "Bandwidth over time", blocks: bandwidths(cases) },
    { id: "latency", title: "Latency by phase", blocks: expertLatencyBlocks(cases) },
  ];
}

function notes(result: RunResult): readonly Block[] {
  const plain = result.cases.find((c) => c.layout === "row-major");
  const same = result.cases.find(
    (c) => c.layout === "interleaved" && c.work.tokens === plain?.work.tokens,
  );
  if (plain === undefined || same === undefined) return [];
  const ratio = (100 * same.time) / plain.time;
  return [
    {
      kind: "prose",
      text:
        `Laid out row by row, successive bursts fall into one bank group and wait tCCD_L for each ` +
        `other; the same expert then runs at ${ratio.toFixed(1)} % of the speed of the layout ` +
        `that rotates the bank groups.`,
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
        "Each run against the compute peak and the bandwidth of all pins, with and without what " +
        "refresh takes; intensity counts the bytes that crossed the buses.",
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
      caption: `${c.title}: bytes delivered to the unit in windows of simulated time. The notches are refreshes.`,
      unit: "GB/s",
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

function checkBlocks(cases: ReturnType<typeof casesOf>): readonly Block[] {
  return cases.flatMap((c) =>
    c.checks.map((check): Block => ({
      kind: "verdict",
      name: `${c.title}: ${check.title}`,
      pass: check.pass,
      detail: check.detail,
    })),
  );
}

/** The machine of the first case: parameters and timings as they were used. */
function machineSection(cases: readonly CaseResult[]): readonly Section[] {
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
      .filter(([name]) => name !== "timing")
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
                : [{ title: `an expert that is brought, ${layout}`, ...arrival }],
            ),
        ),
        {
          kind: "table",
          id: "machine-table",
          caption:
            "The machine as it was resolved; sources of the timings are in the timing table.",
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
