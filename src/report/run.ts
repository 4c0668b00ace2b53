// SPDX-License-Identifier: Apache-2.0
// The page of one run of the cold-expert kernel.

import { bytesRead } from "../results/metrics.ts";
import type { ResultDocument } from "../results/document.ts";
import type { CaseResult, RunResult } from "../results/types.ts";
import { breakdownFigure } from "./figures/breakdown.ts";
import type { BreakdownPart } from "./figures/breakdown.ts";
import { rooflineFigure } from "./figures/roofline.ts";
import { rateFigure } from "./figures/series.ts";
import type { Block, Cell, Column, Figure, Page, Section, Table } from "./page.ts";

const giga = 1e9;

/** What the array did in each cycle of a descriptor, in stacking order. */
const arrayParts = ["array busy", "waits for weights", "waits for operands", "output blocked"];
const phaseParts = ["load activations", "gate and up", "down"];

export function runPage(result: RunResult, document: ResultDocument): Page {
  const passed =
    document.checks.length - result.cases.flatMap((c) => c.checks).filter((k) => !k.pass).length;
  return {
    title: result.title,
    lead:
      `Scenario ${result.scenario}: ${String(result.cases.length)} runs, ` +
      `${String(passed)} of ${String(document.checks.length)} checks hold.`,
    provenance: [
      ["config hash", document.configHash],
      ["result hash", document.resultHash],
      ["seed", String(document.seed)],
      ...Object.entries(document.versions),
    ],
    sections: [
      { id: "numbers", title: "Numbers", blocks: [numbers(result.cases), ...notes(result)] },
      { id: "roofline", title: "Roofline", blocks: rooflines(result.cases) },
      { id: "bandwidth", title: "Bandwidth over time", blocks: bandwidths(result.cases) },
      { id: "stalls", title: "Where the cycles went", blocks: breakdowns(result.cases) },
      { id: "checks", title: "Checks", blocks: checkBlocks(result.cases) },
      ...machineSection(result.cases),
    ],
  };
}

/** A row a number, a column a case, as on the terminal. */
function numbers(cases: readonly CaseResult[]): Table {
  const ids = [...new Set(cases.flatMap((c) => c.metrics.map((m) => m.id)))];
  const columns: Column[] = [
    { key: "title", title: "" },
    ...cases.map((c) => ({ key: c.id, title: c.title })),
    { key: "unit", title: "unit" },
    { key: "source", title: "source" },
  ];
  const rows = ids.map((id) => {
    const row: Record<string, Cell> = {};
    for (const c of cases) {
      const metric = c.metrics.find((m) => m.id === id);
      row["title"] = metric?.title ?? row["title"] ?? id;
      row["unit"] = metric?.unit ?? row["unit"] ?? "";
      row["source"] = metric?.source ?? row["source"] ?? "";
      row[c.id] = metric?.value ?? null;
    }
    return row;
  });
  rows.push({
    title: "bound that holds",
    unit: "",
    source: "derived",
    ...Object.fromEntries(cases.map((c) => [c.id, c.bottleneck.bound])),
  });
  rows.push(...accuracyRows(cases));
  return { kind: "table", id: "metrics", caption: "Every number of the run.", columns, rows };
}

/** How the outputs compare, where there are any. */
function accuracyRows(cases: readonly CaseResult[]): readonly Record<string, Cell>[] {
  const row = (
    title: string,
    unit: string,
    of: (accuracy: NonNullable<CaseResult["accuracy"]>) => Cell,
  ): Record<string, Cell> => ({
    title,
    unit,
    source: "measured",
    ...Object.fromEntries(cases.map((c) => [c.id, c.accuracy === null ? null : of(c.accuracy)])),
  });
  if (cases.every((c) => c.accuracy === null)) return [];
  return [
    row("outputs unlike the golden model", "values", (a) => a.differentFromGolden),
    row("error against float64, relative L2", "", (a) => a.relativeL2),
    row("largest error against float64", "absolute", (a) => a.largestError),
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
        "refresh takes; intensity counts the bytes that really came over the buses.",
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

function breakdowns(cases: readonly CaseResult[]): readonly Block[] {
  const ran = cases.filter((c) => c.run !== null);
  const array = ran.flatMap((c): BreakdownPart[] => {
    const unit = c.run?.unit;
    if (unit === undefined) return [];
    const stalls = [unit.stallWeights, unit.stallOperand, unit.stallOutput];
    const phases = unit.phaseLoad + unit.phaseGateUp + unit.phaseDown;
    const busy = phases - stalls.reduce<number>((a, b) => a + b, 0);
    return [busy, ...stalls].map((n, i) => ({
      run: c.title,
      part: arrayParts[i] ?? "",
      cycles: n,
    }));
  });
  const phases = ran.flatMap((c): BreakdownPart[] => {
    const unit = c.run?.unit;
    if (unit === undefined) return [];
    return [unit.phaseLoad, unit.phaseGateUp, unit.phaseDown].map((n, i) => ({
      run: c.title,
      part: phaseParts[i] ?? "",
      cycles: n,
    }));
  });
  return [
    breakdownFigure({
      id: "stalls-plot",
      caption: "What the array did in every cycle of the descriptor; the parts sum to the whole.",
      parts: arrayParts,
      data: array,
    }),
    breakdownFigure({
      id: "phases-plot",
      caption: "The same cycles by phase of the descriptor.",
      parts: phaseParts,
      data: phases,
    }),
  ];
}

function checkBlocks(cases: readonly CaseResult[]): readonly Block[] {
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
