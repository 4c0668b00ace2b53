// SPDX-License-Identifier: Apache-2.0
// The page of one run: sections of its kernels, cost, checks, and the last cycles of failures.

import { counted } from "../base/format-value.ts";
import { casesOf, type ResultContent } from "./saved/document.ts";
import type { AreaReport } from "../results/area-report.ts";
import type { RunCost, RunResult } from "./run-result.ts";
import type { HeadEstimate } from "./attention/attention-latency.ts";
import { costSections } from "./cost.ts";
import { runFidelity } from "./fidelity-text.ts";
import type { Block, Page, Section } from "./page.ts";
import { summaryOf } from "./summary.ts";
import { readFst } from "../rtl/waves/fst.ts";
import { lastCycles, formatBits } from "../rtl/waves/picture.ts";

/** Optional parts of a page. */
export interface RunPageParts {
  /** Null where no cost of the hardware was recorded. */
  readonly cost?: RunCost | null;
  /** Sections of a unit's area. */
  readonly areaSections?: (area: AreaReport) => readonly Section[];
  /** Other files of the run directory. */
  readonly beside?: Page["beside"];
  readonly waves?: readonly FailureWaves[];
  /** Closed forms, for comparison with the time of a head by unit. */
  readonly estimate?: HeadEstimate;
}

/** The page of a run. */
export async function runPage(
  result: RunResult,
  document: ResultContent,
  parts: RunPageParts = {},
): Promise<Page> {
  const { cost = null, areaSections = () => [], beside = [], waves = [], estimate } = parts;
  const { kernels } = result;
  const all = casesOf(result);
  const checks = all.flatMap((c) => c.checks);
  const passed = checks.filter((check) => check.pass).length;
  return {
    title: result.title,
    lead:
      `Scenario ${result.scenario}: ${counted(all.length, "run")}${runFidelity(kernels)}, ` +
      `${String(passed)} of ${counted(checks.length, "check")} passed.`,
    summary: summaryOf(result, checks),
    provenance: [
      ["config hash", document.configHash],
      ["result hash", document.resultHash],
      ["seed", String(document.seed)],
      ...Object.entries({ ...document.versions, ...document.host }),
    ],
    beside,
    sections: [
      ...(await Promise.all(kernels.map(async ({ sections }) => sections({ estimate })))).flat(),
      ...(cost === null
        ? []
        : costSections(cost, {
            areaSections,
            simulated: unitsOnRtl(kernels),
          })),
      { id: "checks", title: "Checks", blocks: checkBlocks(all) },
      ...failureSection(waves),
      ...(await Promise.all(kernels.map(async ({ machine }) => machine()))).flat(),
    ],
  };
}

/** The units whose RTL ran. */
function unitsOnRtl(kernels: RunResult["kernels"]): readonly string[] {
  return kernels
    .filter(({ cases }) => cases.some(({ fidelity }) => fidelity === "rtl"))
    .flatMap(({ rtlUnits }) => rtlUnits);
}

/** The waveform of a failed case: its file, and its content. */
export interface FailureWaves {
  readonly file: string;
  readonly bytes: Uint8Array;
}

/** Pictures of the cycles before failures. */
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
        caption: `${file}: the ports of the unit in the last cycles with a change, with their values before each clock edge.${others}`,
        svg,
        data: {
          columns: [
            { key: "cycle", title: "cycle" },
            ...ports.map(({ name }) => ({ key: name, title: name })),
          ],
          rows: (ports[0]?.values ?? []).map((_, i) => ({
            cycle: from + i,
            ...Object.fromEntries(ports.map((p) => [p.name, formatBits(p.values[i] ?? "x")])),
          })),
        },
      },
    ];
  });
  return blocks.length === 0 ? [] : [{ id: "failures", title: "Last cycles of failures", blocks }];
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
