// SPDX-License-Identifier: Apache-2.0
// What an FPGA's resources and clock are judged by: the device that it has to fit into, and the
// clock that the paper's engine runs at. Logic alone is judged apart from logic with room for wires.

import type { Verdict } from "../report/page.ts";
import { together, type AreaReport } from "./area.ts";
import { engineClockMHz, instInferTable, zynq7045, type FpgaCount } from "./papers.ts";

const kinds = ["lut", "ff", "bram36", "dsp"] as const;
const names: Readonly<Record<(typeof kinds)[number], string>> = {
  lut: "LUT",
  ff: "FF",
  bram36: "BRAM36",
  dsp: "DSP",
};

/** ps of a period at the paper's clock. */
const enginePeriod = 1e6 / engineClockMHz;
/** ps of it that logic may take; the rest is for wires, which synthesis does not know. */
const logicPeriod = 2000;

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
 * The paper's row for its attention is of both kernels; of how many selectors the other rows are it
 * does not say. So the judgement is over all of ours together, and says what each alone is.
 */
function besidePaper(report: AreaReport): readonly Verdict[] {
  return instInferTable
    .filter((row) => row.name !== "attention kernels")
    .flatMap((row): Verdict[] => {
      const all = together(report, row.modules);
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
          detail: [`${String(count)} together`, ...larger, `one alone is ${each}`].join(", "),
        },
      ];
    });
}

function clockVerdicts(report: AreaReport): readonly Verdict[] {
  const clock = `${String(engineClockMHz)} MHz`;
  const period = (enginePeriod / 1000).toFixed(2);
  const late = over(report, enginePeriod);
  const close = over(report, logicPeriod);
  return [
    {
      kind: "verdict",
      name: `logic of every slice within a period of ${clock}`,
      pass: late.length === 0,
      detail:
        late.length === 0 ? `${period} ns, wires apart` : `over ${period} ns: ${listed(late)}`,
    },
    {
      kind: "verdict",
      name: `logic of every slice within ${String(logicPeriod / 1000)} ns, the rest for wires`,
      pass: close.length === 0,
      detail: close.length === 0 ? `at ${clock}` : `over it: ${listed(close)}`,
    },
  ];
}

/** Slices with a longer path, the slowest first, each module once. */
function over(report: AreaReport, limit: number): readonly (readonly [string, number])[] {
  const worst = new Map<string, number>();
  for (const { module, path } of report.slices) {
    const period = path?.period ?? 0;
    if (period > limit) worst.set(module, Math.max(period, worst.get(module) ?? 0));
  }
  return [...worst].sort((a, b) => b[1] - a[1]);
}

function listed(slices: readonly (readonly [string, number])[]): string {
  return slices.map(([module, period]) => `${module} ${(period / 1000).toFixed(2)} ns`).join(", ");
}
