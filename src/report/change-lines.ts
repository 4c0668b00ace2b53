// SPDX-License-Identifier: Apache-2.0
// The changes between two runs of a scenario: checks first, then simulated numbers.

import { counted } from "../base/format-value.ts";
import { allPassed, someFailed } from "./checks-text.ts";

/** The fields of results.json that are compared. */
export interface WatchedRun {
  readonly resultHash: string;
  readonly checks: readonly {
    readonly case: string;
    readonly id: string;
    readonly title: string;
    readonly pass: boolean;
    readonly detail: string;
  }[];
  readonly metrics: readonly {
    readonly case: string;
    readonly id: string;
    readonly title: string;
    readonly value: number;
    readonly unit: string;
  }[];
}

/** Limit of lines about numbers; the remaining ones are counted. */
const maxNumbers = 20;

/** One line at least; null is a run that ended with an error. */
export function changeLines(before: WatchedRun | null, now: WatchedRun | null): readonly string[] {
  if (now === null) return ["the run ended with an error"];
  const failing = now.checks.filter((check) => !check.pass);
  const verdict =
    failing.length === 0
      ? allPassed(now.checks.length)
      : someFailed(failing.length, now.checks.length);
  if (before === null) return [verdict, ...failing.map(checkLine)];
  if (before.resultHash === now.resultHash) return [`${verdict}, nothing moved`];
  const known = new Map(before.checks.map((check) => [`${check.case} ${check.id}`, check.pass]));
  // A new check is reported only if it fails.
  const turned = now.checks.filter((c) => (known.get(`${c.case} ${c.id}`) ?? true) !== c.pass);
  const values = new Map(before.metrics.map((m) => [`${m.case} ${m.id}`, m.value]));
  const numbers = now.metrics.flatMap((metric) => {
    const was = values.get(`${metric.case} ${metric.id}`);
    if (was === undefined || Object.is(was, metric.value)) return [];
    const change = was === 0 ? "" : ` (${percent(metric.value / was - 1)})`;
    const { value, unit, title } = metric;
    return [`${metric.case}: ${title}: ${short(was)} -> ${short(value)} ${unit}${change}`];
  });
  const rest = numbers.length - maxNumbers;
  return [
    verdict,
    ...turned.map(checkLine),
    ...numbers.slice(0, maxNumbers),
    ...(rest > 0 ? [`${counted(rest, "number")} more`] : []),
  ];
}

function checkLine(check: WatchedRun["checks"][number]): string {
  const state = check.pass ? "holds again" : "FAILS";
  return `${check.case}: ${check.title} ${state}: ${check.detail}`;
}

const short = (value: number): string => String(Number(value.toPrecision(6)));

function percent(share: number): string {
  return `${share < 0 ? "" : "+"}${(100 * share).toPrecision(3)} %`;
}
