// SPDX-License-Identifier: Apache-2.0
// results.json: a run as one document, with a hash of everything that is not the host's affair.

import { resultHashOf } from "./hash.ts";
import type { AttentionCase, CaseResult, RunCost, RunResult } from "./types.ts";

/** What results.json holds. `resultHash` covers all but the host's timings. */
export interface ResultDocument {
  readonly configHash: string;
  readonly resultHash: string;
  readonly seed: number;
  readonly versions: Readonly<Record<string, string>>;
  readonly outcome: string;
  readonly checks: readonly object[];
  readonly metrics: readonly object[];
  readonly scenario: string;
  readonly cases: readonly object[];
  /** What the hardware costs, where that was recorded; not of the hash. */
  readonly cost: object | null;
}

export function resultDocument(result: RunResult, cost: RunCost | null = null): ResultDocument {
  const cases = [...result.cases.map(caseDocument), ...result.attention.map(attentionDocument)];
  const all = casesOf(result);
  const { scenario, configHash, seed, versions, outcome } = result;
  const resultHash = resultHashOf({ configHash, seed, outcome, cases });
  return {
    configHash,
    resultHash,
    seed,
    versions,
    outcome,
    checks: all.flatMap((c) => c.checks.map((check) => ({ case: c.id, ...check }))),
    metrics: all.flatMap((c) => c.metrics.map((metric) => ({ case: c.id, ...metric }))),
    scenario,
    cases,
    cost: cost && { energy: cost.energy, token: cost.token, areas: cost.units.flatMap(areaOf) },
  };
}

/** Totals; the slices are in the record. */
function areaOf({ area, current }: RunCost["units"][number]): readonly object[] {
  if (area === null) return [];
  const { unit, target, library, tools, sum, memoryArea } = area;
  return [{ unit, target, library, tools, current, ...sum, memoryArea }];
}

/** True when every check of every case holds. */
export function allChecksHold(result: RunResult): boolean {
  return casesOf(result).every((c) => c.checks.every((check) => check.pass));
}

/** Cases of every kernel, in the order of the report. */
export function casesOf(
  result: RunResult,
): readonly Pick<CaseResult, "id" | "title" | "checks" | "metrics">[] {
  return [...result.cases, ...result.attention];
}

/** Without jobs and page records, which the report and the timeline show. */
function attentionDocument(
  one: AttentionCase,
): { readonly host: unknown } & Record<string, unknown> {
  const { steps, machine: _machine, metrics: _metrics, checks: _checks, ...rest } = one;
  return {
    ...rest,
    kernel: "attention",
    steps: steps.map(({ length, run }) => ({
      length,
      devices: run.devices.map(({ host: _host, ...device }) => device),
    })),
    host: steps.map(({ run }) => run.devices.map((device) => device.host)),
  };
}

/** Without the bulk (outputs, command lists, machine tables): the report and timeline hold those. */
function caseDocument(result: CaseResult): { readonly host: unknown } & Record<string, unknown> {
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
