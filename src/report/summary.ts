// SPDX-License-Identifier: Apache-2.0
// The summary of a run: headline figures with their bound, and the checks.

import { capital } from "../base/format-value.ts";
import { grouped } from "../base/grouped.ts";
import { significant } from "../base/readable.ts";
import { busiestResource } from "../results/latency/attention-latency.ts";
import type { AttentionCase, CaseResult } from "../results/types.ts";
import type { Check, Metric } from "../results/metric.ts";
import type { MetricId } from "../results/metric-ids.ts";
import type { TokenCase } from "../lm/token/token-case.ts";
import type { Headline } from "./page.ts";
import type { RunResult } from "./run-result.ts";

/** The parts of a case that its headline needs. */
type HeadlineCase = Pick<
  AttentionCase,
  "title" | "method" | "flash" | "devices" | "time" | "latency" | "metrics"
>;

/** Figures of a summary besides the checks. */
const minFigures = 2;
const maxFigures = 5;

/** One figure for each end of a list of cases: the first case and the last one. */
function endsOf<T>(cases: readonly T[]): readonly T[] {
  return cases.filter((_, i) => i === 0 || i === cases.length - 1);
}

/** The answer of a run: the first headlines of its kernels, and its checks. */
export function summaryOf({ kernels }: RunResult, checks: readonly Check[]): readonly Headline[] {
  const all = kernels.flatMap(({ headlines }) => headlines());
  const main = all.filter(({ isFurther = false }) => !isFurther).slice(0, maxFigures);
  const missing = Math.max(0, minFigures - main.length);
  const further = all.filter(({ isFurther = false }) => isFurther).slice(0, missing);
  const compared = kernels.flatMap(({ tables }) =>
    tables.flat().flatMap((one) => one.accuracy ?? []),
  );
  const exact = compared.length > 0 && compared.every((one) => one.differentFromGolden === 0);
  return [...main, ...further, checksHeadline(checks, exact)];
}

/** Times of the first and the last expert of the first layout, with the binding limit; further: rates. */
export function expertHeadlines(cases: readonly CaseResult[]): readonly Headline[] {
  const [layout] = cases.map((one) => one.layout);
  return endsOf(cases.filter((one) => one.layout === layout)).flatMap(expertHeadline);
}

/**
 * Times of the first and the last machine of the run, each with the number of heads in flight that is
 * fastest there. The cases are those of sparse attention, or of dense attention without a sparse one.
 * Further: rates.
 */
export function attentionHeadlines(cases: readonly HeadlineCase[]): readonly Headline[] {
  const sparse = cases.filter((one) => one.method === "sparf");
  const machines = grouped(
    sparse.length > 0 ? sparse : cases,
    ({ flash, devices }) => `${flash}, ${String(devices)}`,
  );
  const fastest = machines.map((ofMachine) =>
    ofMachine.reduce((best, one) => (one.time < best.time ? one : best)),
  );
  return endsOf(fastest).flatMap(attentionHeadline);
}

/** The time of each token with its waits; further: rates. */
export function tokenHeadlines(
  cases: readonly Pick<TokenCase, "title" | "metrics">[],
): readonly Headline[] {
  return cases.flatMap(tokenHeadline);
}

function metricOf(metrics: readonly Metric[], id: string): Metric | undefined {
  return metrics.find((metric) => metric.id === id);
}

function shown({ value, unit }: Metric): string {
  const digits = significant(value, 4);
  return unit === "" ? digits : `${digits} ${unit}`;
}

function expertHeadline(one: CaseResult): readonly Headline[] {
  const time = metricOf(one.metrics, "time");
  const share = metricOf(one.metrics, "boundShare");
  if (time === undefined || share === undefined) return [];
  const bound = {
    memory: "of the bandwidth limit with refresh; memory is the binding limit",
    compute: "of the peak of the multiplier array; compute is the binding limit",
  };
  return [
    {
      what: `Expert, ${one.title}`,
      value: shown(time),
      sentence: `Reaches ${shown(share)} ${bound[one.bottleneck.bound]}.`,
    },
    ...furtherFigure(one, "bandwidth", "Bandwidth", "Bytes that the unit received per second."),
    ...furtherFigure(one, "compute", "Compute", "Operations of the multiplier array per second."),
  ];
}

function attentionHeadline(one: HeadlineCase): readonly Headline[] {
  const time = metricOf(one.metrics, "time");
  if (time === undefined) return [];
  const speedup = metricOf(one.metrics, "speedup");
  const error = metricOf(one.metrics, "denseError");
  const gain = speedup === undefined ? [] : [`Speed-up ${shown(speedup)} over dense attention`];
  const cost = error === undefined ? [] : [`relative error ${shown(error)}`];
  const facts = [...gain, ...cost].join(", ");
  return [
    {
      what: `Attention, ${one.title}`,
      value: shown(time),
      sentence: `${facts === "" ? "Time of all heads" : facts}. ${limitOf(one)}`,
    },
    ...furtherFigure(
      one,
      "headRate",
      "Heads per second",
      "Number of heads divided by the simulated time.",
    ),
    ...furtherFigure(one, "channelsBusy", "Flash channels", "Mean utilisation of the channels."),
  ];
}

/** A closed form has the time of flash only; a run has the utilisation of each resource. */
function limitOf({ latency, metrics }: HeadlineCase): string {
  if (latency === null) return "Lower limit: flash and modelled overheads, without the engine.";
  const { resource, busy } = busiestResource(latency, metrics);
  return `Busiest resource: ${resource}, ${significant(100 * busy, 4)} % of the time.`;
}

function tokenHeadline(one: Pick<TokenCase, "title" | "metrics">): readonly Headline[] {
  const time = metricOf(one.metrics, "tokenTime");
  const attention = metricOf(one.metrics, "attentionWait");
  const experts = metricOf(one.metrics, "expertsWait");
  const bits = metricOf(one.metrics, "bitsPerByte");
  if (time === undefined || attention === undefined || experts === undefined) return [];
  const quality = bits === undefined ? "" : `; ${shown({ ...bits, unit: "" })} bits per byte`;
  return [
    {
      what: capital(one.title),
      value: shown(time),
      sentence: `Waits for attention ${shown(attention)} of the time, for experts ${shown(experts)}${quality}.`,
    },
    ...furtherFigure(one, "tokenRate", "Rate", "Tokens per second of one sequence."),
    ...furtherFigure(
      one,
      "tokenEnergy",
      "Energy",
      "Energy per token of DIMMs and storage devices, without the host.",
    ),
  ];
}

/** A figure for a summary with few others; none without the metric. */
function furtherFigure(
  { title, metrics }: { readonly title: string; readonly metrics: readonly Metric[] },
  id: MetricId,
  what: string,
  sentence: string,
): readonly Headline[] {
  const metric = metricOf(metrics, id);
  if (metric === undefined) return [];
  return [{ what: `${what}, ${title}`, value: shown(metric), sentence, isFurther: true }];
}

function checksHeadline(checks: readonly Check[], exact: boolean): Headline {
  const failed = checks.filter((check) => !check.pass);
  const [first] = failed;
  return {
    what: "Checks passed",
    value: `${String(checks.length - failed.length)} of ${String(checks.length)}`,
    pass: failed.length === 0,
    sentence:
      first !== undefined
        ? `Failed first: ${first.title}.`
        : exact
          ? "Every output bit equals the golden model."
          : "No check failed.",
  };
}
