// SPDX-License-Identifier: Apache-2.0
// Runs side by side: which numbers differ, by how much, and what is said of numbers that only some
// runs have. Results that were changed after the run are refused, with every other problem.

import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { comparePage } from "../../src/report/compare.ts";
import type { Table } from "../../src/report/page.ts";
import { sealed, type ResultContent } from "../../src/report/saved/document.ts";
import { resultHashOf } from "../../src/report/saved/seal.ts";
import { parseSavedRun, type SavedMetric, type SavedRun } from "../../src/report/saved/saved.ts";
import { cli, inTemporary } from "../helpers/cli.ts";

function run(metrics: readonly Partial<SavedMetric>[]): SavedRun {
  return {
    configHash: "c",
    resultHash: "r",
    documentHash: "d",
    seed: 1,
    versions: {},
    outcome: "completed",
    scenario: "s",
    title: "S",
    host: { node: "20" },
    files: {},
    checks: [{ case: "a", id: "k", title: "a rule", pass: metrics.length > 1, detail: "7 of 9" }],
    metrics: metrics.map((m) => ({
      case: "a",
      id: "time",
      title: "time",
      value: 1,
      unit: "us",
      source: "measured",
      ...m,
    })),
    cases: [{ id: "a", title: "Case A" }],
  };
}

function rows(runs: readonly SavedRun[], table: string): Table["rows"] {
  const page = comparePage(runs.map((r, i) => ({ name: `run ${String(i)}`, run: r })));
  const found = page.sections
    .flatMap((s) => s.blocks)
    .find((b): b is Table => b.kind === "table" && b.id === table);
  return found?.rows ?? [];
}

describe("a comparison", () => {
  const first = run([{ value: 100 }, { id: "rate", title: "rate", value: 5, unit: "GB/s" }]);
  const second = run([{ value: 150, source: "derived" }]);

  it("gives the ratio of what both have, with both sources", () => {
    expect(rows([first, second], "numbers-unlike")).toEqual([
      {
        case: "Case A",
        title: "time",
        run0: 100,
        run1: 150,
        ratio1: 1.5,
        unit: "us",
        source: "measured, derived",
      },
    ]);
  });

  it("lists what one lacks without calling it a difference", () => {
    const all = rows([first, second], "numbers-all");
    expect(all).toHaveLength(2);
    expect(all[1]).toMatchObject({ title: "rate", run0: 5, run1: null, ratio1: null });
  });

  it("calls equal what four digits cannot tell apart, and nothing else", () => {
    expect(rows([run([{ value: 1 }]), run([{ value: 1.00001 }])], "numbers-unlike")).toEqual([]);
    expect(rows([run([{ value: 1 }]), run([{ value: 1.001 }])], "numbers-unlike")).toHaveLength(1);
  });

  it("names the fidelities of each run; a kernel of a program may have other contents", () => {
    const cases = [
      { id: "a", title: "A", fidelity: "rtl" },
      { id: "b", title: "B", machine: { fidelity: "cycle" } },
      { id: "c", title: "C", fidelity: 3, machine: "m" },
    ];
    const table = rows([{ ...first, cases }, second], "run-table");
    expect(table.map((row) => row["fidelity"])).toEqual(["rtl, cycle", ""]);
  });

  it("shows the checks that fail, and in which run", () => {
    const page = comparePage([
      { name: "good", run: first },
      { name: "bad", run: second },
    ]);
    expect(page.lead).toMatch(/FAIL in bad\./);
    expect(page.sections.at(-1)?.blocks).toEqual([
      { kind: "verdict", name: "bad, a: a rule", pass: false, detail: "7 of 9" },
    ]);
  });
});

describe("neardata report", () => {
  it("compares how outputs differ from the models, too", () => {
    const cases = [
      {
        id: "a",
        title: "Case A",
        accuracy: { differentFromGolden: 3, values: 9, relativeL2: 0.5, largestError: 2 },
      },
      { id: "b", title: "Case B", accuracy: null },
    ];
    const base = { configHash: "c", seed: 1, versions: {}, outcome: "failed", cases };
    const rest = { scenario: "s", title: "S", checks: [], metrics: [], cost: null };
    const content = { ...base, ...rest, host: { node: "20" } };
    const saved = sealed(
      { ...content, resultHash: resultHashOf(content) } as unknown as ResultContent,
      {},
    );
    const numbers = parseSavedRun("results.json", JSON.stringify(saved)).metrics;
    expect(numbers.map((m) => [m.case, m.id, m.value])).toEqual([
      ["a", "differentFromGolden", 3],
      ["a", "relativeL2", 0.5],
      ["a", "largestError", 2],
    ]);
  });

  it("shows a run, and refuses results that were changed, missing or no run, all at once", () =>
    inTemporary(async (directory) => {
      const good = join(directory, "good");
      const text = ["--fidelity", "analytic", "--out", good];
      expect((await cli("run", "scenarios/cold-expert.yaml", ...text)).code).toBe(0);
      const shown = await cli("report", good);
      expect(shown).toMatchObject({ code: 0, stderr: "" });
      expect(shown.stdout).toMatch(/^\d+ numbers at fidelity analytic; /);
      expect(shown.stdout).toMatch(/time in closed form +[\d.]+ +us/);

      const changed = join(directory, "changed");
      cpSync(good, changed, { recursive: true });
      const file = join(changed, "results.json");
      writeFileSync(file, readFileSync(file, "utf8").replace(/"seed": \d+/, '"seed": 77'));
      const strange = join(directory, "strange");
      cpSync(good, strange, { recursive: true });
      writeFileSync(join(strange, "results.json"), "{}");
      const out = join(directory, "compare.html");
      const refused = await cli("report", good, changed, strange, directory, "--out", out);
      expect(refused.code).toBe(2);
      for (const where of [changed, strange].map((path) => join(path, "results.json"))) {
        expect(refused.stderr).toContain(`neardata: ${where}: resultHash: `);
      }
      expect(refused.stderr).toContain(`neardata: ${directory}: `);
      expect(() => readFileSync(out)).toThrow();
    }));
});
