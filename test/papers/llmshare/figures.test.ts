// SPDX-License-Identifier: Apache-2.0
// LLMShare's study: stored runs are not repeated, scores are the scores of the pool, and there is a
// finding for each claim of the paper.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { resultCache } from "../../../src/cli/reproduce/result-cache.ts";
import { llmShareExperiments } from "../../../src/papers/llmshare/figures/experiments.ts";
import { comparison } from "../../../src/papers/llmshare/figures/setting.ts";
import type { Recall } from "../../../src/papers/llmshare/figures/study.ts";
import { estimate, scorerOf } from "../../../src/explore/search/score.ts";
import { drawDesign } from "../../../src/explore/search/space.ts";
import type { Point } from "../../../src/explore/search/front.ts";
import { draws } from "../../../src/base/draws.ts";
import { costOf } from "../../../src/papers/llmshare/model/simulate.ts";
import {
  servingDesign,
  servingSpace,
  totalMemory,
} from "../../../src/papers/llmshare/model/design.ts";
import { rejection } from "../../helpers/rejection.ts";

const directory = mkdtempSync(join(tmpdir(), "neardata-llmshare-"));
afterAll(() => {
  rmSync(directory, { recursive: true });
});

const source = draws(5, "test");
/** A pool with invented times: the tests check how they are processed. */
const pool = Array.from({ length: 60 }, () => {
  const design = drawDesign(servingSpace, source);
  const objectives: Point = [costOf(servingDesign(design)), 1e6 / totalMemory(design)];
  return { design, objectives };
});

/** The pool as given; of runs the first candidates, rotated by their number. */
function given(asked: string[]): Recall {
  return async <T>(key: string, make: () => T | Promise<T>): Promise<T> => {
    asked.push(key);
    if (key.startsWith("pool")) return pool as T;
    const { initial, iterations } = comparison;
    const shift = asked.length;
    const list = Array.from({ length: initial + iterations }, (_, i) => (i + shift) % pool.length);
    return (asked.length > 0 ? list : await make()) as T;
  };
}

describe("LLMShare's experiments", () => {
  it("study once, compare five, leave out two", async () => {
    const asked: string[] = [];
    const experiments = llmShareExperiments({ seeds: 3, recall: given(asked) });
    const outcomes = new Map(
      await Promise.all(experiments.map(async (e) => [e.id, await e.run()] as const)),
    );
    expect(asked).toHaveLength(1 + 3 * 7);
    expect(new Set(asked).size).toBe(asked.length);
    const compared = outcomes.get("llmshare/comparison");
    expect(compared?.findings.slice(4).map(({ published }) => published)).toEqual(
      ["0.1811 4.9593", "0.1718 4.9714", "0.1805 4.9513", "0.2059 4.8134", "0.1589 5.0552"].flatMap(
        (pair) => pair.split(" "),
      ),
    );
    expect(compared?.findings.slice(0, 4).map(({ what }) => what)).toEqual([
      "place of LLMShare among five by ADRS",
      expect.stringContaining("ADRS: LLMShare over the best other"),
      "place of LLMShare among five by hypervolume",
      expect.stringContaining("hypervolume: LLMShare over the best other"),
    ]);
    const table = compared?.blocks.find((b) => b.kind === "table");
    expect(table?.rows.map(({ method }) => method)).toEqual([
      "SVR",
      "DAC'16",
      "FIST",
      "ICCAD'21",
      "LLMShare",
    ]);
    expect(outcomes.get("llmshare/ablation")?.findings).toHaveLength(4);
    const seeds = outcomes.get("llmshare/seeds");
    expect(seeds?.rows).toHaveLength(3 * 7);
    const [means, tests] = seeds?.blocks.filter((b) => b.kind === "table") ?? [];
    expect(means?.rows).toHaveLength(7);
    expect(tests?.rows).toHaveLength(2 * 6);
    // The least p-value that three seeds can have is a quarter.
    for (const row of tests?.rows ?? []) {
      expect(Number(row["p"])).toBeGreaterThanOrEqual(0.25);
      expect(row["significant"]).toBe("no");
    }
    const pair = outcomes.get("llmshare/pareto-pair");
    expect(pair?.findings[0]?.what).toContain("cost");
    expect(pair?.findings[0]?.ours).toBeLessThan(1);
    expect(pair?.blocks.map(({ kind }) => kind)).toEqual(["table", "table", "table", "figure"]);
    for (const { findings } of outcomes.values()) {
      for (const f of findings) expect(Number.isFinite(f.ours), f.what).toBe(true);
    }
  });
});

describe("scores", () => {
  it("grow with what is found: distance never up, area never down, all of it is perfect", () => {
    const points = pool.map(({ objectives }) => objectives);
    const score = scorerOf(points);
    const index = fc.integer({ min: 0, max: points.length - 1 });
    fc.assert(
      fc.property(fc.array(index, { minLength: 1, maxLength: 10 }), index, (found, more) => {
        const [before, after] = [score(found), score([...found, more])];
        expect(after.adrs).toBeLessThanOrEqual(before.adrs);
        expect(after.euclidean).toBeLessThanOrEqual(before.euclidean);
        expect(after.hypervolume).toBeGreaterThanOrEqual(before.hypervolume);
      }),
    );
    const all = score(points.map((_, i) => i));
    expect(all).toEqual({ adrs: 0, euclidean: 0, hypervolume: 1 });
  });

  it("means have Student's intervals", () => {
    const { margin, mean } = estimate([1, 2, 3]);
    expect(mean).toBe(2);
    expect(margin).toBeCloseTo(4.303 / Math.sqrt(3), 12);
    expect(estimate([5]).margin).toBe(Infinity);
    // Quantiles of Student's t as tables have them: 2.0395 with 31 degrees of freedom, 2.0281 with 36.
    for (const [count, quantile] of [
      [32, 2.0395],
      [37, 2.0281],
    ] as const) {
      const values = Array.from({ length: count }, (_, i) => i);
      const deviation = Math.sqrt((count * (count + 1)) / 12);
      expect(estimate(values).margin / (deviation / Math.sqrt(count))).toBeCloseTo(quantile, 3);
    }
  });
});

describe("kept results", () => {
  it("are made once, survive a line that was cut off, and cost nothing without a file", async () => {
    const path = join(directory, "runs.jsonl");
    let made = 0;
    const make = (): readonly number[] => [(made += 1)];
    expect(await resultCache(path, "1")("a", make)).toEqual([1]);
    writeFileSync(path, `${readFileSync(path, "utf8")}{"key":"b","val`);
    const again = resultCache(path, "1");
    expect(await again("a", make)).toEqual([1]);
    expect(await again("b", make)).toEqual([2]);
    expect(await resultCache(path, "1")("b", make)).toEqual([2]);
    expect(await resultCache(path, "2")("b", make)).toEqual([3]);
    expect(await resultCache(path, "1")("b", make)).toEqual([2]);
    expect(await resultCache(null, "1")("a", make)).toEqual([4]);
  });

  it("that were changed are refused with the numbers of their lines", async () => {
    const path = join(directory, "changed.jsonl");
    const keep = resultCache(path, "1");
    for (const key of ["a", "b", "c"]) await keep(key, () => [12, 34]);
    const text = readFileSync(path, "utf8");
    const lines = text.trim().split("\n");
    const withLine = (line: string): string => [lines[0], line, lines[2], ""].join("\n");
    const [, second = ""] = lines;
    for (const damaged of [
      second.replace("12", "13"),
      second.replace("1 b", "1 d"),
      second.replace(/,"hash":"\w+"/, ""),
      second.slice(0, 20),
      "null",
      "",
    ]) {
      writeFileSync(path, withLine(damaged));
      expect(() => resultCache(path, "1")).toThrow(rejection("bad-input", /: line 2 .*hash/));
      expect(readFileSync(path, "utf8")).toBe(withLine(damaged));
    }
    writeFileSync(path, text.replaceAll("34", "43"));
    expect(() => resultCache(path, "1")).toThrow(rejection("bad-input", /: line 1 .* 2 others/));
    // A file that is not a cache is not mistaken for a cache with a truncated line.
    writeFileSync(path, "notes");
    expect(() => resultCache(path, "1")).toThrow(rejection("bad-input", /: line 1 /));
    expect(readFileSync(path, "utf8")).toBe("notes");
  });
});
