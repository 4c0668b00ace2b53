// SPDX-License-Identifier: Apache-2.0
// TriMoE's simulated steps as they were recorded, beside what the paper prints and the verdict. Findings
// are those of the run itself (trimoe/steps); here they are rows, so that no printed number counts twice.

import { z } from "zod";
import type { Table } from "../../../../report/page.ts";
import { hashOfValue } from "../../../../base/hash.ts";
import type { Experiment } from "../../../experiment/experiment.ts";
import { every } from "../../../experiment/own-check.ts";
import { recorded, recordedNote } from "../../../experiment/recorded.ts";
import { stepRecord } from "./step-record.ts";
import { stepsOutcome } from "./steps-outcome.ts";

const result = z.looseObject({
  resultHash: z.string(),
  configHash: z.string(),
  counts: z.looseObject({}),
  experiments: z.tuple([z.looseObject({ rows: z.array(stepRecord) })]),
});

export const recordedSteps: Experiment = {
  id: "trimoe/recorded-steps",
  paper: "trimoe",
  title: "Many simulated steps, recorded",
  run: () => {
    const from = recorded("trimoe-steps");
    const { resultHash, configHash, counts, experiments } = result.parse(from.result);
    const [{ rows }] = experiments;
    const { findings, blocks } = stepsOutcome(rows);
    const same = hashOfValue({ configHash, counts, experiments }) === resultHash;
    const verdicts: Table = {
      kind: "table",
      id: "recorded-steps",
      caption:
        "Means over the recorded steps, and what each would be judged; Qwen3-235B's shares stand beside table 3, which names no model.",
      columns: [
        { key: "what", title: "number" },
        { key: "published", title: "published" },
        { key: "ours", title: "ours", source: "measured", digits: 4 },
        { key: "equation", title: "by equation 7", source: "derived", digits: 4 },
        { key: "unit", title: "unit" },
        { key: "verdict", title: "verdict" },
        { key: "note", title: "how sure" },
      ],
      rows: findings.map(({ what, published, ours, unit, verdict, note, tried }) => ({
        what,
        published,
        ours,
        unit,
        verdict,
        note,
        equation: tried[0]?.value ?? null,
      })),
    };
    return {
      findings: [],
      checks: [every("the recorded result has its hash", same ? 1 : 0, 1, "results")],
      blocks: [
        recordedNote(from),
        {
          kind: "prose",
          text: "Equations 5 to 7 planned these steps, with up to six tokens for a cold expert and four experts that move.",
        },
        verdicts,
        ...blocks,
      ],
      rows: verdicts.rows,
      timeline: [],
    };
  },
};
