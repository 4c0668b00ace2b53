// SPDX-License-Identifier: Apache-2.0
// A served trace on a page: numbers, the batch over time, requests, steps, and the timeline of the first
// steps.

import { counted } from "../base/format-value.ts";
import type { BatchRun } from "../lm/batch/batch-machine.ts";
import {
  batchSpans,
  requestColumns,
  stepColumns,
  type BatchReport,
} from "../lm/batch/batch-report.ts";
import type { Check } from "../results/metric.ts";
import { timelineFigure } from "./figures/timeline.ts";
import { rateFigure, type RateSeries } from "./figures/series.ts";
import type { Block, Page, Table } from "./page.ts";

/** Number of steps in the timeline of the page. */
const shownSteps = 12;

/** Texts of the page. */
export interface BatchPageNotes {
  readonly title: string;
  /** How lengths and arrivals became those of the requests. */
  readonly rules: string;
  readonly provenance: Page["provenance"];
}

export function batchPage(
  run: Pick<BatchRun, "steps">,
  report: BatchReport,
  checks: readonly Check[],
  { title, rules, provenance }: BatchPageNotes,
): Page {
  const passed = checks.filter(({ pass }) => pass).length;
  return {
    title,
    lead: `${counted(report.requests.length, "request")} in ${counted(report.steps.length, "step")}; ${String(passed)} of ${counted(checks.length, "check")} passed.`,
    provenance,
    sections: [
      {
        id: "batch",
        title: "The batch",
        blocks: [{ kind: "prose", text: rules }, metricsTable(report), sizeFigure(run)],
      },
      {
        id: "requests",
        title: "Requests",
        blocks: [
          {
            kind: "table",
            id: "batch-requests",
            caption: "Every request. Times begin with the first arrival.",
            columns: requestColumns,
            rows: report.requests.map((row) => ({ ...row })),
          },
        ],
      },
      { id: "steps", title: "Steps", blocks: stepBlocks(run, report) },
      {
        id: "checks",
        title: "Checks",
        blocks: checks.map(({ title: name, pass, detail }) => ({
          kind: "verdict",
          name,
          pass,
          detail,
        })),
      },
    ],
  };
}

function metricsTable({ metrics }: BatchReport): Table {
  return {
    kind: "table",
    id: "batch-numbers",
    caption: "Every number of the batch.",
    columns: [
      { key: "title", title: "" },
      { key: "value", title: "value", digits: 5 },
      { key: "unit", title: "unit" },
      { key: "source", title: "source" },
    ],
    rows: metrics.map(({ title, value, unit, source }) => ({ title, value, unit, source })),
  };
}

function sizeFigure({ steps }: Pick<BatchRun, "steps">): Block {
  const micro = 1e6;
  const series = (name: string, key: "running" | "waiting"): RateSeries => ({
    name,
    points: steps.flatMap((step, i) => {
      const points = [{ us: step.start * micro, rate: step[key] }];
      const idle = steps[i + 1]?.start !== step.end;
      return idle ? [...points, { us: step.end * micro, rate: 0 }] : points;
    }),
  });
  return rateFigure({
    id: "batch-size",
    caption: "Sequences in the batch, and arrived requests that wait for admission.",
    unit: "sequences",
    bounds: [],
    series: [series("in the batch", "running"), series("waiting", "waiting")],
  });
}

function stepBlocks({ steps }: Pick<BatchRun, "steps">, report: BatchReport): readonly Block[] {
  const first = { steps: steps.slice(0, shownSteps), served: [] };
  return [
    timelineFigure("batch-timeline", batchSpans(first)),
    {
      kind: "table",
      id: "batch-steps",
      caption: "Every step of the model: its contents and its time.",
      columns: stepColumns,
      rows: report.steps.map((row) => ({ ...row })),
    },
    shareTable(
      "batch-critical",
      "Share of the steps' time that their ends waited for each part.",
      report.critical,
    ),
    shareTable("batch-busy", "Share of the steps' time in which each place worked.", report.busy),
  ];
}

function shareTable(id: string, caption: string, shares: Readonly<Record<string, number>>): Table {
  return {
    kind: "table",
    id,
    caption,
    columns: [
      { key: "name", title: "" },
      { key: "share", title: "share", unit: "%", source: "derived" },
    ],
    rows: Object.entries(shares).map(([name, share]) => ({ name, share: 100 * share })),
  };
}
