// SPDX-License-Identifier: Apache-2.0
// The page of an area run: totals, areas by part, the slices with their critical paths, and the
// figures of the papers.

import * as Plot from "@observablehq/plot";

import type { Block, Cell, Figure, Page, Section, Table } from "../../report/page.ts";
import { drawPlot } from "../../report/plot.ts";
import { seriesColours } from "../../report/plot-text.ts";
import { hashOfValue } from "../../base/hash.ts";
import { combinedResources } from "../synth/area.ts";
import { type AreaReport } from "../../results/area-report.ts";
import { utilisation } from "../synth/resources.ts";
import { memoryBand, memoryEstimate, scaled } from "../../machine/memories/memory.ts";
import {
  counted,
  instInferMissing,
  instInferTable,
  triMoe,
  triMoeMissing,
  zynq7045,
  type FpgaCount,
  type MissingRow,
} from "../synth/papers.ts";
import { clockOf, floorOf } from "./summary.ts";
import { conditionsOf, unitSections } from "./unit-timing.ts";
import { fpgaVerdicts } from "./verdicts.ts";
import { hover } from "../../report/hover.ts";

/** One self-contained page. */
export function areaPage(report: AreaReport, version: string): Page {
  const clock = clockOf(report);
  return {
    title: `${report.title}: what it takes`,
    lead:
      report.target === "asic"
        ? `${floorText(report)}; ${report.timing === undefined ? "the slowest slice" : "the whole unit"} reaches ${clock?.toFixed(2) ?? "?"} GHz, ${conditionsOf(report.target)}.`
        : `${report.sum.lut} LUT, ${report.sum.ff} FF, ${report.sum.bram36} BRAM36, ${report.sum.dsp} DSP.`,
    provenance: [
      ["version", version],
      ["target", report.target],
      ["cells", report.library ?? "Xilinx 7 series"],
      ["tools", report.tools.join("; ")],
      ["parameters", parametersOf(report.parameters)],
      ["config hash", configHashOf(report)],
    ],
    sections: areaSections(report),
  };
}

function floorText(report: AreaReport): string {
  const { total, band } = floorOf(report);
  const mm2 = (value: number): string => value.toPrecision(3);
  const range = report.memories.length === 0 ? "" : ` (${mm2(band.low)} to ${mm2(band.high)})`;
  return `${mm2(total)} mm2${range} of floor`;
}

/** The same as sections of another page. */
export function areaSections(report: AreaReport): readonly Section[] {
  return [
    {
      id: `area-${report.unit}`,
      title: `${report.title}: ${report.target === "asic" ? "area" : "resources"}`,
      blocks: report.target === "asic" ? chipBlocks(report) : fpgaBlocks(report),
    },
    {
      id: `timing-${report.unit}`,
      title: `${report.title}: timing, slice by slice`,
      blocks: [pathTable(report)],
    },
    ...unitSections(report),
  ];
}

function chipBlocks(report: AreaReport): readonly Block[] {
  const parts = chipParts(report);
  return [partsFigure(parts, report.unit), partsTable(parts, report.unit), ...floorBlocks(report)];
}

interface Part {
  readonly part: string;
  readonly mm2: number;
  /** At the least and at the most; of cells the same. */
  readonly low: number;
  readonly high: number;
  readonly kge: Cell;
  readonly ff: Cell;
  readonly from: string;
}

function chipParts(report: AreaReport): readonly Part[] {
  return [
    ...report.units.map(({ name, resources: r }) => ({
      part: name,
      mm2: r.cellArea / 1e6,
      low: r.cellArea / 1e6,
      high: r.cellArea / 1e6,
      from: "synthesis",
      kge: r.gates / 1e3,
      ff: Math.round(r.ff),
    })),
    ...report.memories.map((m) => {
      const { macros, source, ...estimate } = memoryEstimate(m);
      const all = m.count / 1e6;
      return {
        part: `${m.count} x ${(m.bits / 8192).toFixed(0)} KB ${m.module.replace("_macro", "")}`,
        mm2: m.area * all,
        ...scaled(estimate, all),
        from: `${String(m.parameters["Words"])} x ${String(m.parameters["DataBits"])} bits, ${macros}: ${source}`,
        kge: null,
        ff: null,
      };
    }),
  ].sort((a, b) => b.mm2 - a.mm2);
}

function partsTable(parts: readonly Part[], unit: string): Table {
  return {
    kind: "table",
    id: `area-parts-${unit}`,
    caption:
      "Cells by module, from synthesis; memories by their shape, of published macros, with a band.",
    columns: [
      { key: "part", title: "part" },
      { key: "mm2", title: "area", unit: "mm2", source: "measured" },
      { key: "low", title: "at least", unit: "mm2", source: "published" },
      { key: "high", title: "at most", unit: "mm2", source: "published" },
      { key: "kge", title: "gate equivalents", unit: "kGE", source: "measured" },
      { key: "ff", title: "flip-flops", source: "measured" },
      { key: "from", title: "from" },
    ],
    rows: parts.map((p) => ({ ...p })),
  };
}

function partsFigure(parts: readonly Part[], unit: string): Figure {
  const longest = Math.max(...parts.map((p) => p.part.length));
  const svg = drawPlot({
    height: 60 + 24 * parts.length,
    marginLeft: 16 + 7 * longest,
    x: { label: "area (mm2)" },
    y: { label: null, domain: parts.map((p) => p.part) },
    marks: [Plot.barX(parts, hover({ x: "mm2", y: "part", fill: seriesColours[0], insetTop: 3 }))],
  });
  return {
    kind: "figure",
    id: `area-figure-${unit}`,
    caption: "Area of each module and memory.",
    svg,
    data: {
      columns: [
        { key: "part", title: "part" },
        { key: "mm2", title: "area", unit: "mm2", source: "measured" },
      ],
      rows: parts.map(({ part, mm2 }) => ({ part, mm2 })),
    },
  };
}

function floorBlocks(report: AreaReport): readonly Block[] {
  const floor = floorOf(report);
  const ofPaper = report.unit === "ndp";
  const cells = report.sum.cellArea / 1e6;
  const band = memoryBand(report.memories);
  const rows = [
    { what: "cells", ours: cells, low: cells, high: cells, source: "synthesis" },
    {
      what: "memories",
      ours: report.memoryArea / 1e6,
      ...scaled(band, 1e-6),
      source: "published macros by shape",
    },
    {
      what: "floor",
      ours: floor.total,
      ...floor.band,
      source: `cells at ${String(utilisation.logic)}, memories at ${String(utilisation.sram)} (assumed)`,
      paper: triMoe.areaMm2,
    },
    ...(ofPaper ? triMoeMissing : []).map(({ name, why }) => ({
      what: name,
      ours: null,
      low: null,
      high: null,
      source: `missing: not in this RTL, and the paper has no separate area; ${why}`,
    })),
  ];
  const table: Table = {
    kind: "table",
    id: "area-floor",
    caption: ofPaper
      ? "Area of each part beside the published area. Parts with different contents are compared, so the table does not claim agreement."
      : "Floor area of each part.",
    columns: [
      { key: "what", title: "what" },
      { key: "ours", title: "area", unit: "mm2", source: "derived" },
      { key: "low", title: "with the smallest memories", unit: "mm2", source: "derived" },
      { key: "high", title: "with the largest memories", unit: "mm2", source: "derived" },
      ...(ofPaper
        ? [{ key: "paper", title: "TriMoE, 7 nm", unit: "mm2", source: "published" } as const]
        : []),
      { key: "origin", title: "origin" },
    ],
    rows: rows.map(({ source: origin, ...row }) => ({ paper: null, ...row, origin })),
  };
  const notes = ofPaper ? [counted.inside, counted.outside] : [];
  return [
    table,
    ...notes.map((text, i): Block => ({
      kind: "prose",
      text: `${i === 0 ? "Counted" : "Not counted"}: ${text}.`,
    })),
  ];
}

function fpgaBlocks(report: AreaReport): readonly Block[] {
  const row = (part: string, r: FpgaCount, from: string): Record<string, Cell> => ({
    part,
    lut: Math.round(r.lut),
    ff: Math.round(r.ff),
    bram36: r.bram36,
    dsp: r.dsp,
    from,
  });
  const missingRows = ({
    name,
    why,
    ...published
  }: MissingRow & FpgaCount): Record<string, Cell>[] => [
    {
      part: name,
      lut: null,
      ff: null,
      bram36: null,
      dsp: null,
      from: `missing: not in this RTL; ${why}`,
    },
    row(name, published, "InstInfer, Table I"),
  ];
  const beside = instInferTable.flatMap((published) => {
    const ours = combinedResources(report, published.modules);
    return ours === null
      ? []
      : [
          row(published.name, ours, ["synthesis", published.lacks].filter(Boolean).join("; ")),
          row(published.name, published, "InstInfer, Table I"),
        ];
  });
  return [
    {
      kind: "table",
      id: `resources-${report.unit}`,
      caption: "Synthesis for Xilinx' 7 series beside InstInfer's Table I.",
      columns: [
        { key: "part", title: "part" },
        { key: "lut", title: "LUT" },
        { key: "ff", title: "FF" },
        { key: "bram36", title: "BRAM36" },
        { key: "dsp", title: "DSP" },
        { key: "from", title: "from" },
      ],
      rows: [
        ...report.units.map((u) => row(u.name, u.resources, "synthesis")),
        row("total", report.sum, "synthesis"),
        ...beside,
        ...(report.unit === "sparf" ? instInferMissing.flatMap(missingRows) : []),
        row("Zynq-7045", zynq7045, "device"),
      ],
    },
    ...fpgaVerdicts(report),
  ];
}

function pathTable(report: AreaReport): Table {
  return {
    kind: "table",
    id: `paths-${report.unit}`,
    caption:
      report.target === "asic"
        ? "The slowest path of each slice with clock-to-output and setup; no wires."
        : "The slowest path of each slice: logic, without routing. A block RAM that is read straight into a register is apart.",
    columns: [
      { key: "module", title: "slice" },
      { key: "parameters", title: "parameters" },
      { key: "period", title: "period", unit: "ps", source: "measured" },
      ...(report.target === "xc7"
        ? [
            {
              key: "memoryRead",
              title: "block RAM to register",
              unit: "ps",
              source: "measured",
            } as const,
          ]
        : []),
      { key: "depth", title: "in the path", unit: "cells", source: "measured" },
      { key: "start", title: "from" },
      { key: "end", title: "to" },
      { key: "tool", title: "timed by" },
      { key: "mapper", title: "mapped by" },
    ],
    rows: report.slices.flatMap(({ module, parameters, path, memoryRead, mapper }) =>
      path === null
        ? []
        : [{ module, parameters: parametersOf(parameters), ...path, memoryRead, mapper }],
    ),
  };
}

/**
 * The hash of unit, target, parameters, library and tools: a repetition of the synthesis has the
 * same hash.
 */
function configHashOf({ unit, target, parameters, library, tools }: AreaReport): string {
  return hashOfValue({ unit, target, parameters, library, tools });
}

function parametersOf(parameters: Readonly<Record<string, unknown>>): string {
  const set = Object.entries(parameters).map(([name, value]) => `${name}=${String(value)}`);
  return set.length === 0 ? "its defaults" : set.join(" ");
}
