// SPDX-License-Identifier: Apache-2.0
// The recorded steps of TriMoE on the page: each number that differs has a reading that spans it, or says that none
// of several does.

import { describe, expect, it } from "vitest";
import { recordedRows } from "../../../src/papers/experiment/recorded.ts";
import { recordedReadings } from "../../../src/papers/trimoe/figures/steps/recorded-planners.ts";
import { recordedSteps } from "../../../src/papers/trimoe/figures/steps/recorded-steps.ts";
import { stepRecord } from "../../../src/papers/trimoe/figures/steps/step-record.ts";
import { stepsOutcome } from "../../../src/papers/trimoe/figures/steps/steps-outcome.ts";

const { rows: steps } = recordedRows("trimoe-steps", stepRecord);

describe("TriMoE's recorded steps", () => {
  it("have an explanation beside every number that differs, and none beside others", () => {
    const { rows = [] } = recordedSteps.run();
    expect(rows.length).toBeGreaterThan(10);
    expect(rows.some(({ verdict }) => verdict === "differs")).toBe(true);
    for (const { what, verdict, explanation } of rows) {
      const rule =
        /^(One reading gives the published value: |Between .+ and .+\.$|No tried reading explains it\. Closest: .+\.$)/;
      expect(String(explanation), String(what)).toMatch(verdict === "differs" ? rule : /^$/);
    }
  });

  it("have several readings of each printed number, all of them finite", () => {
    for (const { what, tried } of stepsOutcome(steps).findings) {
      expect(tried.length, what).toBeGreaterThan(1);
      for (const { what: reading, value } of tried)
        expect(Number.isFinite(value), `${what}: ${reading}`).toBe(true);
    }
  });

  it("have the recorded layers of other planners and placements as readings, without those of the figures", () => {
    const readings = recordedReadings("qwen3-235b-a22b", (times) => {
      return (times.get("En-KTransformers") ?? NaN) / (times.get("TriMoE") ?? NaN);
    });
    const names = readings.map(({ what }) => what);
    expect(names.some((name) => name.includes("perfect placement"))).toBe(true);
    expect(names.some((name) => name.includes("83 %"))).toBe(true);
    expect(names.some((name) => /^channels, balanced; accuracy 78/.test(name))).toBe(false);
    // docs/results/papers.md has the same gain by planner.
    const perfect = readings.find(({ what }) => what.startsWith("channels, 14 tokens"));
    expect(Number(perfect?.value).toFixed(2)).toBe("1.85");
    expect(recordedReadings("glm-4.5-air", () => 1)).toEqual([]);
  });

  it("say how they were planned, by the record", () => {
    expect(new Set(steps.map(({ planned }) => planned)).size).toBe(1);
    const [text] = recordedSteps
      .run()
      .blocks.flatMap((block) => (block.kind === "prose" ? [block.text] : []))
      .filter((one) => one.includes("planned these steps"));
    expect(text).toContain(steps[0]?.planned);
  });
});
