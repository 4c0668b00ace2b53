// SPDX-License-Identifier: Apache-2.0
// Energy and area of the hardware of a run: energy of the run by part, measured energy of
// operations, and recorded area of its units.

import { capital } from "../base/format-value.ts";
import type { RunEnergy } from "../results/types.ts";
import { designText } from "./cost-text.ts";
import { energyBySource, energySources, totalOf } from "../results/energy/energy-parts.ts";
import type { RunCost, UnitCost } from "./run-result.ts";
import type { AreaReport } from "../results/area-report.ts";
import { breakdownFigure } from "./figures/breakdown.ts";
import type { Block, Section, Table } from "./page.ts";
import { pivotTable, type PivotRow } from "./pivot.ts";

const micro = 1e6;
const kinds = {
  expert: "an expert",
  attention: "a layer's attention, one token",
  token: "a token of a whole model, the host's power included",
} as const;

/** Inputs of the sections, apart from the recorded cost. */
interface CostParts {
  /** Returns the sections of one unit's area. */
  readonly areaSections: (area: AreaReport) => readonly Section[];
  /** Names of the units whose RTL ran. */
  readonly simulated: readonly string[];
}

/** Energy of the run, and area of its units. */
export function costSections(
  cost: RunCost,
  { areaSections, simulated }: CostParts,
): readonly Section[] {
  return [
    ...(cost.energy.length === 0 ? [] : [energySection(cost)]),
    ...cost.units.flatMap((unit) => {
      const { area } = unit;
      if (area === null) return [];
      const sections = areaSections(area);
      const [first, ...rest] = sections;
      if (first === undefined) return [];
      return [
        {
          ...first,
          blocks: [provenance({ ...unit, area }, simulated.includes(unit.name)), ...first.blocks],
        },
        ...rest,
      ];
    }),
  ];
}

function provenance(
  { area, current, another }: Omit<UnitCost, "area"> & { readonly area: AreaReport },
  hasRun: boolean,
): Block {
  const tools = `${area.tools.join(", ")}, ${area.library ?? "Xilinx 7 series"}`;
  const state = current
    ? hasRun
      ? "The record matches the RTL of this run."
      : "The record matches the RTL of the unit, which this run did not simulate."
    : "The RTL differs from the record: `neardata area UNIT --record` measures it.";
  return {
    kind: "prose",
    text:
      `${capital(designText(area))}, from synthesis (${tools}), recorded with the sources. ${state}` +
      (another === true
        ? " The unit of this run has other parameters: `neardata area UNIT --param NAME=VALUE` measures it."
        : ""),
  };
}

function energySection(cost: RunCost): Section {
  const runs = [...new Set(cost.energy.map((run) => run.kind))];
  return {
    id: "energy",
    title: "Energy",
    blocks: [
      {
        kind: "prose",
        text:
          "Energy is the number of operations in the run times the energy of one operation. The energy of operations of " +
          "the units is measured: it is the switching of the mapped netlist with operands of the run. All other energies " +
          "are assumed, as stated. Leakage, clock tree, the data paths of the control logic, voltage conversion and the host " +
          "are not counted. The energy of the engine is that of 7 nm cells, also if the engine is an FPGA design.",
      },
      ...runs.flatMap((kind) => {
        const ofKind = cost.energy.filter((run) => run.kind === kind);
        const parts = [...new Set(ofKind.flatMap((run) => run.parts.map((p) => p.part)))];
        return [
          breakdownFigure({
            id: `energy-${kind}`,
            caption: `Energy of ${kinds[kind]}.`,
            parts: shownParts(ofKind, parts),
            whole: "its energy",
            unit: "uJ",
            data: ofKind.flatMap((run) => grouped(run, shownParts(ofKind, parts))),
          }),
          ...energyTable(`energy-${kind}-table`, ofKind),
        ];
      }),
      ...(cost.token.length === 0 ? [] : [tokenTable(cost)]),
      ...cost.units.map(operationTable),
    ],
  };
}

/** A picture has seven colours: the six largest parts, and the rest. */
function shownParts(runs: readonly RunEnergy[], parts: readonly string[]): readonly string[] {
  const of = (name: string): number =>
    runs.flatMap((r) => r.parts).reduce((n, p) => n + (p.part === name ? p.joules : 0), 0);
  const sorted = [...parts].sort((a, b) => of(b) - of(a));
  return sorted.length <= 7 ? sorted : [...sorted.slice(0, 6), "other"];
}

function grouped(
  { title, parts }: RunEnergy,
  shown: readonly string[],
): readonly { readonly run: string; readonly part: string; readonly value: number }[] {
  const of = (part: string): string => (shown.includes(part) ? part : "other");
  return shown.map((part) => ({
    run: title,
    part,
    value: micro * parts.filter((p) => of(p.part) === part).reduce((n, p) => n + p.joules, 0),
  }));
}

function energyTable(id: string, runs: readonly RunEnergy[]): readonly Table[] {
  const [first] = runs;
  const rows = (first?.parts ?? []).map(({ part, source, how }, i): PivotRow => ({
    name: part,
    unit: "uJ",
    source,
    note: how,
    values: runs.map((run) => micro * (run.parts[i]?.joules ?? 0)),
  }));
  const sums = energySources.map((source): PivotRow => ({
    name: `${source} together`,
    unit: "uJ",
    source,
    values: runs.map((run) => micro * energyBySource(run)[source]),
  }));
  return pivotTable(
    id,
    "Energy of each part: counted operations times the energy of one.",
    runs.map(({ title }) => title),
    [...rows, ...sums],
  );
}

function tokenTable({ token }: RunCost): Table {
  return {
    kind: "table",
    id: "energy-token",
    caption:
      "Attention of one decoded token: the energy of the simulated layer times the number of layers of the model. Projections and " +
      "feed-forward layers, which run on the GPU, are not included.",
    columns: [
      { key: "title", title: "run" },
      { key: "layers", title: "layers" },
      ...energySources.map((source) => ({ key: source, title: source, unit: "mJ", source })),
      { key: "total", title: "per token", unit: "mJ", source: "derived" },
    ],
    rows: token.map(({ title, layers, ...sources }) => ({
      title,
      layers,
      ...Object.fromEntries(energySources.map((source) => [source, 1e3 * sources[source]])),
      total: 1e3 * totalOf(sources),
    })),
  };
}

function operationTable({ name, energy, current }: RunCost["units"][number]): Table {
  return {
    kind: "table",
    id: `operations-${name}`,
    caption:
      `Operations of ${name}${current ? "" : ", in an earlier state of its RTL"}: switching of the mapped netlist at ${String(energy.volts)} V, without ` +
      `the clock, which needs ${(1e15 * energy.clockJoules).toPrecision(3)} fJ per flip-flop and cycle. ` +
      "Published for 7 nm (Jouppi et al., ISCA 2021): FP16 product 0.34 pJ, FP32 sum 0.38 pJ.",
    columns: [
      { key: "id", title: "operation" },
      { key: "joules", title: "with glitches", unit: "pJ", source: "measured" },
      { key: "settled", title: "without glitches", unit: "pJ", source: "measured" },
      { key: "counts", title: "definition of one operation" },
    ],
    rows: energy.operations.map(({ id, joules, settledJoules, counts }) => ({
      id,
      joules: joules * 1e12,
      settled: settledJoules * 1e12,
      counts,
    })),
  };
}
