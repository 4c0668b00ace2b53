// SPDX-License-Identifier: Apache-2.0
// Recorded results of long experiments, as files of the repository, so that a page can show them without
// hours of simulation. `make reproduce-long` writes them; a page has date and command.

import { readFileSync } from "node:fs";
import { z } from "zod";
import { hashOfValue } from "../../base/hash.ts";
import { inRepository } from "../../base/paths.ts";
import type { Prose } from "../../report/page.ts";
import type { Outcome } from "./experiment.ts";
import { every, type InternalCheck } from "./internal-check.ts";

const file = z.strictObject({
  command: z.string().regex(/^neardata /),
  date: z.string().regex(/^\d{4}-\d\d-\d\d$/),
  processor: z.string().optional(),
  /** Absent in old files, and where a part of the work was done in an earlier run. */
  processorSeconds: z.number().min(0).optional(),
  result: z.looseObject({}),
});

/** Files of `data/recorded`, as `make reproduce-long` names them. */
export type RecordedName =
  | "instinfer-units"
  | "llmshare-seeds"
  | "trimoe-steps"
  | "trimoe-planners"
  | "trimoe-router"
  | "trimoe-small-batches"
  | "flexgen-16-bits"
  | "flexgen-4-bits"
  | "tinylm-sparf-8"
  | "tinylm-sparf-32"
  | "tinylm-h2o-8"
  | "tinylm-local-8"
  | "tinymoe-dense"
  | "tinymoe-sparf-8"
  | "tinymoe-h2o-8"
  | "tinymoe-local-8";

/** A result, when it was made and by which command. */
export interface Recorded {
  readonly command: string;
  readonly date: string;
  readonly result: Readonly<Record<string, unknown>>;
}

export function recorded(name: RecordedName): Recorded {
  const path = inRepository("data", "recorded", `${name}.json`);
  return file.parse(JSON.parse(readFileSync(path, "utf8")));
}

/** Rows of the one experiment of a recorded `reproduce --json`, with a check of the result's hash. */
export function recordedRows<Row>(
  name: RecordedName,
  row: z.ZodType<Row>,
): { readonly from: Recorded; readonly rows: readonly Row[]; readonly check: InternalCheck } {
  const from = recorded(name);
  const { resultHash, configHash, counts, experiments } = z
    .looseObject({
      resultHash: z.string(),
      configHash: z.string(),
      counts: z.looseObject({}),
      experiments: z.tuple([z.looseObject({ rows: z.array(row) })]),
    })
    .parse(from.result);
  const same = hashOfValue({ configHash, counts, experiments }) === resultHash;
  const check = every("the recorded result has its hash", same ? 1 : 0, 1, "results");
  return { from, rows: experiments[0].rows, check };
}

/**
 * The command with long lists of numbers shortened, and the hash of the result's inputs, if it has
 * one.
 */
export function recordedFrom({ command, result }: Recorded): { command: string; hash: string } {
  const hash = result["configHash"];
  return {
    command: command.replaceAll(/(\d+,\d+),[\d,]+,(\d+)/g, "$1,...,$2"),
    hash: typeof hash === "string" ? hash.slice(0, 12) : "",
  };
}

/** A note that the numbers are recorded, with their source and the command that recomputes them. */
export function recordedNote(from: Recorded): Prose {
  const { command, hash } = recordedFrom(from);
  const config = hash === "" ? "" : `, config hash ${hash}`;
  return {
    kind: "prose",
    text: `Recorded on ${from.date}, not run for this page: ${command}${config}.`,
  };
}

/**
 * The outcome of an experiment with recorded rows: their source, followed by the result of `show`.
 */
export function recordedOutcome<Row>(
  name: RecordedName,
  row: z.ZodType<Row>,
  show: (rows: readonly Row[]) => Required<Pick<Outcome, "blocks" | "rows">>,
): Outcome {
  const { from, rows: recordedOnes, check } = recordedRows(name, row);
  const { blocks, rows } = show(recordedOnes);
  return {
    findings: [],
    checks: [check],
    blocks: [recordedNote(from), ...blocks],
    rows,
    timeline: [],
  };
}
