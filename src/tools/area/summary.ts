// SPDX-License-Identifier: Apache-2.0
// The result of an area run for other programs and for a terminal.

import { periodOf, combinedResources } from "../synth/area.ts";
import { type AreaReport, type MemoryRow } from "../../results/area-report.ts";
import { utilisation } from "../synth/resources.ts";
import { memoryBand, memoryEstimate, scaled, type Band } from "../../machine/memories/memory.ts";
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
import { conditionsOf, unitLines, unitPeriod } from "./unit-timing.ts";
import { fpgaVerdicts } from "./verdicts.ts";

/** Square millimetres of floor: cells, buffers between slices, and macros at their utilisation. */
export interface Floor {
  readonly logic: number;
  readonly sram: number;
  readonly total: number;
  /** The total with memories at their least, and at their most. */
  readonly band: Band;
}

export function floorOf(report: AreaReport): Floor {
  const cells = report.sum.cellArea + (report.timing?.buffers.area ?? 0);
  const logic = cells / 1e6 / utilisation.logic;
  const sram = report.memoryArea / 1e6 / utilisation.sram;
  const { low, high } = scaled(memoryBand(report.memories), 1 / 1e6 / utilisation.sram);
  return { logic, sram, total: logic + sram, band: { low: logic + low, high: logic + high } };
}

/** GHz of the whole unit, otherwise of the slowest slice; null without timing results. */
export function clockOf(report: AreaReport): number | null {
  const period = report.timing === undefined ? null : unitPeriod(report.timing);
  if (period !== null) return 1000 / period;
  return report.slowest === null ? null : 1000 / periodOf(report.slowest);
}

/** The document of `area --json`. */
export function areaDocument(report: AreaReport): object {
  const { lut, ff, bram36, dsp, cellArea, gates } = report.sum;
  const clockGHz = clockOf(report);
  const { memoryArea, sum, memories, ...rest } = report;
  const totals =
    report.target === "xc7"
      ? { lut, ff, bram36, dsp, clockGHz }
      : {
          areaMm2: floorOf(report),
          clockGHz,
          gateEquivalents: gates,
          ff,
          cellMm2: cellArea / 1e6,
          sramMm2: memoryArea / 1e6,
          sramBandMm2: scaled(memoryBand(memories), 1e-6),
        };
  const published =
    report.target === "asic"
      ? report.unit === "ndp"
        ? { triMoe, counted, missing: triMoeMissing }
        : {}
      : {
          instInferTable,
          zynq7045,
          ...(report.unit === "sparf" ? { missing: instInferMissing } : {}),
        };
  const estimated = memories.map((memory) => ({ ...memory, ...memoryEstimate(memory) }));
  return { totals, ...rest, memories: estimated, published };
}

/** A table for people. */
export function areaText(report: AreaReport): string {
  const clock = clockOf(report);
  return [
    `${report.title}, ${report.target}${report.library === null ? "" : `, ${report.library}`}`,
    ...(report.target === "xc7" ? fpgaLines(report) : chipLines(report)),
    ...pathLines(report),
    ...unitLines(report),
    clock === null
      ? "no timing"
      : `clock ${clock.toFixed(3)} GHz, ${conditionsOf(report.target)}, ${where(report)}`,
  ].join("\n");
}

function fpgaLines(report: AreaReport): readonly string[] {
  const line = (name: string, r: FpgaCount): string =>
    `${name.padEnd(24)}${cell(r.lut)}${cell(r.ff)}${cell(r.bram36, 1)}${cell(r.dsp)}`;
  const missingLines = ({ name, why, ...row }: MissingRow & FpgaCount): readonly string[] => [
    `${name.padEnd(24)}${["-", "-", "-", "-"].map(wide).join("")}  missing here`,
    line("  InstInfer", row),
    `  ${why}`,
  ];
  const beside = instInferTable.flatMap((row) => {
    const ours = combinedResources(report, row.modules);
    return ours === null
      ? []
      : [
          line(row.name, ours),
          line("  InstInfer", row),
          ...(row.lacks === undefined ? [] : [`  ${row.lacks}`]),
        ];
  });
  return [
    `${" ".repeat(24)}${["LUT", "FF", "BRAM36", "DSP"].map((t) => t.padStart(12)).join("")}`,
    ...report.units.map((u) => line(u.name, u.resources)),
    line("total", report.sum),
    ...beside,
    ...(report.unit === "sparf" ? instInferMissing.flatMap(missingLines) : []),
    line("Zynq-7045", zynq7045),
    ...fpgaVerdicts(report).map((v) => `${v.pass ? "yes" : "NO "} ${v.name}: ${v.detail}`),
  ];
}

function chipLines(report: AreaReport): readonly string[] {
  const floor = floorOf(report);
  // The area of a small unit, such as a rounder, needs more digits.
  const mm2 = (value: number): string => value.toFixed(value > 0 && value < 1e-3 ? 7 : 4);
  const kge = (value: number): string => value.toFixed(value < 10 ? 3 : 1);
  return [
    `${" ".repeat(24)}${["mm2", "kGE", "FF"].map((t) => t.padStart(12)).join("")}`,
    ...report.units.map(
      ({ name, resources: r }) =>
        `${name.padEnd(24)}${wide(mm2(r.cellArea / 1e6))}${wide(kge(r.gates / 1e3))}${cell(r.ff)}`,
    ),
    ...report.memories.map(
      (m) =>
        [String(m.count), "x", m.module.replace("_macro", "")].join(" ").padEnd(24) +
        `${wide(mm2((m.area * m.count) / 1e6))}${cell((m.bits * m.count) / 8192, 0)} KB` +
        memoryNote(m, mm2),
    ),
    `cells ${mm2(report.sum.cellArea / 1e6)} mm2 at ${String(utilisation.logic)}, ` +
      `memories ${mm2(report.memoryArea / 1e6)} mm2 at ${String(utilisation.sram)}: ` +
      `floor ${mm2(floor.total)} mm2` +
      (report.memories.length === 0
        ? ""
        : `, with memories at their least and most ${mm2(floor.band.low)} to ${mm2(floor.band.high)}`),
    ...(report.unit === "ndp"
      ? [
          `TriMoE: ${String(triMoe.areaMm2)} mm2 (7 nm; the paper names no clock)`,
          `counted: ${counted.inside}`,
          `not counted: ${counted.outside}`,
          ...triMoeMissing.map(({ name, why }) => `missing here: ${name} (${why})`),
        ]
      : []),
  ];
}

/** A memory's shape, macros and band of estimates. */
function memoryNote({ count, ...memory }: MemoryRow, mm2: (value: number) => string): string {
  const { macros, ...estimate } = memoryEstimate(memory);
  const { low, high } = scaled(estimate, count / 1e6);
  const { Words: words = 0, DataBits: bits = 0 } = memory.parameters;
  const band = `${mm2(low)} to ${mm2(high)} mm2`;
  return `  ${String(words)} x ${String(bits)}, ${macros}, ${band}`;
}

function pathLines(report: AreaReport): readonly string[] {
  return report.slices.flatMap(({ module, parameters, path, memoryRead, mapper }) =>
    path === null
      ? []
      : [
          `${module.padEnd(16)} ${path.period.toFixed(0).padStart(6)} ps ${String(path.depth).padStart(3)} cells  ` +
            `${path.start} -> ${path.end}  ${JSON.stringify(parameters)}  ${mapper}` +
            (memoryRead === null ? "" : `; block RAM to register ${String(memoryRead)} ps`),
        ],
  );
}

function where({ slowest, timing }: AreaReport): string {
  if (timing !== undefined) return "the whole unit";
  return slowest?.path ? `by ${slowest.path.tool}, in ${slowest.module}` : "";
}

function cell(value: number, digits = 0): string {
  return wide(value.toFixed(digits));
}

function wide(text: string): string {
  return text.padStart(12);
}
