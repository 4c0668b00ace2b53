// SPDX-License-Identifier: Apache-2.0
// TriMoE's simulated steps from the recorded file, beside the printed numbers and the verdict. Findings are those of
// the run itself (trimoe/steps); here they are rows, so that no printed number counts twice.

import { present } from "../../../../base/present.ts";
import type { Table } from "../../../../report/page.ts";
import type { Experiment } from "../../../experiment/experiment.ts";
import { explanationWithClosest } from "../../../experiment/finding.ts";
import { recordedOutcome } from "../../../experiment/recorded.ts";
import { stepRecord, type StepRecord } from "./step-record.ts";
import { stepsOutcome } from "./steps-outcome.ts";

/** How TriMoE planned the recorded steps. */
function plannedText(steps: readonly StepRecord[]): string {
  return `How TriMoE planned these steps: ${present(steps[0]).planned}.`;
}

export const recordedSteps: Experiment = {
  id: "trimoe/recorded-steps",
  paper: "trimoe",
  title: "Many simulated steps, recorded",
  run: () =>
    recordedOutcome("trimoe-steps", stepRecord, (steps) => {
      const { findings, blocks } = stepsOutcome(steps);
      const verdicts: Table = {
        kind: "table",
        id: "recorded-steps",
        caption:
          "Means over the recorded steps, and the verdict that each mean would have. Table 3 names no model; its numbers are compared with the shares of Qwen3-235B.",
        columns: [
          { key: "what", title: "number" },
          { key: "published", title: "published" },
          { key: "ours", title: "ours", source: "measured", digits: 4 },
          { key: "equation", title: "by equation 7", source: "derived", digits: 4 },
          { key: "unit", title: "unit" },
          { key: "verdict", title: "verdict" },
          { key: "note", title: "steps and interval" },
          { key: "explanation", title: "tried readings" },
        ],
        rows: findings.map((finding) => {
          const { what, published, ours, unit, verdict, note, tried } = finding;
          return {
            what,
            published,
            ours,
            unit,
            verdict,
            note,
            equation: tried[0]?.value ?? null,
            explanation: explanationWithClosest(finding),
          };
        }),
      };
      return {
        blocks: [{ kind: "prose", text: plannedText(steps) }, verdicts, ...blocks],
        rows: verdicts.rows,
      };
    }),
};
