// SPDX-License-Identifier: Apache-2.0
// Static timing of a whole unit, as lines of a terminal, as a section of a page, and as claims with
// their results.

import type { AreaReport, UnitTiming } from "../../results/area-report.ts";
import { readable } from "../../base/readable.ts";
import { enginePeriod } from "../synth/sta/claims.ts";
import type { Block, Section, Table, Verdict } from "../../report/page.ts";
import { cornerBlocks, cornerLines, nameOf, terminalLocation } from "./corners.ts";
import { fpgaVerdicts } from "./verdicts.ts";

/** Shortest period of a unit in ps; null without a path. */
export function unitPeriod({ worst, memoryRead }: UnitTiming): number | null {
  const [slowest] = worst;
  if (slowest === undefined && memoryRead === null) return null;
  return Math.max(slowest?.period ?? 0, memoryRead ?? 0);
}

/**
 * Claims that must be true: the clock of the unit with any parameters, and the FPGA resources on
 * its page for the unit with default parameters.
 */
export function claims(report: AreaReport): readonly Verdict[] {
  const asItIs = Object.keys(report.parameters).length === 0;
  const resources = report.target === "xc7" && report.unit === "sparf" && asItIs;
  return [...clockClaims(report), ...(resources ? fpgaVerdicts(report) : [])];
}

/** The conditions of the claimed clock. */
export function conditionsOf(target: AreaReport["target"]): string {
  return target === "asic" ? "typical corner, pre-layout" : "pre-layout";
}

function clockClaims({ timing, target }: AreaReport): readonly Verdict[] {
  if (timing === undefined || timing.limit === null) return [];
  const { worst, over, limit, ends, memoryRead } = timing;
  const [slowest] = worst;
  const ns = (ps: number): string => `${(ps / 1000).toFixed(3)} ns`;
  const detail =
    slowest === undefined
      ? "it has no path"
      : `the slowest takes ${ns(slowest.period)}, from ${terminalLocation(slowest.start)} to ${terminalLocation(slowest.end)}` +
        `; ${String(over)} of ${String(ends)} ends are over it`;
  const claim: Verdict = {
    kind: "verdict",
    name: `every path of the whole unit within ${ns(limit)}, ${conditionsOf(target)}`,
    pass: over === 0,
    detail,
  };
  if (target === "asic" || memoryRead === null) return [claim];
  return [
    claim,
    {
      kind: "verdict",
      name: `a block RAM read straight into a register within ${ns(enginePeriod)}`,
      pass: memoryRead <= enginePeriod,
      detail: `it takes ${ns(memoryRead)} and one wire`,
    },
  ];
}

/** The slowest paths, for a terminal. */
export function unitLines(report: AreaReport): readonly string[] {
  const { timing } = report;
  if (timing === undefined) return [];
  return [
    `the whole unit, ${String(timing.instances)} slices linked: its slowest paths`,
    ...timing.worst.map(
      ({ start, end, period, depth, through }) =>
        `${period.toFixed(0).padStart(6)} ps ${String(depth).padStart(3)} cells  ` +
        `${terminalLocation(start)} -> ${terminalLocation(end)}` +
        (through.length > 1 ? `  through ${through.join(", ")}` : ""),
    ),
    ...(timing.memoryRead === null
      ? []
      : [`${timing.memoryRead.toFixed(0).padStart(6)} ps block RAM to register`]),
    ...bufferLines(timing),
    ...cornerLines(timing),
    ...clockClaims(report).map((v) => `${v.pass ? "yes" : "NO "} ${v.name}: ${v.detail}`),
  ];
}

function bufferLines({ buffers: { count, area } }: UnitTiming): readonly string[] {
  if (count === 0) return [];
  const mm2 = (area / 1e6).toFixed(4);
  return [
    `Nets between slices need ${readable(count)} buffers, ${mm2} mm2. The floor includes them.`,
  ];
}

/** The slowest paths, for a page. */
export function unitSections(report: AreaReport): readonly Section[] {
  const { timing, title, unit } = report;
  if (timing === undefined) return [];
  const buffers = bufferLines(timing).map((text): Block => ({ kind: "prose", text }));
  return [
    {
      id: `unit-timing-${unit}`,
      title: `${title}: timing of the whole unit`,
      blocks: [
        unitTable(report, timing),
        ...buffers,
        ...cornerBlocks(unit, timing),
        ...clockClaims(report),
      ],
    },
  ];
}

function unitTable({ unit, target }: AreaReport, { worst, instances }: UnitTiming): Table {
  const wires = target === "asic" ? "no wires" : "without routing";
  return {
    kind: "table",
    id: `unit-paths-${unit}`,
    caption:
      `The slowest paths of ${String(instances)} linked slices, one for each pair of start and end, ` +
      `with clock-to-output and setup; ${wires}.`,
    columns: [
      { key: "period", title: "period", unit: "ps", source: "measured" },
      { key: "depth", title: "in the path", unit: "cells", source: "measured" },
      { key: "startModule", title: "from slice" },
      { key: "start", title: "from" },
      { key: "endModule", title: "to slice" },
      { key: "end", title: "to" },
      { key: "through", title: "through" },
    ],
    rows: worst.map(({ period, depth, start, end, through }) => ({
      period,
      depth,
      startModule: start.module,
      endModule: end.module,
      start: nameOf(start),
      end: nameOf(end),
      through: through.join(", "),
    })),
  };
}
