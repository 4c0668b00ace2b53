// SPDX-License-Identifier: Apache-2.0
// Simulated layers by planner, as they were recorded (trimoe/planners).

import { z } from "zod";
import { hashOfValue } from "../../../../base/hash.ts";
import type { Experiment } from "../../../experiment/experiment.ts";
import { every } from "../../../experiment/own-check.ts";
import { recorded, recordedNote } from "../../../experiment/recorded.ts";
import { plannerRecord, plannerTables } from "./planners.ts";

const result = z.looseObject({
  resultHash: z.string(),
  configHash: z.string(),
  counts: z.looseObject({}),
  experiments: z.tuple([z.looseObject({ rows: z.array(plannerRecord) })]),
});

/** What each part of figure 8 gains in the recorded layers: the time of the part before over its own. */
export function recordedPartGains(): readonly number[] {
  const [{ rows }] = result.parse(recorded("trimoe-planners").result).experiments;
  const staged = rows.filter(({ part }) => part);
  return staged.slice(1).map(({ time }, i) => (staged[i]?.time ?? NaN) / time);
}

export const recordedPlanners: Experiment = {
  id: "trimoe/recorded-planners",
  paper: "trimoe",
  title: "Simulated layers by planner, limit of cold experts and placement, recorded",
  run: () => {
    const from = recorded("trimoe-planners");
    const { resultHash, configHash, counts, experiments } = result.parse(from.result);
    const [{ rows }] = experiments;
    const same = hashOfValue({ configHash, counts, experiments }) === resultHash;
    return {
      findings: [],
      checks: [every("the recorded result has its hash", same ? 1 : 0, 1, "results")],
      blocks: [recordedNote(from), ...plannerTables(rows)],
      rows: rows.map((row) => ({ ...row })),
      timeline: [],
    };
  },
};
