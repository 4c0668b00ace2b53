// SPDX-License-Identifier: Apache-2.0
// An expert's time by the phases of TriMoE's unit, and what holds each step of its descriptor.

import type { CaseResult } from "../results/types.ts";
import { breakdownFigure } from "./figures/breakdown.ts";
import type { Block, Table } from "./page.ts";

const micro = 1e6;
const phaseNames = ["weights", "compute", "activation", "output"];
const stageNames = ["load", "gate-up", "down"];

/** Nothing where no run came to its end. */
export function expertLatencyBlocks(cases: readonly CaseResult[]): readonly Block[] {
  const ran = cases.flatMap((c) => (c.latency === null ? [] : [{ ...c, latency: c.latency }]));
  if (ran.length === 0) return [{ kind: "prose", text: "Nothing was simulated to its end." }];
  return [
    breakdownFigure({
      id: "expert-phases",
      caption: "What held the array up in each cycle of the descriptor; the parts are the whole.",
      parts: phaseNames,
      whole: "the run",
      unit: "us",
      data: ran.flatMap(({ title, latency }) =>
        latency.phases.map(({ id, time }) => ({ run: title, part: id, value: time * micro })),
      ),
    }),
    phaseTable(ran),
    breakdownFigure({
      id: "expert-stages",
      caption: "The same time by step of the descriptor.",
      parts: stageNames,
      whole: "the run",
      unit: "us",
      data: ran.flatMap(({ title, latency }) =>
        latency.stages.map(({ id, time }) => ({ run: title, part: id, value: time * micro })),
      ),
    }),
    stageTable(ran),
  ];
}

type Ran = CaseResult & { readonly latency: NonNullable<CaseResult["latency"]> };

function phaseTable(ran: readonly Ran[]): Table {
  return {
    kind: "table",
    id: "expert-phase-table",
    caption:
      "Phases: time in which the array was held up by one (of compute: worked), and how long the " +
      "phase's own resource was at work meanwhile or under others.",
    columns: [
      { key: "run", title: "run" },
      { key: "phase", title: "phase" },
      { key: "time", title: "time", unit: "us", source: "measured" },
      { key: "share", title: "of the run", unit: "%", source: "measured", digits: 3 },
      { key: "resource", title: "resource" },
      { key: "atWork", title: "at work", unit: "us", source: "measured" },
      { key: "counts", title: "what is counted" },
    ],
    rows: ran.flatMap(({ title, latency }) =>
      latency.phases.map((phase) => ({
        run: title,
        phase: phase.id,
        time: phase.time * micro,
        share: 100 * phase.share,
        resource: phase.resource,
        atWork: phase.atWork * micro,
        counts: phase.counts,
      })),
    ),
  };
}

function stageTable(ran: readonly Ran[]): Table {
  return {
    kind: "table",
    id: "expert-stage-table",
    caption:
      "Steps of the descriptor and how far each used its resources; where neither reaches half, the " +
      "step waits for answers.",
    columns: [
      { key: "run", title: "run" },
      { key: "stage", title: "step" },
      { key: "time", title: "time", unit: "us", source: "measured" },
      { key: "memory", title: "DRAM, of what refresh leaves", unit: "%", source: "measured" },
      { key: "array", title: "array at work", unit: "%", source: "measured" },
      { key: "critical", title: "critical" },
    ],
    rows: ran.flatMap(({ title, latency }) =>
      latency.stages.map(({ id, time, memory, array, critical }) => ({
        run: title,
        stage: id,
        time: time * micro,
        memory: 100 * memory,
        array: 100 * array,
        critical,
      })),
    ),
  };
}
