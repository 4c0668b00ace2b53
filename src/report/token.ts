// SPDX-License-Identifier: Apache-2.0
// Decode steps of a whole model on a page: numbers, the timeline of one step, the time of a token by
// layer, waits by resource, and the sensitivity to the machine.

import { counted } from "../base/format-value.ts";
import type { Part } from "../lm/token/token-plan.ts";
import { tokenSpans } from "../lm/token/token-report.ts";
import { resourceTimes } from "../lm/token/token-waits.ts";
import type { TokenCase } from "../lm/token/token-case.ts";
import { breakdownFigure } from "./figures/breakdown.ts";
import { timelineFigure } from "./figures/timeline.ts";
import { metricTable } from "./metric-table.ts";
import type { Block, Section, Table } from "./page.ts";

/** Parts of a step by where they are done. */
const kinds = ["host", "attention", "link", "experts"] as const;
const kindOf: Readonly<Record<Part, (typeof kinds)[number]>> = {
  projections: "host",
  attention: "attention",
  "prompt attention": "host",
  storing: "attention",
  router: "host",
  dispatch: "link",
  experts: "experts",
  relayout: "experts",
  "shared expert": "host",
  collect: "link",
  sum: "host",
  output: "host",
};

/** No section where no token was computed. */
export function tokenSections(tokens: readonly TokenCase[]): readonly Section[] {
  return tokens.map((one, i): Section => {
    const id = i === 0 ? "token" : `token-${String(i + 1)}`;
    const { steps, sequences } = one.report;
    const shown = one.runs.filter((run) => run.id.split(".")[1] === "0");
    const blocks: readonly Block[] = [
      {
        kind: "prose",
        text:
          `${counted(sequences, "sequence")} of ${counted(steps, "decode step")} on one machine: ` +
          `keys and values on ${counted(one.machine.devices, "storage device")}, routed experts on ` +
          `${counted(one.machine.dimms, "DIMM")}, all else on ${one.machine.host}. Times of devices and DIMMs are ` +
          `simulated, those of the host and its link are computed from rates.${relayoutText(one)}${auditText(one)}`,
      },
      metricTable(`${id}-numbers`, "Every number of the token.", [{ ...one, accuracy: null }]),
      timelineFigure(`${id}-timeline`, tokenSpans(shown, "the first step of each sequence")),
      layerFigure(id, one),
      placeFigure(id, one),
      waitTable(id, one),
      sensitivityTable(id, one),
    ];
    return { id, title: "A whole token", blocks };
  });
}

function relayoutText({ relayout }: TokenCase): string {
  if (relayout === null) return "";
  const { moves, moveUs, withoutUs } = relayout;
  return (
    ` ${counted(moves, "expert")} changed the DIMM between steps, ${moveUs.toFixed(2)} us each; where all stay ` +
    `a token takes ${withoutUs.toFixed(2)} us.`
  );
}

/** How many were audited, and how many differ. */
function auditText({ checks }: TokenCase): string {
  const audit = checks.find(({ id }) => id === "audit");
  return audit === undefined ? "" : ` On RTL as well: ${audit.detail}.`;
}

function layerFigure(id: string, { layers }: TokenCase): Block {
  const last = layers.length - 1;
  return breakdownFigure({
    id: `${id}-layers`,
    caption:
      "Critical path of the last token by layer, as the mean of the steps: time by kind of task.",
    parts: kinds,
    whole: "the time of a step",
    unit: "us",
    ofAll: true,
    data: layers.flatMap(({ layer, us }) =>
      kinds.map((kind) => ({
        run: layer === last ? "output" : `layer ${String(layer)}`,
        part: kind,
        value: Object.entries(us).reduce(
          (sum, [part, time]) => sum + (kindOf[part as Part] === kind ? time : 0),
          0,
        ),
      })),
    ),
  });
}

/** The legend of a kind of parts: tasks that wait for them. */
const waitNames: Readonly<Record<(typeof kinds)[number], string>> = {
  host: "waits for the host",
  attention: "waits for attention",
  link: "waits for the link",
  experts: "waits for experts",
};

function placeFigure(id: string, { runs, report }: TokenCase): Block {
  return breakdownFigure({
    id: `${id}-places`,
    caption:
      "Each resource over a mean step: busy, or idle. Idle time is divided by the kind of task for which the next task of the resource waited. " +
      "Several devices of a kind have one bar, their mean.",
    // Colours of the kinds are those of the layers above.
    parts: [...kinds.map((kind) => waitNames[kind]), "busy"],
    whole: "the time of a step",
    unit: "us",
    data: resourceTimes(runs).flatMap(({ place, workUs, waitUs }) => [
      { run: place, part: "busy", value: workUs / report.steps },
      ...kinds.map((kind) => {
        const ofKind = [...waitUs].filter(([part]) => kindOf[part] === kind);
        const us = ofKind.reduce((sum, [, time]) => sum + time, 0);
        return { run: place, part: waitNames[kind], value: us / report.steps };
      }),
    ]),
  });
}

function waitTable(id: string, { waits }: TokenCase): Table {
  return {
    kind: "table",
    id: `${id}-waits`,
    caption:
      "Waiting for a busy resource: the waiting task, whose inputs existed, and the task that occupied the resource. Sums over all steps.",
    columns: [
      { key: "waits", title: "waiting task" },
      { key: "for", title: "running task" },
      { key: "place", title: "resource" },
      { key: "us", title: "time", unit: "us", source: "measured" },
    ],
    rows: waits.map((wait) => ({ ...wait })),
  };
}

function sensitivityTable(id: string, { sensitivity }: TokenCase): Table {
  return {
    kind: "table",
    id: `${id}-sensitivity`,
    caption:
      "The machine with one change. For other numbers of devices and other ratios, the cycle model simulated the attention again.",
    columns: [
      { key: "changed", title: "changed" },
      { key: "to", title: "to" },
      { key: "tokenUs", title: "time of a step", unit: "us", source: "measured" },
      { key: "relative", title: "relative to the machine of the run", source: "derived" },
    ],
    rows: sensitivity.map((row) => ({ ...row })),
  };
}
