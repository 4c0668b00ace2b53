// SPDX-License-Identifier: Apache-2.0
// Explorations: what is simulated, what the front is and that the RTL is asked about it, from an
// executor whose hardware a test makes up; and files that are refused with every problem at once.

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Executor } from "../../src/explore/executor.ts";
import { explore, type ExploreResult } from "../../src/explore/explore.ts";
import { explorePage, finding } from "../../src/explore/explore-page.ts";
import { designsOf, parseExplore, type ExploreSpec } from "../../src/explore/explore-spec.ts";
import type { PointResult } from "../../src/explore/point.ts";
import { SweepStore } from "../../src/explore/store.ts";
import type { Point, Settings } from "../../src/explore/spec.ts";
import { renderPage } from "../../src/report/html.ts";
import { lookAt } from "../helpers/browser.ts";
import { inTemporary } from "../helpers/cli.ts";
import { rejection } from "../helpers/rejection.ts";
import { has } from "../helpers/needs.ts";
import { full } from "../helpers/tier.ts";

const file = (space: string, more = ""): string =>
  `name: e\nscenario: base.yaml\nunit: ndp\nspace: ${space}\n${more}`;
const spec = parseExplore("e.yaml", file("{ ndp.lanes: [2, 4, 8], ndp.queueBursts: [16, 32] }"));

/** The time decreases with lanes; 16 bursts add 1. */
const timeOf = ({ settings }: Point): number =>
  100 / Number(settings["ndp.lanes"] ?? 4) + (settings["ndp.queueBursts"] === 16 ? 1 : 0);

interface Made {
  readonly executor: Executor;
  readonly ran: Point[];
}

/** Hardware with this `time`, or null for a point that fails, and with the `loss` of a design. */
function hardware(
  time: (point: Point) => number | null,
  loss: (point: Point) => number = () => 0,
): Made {
  const ran: Point[] = [];
  const result = (point: Point): PointResult => {
    const value = time(point);
    const metric = { case: "a", title: "time", unit: "us", source: "measured" } as const;
    return {
      ...point,
      configHash: null,
      seed: null,
      seconds: 0,
      simulationSeconds: 0,
      expectedSeconds: 0,
      outcome: value === null ? "error" : "completed",
      reason: value === null ? "it broke." : "",
      metrics:
        value === null
          ? []
          : [
              { ...metric, id: "time", value },
              { ...metric, id: "loss", value: loss(point) },
            ],
    };
  };
  const executor: Executor = {
    width: 1,
    status: () => "",
    settle: () => undefined,
    run: (points, _, onResult) => {
      for (const point of points) {
        ran.push(point);
        onResult(result(point));
      }
      return Promise.resolve();
    },
  };
  return { executor, ran };
}

/**
 * Area in square millimetres increases with lanes and bursts; the scenario's own design has 4 lanes
 * and 32 bursts.
 */
function areaOf(design: Settings): number {
  return Number(design["ndp.lanes"] ?? 4) + Number(design["ndp.queueBursts"] ?? 32) / 100;
}

async function run(
  { executor }: Made,
  asked: ExploreSpec = spec,
  directory?: string,
): Promise<ExploreResult> {
  const work = async (place: string): Promise<ExploreResult> => {
    const store = await SweepStore.open(join(place, "e.duckdb"));
    try {
      const designs = designsOf(asked);
      const identity = { name: "e", hash: "h", points: designs.length, versions: {} };
      const done = await store.claim(identity, true);
      return await explore({
        spec: asked,
        designs,
        executor,
        store,
        done,
        areaUnit: "mm2",
        areas: [areaOf({}), ...designs.map(areaOf)].map((area) => ({
          area,
          band: { low: area - 0.1, high: area + 0.2 },
        })),
        context: { file: "", scenario: {}, fidelity: null },
        onProgress: () => undefined,
        signal: new AbortController().signal,
      });
    } finally {
      store.close();
    }
  };
  return directory === undefined ? inTemporary(work) : work(directory);
}

describe("an exploration", () => {
  it("simulates all designs, finds the front and asks the RTL about it", async () => {
    const made = hardware(timeOf);
    const result = await run(made);
    expect(result.exhaustive).toBe(true);
    expect(result.simulated).toHaveLength(7);
    // 16 bursts need less area and 32 bursts are faster, so all six designs are in the front; the
    // scenario's own design equals one of them.
    expect(result.front.map((d) => d.design)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    for (const { area, band } of result.simulated) {
      expect(band).toEqual({ low: area - 0.1, high: area + 0.2 });
    }
    const onRtl = made.ran.filter((p) => p.settings["fidelity"] === "rtl");
    expect(onRtl.map((p) => p.index)).toEqual([7, 8, 9, 10, 11, 12, 13]);
    expect(result.verified.every((v) => v.pass)).toBe(true);
    expect(result.better).toEqual([]);
    expect(finding(result, "mm2")).toMatch(/None of all 6 designs of the space is faster/);
  });

  it("names the designs that beat the scenario's own", async () => {
    // Lanes do not matter, so two are as good as four; 16 bursts are the faster ones.
    const made = hardware(({ settings }) => (settings["ndp.queueBursts"] === 16 ? 9 : 10));
    const result = await run(made);
    expect(result.better.map((d) => d.settings["ndp.lanes"])).toEqual([2, 4]);
    expect(result.front.map((d) => d.design)).toEqual([1]);
    expect(finding(result, "mm2")).toMatch(/10\.0 % less time \(9\.000 against 10\.000 us\)/);
  });

  it("says where the RTL takes another time, and what failed", async () => {
    const made = hardware((point) => {
      if (point.settings["ndp.lanes"] === 8) return null;
      return timeOf(point) + (point.settings["fidelity"] === "rtl" && point.index > 8 ? 1 : 0);
    });
    const result = await run(made);
    expect(result.failed).toEqual([5, 6]);
    expect(result.verified.map((v) => v.pass)).toEqual([true, true, false, false, false]);
    expect(result.verified[2]?.detail).toMatch(/the RTL takes 51, the cycle model 50/);
  });

  it("leaves out designs that exceed what a metric may be at most", async () => {
    const asked = { ...spec, atMost: { loss: 0.5 } };
    // The fastest designs lose too much, and the smallest too.
    const made = hardware(timeOf, ({ settings }) => (settings["ndp.lanes"] === 4 ? 0.5 : 0.6));
    await inTemporary(async (directory) => {
      const result = await run(made, asked, directory);
      expect(result.excluded).toEqual([0, 1, 2, 5, 6]);
      expect(result.front.map((d) => d.design)).toEqual([3, 4]);
      expect(result.failed).toEqual([]);
      const store = await SweepStore.open(join(directory, "e.duckdb"));
      const [points, metrics] = [await store.points(), await store.metrics()];
      store.close();
      const space = { refused: 0, unit: "mm2", note: "made up" };
      const { lead } = explorePage(asked, points, metrics, result, space);
      expect(lead).toMatch(/5 more were simulated and left out for loss above 0\.5/);
    });
  });

  it("refuses a limit on what no design is measured by, before the others are simulated", async () => {
    const asked = { ...spec, atMost: { "a.loss": 1, los: 1, speed: 1 } };
    const made = hardware(timeOf);
    await expect(run(made, asked)).rejects.toThrow(
      rejection("bad-input", /^atMost: .*"los".*"loss"/, /^atMost: .*"speed"/),
    );
    expect(made.ran).toHaveLength(1);
  });

  it("takes a limit on a case's metric", async () => {
    const loss = ({ settings }: Point): number => Number(settings["ndp.lanes"] ?? 4);
    const lanes = ({ simulated }: ExploreResult): readonly unknown[] =>
      simulated.map(({ settings }) => settings["ndp.lanes"] ?? 4);
    const limit = async (name: string): Promise<readonly unknown[]> =>
      lanes(await run(hardware(timeOf, loss), { ...spec, atMost: { [name]: 4 } }));
    expect(await limit("a.loss")).toEqual([4, 2, 2, 4, 4]);
    expect(await limit("loss")).toEqual([4, 2, 2, 4, 4]);
  });

  it("continues from the stored points", () =>
    inTemporary(async (directory) => {
      const first = hardware(timeOf);
      const whole = await run(first, spec, directory);
      const again = hardware(timeOf);
      expect(await run(again, spec, directory)).toEqual(whole);
      expect(again.ran).toEqual([]);
    }));

  it("with a search simulates no more than it may, and the best of all are among them", async () => {
    const values = (count: number): string =>
      `[${Array.from({ length: count }, (_, i) => String(i + 1)).join(", ")}]`;
    const space = `{ ndp.lanes: ${values(12)}, ndp.queueBursts: ${values(12)} }`;
    const asked = parseExplore(
      "e.yaml",
      file(space, "search: { initial: 10, iterations: 20, seed: 3 }\n"),
    );
    // Bursts increase the area without a benefit, so the front has the twelve designs with one
    // burst.
    const made = hardware(({ settings }) => 100 / Number(settings["ndp.lanes"] ?? 4));
    const result = await run(made, asked);
    expect(result.exhaustive).toBe(false);
    const simulated = made.ran.filter((p) => p.settings["fidelity"] === "cycle");
    expect(simulated).toHaveLength(31);
    const best = result.front.filter((d) => d.settings["ndp.queueBursts"] === 1);
    // Thirty random designs have two and a half of them on average.
    expect(best.length).toBeGreaterThanOrEqual(8);
  });

  it("draws a page that a browser shows", async () => {
    const made = hardware(({ settings }) => (settings["ndp.queueBursts"] === 16 ? 9 : 10));
    await inTemporary(async (directory) => {
      const result = await run(made, spec, directory);
      const store = await SweepStore.open(join(directory, "e.duckdb"));
      const [points, metrics] = [await store.points(), await store.metrics()];
      store.close();
      const space = { refused: 0, unit: "mm2", note: "made up" };
      const html = renderPage(explorePage(spec, points, metrics, result, space));
      expect(html).toContain("The front on the RTL");
      if (full && has("chromium")) expect(lookAt(html, 1000)).toMatchObject({ complaints: [] });
    });
  });
});

describe("an exploration file is refused", () => {
  it.each([
    ["{ ndp.lanes: [] }", "", /: space\.ndp\.lanes: .*one value/],
    ["{ ndp.lanes: [2, 2] }", "", /: space\.ndp\.lanes: .*twice/],
    ["{ seed: [1, 2] }", "", "e.yaml: space.seed"],
    ["{}", "", "e.yaml: space"],
    ["{ ndp.lanes: [2] }", "serach: {}", /^e\.yaml: serach: .*"search"/],
    [
      "{ ndp.lanes: [] }",
      "search: { initial: 1, iterations: 1, seed: 1 }",
      "e.yaml: space.ndp.lanes",
      "e.yaml: search.initial",
    ],
  ])("%s %s", (space, more, ...where) => {
    expect(() => parseExplore("e.yaml", file(space, more))).toThrow(
      rejection("bad-input", ...where),
    );
  });
});
