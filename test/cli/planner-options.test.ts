// SPDX-License-Identifier: Apache-2.0
// Options of TriMoE's planner: they change what they name, their defaults are equations 5 to 7 with six tokens, and
// other policies refuse them.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cli, inTemporary } from "../helpers/cli.ts";
import { rejectedAt } from "../helpers/rejected-at.ts";

const plan = ["policy", "plan", "scenarios/plan-qwen3.yaml", "--policy"];

interface Row {
  readonly system: string;
  readonly layer: number;
}

async function planned(...options: readonly string[]): Promise<readonly Row[]> {
  const { code, stdout } = await cli(...plan, "trimoe", "--json", ...options);
  expect(code).toBe(0);
  return (JSON.parse(stdout) as { systems: readonly Row[] }).systems;
}

describe("neardata policy plan --policy trimoe", () => {
  it("plans by equations 5 to 7 with six tokens unless told, and otherwise as told", async () => {
    const usual = await planned();
    expect(await planned("--planner", "equations", "--cold-limit", "6")).toEqual(usual);
    const own = (rows: readonly Row[]): number =>
      rows.find(({ system }) => system === "TriMoE")?.layer ?? NaN;
    const channels = own(await planned("--planner", "channels"));
    expect(channels).not.toBe(own(usual));
    const [two, balanced] = [
      own(await planned("--planner", "channels", "--cold-limit", "2")),
      own(await planned("--planner", "channels", "--cold-limit", "balanced")),
    ];
    expect(two).not.toBe(channels);
    expect(balanced).toBeLessThanOrEqual(Math.min(two, channels));
    const accurate = await planned("--accuracy", "0.83");
    expect(own(accurate)).toBeLessThan(own(usual));
  });

  it("refuses what is no limit, no accuracy, or not of its policy", async () => {
    expect(await cli(...plan, "trimoe", "--cold-limit", "1.5")).toEqual(rejectedAt("--cold-limit"));
    expect(await cli(...plan, "trimoe", "--accuracy", "2")).toEqual(rejectedAt("--accuracy"));
    expect(await cli(...plan, "trimoe", "--accuracy", "0.99")).toEqual(rejectedAt("--accuracy"));
    expect(await cli(...plan, "lia", "--planner", "channels")).toEqual(rejectedAt("--policy"));
  });
});

describe("neardata policy layer", () => {
  /** Rows of three steps in which every fourth expert is busy. */
  const steps = [0, 1, 2].flatMap((step) =>
    Array.from({ length: 128 }, (_, e) => [step, 0, e, e % 4 === 0 ? 90 + step : (e + step) % 5]),
  );
  const csv = `step,layer,expert,tokens\n${steps.map((row) => row.join(",")).join("\n")}\n`;
  const run = async (...options: readonly string[]) =>
    inTemporary(async (directory) => {
      const path = join(directory, "trace.csv");
      writeFileSync(path, csv);
      return cli("policy", "layer", path, "--model", "qwen3-235b-a22b", ...options);
    });

  it("judges every conclusion of the paper on the routes beside a generated trace", async () => {
    const options = ["--planner", "channels", "--cold-limit", "balanced", "--conclusions"];
    const { code, stdout } = await run(...options, "--json");
    expect(code).toBe(0);
    const { conclusions, layers } = JSON.parse(stdout) as {
      readonly conclusions: readonly Readonly<Record<string, number | string>>[];
      readonly layers: readonly { readonly cold: number }[];
    };
    expect(layers.map(({ cold }) => cold > 0)).toEqual([true]);
    const items = ["figure 3", "figure 6", "figure 7", "figure 8", "table 3", "figure 9"];
    for (const item of [...items, "section 5.5"]) {
      expect(conclusions.some(({ conclusion }) => String(conclusion).startsWith(item))).toBe(true);
    }
    const verdictOf = (start: string): unknown =>
      conclusions.find(({ conclusion }) => String(conclusion).startsWith(start))?.[
        "generatorVerdict"
      ];
    // Numbers that set the generator's constants confirm nothing on its own trace.
    for (const set of ["figure 3: tokens of the coldest", "figure 3: accuracy of the average"])
      expect(["fitted", "differs"], set).toContain(verdictOf(set));
    expect(verdictOf("table 3: TriMoE, mean of the three")).toBeDefined();
    for (const { conclusion, generator, router, least, most } of conclusions) {
      expect(Number.isFinite(generator), String(conclusion)).toBe(true);
      expect(Number.isFinite(router), String(conclusion)).toBe(true);
      expect(Number(least)).toBeLessThanOrEqual(Number(most));
    }
    const text = await run(...options);
    expect(text.stdout).toContain("figure 6: gain of a layer over the best baseline: published");
  });
});
