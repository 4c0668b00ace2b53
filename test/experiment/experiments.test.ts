// SPDX-License-Identifier: Apache-2.0
// Every experiment runs, ends in verdicts, draws, and its timeline never runs two things on one lane.

import { describe, expect, test } from "vitest";
import { within, shape, contradicted, agrees } from "../../src/experiment/experiment.ts";
import { pageOf } from "../../src/experiment/page.ts";
import { experiments, papers } from "../../src/experiment/registry.ts";
import { renderPage } from "../../src/report/html.ts";
import type { Span } from "../../src/report/perfetto.ts";
import { haveBrowser, lookAt } from "../helpers/browser.ts";

const done = experiments.map((experiment) => ({ experiment, outcome: experiment.run() }));

/** Arithmetic, counts of bytes, statistics of traces, values of attention: no device, no time. */
const nothingRuns = [
  ...papers.map((paper) => `${paper}/arithmetic`),
  "flexgen/appendix-a2",
  "instinfer/figure-11",
  "trimoe/figure-3",
].toSorted();

function overlaps(spans: readonly Span[]): readonly string[] {
  const lanes = new Map<string, Span[]>();
  for (const span of spans) {
    const lane = `${span.track}/${span.lane}`;
    lanes.set(lane, [...(lanes.get(lane) ?? []), span]);
  }
  return [...lanes].flatMap(([lane, list]) => {
    const sorted = [...list].sort((a, b) => a.startNs - b.startNs);
    return sorted.some((s, i) => {
      const before = sorted[i - 1];
      return (
        before !== undefined && before.startNs + before.durationNs > s.startNs * (1 + 1e-12) + 1e-6
      );
    })
      ? [lane]
      : [];
  });
}

describe("experiments", () => {
  test("ids are unique and begin with the paper", () => {
    expect(new Set(experiments.map((e) => e.id)).size).toBe(experiments.length);
    for (const e of experiments) expect(e.id.startsWith(`${e.paper}/`)).toBe(true);
  });

  test.each(done.map((d) => [d.experiment.id, d] as const))("%s", (_, { outcome }) => {
    expect(outcome.findings.length).toBeGreaterThan(0);
    for (const finding of outcome.findings) {
      expect(Number.isFinite(finding.ours)).toBe(true);
      if (finding.class === "A") expect(finding.verdict, finding.what).toBe("holds");
      if (finding.verdict !== "holds") expect(finding.note, finding.what).not.toBe("");
    }
    expect(overlaps(outcome.timeline)).toEqual([]);
  });

  test("there is a timeline of every experiment in which something runs, on its page too", () => {
    const without = done.filter(({ outcome }) => outcome.timeline.length === 0);
    expect(without.map(({ experiment }) => experiment.id).toSorted()).toEqual(nothingRuns);
    for (const one of done) {
      const [section] = pageOf(one.experiment.paper, [one], "0").sections;
      const drawn = section?.blocks.some((b) => b.kind === "figure" && b.timeline === true);
      expect(drawn, one.experiment.id).toBe(one.outcome.timeline.length > 0);
      for (const { startNs, durationNs } of one.outcome.timeline) {
        expect(startNs).toBeGreaterThanOrEqual(0);
        expect(durationNs).toBeGreaterThanOrEqual(0);
      }
    }
  });

  test.each(papers)("%s has a page, whole on a phone where there is a browser", (paper) => {
    const own = done.filter((d) => d.experiment.paper === paper);
    const html = renderPage(pageOf(paper, own, "0"));
    expect(html).toMatch(/config hash <code>[0-9a-f]{12}<[^]*<\/html>/);
    if (haveBrowser) expect(lookAt(html, 390).complaints).toEqual([]);
  });

  test("a number outside its tolerance differs, a contradicted one is not judged", () => {
    expect(within("x", 100, 102, "s", "A", 0.01).verdict).toBe("differs");
    expect(within("x", 100, 100.5, "s", "A", 0.01).verdict).toBe("holds");
    expect(shape("x", null, 0.5, "x", [1, 2]).verdict).toBe("differs");
    expect(contradicted("x", 1, 2, "s", "why").verdict).toBe("not comparable");
    expect(agrees([within("x", 1, 2, "s", "A", 0.1)])).toBe(false);
    expect(agrees([shape("x", null, 5, "x", [1, 2])])).toBe(true);
  });
});
