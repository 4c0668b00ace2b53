// SPDX-License-Identifier: Apache-2.0
// Criteria for an FPGA's resources and clock: the capacity of the device, and the clock of the paper's
// engine. Logic alone has a separate criterion from logic with a reserve for wires.

import type { Verdict } from "../../report/page.ts";
import { periodOf, combinedResources } from "../synth/area.ts";
import { type AreaReport, type SliceRow } from "../../results/area-report.ts";
import { enginePeriod } from "../synth/sta/claims.ts";
import {
  engineClockMHz,
  instInferTable,
  logicShare,
  zynq7045,
  type FpgaCount,
} from "../synth/papers.ts";

const kinds = ["lut", "ff", "bram36", "dsp"] as const;
const names: Readonly<Record<(typeof kinds)[number], string>> = {
  lut: "LUT",
  ff: "FF",
  bram36: "BRAM36",
  dsp: "DSP",
};

/** The judgements over a unit on an FPGA. */
export function fpgaVerdicts(report: AreaReport): readonly Verdict[] {
  return [
    {
      kind: "verdict",
      name: "fits a Zynq-7045",
      pass: noLarger(report.sum, zynq7045),
      detail: kinds
        .map((k) => `${String(report.sum[k])} of ${String(zynq7045[k])} ${names[k]}`)
        .join(", "),
    },
    ...(report.unit === "sparf" ? [...besidePaper(report), ...clockVerdicts(report)] : []),
  ];
}

function noLarger(ours: FpgaCount, limit: FpgaCount): boolean {
  return kinds.every((k) => ours[k] <= limit[k]);
}

/**
 * The paper's row for its attention covers both kernels. The paper does not state how many
 * selectors the other rows cover. The check therefore covers all of ours together, and its text
 * states the size of each.
 */
function besidePaper(report: AreaReport): readonly Verdict[] {
  return instInferTable
    .filter((row) => row.name !== "attention kernels")
    .flatMap((row): Verdict[] => {
      const all = combinedResources(report, row.modules);
      if (all === null) return [];
      const slices = report.slices.filter((s) => row.modules.includes(s.module));
      const count = slices.reduce((sum, s) => sum + s.count, 0);
      const over = kinds.filter((k) => all[k] > row[k]);
      const larger = over.map((k) => `${String(all[k])} ${names[k]} against ${String(row[k])}`);
      const each = slices.every((s) => noLarger(s.resources, row)) ? "not larger" : "larger";
      return [
        {
          kind: "verdict",
          name: `${row.name} no larger than InstInfer's Table I`,
          pass: over.length === 0,
          detail: [
            `${String(count)} together`,
            ...larger,
            `one alone is ${each}`,
            ...(row.lacks === undefined ? [] : [row.lacks]),
          ].join(", "),
        },
      ];
    });
}

function clockVerdicts(report: AreaReport): readonly Verdict[] {
  const clock = `${String(engineClockMHz)} MHz`;
  const logicPeriod = logicShare * enginePeriod;
  const ns = (ps: number): string => `${(ps / 1000).toFixed(2)} ns`;
  const late = over(report, enginePeriod, periodOf);
  const close = over(report, logicPeriod, ({ path }) => path?.period ?? 0);
  const reads = Math.max(...report.slices.map((s) => s.memoryRead ?? 0));
  return [
    {
      kind: "verdict",
      name: `logic of every slice within a period of ${clock}`,
      pass: late === "",
      detail:
        late === "" ? `${ns(enginePeriod)}, wires apart` : `over ${ns(enginePeriod)}: ${late}`,
    },
    {
      kind: "verdict",
      name: `logic of every slice within ${ns(logicPeriod)}, the rest of ${ns(enginePeriod)} for wires`,
      pass: close === "",
      detail: [
        ...(close === "" ? [] : [`over it: ${close}`]),
        ...(reads > logicPeriod
          ? [`a block RAM read straight into a register takes ${ns(reads)} and one wire`]
          : []),
      ].join("; "),
    },
  ];
}

/** Slices that exceed the limit, the slowest first, each module once. */
function over(report: AreaReport, limit: number, period: (slice: SliceRow) => number): string {
  const worst = new Map<string, number>();
  for (const slice of report.slices.filter((s) => period(s) > limit)) {
    worst.set(slice.module, Math.max(period(slice), worst.get(slice.module) ?? 0));
  }
  return [...worst]
    .sort((a, b) => b[1] - a[1])
    .map(([module, ps]) => `${module} ${(ps / 1000).toFixed(2)} ns`)
    .join(", ");
}
