// SPDX-License-Identifier: Apache-2.0
// results.json: a run as one document. What the host decides stands under keys `host` and in `files`;
// the result hash covers all else, the document hash these, too.

import { documentHashOf, resultHashOf, type Seal } from "./seal.ts";
import { memoryBand } from "../../machine/memories/memory.ts";
import { tokenDocument } from "../../lm/token/token-metrics.ts";
import type { TokenDocument } from "../../lm/token/token-metrics.ts";
import type { CsdRun } from "../../machine/csd/csd-types.ts";
import type { NdpRun } from "../../machine/types.ts";
import type { AreaReport } from "../../results/area-report.ts";
import type { Check, Metric } from "../../results/metric.ts";
import type { AttentionCase, CaseResult } from "../../results/types.ts";
import type { RunCost, RunHost, RunResult } from "../run-result.ts";

/** A check of the case with the id `case`. */
export type CaseCheck = Check & { readonly case: string };
/** A metric of the case with the id `case`. */
export type CaseMetric = Metric & { readonly case: string };

/** A case of an expert, without its bulk (outputs, command lists, machine tables). */
export interface ExpertDocument extends Pick<
  CaseResult,
  | "id"
  | "title"
  | "fidelity"
  | "layout"
  | "work"
  | "bounds"
  | "bottleneck"
  | "time"
  | "latency"
  | "accuracy"
  | "outputHash"
> {
  readonly outcome: NdpRun["outcome"] | { readonly kind: "computed" };
  /** Null where nothing was simulated, as all below. */
  readonly cycles: NdpRun["cycles"] | null;
  readonly unit: NdpRun["unit"] | null;
  readonly streams: NdpRun["streams"] | null;
  readonly bandwidth: NdpRun["bandwidth"] | null;
  readonly host: NdpRun["host"] | null;
}

type Device = CsdRun["devices"][number];

/** A case of attention, without jobs and page records. */
export interface AttentionDocument extends Omit<
  AttentionCase,
  "steps" | "machine" | "metrics" | "checks"
> {
  readonly kernel: "attention";
  readonly steps: readonly {
    readonly length: number;
    readonly devices: readonly Omit<Device, "host">[];
    readonly sharedLink?: NonNullable<CsdRun["sharedLink"]>;
  }[];
  readonly host: readonly (readonly Device["host"][])[];
}

/** What results.json holds before the files beside it are written; JSON values only. */
export interface ResultContent extends Omit<Seal, "documentHash"> {
  readonly configHash: string;
  readonly seed: number;
  readonly versions: RunResult["versions"];
  readonly outcome: RunResult["outcome"];
  readonly checks: readonly CaseCheck[];
  readonly metrics: readonly CaseMetric[];
  readonly scenario: string;
  readonly title: string;
  /** Experts, then attention, then tokens. */
  readonly cases: readonly (ExpertDocument | AttentionDocument | TokenDocument)[];
  /** What the hardware costs, where that was recorded. */
  readonly cost: CostDocument | null;
  readonly host: RunHost;
}

/** Energies of cases, joules of a token's attention by source, total areas of units. */
export interface CostDocument extends Pick<RunCost, "energy" | "token"> {
  readonly areas: readonly AreaDocument[];
}

/** What results.json holds. */
export interface ResultDocument extends ResultContent, Seal {
  /** SHA-256 of each file beside it, by name. */
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
    cases: [
      ...result.cases.map(caseDocument),
      ...result.attention.map(attentionDocument),
      ...result.tokens.map(tokenDocument),
    ],
    cost: cost && { energy: cost.energy, token: cost.token, areas: cost.units.flatMap(areaOf) },
    host,
  });
  return { ...content, resultHash: resultHashOf(content) };
}

/** The whole document, of `files` by name and SHA-256 beside it. */
export function sealed(content: ResultContent, files: ResultDocument["files"]): ResultDocument {
  const document = { ...content, files };
  const { configHash, resultHash, ...rest } = document;
  return { configHash, resultHash, documentHash: documentHashOf(document), ...rest };
}

/** As it will be read again: without what JSON has no word for. */
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

/** Cases by kernel. */
type Kernels = Pick<RunResult, "cases" | "attention" | "tokens">;

/** True when every check of every case holds. */
export function allChecksHold(result: Kernels): boolean {
  return casesOf(result).every((c) => c.checks.every((check) => check.pass));
}

/** Cases of every kernel, in the order of the report. */
export function casesOf(
  result: Kernels,
): readonly Pick<CaseResult, "id" | "title" | "checks" | "metrics">[] {
  return [...result.cases, ...result.attention, ...result.tokens];
}

/** Without jobs and page records, which the report and the timeline show. */
export function attentionDocument(one: AttentionCase): AttentionDocument {
  const { steps, machine: _machine, metrics: _metrics, checks: _checks, ...rest } = one;
  return {
    ...rest,
    kernel: "attention",
    steps: steps.map(({ length, run }) => ({
      length,
      devices: run.devices.map(({ host: _host, ...device }) => device),
      ...(run.sharedLink === null ? {} : { sharedLink: run.sharedLink }),
    })),
    host: steps.map(({ run }) => run.devices.map((device) => device.host)),
  };
}

/** Without the bulk (outputs, command lists, machine tables): the report and timeline hold those. */
export function caseDocument(result: CaseResult): ExpertDocument {
  const { run } = result;
  return {
    id: result.id,
    title: result.title,
    fidelity: result.fidelity,
    layout: result.layout,
    work: result.work,
    bounds: result.bounds,
    bottleneck: result.bottleneck,
    outcome: run?.outcome ?? { kind: "computed" },
    cycles: run?.cycles ?? null,
    time: result.time,
    latency: result.latency,
    unit: run?.unit ?? null,
    streams: run?.streams ?? null,
    bandwidth: run?.bandwidth ?? null,
    accuracy: result.accuracy,
    outputHash: result.outputHash,
    host: run?.host ?? null,
  };
}
