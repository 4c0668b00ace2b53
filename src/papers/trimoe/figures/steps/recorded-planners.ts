// SPDX-License-Identifier: Apache-2.0
// Simulated layers by planner, as they were recorded (trimoe/planners).

import { present } from "../../../../base/present.ts";
import type { Experiment } from "../../../experiment/experiment.ts";
import { recordedOutcome, recordedRows } from "../../../experiment/recorded.ts";
import { plannerRecord, plannerTables } from "./planners.ts";

/**
 * The gain of each part of figure 8 in the recorded layers: the time of the previous part over its
 * own.
 */
export function recordedPartGains(): readonly number[] {
  const { rows } = recordedRows("trimoe-planners", plannerRecord);
  const staged = rows.filter(({ part }) => part);
  return staged.slice(1).map(({ time }, i) => present(staged[i]?.time) / time);
}

export const recordedPlanners: Experiment = {
  id: "trimoe/recorded-planners",
  paper: "trimoe",
  title: "Simulated layers by planner, limit of cold experts and placement, recorded",
  run: () =>
    recordedOutcome("trimoe-planners", plannerRecord, (rows) => ({
      blocks: plannerTables(rows),
      rows: rows.map((row) => ({ ...row })),
    })),
};
