// SPDX-License-Identifier: Apache-2.0
// Reads results.json: the common part of every run directory, for every kernel. Both hashes are
// computed again, so that a changed document is detected.

import { z } from "zod";
import { issuesOf } from "../../base/issues.ts";
import { inputError, NeardataError } from "../../base/errors.ts";
import { readJson } from "../../base/json.ts";
import { accuracyMetrics } from "../../results/accuracy.ts";
import { documentHashOf, resultHashOf, type Seal } from "./seal.ts";
import { fidelities } from "../../scenario/fidelities.ts";
import type { Accuracy, Check, Metric } from "../../results/metric.ts";
import type { RunHost } from "../run-result.ts";

/** A number as results.json has it; null if JSON cannot represent it. */
export interface SavedMetric extends Omit<Metric, "id" | "value"> {
  readonly id: string;
  readonly case: string;
  readonly value: number | null;
}

/** A results.json. */
export interface SavedRun extends Seal {
  readonly configHash: string;
  readonly seed: number;
  readonly versions: Readonly<Record<string, string>>;
  readonly outcome: string;
  readonly scenario: string;
  readonly title: string;
  readonly host: RunHost;
  /** SHA-256 of each file of the directory, by name. */
  readonly files: Readonly<Record<string, string>>;
  readonly checks: readonly (Check & { readonly case: string })[];
  readonly metrics: readonly SavedMetric[];
  readonly cases: readonly SavedCase[];
}

interface SavedCase {
  readonly id: string;
  readonly title: string;
  readonly accuracy?: Accuracy | null | undefined;
  /** The fidelity of an expert or of attention. */
  readonly fidelity?: unknown;
  /** Of a token: its settings with the fidelity. */
  readonly machine?: unknown;
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
  documentHash: z.string(),
  seed: z.number(),
  versions: z.record(z.string(), z.string()),
  outcome: z.string(),
  scenario: z.string(),
  title: z.string(),
  host: z.object({ node: z.string() }),
  files: z.record(
    z.string().regex(/^[^/\\]+$/, "a file beside it has no folder in its name"),
    z.string(),
  ),
  checks: z.array(check),
  metrics: z.array(metric),
  cases: z.array(
    z.looseObject({
      id: z.string(),
      title: z.string(),
      accuracy: accuracy.nullish(),
      fidelity: z.unknown().optional(),
      machine: z.unknown().optional(),
    }),
  ),
});

/**
 * The document of `file`. The accuracy of the outputs is among its numbers.
 * @throws NeardataError `bad-input` with every field that is missing or has a wrong type, or if the
 * hashes do not match the document.
 */
export function parseSavedRun(file: string, text: string): SavedRun {
  const read = readJson(text);
  if (!read.ok) throw inputError(file, `the file is not JSON: ${read.problem}`);
  const { value } = read;
  if (isOlder(value)) {
    const message = "an older neardata wrote it, whose hash left out what is shown; run it again.";
    throw inputError(file, message);
  }
  const parsed = savedRun.safeParse(value, { reportInput: true });
  if (!parsed.success) {
    throw new NeardataError(
      "bad-input",
      issuesOf(parsed.error, savedRun).map(({ where, message }) => ({
        where: where === "" ? file : `${file}: ${where}`,
        message: `this is not the results.json of a run: ${message}`,
      })),
    );
  }
  const run = parsed.data;
  // The seal covers the value as read; the schema drops unknown keys.
  checkSeal(file, value as object, run);
  return { ...run, metrics: [...run.metrics, ...run.cases.flatMap(accuracyOf)] };
}

function isOlder(value: unknown): boolean {
  if (value === null || typeof value !== "object") return false;
  return "resultHash" in value && !("documentHash" in value);
}

function checkSeal(file: string, document: object, { resultHash, documentHash }: Seal): void {
  if (resultHashOf(document) !== resultHash) {
    const message = "the results were changed after the run: their hash is not the one they carry.";
    throw inputError(`${file}: resultHash`, message);
  }
  if (documentHashOf(document) !== documentHash) {
    const message =
      "what the host decided (host, files) was changed after the run, or this hash was: the " +
      "results are those that the run had.";
    throw inputError(`${file}: documentHash`, message);
  }
}

/** Fidelities of the cases of a run, separated by commas; empty if no case has one. */
export function savedFidelity({ cases }: Pick<SavedRun, "cases">): string {
  const names = cases.flatMap(({ fidelity, machine }) => {
    const ofToken = z.object({ fidelity: z.enum(fidelities) }).safeParse(machine);
    const own = z.enum(fidelities).safeParse(fidelity);
    return own.data ?? ofToken.data?.fidelity ?? [];
  });
  return [...new Set(names)].join(", ");
}

function accuracyOf(one: SavedCase): readonly SavedMetric[] {
  const { accuracy } = one;
  if (accuracy === null || accuracy === undefined) return [];
  return accuracyMetrics(accuracy).map((number) => ({ case: one.id, ...number }));
}
