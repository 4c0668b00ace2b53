// SPDX-License-Identifier: Apache-2.0
// Cost of a run's hardware for a terminal: a line a unit, and energies.

import { counted } from "../base/format-value.ts";
import { energyBySource, energySources, totalOf } from "../results/energy/energy-parts.ts";
import type { AreaReport } from "../results/area-report.ts";
import { memoryBand } from "../machine/memories/memory.ts";
import type { RunCost } from "./run-result.ts";

/** Empty where nothing was recorded. */
export function costText(cost: RunCost | null): string {
  if (cost === null) return "";
  const energies = cost.energy.map((run) => {
    const sources = energyBySource(run);
    const shown = energySources
      .filter((source) => sources[source] > 0)
      .map((source) => `${source} ${uj(sources[source])}`);
    return `  ${run.title.padEnd(34)} ${uj(run.joules)} uJ (${shown.join(", ")})`;
  });
  const tokens = cost.token.map(({ title, layers, ...sources }) => {
    const joules = (totalOf(sources) * 1e3).toPrecision(3);
    return `  ${title.padEnd(34)} ${joules} mJ, ${counted(layers, "layer")}`;
  });
  return [
    ...cost.units.flatMap(areaLine),
    ...(energies.length === 0
      ? []
      : ["energy of an expert, of a layer's attention, of a token", ...energies]),
    ...(tokens.length === 0 ? [] : ["energy of a decoded token's attention", ...tokens]),
  ].join("\n");
}

function areaLine({ area, current, another }: RunCost["units"][number]): readonly string[] {
  if (area === null) return [];
  const { lut, ff, bram36, dsp, cellArea } = area.sum;
  const count = (n: number): string => Math.round(n).toLocaleString("en-US");
  const size =
    area.target === "xc7"
      ? `${count(lut)} LUT, ${count(ff)} FF, ${String(bram36)} BRAM36, ${count(dsp)} DSP`
      : `${mm2(cellArea + area.memoryArea)} mm2 of cells and memories${bandText(area)} (${area.library ?? ""})`;
  const age = current ? "" : "; of an earlier state of the RTL";
  const other = another === true ? "; the unit of this run is another" : "";
  return [`${area.title} ${designText(area)}: ${size}${age}${other}`];
}

function mm2(um2: number): string {
  return (um2 / 1e6).toFixed(3);
}

function bandText({ sum, memories }: AreaReport): string {
  if (memories.length === 0) return "";
  const { low, high } = memoryBand(memories);
  return `, ${mm2(sum.cellArea + low)} to ${mm2(sum.cellArea + high)}`;
}

/** Of the paper's size, and which parameters are others. */
export function designText({ parameters }: Pick<AreaReport, "parameters">): string {
  const assignments = Object.entries(parameters).map(([name, value]) => `${name}=${String(value)}`);
  return `at the paper's size${assignments.length === 0 ? "" : ` with ${assignments.join(", ")}`}`;
}

function uj(joules: number): string {
  return (joules * 1e6).toPrecision(4);
}
