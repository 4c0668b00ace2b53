// SPDX-License-Identifier: Apache-2.0
// What serving a trace took: times of each request, tokens a second, what the batch held when, what steps
// waited for, and how many bits the served text needs. Every number has its unit and its source.

import type { HostName } from "../../machine/host/devices.ts";
import { deviceUse } from "../../base/timeline.ts";
import { present } from "../../base/present.ts";
import type { Sample, Span } from "../../results/latency/span.ts";
import type { Metric } from "../../results/metric.ts";
import {
  criticalChain,
  taskSubjects,
  promptParts,
  type Part,
  type PlanRun,
} from "../token/token-plan.ts";
import type { BatchRun, BatchStep, ServedRequest } from "./batch-machine.ts";

const micro = 1e6;
const nano = 1e9;

/** One request; times of arrival and tokens are of the batch's time, which begins with the first arrival. */
export interface RequestRow {
  readonly request: number;
  /** Of the trace. */
  readonly contextTokens: number;
  readonly generatedTokens: number;
  /** Shrunk to the model. */
  readonly prompt: number;
  readonly generated: number;
  readonly arrivalUs: number;
  readonly admittedUs: number;
  /** From its arrival to its first token. */
  readonly ttftUs: number;
  /** Mean time between tokens; null for a single token. */
  readonly tpotUs: number | null;
  readonly endUs: number;
  /** Bits of the decode steps, and of the first token, which results from the prompt. */
  readonly decodeBits: number;
  readonly firstBits: number;
}

/** A column of a table: its key, title, unit and source. */
export interface BatchColumn<Row> {
  readonly key: keyof Row & string;
  readonly title: string;
  readonly unit?: string;
  readonly source: Metric["source"];
}

export const requestColumns: readonly BatchColumn<RequestRow>[] = [
  { key: "request", title: "request", source: "derived" },
  { key: "contextTokens", title: "prompt in the trace", unit: "tokens", source: "published" },
  { key: "generatedTokens", title: "generated in the trace", unit: "tokens", source: "published" },
  { key: "prompt", title: "prompt", unit: "tokens", source: "derived" },
  { key: "generated", title: "generated", unit: "tokens", source: "derived" },
  { key: "arrivalUs", title: "arrival", unit: "us", source: "derived" },
  { key: "admittedUs", title: "admitted", unit: "us", source: "measured" },
  { key: "ttftUs", title: "time to first token", unit: "us", source: "measured" },
  { key: "tpotUs", title: "time per output token", unit: "us", source: "measured" },
  { key: "endUs", title: "last token", unit: "us", source: "measured" },
  { key: "decodeBits", title: "bits of decode steps", unit: "bits", source: "measured" },
  { key: "firstBits", title: "bits of the first token", unit: "bits", source: "measured" },
];

/** One step of the model. */
export interface StepRow {
  readonly startUs: number;
  readonly timeUs: number;
  readonly running: number;
  readonly decodes: number;
  readonly promptTokens: number;
  readonly waiting: number;
}

export const stepColumns: readonly BatchColumn<StepRow>[] = [
  { key: "startUs", title: "start", unit: "us", source: "measured" },
  { key: "timeUs", title: "time", unit: "us", source: "measured" },
  { key: "running", title: "batch", unit: "sequences", source: "measured" },
  { key: "decodes", title: "decode", unit: "sequences", source: "measured" },
  { key: "promptTokens", title: "of prompts", unit: "tokens", source: "measured" },
  { key: "waiting", title: "waiting", unit: "requests", source: "measured" },
];

/** A number with its unit and its source. */
export type BatchMetric = Omit<Metric, "id"> & { readonly id: string };

/** The document's part about time and bits. */
export interface BatchReport {
  readonly metrics: readonly BatchMetric[];
  readonly requests: readonly RequestRow[];
  readonly steps: readonly StepRow[];
  /** By place: share of the steps' time in which it worked. */
  readonly busy: Readonly<Record<string, number>>;
  /** Share of the steps' time that their ends waited for each part. */
  readonly critical: Readonly<Record<string, number>>;
}

export function batchReport({ served, steps }: Pick<BatchRun, "served" | "steps">): BatchReport {
  const rows = served.map(requestRow);
  const idle = steps.reduce((sum, { start }, i) => sum + start - (steps[i - 1]?.end ?? 0), 0);
  const stepTime = (steps.at(-1)?.end ?? 0) - idle;
  return {
    metrics: metricsOf(served, rows, steps, stepTime),
    requests: rows,
    steps: steps.map(({ start, end, running, decodes, promptTokens, waiting }) => ({
      startUs: start * micro,
      timeUs: (end - start) * micro,
      running,
      decodes,
      promptTokens,
      waiting,
    })),
    busy: busyOf(steps, stepTime),
    critical: criticalOf(steps, stepTime),
  };
}

function requestRow({ request, admitted, tokens, bits }: ServedRequest): RequestRow {
  const [first = 0] = tokens;
  const last = tokens.at(-1) ?? first;
  const { id, arrival, prompt, generated, traced } = request;
  return {
    request: id,
    contextTokens: traced.prompt,
    generatedTokens: traced.generated,
    prompt,
    generated,
    arrivalUs: arrival * micro,
    admittedUs: admitted * micro,
    ttftUs: (first - arrival) * micro,
    tpotUs: generated === 1 ? null : ((last - first) * micro) / (generated - 1),
    endUs: last * micro,
    decodeBits: bits.slice(1).reduce((a, b) => a + b, 0),
    firstBits: present(bits[0]),
  };
}

function metricsOf(
  served: readonly ServedRequest[],
  rows: readonly RequestRow[],
  steps: readonly BatchStep[],
  stepTime: number,
): readonly BatchMetric[] {
  const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
  const end = steps.at(-1)?.end ?? 0;
  const prompts = sum(rows.map(({ prompt }) => prompt));
  const generated = sum(rows.map((row) => row.generated));
  const decoded = generated - rows.length;
  const ttft = rows.map(({ ttftUs }) => ttftUs);
  // One number a request, however many tokens it has.
  const tpot = rows.flatMap(({ tpotUs }) => tpotUs ?? []);
  const decodeBits = sum(rows.map((row) => row.decodeBits));
  const allBits = decodeBits + sum(rows.map(({ firstBits }) => firstBits));
  const running = sum(steps.map((step) => step.running * (step.end - step.start)));
  const of = (
    id: string,
    title: string,
    value: number,
    unit: string,
    source: Metric["source"] = "measured",
  ): BatchMetric => ({ id, title, value, unit, source });
  const most = (key: "running" | "waiting"): number =>
    steps.reduce((a, step) => Math.max(a, step[key]), 0);
  return [
    of("requests", "requests", served.length, "", "derived"),
    of("promptTokens", "tokens of prompts", prompts, "tokens", "derived"),
    of("generatedTokens", "generated tokens", generated, "tokens", "derived"),
    of("steps", "steps of the model", steps.length, ""),
    of("time", "from the first arrival to the last token", end * micro, "us"),
    of(
      "working",
      "share of this time in steps",
      end === 0 ? 0 : (100 * stepTime) / end,
      "%",
      "derived",
    ),
    of("outputRate", "generated tokens per second", generated / end, "1/s", "derived"),
    of(
      "tokenRate",
      "tokens per second, with prompts",
      (prompts + generated) / end,
      "1/s",
      "derived",
    ),
    ...spread("ttft", "time to first token", ttft, of),
    ...spread("tpot", "time per output token", tpot, of),
    of(
      "batchMean",
      "sequences in the batch, mean over the steps' time",
      running / stepTime,
      "",
      "derived",
    ),
    of("batchMost", "sequences in the batch, maximum", most("running"), ""),
    of("waitingMost", "waiting requests, maximum", most("waiting"), ""),
    of("decodedBytes", "bytes of decode steps", decoded, "bytes", "derived"),
    ...(decoded === 0
      ? []
      : [of("bitsPerByte", "bits per byte of decode steps", decodeBits / decoded, "bits")]),
    of("generatedBitsPerByte", "bits per byte, with first tokens", allBits / generated, "bits"),
  ];
}

function spread(
  id: string,
  title: string,
  values: readonly number[],
  of: (id: string, title: string, value: number, unit: string) => BatchMetric,
): readonly BatchMetric[] {
  if (values.length === 0) return [];
  const sorted = [...values].sort((a, b) => a - b);
  // The smallest value that so many are not above.
  const at = (share: number): number => present(sorted[Math.ceil(share * sorted.length) - 1]);
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  return [
    of(`${id}Mean`, `${title}, mean`, mean, "us"),
    of(`${id}Median`, `${title}, median`, at(0.5), "us"),
    of(`${id}P90`, `${title}, 90 % of requests below`, at(0.9), "us"),
    of(`${id}Most`, `${title}, longest`, at(1), "us"),
  ];
}

function busyOf(steps: readonly BatchStep[], whole: number): Readonly<Record<string, number>> {
  const sums = new Map<string, number>();
  for (const { runs } of steps) {
    for (const [place, { busy }] of deviceUse(runs)) {
      sums.set(place, (sums.get(place) ?? 0) + busy);
    }
  }
  const sorted = [...sums].sort(([a], [b]) => a.localeCompare(b, "en", { numeric: true }));
  return Object.fromEntries(sorted.map(([place, busy]) => [place, busy / whole]));
}

/** Chains of all steps, which follow one another. */
function criticalOf(steps: readonly BatchStep[], whole: number): Readonly<Record<string, number>> {
  const sums = new Map<Part, number>([...taskSubjects, ...promptParts].map((part) => [part, 0]));
  for (const { runs } of steps) {
    for (const { part, time } of criticalChain(runs)) {
      sums.set(part, (sums.get(part) ?? 0) + time);
    }
  }
  return Object.fromEntries([...sums].map(([part, time]) => [part, time / whole]));
}

/**
 * Timeline with one lane per resource, and one lane per request for its wait, its prompt and its
 * tokens.
 */
export function batchSpans({ served, steps }: Pick<BatchRun, "served" | "steps">): readonly Span[] {
  const span = (start: number, run: PlanRun, step: number): Span => ({
    track: "machine",
    lane: run.device,
    name: run.part,
    startNs: (start + run.start) * nano,
    durationNs: run.time * nano,
    args: { step, layer: run.layer },
  });
  return [
    ...steps.flatMap(({ start, runs }, step) => runs.map((run) => span(start, run, step))),
    ...served.flatMap(({ request, admitted, tokens }) => {
      const [first = admitted] = tokens;
      const phases = [
        ["waits", request.arrival, admitted],
        ["prompt", admitted, first],
        ["decodes", first, tokens.at(-1) ?? first],
      ] as const;
      return phases
        .filter(([, from, to]) => to > from)
        .map(([name, from, to]): Span => ({
          track: "requests",
          lane: `request ${String(request.id)}`,
          name,
          startNs: from * nano,
          durationNs: (to - from) * nano,
          args: { prompt: request.prompt, generated: request.generated },
        }));
    }),
  ];
}

/** Sizes of the batch over time. */
export function batchSamples(steps: readonly BatchStep[]): readonly Sample[] {
  return steps.flatMap(({ start, end, running, waiting }, i) => {
    const at = (timeNs: number, name: string, value: number): Sample => ({
      track: "machine",
      name,
      timeNs,
      value,
    });
    const idle = steps[i + 1]?.start !== end;
    return [
      at(start * nano, "sequences in the batch", running),
      at(start * nano, "requests waiting", waiting),
      ...(idle ? [at(end * nano, "sequences in the batch", 0)] : []),
    ];
  });
}

/** The report for a terminal. */
export function batchText(report: BatchReport, host: HostName): string {
  const width = Math.max(...report.metrics.map(({ title }) => title.length));
  const lines = report.metrics.map(({ title, value, unit, source }) => {
    const shown = Number.isInteger(value) ? String(value) : value.toPrecision(5);
    return `${title.padEnd(width)}  ${shown} ${unit} (${source})`.replace("  (", " (");
  });
  const list = (of: Readonly<Record<string, number>>): string =>
    Object.entries(of)
      .filter(([, share]) => share > 0)
      .map(([name, share]) => `${name} ${(100 * share).toFixed(1)} %`)
      .join(", ");
  return [
    ...lines,
    `steps waited for: ${list(report.critical)}`,
    `at work (host ${host}): ${list(report.busy)}`,
  ].join("\n");
}
