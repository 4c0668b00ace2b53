// SPDX-License-Identifier: Apache-2.0
// Decode steps of a whole model as a case of a run: numbers, checks, and what results.json says.

import type { TokenScenario } from "../../scenario/token.ts";
import type { TokenReport } from "./token-report.ts";
import type { Check, Metric } from "../../results/metric.ts";
import type { TokenCase } from "./token-case.ts";

const micro = 1e6;

/** In the order in which a person reads them. */
export function tokenMetrics({
  result,
  report,
  energy,
}: Pick<TokenCase, "result" | "report" | "energy">): readonly Metric[] {
  const number = (
    id: Metric["id"],
    title: string,
    value: number,
    unit: string,
    source: Metric["source"] = "measured",
  ): Metric => ({ id, title, value, unit, source });
  const hardware = energy?.parts.filter(({ part }) => !part.startsWith("host"));
  const sum = hardware?.reduce((joules, part) => joules + part.joules, 0) ?? null;
  return [
    number("bitsPerByte", "bits per byte", result.bitsPerByte, "bits"),
    number("tokenTime", "time of a decode step", report.tokenUs, "us"),
    number("tokenRate", "tokens per second", report.tokensPerSecond, "1/s"),
    number(
      "overlap",
      "sum of task times divided by the time of the run",
      report.overlap,
      "",
      "derived",
    ),
    number("attentionWait", "wait for attention", 100 * report.critical.attention, "%", "derived"),
    number("expertsWait", "wait for experts", 100 * report.critical.experts, "%", "derived"),
    ...(energy === null || sum === null
      ? []
      : [
          number(
            "tokenEnergy",
            "energy per token, DIMMs and storage devices",
            micro * sum,
            "uJ",
            "derived",
          ),
          number(
            "hostEnergy",
            "energy per token, host",
            micro * (energy.joules - sum),
            "uJ",
            "assumed",
          ),
        ]),
  ];
}

/** Simulated operations of a whole token. */
export interface TokenCounts {
  readonly experts: number;
  readonly heads: number;
}

/** That nothing was left to arithmetic without hardware, and that the plan's times add up. */
export function tokenChecks(
  ran: TokenCounts,
  needed: TokenCounts,
  report: TokenReport,
  fidelity: TokenScenario["fidelity"],
): readonly Check[] {
  const on = fidelity === "rtl" ? "RTL" : "the cycle models";
  return [
    {
      id: "whole",
      title: `every routed expert and every group of heads of every step ran on ${on}`,
      pass: ran.experts === needed.experts && ran.heads === needed.heads,
      detail:
        `${String(ran.experts)} of ${String(needed.experts)} experts, ` +
        `${String(ran.heads)} of ${String(needed.heads)} groups of heads`,
    },
    chainCheck(report),
  ];
}

/** That the plan's times add up. */
export function chainCheck({ critical }: TokenReport): Check {
  const chain = Object.values(critical).reduce((sum, share) => sum + share, 0);
  return {
    id: "chain",
    title: "what the last token waited for fills its time",
    pass: Math.abs(chain - 1) < 1e-9,
    detail: `${(100 * chain).toFixed(6)} %`,
  };
}

/** A case of a token, without its runs. */
export interface TokenDocument extends Omit<TokenCase, "runs" | "metrics" | "checks"> {
  readonly kernel: "token";
}

/** Without the plan's tasks, which timeline and page show. */
export function tokenDocument({
  runs: _runs,
  metrics: _m,
  checks: _c,
  ...rest
}: TokenCase): TokenDocument {
  return { ...rest, kernel: "token" };
}
