// SPDX-License-Identifier: Apache-2.0
// Simulated layers by planner, as they were recorded (trimoe/planners).

import { present } from "../../../../base/present.ts";
import type { Experiment } from "../../../experiment/experiment.ts";
import type { Explanation } from "../../../experiment/finding.ts";
import { recordedOutcome, recordedRows } from "../../../experiment/recorded.ts";
import { seconds } from "../../../../base/units.ts";
import type { LayerTimes } from "../end-to-end.ts";
import {
  baselineOf,
  plannerRecord,
  plannerTables,
  usualReading,
  type PlannerRecord,
} from "./planners.ts";

let layers: readonly PlannerRecord[] | undefined;

/** The recorded layers, which are read at the first use. */
function recordedLayers(): readonly PlannerRecord[] {
  layers ??= recordedRows("trimoe-planners", plannerRecord).rows;
  return layers;
}

/** The gain of part `i` of figure 8 in the recorded layers: the time of the previous part over its own. */
export function recordedPart(i: number): Explanation {
  const staged = recordedLayers().filter(({ part }) => part);
  return {
    what: "one step of Qwen3-235B, ten tokens for a cold expert, predictor right for 73 %, simulated (recorded)",
    value: present(staged[i]?.time) / present(staged[i + 1]?.time),
  };
}

/**
 * Readings of a number that follows from the layers of KTransformers and of TriMoE: the recorded
 * step of `model` under every planner, limit and placement but those of the figures. None for a
 * model that was not recorded.
 */
export function recordedReadings(
  model: string,
  value: (times: LayerTimes) => number,
): readonly Explanation[] {
  const rows = recordedLayers();
  return rows
    .filter((row) => row.model === model && !row.part && !usualReading(row))
    .flatMap((row) => {
      const baseline = baselineOf(row, rows);
      if (baseline === undefined || baseline === row) return [];
      const times = new Map([
        ["En-KTransformers", seconds(baseline.time)],
        ["TriMoE", seconds(row.time)],
      ] as const);
      return [{ what: `${row.reading}; ${row.trace} (one recorded step)`, value: value(times) }];
    });
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
