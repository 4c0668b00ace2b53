// SPDX-License-Identifier: Apache-2.0
// Area against speed: a unit at several parameters, its area from synthesis and its speed from
// co-simulation of the same parameters at cycle fidelity behind its memory.

import * as Plot from "@observablehq/plot";

import { maxAlignedBits } from "../../machine/resolve/geometry.ts";
import { paretoFront } from "../../base/pareto.ts";
import type { Figure, Page } from "../../report/page.ts";
import { drawPlot } from "../../report/plot.ts";
import { seriesColours } from "../../report/plot-text.ts";
import { measureArea } from "../synth/area.ts";
import { type AreaReport } from "../../results/area-report.ts";
import type { Band } from "../../machine/memories/memory.ts";
import type { Flow } from "../synth/slice.ts";
import type { SweptUnit } from "../synth/speed.ts";
import {
  precisionFigure,
  precisionMeter,
  type Loss,
  type Precision,
  type PrecisionRow,
} from "./precision.ts";
import { clockOf, floorOf } from "./summary.ts";
import type { Instance, Parameters } from "../../machine/slices.ts";
import { hover } from "../../report/hover.ts";

export interface DesignPoint {
  readonly parameters: Parameters;
  /** mm2 of floor, or look-up tables. */
  readonly area: number;
  readonly areaUnit: "mm2" | "LUT";
  /** The floor with memories at their least and at their most. */
  readonly band?: Band;
  readonly clockGHz: number | null;
  /** Unit cycles for the work of the swept unit. */
  readonly cycles: number;
  /** Where the bits of a product are a parameter. */
  readonly precision?: readonly Precision[];
  /** No other point is both smaller and faster. */
  readonly efficient: boolean;
}

const alignedBits = "AlignedBits";

/** Measures every point; the same Yosys slices are made once for all of them. */
export async function measurePoints(
  flow: Flow,
  unit: SweptUnit,
  points: readonly Parameters[],
  progress: (slice: Instance) => void,
): Promise<readonly DesignPoint[]> {
  const measured: Omit<DesignPoint, "efficient">[] = [];
  const precisionOf = unit.asks === alignedBits ? precisionMeter(flow) : null;
  for (const parameters of points) {
    const cycles = await unit.cyclesOf(parameters);
    const report = await (unit.areaOf?.(flow, parameters, progress) ??
      measureArea(flow, unit.name, parameters, progress));
    measured.push({
      parameters,
      ...sizeOf(report),
      clockGHz: clockOf(report),
      cycles,
      ...(precisionOf === null ? {} : { precision: await precisionOf(parameters) }),
    });
  }
  return withFront(measured);
}

/** The points; efficient are those than which no other is better in one and as good in the other. */
export function withFront(
  points: readonly Omit<DesignPoint, "efficient">[],
): readonly DesignPoint[] {
  const front = new Set(paretoFront(points.map(({ area, cycles }) => [area, cycles])));
  return points.map((point, i) => ({ ...point, efficient: front.has(i) }));
}

function sizeOf(report: AreaReport): Pick<DesignPoint, "area" | "areaUnit" | "band"> {
  if (report.target !== "asic") return { area: report.sum.lut, areaUnit: "LUT" };
  const { total, band } = floorOf(report);
  return { area: total, areaUnit: "mm2", ...(report.memories.length === 0 ? {} : { band }) };
}

/** Area to the right, time upwards; the efficient points joined. */
export function paretoFigure({ work }: SweptUnit, points: readonly DesignPoint[]): Figure {
  const unit = points[0]?.areaUnit ?? "mm2";
  const { varied, fixed } = sortedOut(points.map(({ parameters }) => parameters));
  const rows = points.map((p) => ({
    design: designName(p.parameters, varied),
    area: p.area,
    low: p.band?.low ?? p.area,
    high: p.band?.high ?? p.area,
    clockGHz: p.clockGHz,
    cycles: p.cycles,
    efficient: p.efficient,
  }));
  const front = rows.filter((r) => r.efficient).sort((a, b) => a.area - b.area);
  const [low, high] = [Math.min(...rows.map((r) => r.area)), Math.max(...rows.map((r) => r.area))];
  const slowest = Math.max(...rows.map((r) => r.cycles));
  // Space on the right for a label, which is longer than the margin of the plot.
  const room = Math.max((high - low) * 0.45, high * 0.05);
  const svg = drawPlot({
    height: 360,
    marginLeft: 84,
    x: {
      label: unit === "mm2" ? "floor (mm2)" : "look-up tables",
      domain: [low - room / 4, high + room],
    },
    y: { label: "time (cycles)", domain: [0, 1.3 * slowest], grid: true },
    marks: [
      Plot.line(front, { x: "area", y: "cycles", stroke: seriesColours[0] }),
      Plot.dot(
        rows,
        hover({
          x: "area",
          y: "cycles",
          stroke: seriesColours[0],
          r: 4,
          fill: (r: (typeof rows)[number]) => (r.efficient ? seriesColours[0] : "none"),
        }),
      ),
      Plot.text(rows, {
        // Slanted, so that names of neighbouring designs do not overlap.
        x: "area",
        y: "cycles",
        text: "design",
        dx: 6,
        dy: -6,
        rotate: -30,
        textAnchor: "start",
        fill: "currentColor",
      }),
    ],
  });
  return {
    kind: "figure",
    id: "pareto",
    caption:
      `Area from synthesis against the time of ${work}, co-simulated at cycle fidelity with the same ` +
      `parameters.${fixed === "" ? "" : ` All have ${fixed}.`} Filled points are on the front: no other ` +
      "is both smaller and as fast.",
    svg,
    data: {
      columns: [
        { key: "design", title: "design" },
        { key: "area", title: "area", unit, source: "measured" },
        { key: "low", title: "with the smallest memories", unit, source: "derived" },
        { key: "high", title: "with the largest memories", unit, source: "derived" },
        { key: "clockGHz", title: "clock by logic", unit: "GHz", source: "measured" },
        { key: "cycles", title: "time", unit: "cycles", source: "measured" },
        { key: "efficient", title: "on the front" },
      ],
      rows,
    },
  };
}

/**
 * Parameters that differ between designs, and the common parameters with their value. A single design has
 * no common ones.
 */
function sortedOut(designs: readonly Parameters[]): {
  readonly varied: ReadonlySet<string>;
  readonly fixed: string;
} {
  const names = [...new Set(designs.flatMap((design) => Object.keys(design)))];
  const valuesOf = (name: string): number => new Set(designs.map((design) => design[name])).size;
  const varied = new Set(names.filter((name) => designs.length === 1 || valuesOf(name) > 1));
  const others = Object.entries(designs[0] ?? {}).filter(([name]) => !varied.has(name));
  return { varied, fixed: others.map(([name, value]) => `${name} ${String(value)}`).join(", ") };
}

function designName(parameters: Parameters, varied: ReadonlySet<string>): string {
  const parts = Object.entries(parameters)
    .filter(([name]) => varied.has(name))
    .map(([name, value]) => `${name} ${String(value)}`);
  return parts.length === 0 ? "as it is" : parts.join(", ");
}

/**
 * A line of the terminal: area, cycles, a star on the front, by format the energy of a product and the
 * relative L2 error of outputs (share that differs from 44 bits) with normal weights and with outliers,
 * parameters.
 */
export function designLine(point: DesignPoint): string {
  const { area, areaUnit, band, cycles, efficient, parameters, precision } = point;
  const range = band === undefined ? [] : [`(${band.low.toFixed(4)} to ${band.high.toFixed(4)})`];
  const lossText = ({ error, different }: Loss): string =>
    `${error.toExponential(2)} (${(100 * different).toFixed(2)} %)`;
  const precise = (precision ?? []).map(
    ({ format, normal, outliers, picojoules }) =>
      `${format} ${picojoules.toFixed(2)} pJ ${lossText(normal)} outliers ${lossText(outliers)}`,
  );
  return [
    `${areaUnit === "mm2" ? area.toFixed(4) : area.toFixed(0)} ${areaUnit}`.padStart(14),
    ...range,
    `${cycles.toFixed(0).padStart(10)} cycles ${efficient ? "*" : " "}`,
    ...precise,
    JSON.stringify(parameters),
  ].join(" ");
}

/** The page of a sweep over a unit's parameters. */
export function paretoPage(
  unit: SweptUnit,
  points: readonly DesignPoint[],
  flow: Flow,
  version: string,
): Page {
  const figure = paretoFigure(unit, points);
  const table = { ...figure.data, kind: "table", id: "points", caption: "The points." } as const;
  const precise = points.flatMap(({ area, parameters, precision = [] }) =>
    precision.map((one): PrecisionRow => ({
      ...one,
      area,
      alignedBits: parameters[alignedBits] ?? maxAlignedBits,
    })),
  );
  const title = unit.name === "ndp" ? "DIMM-NDP unit" : "SparF engine";
  return {
    title: `${title}: area against speed`,
    lead: `${String(points.length)} designs, ${String(points.filter((p) => p.efficient).length)} on the front.`,
    provenance: [
      ["version", version],
      ["cells", flow.library?.name ?? "Xilinx 7 series"],
      ["tools", [flow.yosys.version, flow.openSta ?? ""].filter((t) => t !== "").join("; ")],
      ["work", unit.work],
    ],
    sections: [
      { id: "pareto-section", title: "Area and speed", blocks: [figure, table] },
      ...(precise.length === 0
        ? []
        : [
            {
              id: "precision-section",
              title: "Error, area and energy",
              blocks: [precisionFigure("area", precise), precisionFigure("energy", precise)],
            },
          ]),
    ],
  };
}
