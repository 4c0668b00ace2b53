// SPDX-License-Identifier: Apache-2.0
// The headline of a token is its time, with the share of the time that waits for attention and for experts. A summary
// has at least three figures and at most six.

import { describe, expect, it } from "vitest";

import type { Headline } from "../../src/report/page.ts";
import type { KernelResult, RunResult } from "../../src/report/run-result.ts";
import { summaryOf, tokenHeadlines } from "../../src/report/summary.ts";
import type { Metric } from "../../src/results/metric.ts";

const metric = (id: Metric["id"], value: number, unit: string): Metric => ({
  id,
  title: id,
  value,
  unit,
  source: "measured",
});
const metrics = [
  metric("bitsPerByte", 2.36938, "bits"),
  metric("tokenTime", 387.9188, "us"),
  metric("attentionWait", 81.98893, "%"),
  metric("expertsWait", 5.342077, "%"),
];

describe("the headline of a token", () => {
  it("has its time first, then its bounds and its quality", () => {
    expect(tokenHeadlines([{ title: "a token", metrics }])).toEqual([
      {
        what: "Token, a token",
        value: "387.9 us",
        sentence:
          "Waits for attention 81.99 % of the time, for experts 5.342 %; 2.369 bits per byte.",
      },
    ]);
  });

  it("is absent without a time", () => {
    expect(tokenHeadlines([{ title: "a token", metrics: metrics.slice(0, 1) }])).toEqual([]);
  });
});

describe("the summary of a run", () => {
  const figure = (what: string, isFurther = false): Headline => ({
    what,
    value: "1",
    sentence: "One.",
    ...(isFurther && { isFurther }),
  });
  const summary = (...kernels: readonly (readonly Headline[])[]): readonly string[] => {
    const results = kernels.map((figures) => ({ headlines: () => figures, tables: [] }));
    const run = { kernels: results as unknown as readonly KernelResult[] } as RunResult;
    return summaryOf(run, []).map(({ what }) => what);
  };

  it("has further figures of a single case, so that it has three", () => {
    const figures = [figure("time"), figure("rate", true), figure("use", true)];
    expect(summary(figures)).toEqual(["time", "rate", "Checks passed"]);
  });

  it("has no further figures beside two others, and six at most", () => {
    const figures = [figure("first"), figure("rate", true), figure("last")];
    expect(summary(figures)).toEqual(["first", "last", "Checks passed"]);
    const many = Array.from({ length: 9 }, (_, i) => figure(String(i)));
    expect(summary(many, figures)).toEqual(["0", "1", "2", "3", "4", "Checks passed"]);
  });
});

it("the metrics of a token have its rate as a further figure", () => {
  const rate = metric("tokenRate", 2577.86, "1/s");
  const headlines = tokenHeadlines([{ title: "a token", metrics: [...metrics, rate] }]);
  expect(headlines.map(({ what, isFurther }) => [what, isFurther])).toEqual([
    ["Token, a token", undefined],
    ["Tokens per second, a token", true],
  ]);
});
