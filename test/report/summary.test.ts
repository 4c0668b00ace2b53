// SPDX-License-Identifier: Apache-2.0
// The headline of a token is its time, with the share of the time that waits for attention and for experts.

import { describe, expect, it } from "vitest";

import { tokenHeadlines } from "../../src/report/summary.ts";
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
