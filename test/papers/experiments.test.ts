// SPDX-License-Identifier: Apache-2.0
// Every experiment runs and has verdicts and a figure, and its timeline never has two intervals on
// one lane at a time.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { loadDrawing } from "../../src/papers/experiment/drawing.ts";
import type { Experiment } from "../../src/papers/experiment/experiment.ts";
import { parsePrinted, unexplained, verdictOf } from "../../src/papers/experiment/finding.ts";
import { pageOf } from "../../src/papers/reproduction/page.ts";
import { countsOf, recordsOf, worstMisses } from "../../src/papers/reproduction/record.ts";
import type { Reproduction } from "../../src/papers/reproduction/reproduction.ts";
import { experimentsOf } from "../../src/papers/reproduction/experiments-of.ts";
import { experiments, indexes, papers } from "../../src/papers/reproduction/registry.ts";
import { inRepository } from "../../src/base/paths.ts";
import { renderPage } from "../../src/report/html.ts";
import type { Span } from "../../src/results/latency/span.ts";
import { lookAt } from "../helpers/browser.ts";
import { oraclePath } from "../helpers/oracle.ts";
import { captionsOf, named, publishedItems, tabulated } from "../helpers/published-items.ts";
import { has, inFull, needs } from "../helpers/needs.ts";
import { full } from "../helpers/tier.ts";

const asked: Reproduction = {
  version: "0",
  fidelity: "analytic",
  paper: null,
  only: null,
  seeds: 2,
  requests: null,
  trace: null,
  devices: [],
  rtlDimms: null,
  steps: null,
};
/** Experiments that need a second or more each, which is most of the total time. */
const long: ReadonlySet<string> = new Set([
  "instinfer/devices",
  "instinfer/figure-11",
  "instinfer/flash-steps",
  "instinfer/prefill-flash",
  "lia/section-4-2",
  "llmshare/yardstick",
  "trimoe/constants",
  "trimoe/figure-6",
  "trimoe/figure-7",
  "trimoe/figure-8",
  "trimoe/figure-9",
  "trimoe/section-5-5",
  "trimoe/table-3",
]);
const tried = experiments.filter(({ id }) => full || !long.has(id));

interface Done {
  readonly experiment: Experiment;
  readonly outcome: ReturnType<Experiment["run"]>;
}
const outcomes = new Map<Experiment, Done>();

function doneOf(experiment: Experiment): Done {
  const known = outcomes.get(experiment) ?? { experiment, outcome: experiment.run() };
  outcomes.set(experiment, known);
  return known;
}

beforeAll(loadDrawing);

test("the experiments of papers are those of the registry, in its order", async () => {
  const ids = (list: readonly Experiment[]): readonly string[] => list.map(({ id }) => id);
  expect(ids(await experimentsOf(papers))).toEqual(ids(experiments));
  for (const paper of papers) {
    const ofPaper = experiments.filter((one) => one.paper === paper);
    expect(ids(await experimentsOf([paper]))).toEqual(ids(ofPaper));
  }
});

/** The outcomes of the experiments that were run, computed once. */
const done = (): readonly Done[] => tried.map(doneOf);

const seeds = oraclePath("../seeds");
/** Numbers that the papers print in another format. */
const otherwisePrinted: Readonly<Record<string, string>> = {
  "instinfer/arithmetic/section-ii-b-vi-a-sparq-traffic-ratio-with-r-16-k-128-s-2048-d-128": "1/8",
  "llmshare/yardstick/hilos-over-the-best-offloading-most": "7.86 in the abstract of HILOS",
  "llmshare/arithmetic/slide-design-space-size-of-the-design-space-nearly-9e14": "9 x 10^14",
};

/** The text of a paper, identified by its name in the first lines. */
function textOf(paper: string): string {
  const all = readdirSync(seeds).map((name) => readFileSync(join(seeds, name), "utf8"));
  const found = all.find((text) => text.slice(0, 600).toLowerCase().includes(paper));
  return (found ?? "").replaceAll(",", "");
}

/** Arithmetic, counts of bytes, statistics of traces, values of attention, totals of serving: no lane. */
const nothingRuns = [
  ...papers.map((paper) => `${paper}/arithmetic`),
  ...["lia", "trimoe", "instinfer", "flexgen"].map((paper) => `${paper}/constants`),
  "flexgen/appendix-a2",
  "flexgen/table-6",
  "instinfer/figure-11",
  "instinfer/figure-4",
  "instinfer/figure-5",
  "instinfer/figure-6",
  "lia/figure-1",
  "lia/figure-5",
  "lia/section-4-2",
  "llmshare/motivation",
  "llmshare/recorded-seeds",
  "llmshare/yardstick",
  "trimoe/figure-3",
  "trimoe/figure-5",
  "trimoe/recorded-planners",
  "trimoe/recorded-router",
  "trimoe/recorded-steps",
  "trimoe/section-3",
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

  test.each(tried.map((experiment) => [experiment.id, experiment] as const))("%s", (_, one) => {
    const { outcome } = doneOf(one);
    const { findings, checks = [] } = outcome;
    expect(findings.length + checks.length).toBeGreaterThan(0);
    for (const { what, ours, published, class: kind, verdict, note } of findings) {
      expect(typeof ours === "string" || Number.isFinite(ours), what).toBe(true);
      expect(published, what).not.toBe("");
      if (kind === "A") expect(verdict, what).not.toBe("differs");
      if (["differs", "fitted", "not comparable"].includes(verdict))
        expect(note, what).not.toBe("");
    }
    for (const check of checks) expect(check.holds, check.what).toBe(true);
    expect(overlaps(outcome.timeline)).toEqual([]);
  });

  test("each of TriMoE's misses has something that was tried, and a number of it", inFull, () => {
    const misses = worstMisses(recordsOf(done())).filter(({ paper }) => paper === "trimoe");
    expect(misses.length).toBeGreaterThan(0);
    for (const { id, tried } of misses) {
      expect(tried.length, id).toBeGreaterThan(0);
      for (const { what, value } of tried) expect(Number.isFinite(value), what).toBe(true);
    }
  });

  test("there is a timeline of every experiment in which something runs, on its page too", () => {
    const without = done().filter(({ outcome }) => outcome.timeline.length === 0);
    expect(without.map(({ experiment }) => experiment.id).toSorted()).toEqual(
      nothingRuns.filter((id) => tried.some((one) => one.id === id)),
    );
    for (const one of done()) {
      const { sections } = pageOf(one.experiment.paper, [one], asked);
      const section = sections.find(({ id }) => id === one.experiment.id.replace("/", "-"));
      const drawn = section?.blocks.some((b) => b.kind === "figure" && b.timeline === true);
      expect(drawn, one.experiment.id).toBe(one.outcome.timeline.length > 0);
      for (const { startNs, durationNs } of one.outcome.timeline) {
        expect(startNs).toBeGreaterThanOrEqual(0);
        expect(durationNs).toBeGreaterThanOrEqual(0);
      }
    }
  });

  test.each(papers)(
    "%s has a page, whole on a phone (in the full set, where there is a browser)",
    (paper) => {
      const own = done().filter((d) => d.experiment.paper === paper);
      const html = renderPage(pageOf(paper, own, asked));
      expect(html).toMatch(/config hash <code>[0-9a-f]{12}<[^]*<\/html>/);
      if (full && has("chromium")) expect(lookAt(html, 390).complaints).toEqual([]);
    },
  );

  test("verdicts are those that the printed texts give, computed again from the records", () => {
    for (const { id, published, ours, interval, verdict, unit } of recordsOf(done())) {
      if (verdict === "not comparable") continue;
      if (typeof ours === "string") {
        const same = verdict === "fitted" ? "fitted" : "within";
        expect(verdict, id).toBe(ours === published ? same : "differs");
      } else if (parsePrinted(published) === null) {
        const holds = interval !== null && ours >= interval.low && ours <= interval.high;
        expect(verdict, id).toBe(holds ? "shape" : "differs");
      } else {
        const expected = verdictOf(published, ours);
        if (verdict === "fitted") expect(expected, `${id} ${unit}`).not.toBe("differs");
        else expect(verdict, `${id} ${unit}`).toBe(expected);
      }
    }
  });

  test("a number that set a constant counts as fitted and never as reproduced", () => {
    // The published numbers that set constants which the papers do not print, from the lists of
    // calibrations in the papers' indexes.
    const sets: readonly RegExp[] = [
      /^lia\/figure-9\/decode-switch-spr-a100$/,
      /^lia\/figure-5\/spr-over-(avx512|p100|(a100|h100)-least-share)$/,
      /^lia\/figure-5\/(gnr-over-spr|products-with-one-vector-spr-over-[ah]100)$/,
      /^lia\/table-5\/(lia|ipex|flexgen)-b-900-cpu$/,
      /^lia\/table-5\/lia-b-900-gpu$/,
      /^lia\/figure-14\/throughput-a-gpu-at-b-1-lia/,
      /^trimoe\/figure-3\/(share-of-tokens-of-the-coldest|accuracy-of-the-ema)/,
      /^trimoe\/figure-5\//,
      /^trimoe\/section-5-5\/time-of-a-migration/,
      /^instinfer\/figure-12\/(gain-of-insti-at-256|batches-at-which-deepspeed-swaps|sparf-over-flexgen-at-64)/,
      /^instinfer\/figure-14\/(cache-share-of-insti|cut-of-the-cache-time-one-device)$/,
      /^flexgen\/table-2-others\/accelerate-30b-prompt-512$/,
      /^flexgen\/table-4\/decode-cache-read-from-disk$/,
      /^flexgen\/table-5\/30b-no-cpu-compute$/,
    ];
    for (const { id, verdict } of recordsOf(done())) {
      if (sets.some((one) => one.test(id))) expect(["fitted", "differs"], id).toContain(verdict);
      else expect(verdict, id).not.toBe("fitted");
    }
  });

  test("every finding has an id of its own, and none restates another's number", inFull, () => {
    const records = recordsOf(done());
    expect(new Set(records.map(({ id }) => id)).size).toBe(records.length);
    // Numbers of three digits or more that are judged more than once: the paper prints them so often.
    const often: Readonly<Record<string, string>> = {
      "flexgen 0.01 token/s": "table 2 in three rows, table 5",
      "flexgen 0.62 token/s": "tables 2 and 5",
      "lia 000000 ": "a policy",
      "lia 011000 ": "a policy",
      "lia 111111 ": "a policy",
      "lia 291.02 s": "table 4, with all optimisations and with FlexGen's policy",
      "lia 5.05 s": "table 4, with all optimisations and without the second",
      "trimoe 2.12 to 2.83 x": "the range of three models",
    };
    const times = new Map<string, number>();
    for (const { paper, published, unit, verdict } of records) {
      if (verdict === "not comparable" || !/^[\d.]+( to [\d.]+)?$/.test(published)) continue;
      if (published.replace(".", "").length < 3) continue;
      const key = `${paper} ${published} ${unit}`;
      times.set(key, (times.get(key) ?? 0) + 1);
    }
    const twice = [...times].filter(([, n]) => n > 1).map(([key]) => key);
    expect(twice.toSorted()).toEqual(Object.keys(often).toSorted());
  });

  test("each miss has something that was tried", () => {
    const misses = worstMisses(recordsOf(done())).filter(({ tried }) => tried.length === 0);
    expect(misses.map(({ id }) => id)).toEqual([]);
  });

  test("each miss has the readings that span it, or says that none of several does", () => {
    for (const { id, explanation, ratio, tried } of worstMisses(recordsOf(done()))) {
      expect(explanation, id).toMatch(
        /^(One reading gives the published value: |Between .+ and .+\.$|No tried reading explains it\.$)/,
      );
      const far = ratio !== null && Math.abs(ratio - 1) > 0.25;
      if (far && explanation === unexplained) expect(tried.length, id).toBeGreaterThan(1);
    }
  });

  test("published numbers stand in the papers' texts", needs("oracle/../seeds"), () => {
    for (const { id, paper, published, unit } of recordsOf(done())) {
      if (unit === "" || id in otherwisePrinted) continue;
      for (const [number] of published.matchAll(/\d+(?:\.\d+)?/g)) {
        const text = textOf(paper);
        const whole = new RegExp(`(?<![\\d.])${number.replace(".", "\\.")}(?!\\d|\\.\\d)`);
        expect(whole.test(text), `${id}: ${number}`).toBe(true);
      }
    }
  });

  test("verdicts by paper are those that docs/results/papers.md names", inFull, () => {
    const page = readFileSync(inRepository("docs", "results", "papers.md"), "utf8").toLowerCase();
    for (const paper of papers) {
      const own = done().filter((d) => d.experiment.paper === paper);
      const counts = Object.values(countsOf(recordsOf(own)));
      expect(page).toContain(`| ${[paper, ...counts].join(" | ")} |`);
    }
  });

  test("a page opens with a chart of every number over the published one, and a paragraph", () => {
    const own = done().filter((d) => d.experiment.paper === "flexgen");
    const [first] = pageOf("flexgen", own, asked).sections;
    const [chart, text] = first?.blocks ?? [];
    const ratios = recordsOf(own).flatMap(({ ratio }) => (ratio === null ? [] : [ratio]));
    expect(ratios.length).toBeGreaterThan(10);
    expect(chart?.kind === "figure" && chart.data.rows.map((row) => row["ratio"])).toEqual(ratios);
    const close = ratios.filter((ratio) => Math.abs(ratio - 1) <= 0.1).length;
    expect(text?.kind === "prose" && text.text).toContain(`${close} of ${ratios.length} numbers`);
  });

  test("a table of findings leaves out columns that are empty, and tried readings are folded", () => {
    const { sections } = pageOf(
      "lia",
      done().filter((d) => d.experiment.paper === "lia"),
      asked,
    );
    const tables = sections.flatMap(({ blocks }) => blocks.filter((b) => b.kind === "table"));
    const found = tables.filter(({ id }) => id.endsWith("-findings"));
    expect(found.length).toBeGreaterThan(5);
    for (const { id, columns, rows } of found) {
      for (const key of ["ratio", "note"]) {
        const filled = rows.some((row) => row[key] !== null && row[key] !== "");
        expect(
          columns.some((column) => column.key === key),
          `${id} ${key}`,
        ).toBe(filled);
      }
    }
    expect(found.some(({ columns }) => !columns.some(({ key }) => key === "note"))).toBe(true);
    for (const { id, folded } of tables) expect(folded === true, id).toBe(id.endsWith("-tried"));
  });

  test("a page lists comparisons that differ after its chart, the largest distance first", () => {
    const own = done().filter((d) => d.experiment.paper === "flexgen");
    const [, first] = pageOf("flexgen", own, asked).sections;
    const misses = worstMisses(recordsOf(own));
    expect(misses.length).toBeGreaterThan(3);
    expect(first?.id).toBe("misses");
    const [table] = first?.blocks ?? [];
    expect(table?.kind === "table" && table.rows.map((row) => row["id"])).toEqual(
      misses.map(({ id }) => id),
    );
    // The note of a comparison ends with the readings whose values include the published value, or with the closest reading.
    const explanations = table?.kind === "table" ? table.rows.map((row) => row["note"]) : [];
    misses.forEach(({ explanation, tried }, i) => {
      const shown = String(explanations[i]);
      expect(shown).toContain(explanation);
      expect(shown.includes("Closest: ")).toBe(explanation === unexplained && tried.length > 0);
    });
    const far = misses.flatMap(({ ratio }) => (ratio === null ? [] : [Math.abs(Math.log(ratio))]));
    expect(far).toEqual(far.toSorted((a, b) => b - a));
  });
});

describe("the papers' tables and figures", () => {
  test("are told from words", () => {
    expect(named("Figures 2, 3 and 6 to 8; table I, figure 17a")).toEqual([
      ...["figure 2", "figure 3", "figure 6", "figure 7", "figure 8", "table i", "figure 17"],
    ]);
  });

  test.each(Object.keys(publishedItems) as (typeof papers)[number][])(
    "of %s have a row that is compared, or a reason why not",
    inFull,
    (paper) => {
      const matchingRecords = recordsOf(done()).filter((row) => row.paper === paper);
      const judged = new Set(
        matchingRecords.flatMap(({ item, what }) => named(`${item}; ${what}`)),
      );
      const said = new Set(indexes[paper].notReproduced.flatMap(named));
      const items = publishedItems[paper] ?? [];
      expect(items.filter((item) => !judged.has(item) && !said.has(item))).toEqual([]);
    },
  );

  test.each(papers)(
    "of %s are those with captions in its text",
    needs("oracle/../seeds"),
    (paper) => {
      expect([...captionsOf(paper, textOf(paper))].toSorted()).toEqual(
        [...(publishedItems[paper] ?? [])].toSorted(),
      );
    },
  );

  test.each(papers)(
    "of %s have each result of a table judged",
    needs("oracle/../seeds"),
    (paper) => {
      const matchingRecords = recordsOf(done()).filter((row) => row.paper === paper);
      const judged = new Set(
        matchingRecords.flatMap((row) => row.published.match(/\d+(\.\d+)?/g) ?? []).map(Number),
      );
      const cells = tabulated(paper, textOf(paper));
      expect(cells.length).toBeGreaterThan(
        { lia: 60, trimoe: 5, flexgen: 60 }[paper as string] ?? -1,
      );
      expect(cells.filter((number) => !judged.has(Number(number)))).toEqual([]);
    },
  );

  test("include those that are easily forgotten", inFull, () => {
    const ids = recordsOf(done()).map(({ id }) => id);
    const rows: readonly (readonly [id: RegExp, least: number])[] = [
      [/^lia\/section-7-7\/.*(least|greatest)$/, 24],
      [/^lia\/section-8\/.*three-v100/, 4],
      [/^lia\/figure-10\//, 20],
      [/^lia\/figure-11\//, 24],
      [/^lia\/table-6\//, 35],
      [/^trimoe\/section-3\/section-3\.1/, 2],
      [/^trimoe\/table-3\/(klotski|monde)/, 3],
      [/^trimoe\/figure-5\//, 2],
      [/^instinfer\/figure-[456]\//, 8],
      [/^flexgen\/table-2-others\/accelerate/, 6],
      [/^flexgen\/table-2-others\/deepspeed/, 6],
      [/^flexgen\/table-2-others\/.*figure-5/, 1],
      [/^flexgen\/table-6\/opt/, 12],
      [/^flexgen\/table-5\/.*no-disk/, 2],
      [/^llmshare\/motivation\//, 2],
    ];
    for (const [id, least] of rows) {
      expect(ids.filter((one) => id.test(one)).length, String(id)).toBeGreaterThanOrEqual(least);
    }
  });
});
