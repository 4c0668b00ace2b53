// SPDX-License-Identifier: Apache-2.0
// The page of a run has its results: figures, their data, and checks.

import { describe, expect, it } from "vitest";
import { goldenExpert } from "../../src/golden/expert.ts";
import { parseScenario } from "../../src/scenario/parse.ts";
import { resolveConfig } from "../../src/scenario/resolve.ts";
import { experts } from "../../src/run/kernels/experts.ts";
import { runCases } from "../../src/kernels/ndp/cases.ts";
import { renderPage } from "../../src/report/html.ts";
import type { Figure } from "../../src/report/page.ts";
import { runFidelity } from "../../src/report/fidelity-text.ts";
import { runPage } from "../../src/report/run.ts";
import { resultContent } from "../../src/report/saved/document.ts";
import { terminalTable } from "../../src/report/terminal.ts";
import type { RunResult } from "../../src/report/run-result.ts";
import { readRecord } from "../../src/tools/synth/record.ts";
import { generateExpert } from "../../src/workload/generate.ts";
import { fakeSessions } from "../helpers/fake-session.ts";
import type { Fault } from "../helpers/fake-session.ts";

type KernelFidelity = Parameters<typeof runFidelity>[0][number];

const text = `name: s
expert: { hidden: 50, intermediate: 20 }
tokens: [1, 2]
layouts: [interleaved, row-major]
ndp: { streams: 2, multipliersPerStream: 4, buffer: 16 KiB, queueBursts: 8, activationLanes: 32, maxTokens: 8 }
`;

async function run(fault: Fault = {}): Promise<RunResult> {
  const config = resolveConfig("s.yaml", parseScenario("s.yaml", text));
  const weights = generateExpert({
    seed: 1,
    name: "e",
    format: "fp16",
    hidden: 50,
    intermediate: 20,
  });
  const cases = await runCases(config, {
    open: fakeSessions(fault),
    weights,
    golden: goldenExpert,
    signal: new AbortController().signal,
    onCase: () => ({ update: () => undefined, end: () => undefined }),
    expected: { golden: new Map(), real: new Map(), inputs: new Map(), images: new Map() },
    waveDirectory: "/nowhere",
    waves: false,
  });
  const { configHash } = config;
  return {
    scenario: "s",
    title: "A run",
    configHash,
    seed: 1,
    versions: {},
    host: { node: "20" },
    outcome: "completed",
    kernels: [experts.result(cases)],
  };
}

describe("the page of a run", () => {
  it("opens with three to six figures, each with a unit and a sentence, and with the checks", async () => {
    const result = await run();
    const { summary = [] } = await runPage(result, resultContent(result));
    expect(summary.length).toBeGreaterThanOrEqual(3);
    expect(summary.length).toBeLessThanOrEqual(6);
    for (const { value, sentence } of summary) {
      expect(value).toMatch(/^[\d.,]+ (?:us|of \d+)$/);
      expect(sentence).toMatch(/^[A-Z].*\.$/);
    }
    const share =
      result.kernels[0]?.cases[0]?.metrics.find(({ id }) => id === "boundShare")?.value ?? NaN;
    expect(summary[0]?.sentence).toContain(
      `${share.toLocaleString("en-US", { maximumSignificantDigits: 4 })} %`,
    );
    expect(summary.at(-1)).toMatchObject({ what: "Checks passed", pass: true });
    const html = renderPage(await runPage(result, resultContent(result)));
    expect(html.indexOf('class="summary"')).toBeLessThan(html.indexOf("<section "));
  });

  it("names the fidelity of the cases at its head, as the table of a terminal does", async () => {
    const result = await run();
    const { lead } = await runPage(result, resultContent(result));
    expect(lead).toBe("Scenario s: 4 runs at fidelity rtl, 16 of 16 checks passed.");
    const headers = terminalTable(result)
      .split("\n")
      .filter((line) => line.includes("1 token"));
    expect(headers).toHaveLength(2);
    for (const header of headers) expect(header).toMatch(/^fidelity rtl /);
  });

  it("names the kernel of each fidelity where they differ", () => {
    const kernel = (name: string, fidelity: "rtl" | "cycle" | null): KernelFidelity => ({
      kernel: name,
      cases: [{ fidelity } as KernelFidelity["cases"][number]],
    });
    expect(runFidelity([kernel("expert", "rtl"), kernel("attention", "cycle")])).toBe(
      " (expert at fidelity rtl, attention at fidelity cycle)",
    );
    expect(runFidelity([kernel("expert", "cycle"), kernel("mine", null)])).toBe(
      " at fidelity cycle",
    );
    expect(runFidelity([kernel("mine", null)])).toBe("");
  });

  it.each([
    ["rtl", "The record matches the RTL of this run."],
    ["cycle", "The record matches the RTL of the unit, which this run did not simulate."],
  ] as const)("states which RTL the recorded area has: %s", async (fidelity, sentence) => {
    const ran = await run();
    const kernels = ran.kernels.map((one) => ({
      ...one,
      cases: one.cases.map((own) => ({ ...own, fidelity })),
    }));
    const recorded = readRecord("ndp");
    if (recorded === null) throw new Error("the repository has the record of ndp");
    const { record } = recorded;
    const unit = { name: "ndp", area: record.area, energy: record.energy, current: true };
    const result = { ...ran, kernels };
    const page = await runPage(result, resultContent(result), {
      cost: { units: [unit], energy: [], token: [] },
      areaSections: () => [{ id: "area", title: "Area", blocks: [] }],
    });
    expect(JSON.stringify(page.sections.find(({ id }) => id === "area"))).toContain(sentence);
  });

  it("names the first failed check in its summary", async () => {
    const result = await run({ flip: 3 });
    const { summary = [] } = await runPage(result, resultContent(result));
    expect(summary.at(-1)).toMatchObject({ what: "Checks passed", pass: false });
    expect(summary.at(-1)?.sentence).toMatch(/^Failed first: /);
  });

  it("has every picture with its data, and holds together as HTML", async () => {
    const result = await run();
    const page = await runPage(result, resultContent(result));
    const figures = page.sections.flatMap((s) =>
      s.blocks.filter((b): b is Figure => b.kind === "figure"),
    );
    expect(figures.map((f) => f.id)).toEqual([
      "roofline-plot",
      "bandwidth-interleaved-1",
      "bandwidth-interleaved-2",
      "bandwidth-row-major-1",
      "bandwidth-row-major-2",
      "expert-phases",
      "expert-stages",
      "machine-graph",
    ]);
    for (const figure of figures) {
      const { svg } = figure;
      const drawn = typeof svg === "string" ? svg : svg();
      expect(drawn).toMatch(/<svg[^>]*viewBox/);
      expect(drawn).not.toContain("NaN");
      expect(figure.data.rows.length).toBeGreaterThan(0);
    }
    const html = renderPage(page);
    expect(html).toContain(result.configHash);
    expect(html.match(/<section /g)).toHaveLength(page.sections.length);
  });

  it("says which checks fail", async () => {
    const result = await run({ flip: 3 });
    const html = renderPage(await runPage(result, resultContent(result)));
    expect(html).toContain("1 of 50 values differ");
    expect(terminalTable(result)).toContain("1 of 50 differ");
  });
});

describe("the hash of a result", () => {
  it("is the same for the same run and another for another output", async () => {
    const hashOf = async (fault: Fault = {}): Promise<string> =>
      resultContent(await run(fault)).resultHash;
    expect(await hashOf()).toBe(await hashOf());
    expect(await hashOf({ flip: 0 })).not.toBe(await hashOf());
    expect(await hashOf({ cycles: 1001 })).not.toBe(await hashOf());
  });
});
