// SPDX-License-Identifier: Apache-2.0
// Refresh management of a scenario's memory: the RFMs of an expert, and results without the key, which have none.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { inRepository } from "../../src/base/paths.ts";
import { runScenario, type ScenarioInput } from "../../src/run/index.ts";
import type { CaseDocument } from "../../src/report/case-documents.ts";

const page = readFileSync(inRepository("docs", "explanation", "assumptions.md"), "utf8");
/** The cycles of 1, 2 and 8 tokens on the page. */
const cyclesOfPage = /raaimt: 32 }`: ([\d,]+), ([\d,]+) and ([\d,]+) cycles/.exec(page)?.slice(1);

/** The expert of the page. */
const scenario = {
  name: "managed",
  fidelity: "cycle",
  expert: { model: "deepseek-v2", format: "fp16" },
  tokens: [1],
  layouts: ["interleaved"],
} as const satisfies ScenarioInput;

type Run = Awaited<ReturnType<typeof runScenario>>;

const managed = (raaimt: number, more: Partial<ScenarioInput> = {}): Promise<Run> =>
  runScenario({ ...scenario, ...more, memory: { refreshManagement: { raaimt } } });

/** The results of all cases without the counts of RFMs, and without the time that they cost here. */
function casesOf({ results }: Run): readonly object[] {
  return results.cases.map((one) => {
    const { host: _seconds, ...rest } = one as Extract<CaseDocument, { streams: unknown }>;
    const streams = rest.streams?.map(({ rankManagements: _none, ...counters }) => counters);
    return { ...rest, streams };
  });
}

describe("an expert behind ranks with refresh management", () => {
  it("gets no RFM at RAAIMT 32 with one token, and the results of a run without the key", async () => {
    const [run, plain] = [await managed(32), await runScenario(scenario)];
    expect(run.metric("managements")).toBe(0);
    expect(run.metric("cycles").toLocaleString("en-US")).toBe(cyclesOfPage?.[0]);
    expect(casesOf(run)).toEqual(casesOf(plain));
  });

  it("gets one in each rank at RAAIMT 32 with two tokens, which costs less than 0.5 % of the time", async () => {
    const two = { tokens: [2] };
    const [run, plain] = [await managed(32, two), await runScenario({ ...scenario, ...two })];
    expect(run.metric("managements")).toBe(8);
    expect(run.metric("cycles").toLocaleString("en-US")).toBe(cyclesOfPage?.[1]);
    const more = run.metric("cycles") / plain.metric("cycles") - 1;
    expect(more).toBeGreaterThan(0.001);
    expect(more).toBeLessThan(0.005);
    expect(run).toMatchObject({ passed: true });
  });

  it("gets one after each activation at RAAIMT 1", async () => {
    const small = { expert: { hidden: 256, intermediate: 256 } };
    const run = await managed(1, small);
    const [one] = run.results.cases as readonly Extract<CaseDocument, { streams: unknown }>[];
    for (const { activates, rankManagements } of one?.streams ?? []) {
      expect(activates).toBeGreaterThan(20);
      expect(rankManagements).toBeGreaterThanOrEqual(activates);
    }
    expect(run).toMatchObject({ passed: true });
  });

  it("has no counts of RFMs in its results without the key", async () => {
    const { results } = await runScenario({
      ...scenario,
      expert: { hidden: 256, intermediate: 256 },
    });
    const text = JSON.stringify(results);
    expect(text).toContain("rankRefreshes");
    expect(text).not.toMatch(/anagement/);
  });
});
