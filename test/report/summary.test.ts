// SPDX-License-Identifier: Apache-2.0
// The headline of a token is its time, with the share of the time that waits for attention and for experts. The
// headlines of attention have the fastest case of a machine and its busiest resource. A summary has at least three
// figures and at most six.

import { describe, expect, it } from "vitest";

import { seconds } from "../../src/base/units.ts";
import type { Headline } from "../../src/report/page.ts";
import type { KernelResult, RunResult } from "../../src/report/run-result.ts";
import { attentionHeadlines, summaryOf, tokenHeadlines } from "../../src/report/summary.ts";
import type { Metric } from "../../src/results/metric.ts";
import { spreadOf } from "../../src/results/percentiles.ts";

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
        what: "A token",
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

describe("the headlines of attention", () => {
  type Case = Parameters<typeof attentionHeadlines>[0][number];
  const of = (flash: Case["flash"], inFlight: number, time: number): Case => ({
    title: `SparF, ${flash}, ${String(inFlight)} in flight`,
    method: "sparf",
    flash,
    devices: 1,
    time: seconds(time),
    latency: latencyWith({ flash: 0.957, attend: 0.1, dies: 0.5 }),
    metrics: [metric("time", 1e6 * time, "us"), metric("speedup", 1.9531, "x")],
  });
  const latencyWith = (busy: {
    readonly flash: number;
    readonly attend: number;
    readonly dies: number;
  }): NonNullable<Case["latency"]> => {
    const phase = { counts: "", perHead: seconds(1) };
    return {
      phases: [
        { ...phase, id: "attend", resource: "attend unit", busy: busy.attend },
        { ...phase, id: "flash", resource: "flash channels", busy: busy.flash },
      ],
      intervals: [],
      whole: spreadOf([seconds(1)]),
      diesBusy: busy.dies,
    };
  };
  const sentence = (one: Case): string => attentionHeadlines([one])[0]?.sentence ?? "";
  const base = of("znand4k", 16, 0.002249);

  it("have the fastest case of the first and of the last machine", () => {
    const dense = { ...base, method: "dense" as const, time: seconds(1e-6), title: "dense" };
    const cases = [
      of("znand4k", 1, 0.0047),
      dense,
      base,
      of("tlc4k", 1, 0.02),
      of("tlc4k", 16, 0.01),
    ];
    expect(attentionHeadlines(cases).map(({ what, value }) => [what, value])).toEqual([
      ["Attention, SparF, znand4k, 16 in flight", "2,249 us"],
      ["Attention, SparF, tlc4k, 16 in flight", "10,000 us"],
    ]);
  });

  it("name the busiest resource: channels, dies, a unit of the engine or a shared resource", () => {
    expect(sentence(base)).toBe(
      "Speed-up 1.953 x over dense attention. Busiest resource: flash channels, 95.7 % of the time.",
    );
    const dies = latencyWith({ flash: 0.2, attend: 0.1, dies: 0.93 });
    expect(sentence({ ...base, latency: dies })).toContain("Busiest resource: flash dies, 93 %");
    const unit = latencyWith({ flash: 0.2, attend: 0.97, dies: 0.93 });
    expect(sentence({ ...base, latency: unit })).toContain("Busiest resource: attend unit, 97 %");
    const metrics = [...base.metrics, metric("sharedLinkBusy", 99.2, "%")];
    expect(sentence({ ...base, metrics })).toContain("Busiest resource: shared link, 99.2 %");
  });

  it("state that a closed form has flash only", () => {
    expect(sentence({ ...base, latency: null })).toContain(
      "Lower limit: flash and modelled overheads",
    );
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
    ["A token", undefined],
    ["Rate, a token", true],
  ]);
});
