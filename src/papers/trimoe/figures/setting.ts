// SPDX-License-Identifier: Apache-2.0
// How the figures plan a layer and how predictable their traces are. Each part is a reading, and the figures have the
// others beside it.

import { coldLimit } from "../../../lm/moe/expert-classes.ts";
import { publishedMigration } from "../policy/migration.ts";
import type { LayerStudy } from "./run.ts";

/** Accuracy of the predictor as section 4.3 prints it. */
export const publishedAccuracy = 0.78;

type Setting = Required<Pick<LayerStudy, "planner" | "cold" | "accuracy">>;

/** The planner that counts bytes by channel, cold experts by balance, and traces of the printed accuracy. */
export const setting: Setting = {
  planner: "channels",
  cold: "balanced",
  accuracy: publishedAccuracy,
};

/** The setting in words, for records of simulated layers; their moves start within the window of section 5.5. */
export const settingText = `planner "${setting.planner}", ${setting.cold === "balanced" ? "balanced limit" : `limit of ${setting.cold} tokens`}, accuracy ${percentText(setting.accuracy)}, moves that start ${1e3 * publishedMigration.window} ms before the experts`;

function percentText(accuracy: number | null): string {
  return accuracy === null ? "of the trace as it is" : `${Math.round(100 * accuracy)} %`;
}

/** Equations 5 to 7 as printed, six tokens for a cold expert, and the noise of the trace as it is. */
export const equationSetting: Setting = {
  planner: "equations",
  cold: coldLimit,
  accuracy: null,
};
