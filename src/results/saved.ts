// SPDX-License-Identifier: Apache-2.0
// results.json as it is read again: what every run directory has, whichever kernel it ran. The
// result hash is computed anew, so that a document that was changed since is noticed.

import { z } from "zod";
import { NeardataError } from "../errors.ts";
import { accuracyMetrics } from "./accuracy.ts";
import { resultHashOf } from "./hash.ts";
import type { Accuracy, Check, Metric } from "./types.ts";

/** A number as results.json has it; null where JSON has no word for it. */
export interface SavedMetric extends Omit<Metric, "value"> {
  readonly case: string;
  readonly value: number | null;
}

/** A results.json. */
export interface SavedRun {
  readonly configHash: string;
  readonly resultHash: string;
  readonly seed: number;
  readonly versions: Readonly<Record<string, string>>;
  readonly outcome: string;
  readonly scenario: string;
  readonly checks: readonly (Check & { readonly case: string })[];
  readonly metrics: readonly SavedMetric[];
  readonly cases: readonly SavedCase[];
}

interface SavedCase {
  readonly id: string;
  readonly title: string;
  readonly accuracy?: Accuracy | null | undefined;
}

const metric: z.ZodType<SavedMetric> = z.object({
  case: z.string(),
  id: z.string(),
  title: z.string(),
  value: z.number().nullable(),
  unit: z.string(),
  source: z.enum(["measured", "calibrated", "assumed", "published", "derived"]),
});

const check: z.ZodType<SavedRun["checks"][number]> = z.object({
  case: z.string(),
  id: z.string(),
  title: z.string(),
  pass: z.boolean(),
  detail: z.string(),
});

const accuracy: z.ZodType<Accuracy> = z.object({
  differentFromGolden: z.number(),
  values: z.number(),
  relativeL2: z.number(),
  largestError: z.number(),
});

const savedRun: z.ZodType<SavedRun> = z.looseObject({
  configHash: z.string(),
  resultHash: z.string(),
  seed: z.number(),
  versions: z.record(z.string(), z.string()),
  outcome: z.string(),
  scenario: z.string(),
  checks: z.array(check),
  metrics: z.array(metric),
  cases: z.array(
    z.looseObject({ id: z.string(), title: z.string(), accuracy: accuracy.nullish() }),
  ),
});

/**
 * The document of `file`; how outputs compare with the models is among its numbers.
 * @throws NeardataError `bad-input` with every field that is missing or of the wrong kind, or when
 * the numbers are not those that the result hash was computed from.
 */
export function parseSavedRun(file: string, value: unknown): SavedRun {
  const parsed = savedRun.safeParse(value);
  if (!parsed.success) {
    throw new NeardataError(
      "bad-input",
      parsed.error.issues.map((issue) => ({
        where: [file, ...issue.path.map(String)].join(": "),
        message: `this is not the results.json of a run: ${issue.message}.`,
      })),
    );
  }
  const run = parsed.data;
  if (resultHashOf(run) !== run.resultHash) {
    throw new NeardataError("bad-input", [
      {
        where: `${file}: resultHash`,
        message: "the results were changed after the run: their hash is not the one they carry.",
      },
    ]);
  }
  return { ...run, metrics: [...run.metrics, ...run.cases.flatMap(accuracyOf)] };
}

function accuracyOf(one: SavedCase): readonly SavedMetric[] {
  const { accuracy: found } = one;
  if (found === null || found === undefined) return [];
  return accuracyMetrics(found).map((number) => ({ case: one.id, ...number }));
}
