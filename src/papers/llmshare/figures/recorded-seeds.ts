// SPDX-License-Identifier: Apache-2.0
// The search from many seeds with paired tests, as it was recorded (llmshare/seeds).

import { z } from "zod";
import type { Experiment } from "../../experiment/experiment.ts";
import { recordedOutcome } from "../../experiment/recorded.ts";
import { seedTables, type SeedScore } from "./seeds.ts";

const seedScore: z.ZodType<SeedScore> = z.strictObject({
  role: z.enum(["svr", "adaBoost", "fist", "boom", "llmShare", "withoutTree", "withoutMemory"]),
  method: z.string(),
  seed: z.int(),
  adrs: z.number(),
  hypervolume: z.number(),
});

export const recordedSeeds: Experiment = {
  id: "llmshare/recorded-seeds",
  paper: "llmshare",
  title: "The search from many seeds, with paired tests, recorded",
  run: () =>
    recordedOutcome("llmshare-seeds", seedScore, (rows) => ({
      blocks: seedTables(rows),
      rows: rows.map((row) => ({ ...row })),
    })),
};
