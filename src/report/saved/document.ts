// SPDX-License-Identifier: Apache-2.0
// results.json: a run as one document. Values that depend on the host are under keys `host` and in
// `files`; the result hash covers all other values, the document hash covers all.

import { documentHashOf, resultHashOf, type Seal } from "./seal.ts";
import { memoryBand } from "../../machine/memories/memory.ts";
import type { AreaReport } from "../../results/area-report.ts";
import type { Check, Metric } from "../../results/metric.ts";
import type { CaseDocument } from "../case-documents.ts";
import type { KernelResult, RunCase, RunCost, RunHost, RunResult } from "../run-result.ts";

/** A check of the case with the id `case`. */
export type CaseCheck = Check & { readonly case: string };
/** A metric of the case with the id `case`. */
export type CaseMetric = Metric<string> & { readonly case: string };

/** The content of results.json before the other files are written; JSON values only. */
export interface ResultContent extends Omit<Seal, "documentHash"> {
  readonly configHash: string;
  readonly seed: number;
  readonly versions: RunResult["versions"];
  readonly outcome: RunResult["outcome"];
  readonly checks: readonly CaseCheck[];
  readonly metrics: readonly CaseMetric[];
  readonly scenario: string;
  readonly title: string;
  /** Experts, then attention, then tokens, then kernels of a program. */
  readonly cases: readonly CaseDocument[];
  /** The cost of the hardware, if it was recorded. */
  readonly cost: CostDocument | null;
  readonly host: RunHost;
}

/** Energies of cases, joules of a token's attention by source, total areas of units. */
export interface CostDocument extends Pick<RunCost, "energy" | "token"> {
  readonly areas: readonly AreaDocument[];
}

/** The content of results.json. */
export interface ResultDocument extends ResultContent, Seal {
  /** SHA-256 of each file of the directory, by name. */
  readonly files: Readonly<Record<string, string>>;
}

/** The content of a run's results.json, with its result hash. */
export function resultContent(result: RunResult, cost: RunCost | null = null): ResultContent {
  const all = casesOf(result);
  const { scenario, title, configHash, seed, versions, outcome, host } = result;
  const content = asJson({
    configHash,
    resultHash: "",
    seed,
    versions,
    outcome,
    checks: all.flatMap((c) => c.checks.map((check) => ({ case: c.id, ...check }))),
    metrics: all.flatMap((c) => c.metrics.map((metric) => ({ case: c.id, ...metric }))),
    scenario,
    title,
    cases: all.map(({ document }) => document),
    cost: cost && { energy: cost.energy, token: cost.token, areas: cost.units.flatMap(areaOf) },
    host,
  });
  return { ...content, resultHash: resultHashOf(content) };
}

/** The whole document, with the names and SHA-256 of the files in its directory. */
export function sealed(content: ResultContent, files: ResultDocument["files"]): ResultDocument {
  const document = { ...content, files };
  const { configHash, resultHash, ...rest } = document;
  return { configHash, resultHash, documentHash: documentHashOf(document), ...rest };
}

/** The value as JSON returns it: without values that JSON cannot represent. */
function asJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** Totals of a unit; the slices are in the record. */
export type AreaDocument = Pick<
  AreaReport,
  "unit" | "target" | "library" | "tools" | "memoryArea"
> &
  AreaReport["sum"] & {
    readonly current: boolean;
    readonly memoryBand: ReturnType<typeof memoryBand>;
  };

function areaOf({ area, current }: RunCost["units"][number]): readonly AreaDocument[] {
  if (area === null) return [];
  const { unit, target, library, tools, sum, memories, memoryArea } = area;
  const band = memoryBand(memories);
  return [{ unit, target, library, tools, current, ...sum, memoryArea, memoryBand: band }];
}

/** Of a run: its kernels. */
type Kernels = Pick<RunResult, "kernels">;

/** Whether every check of every case passes. */
export function allChecksHold(result: Kernels): boolean {
  return casesOf(result).every((c) => c.checks.every((check) => check.pass));
}

/** Cases of every kernel, in the order of the report. */
export function casesOf({ kernels }: Kernels): readonly RunCase[] {
  return kernels.flatMap(({ cases }: KernelResult) => cases);
}
