// SPDX-License-Identifier: Apache-2.0
// docs/explanation/architecture.md has the times of the first case of scenarios/cold-expert.yaml.

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

import { inRepository } from "../../src/base/paths.ts";
import { parseYaml } from "../../src/base/yaml.ts";
import { runScenario, type ScenarioInput } from "../../src/run/index.ts";

const read = (...path: string[]): string => readFileSync(inRepository(...path), "utf8");

it("the job of docs/explanation/architecture.md has the times of a run", async () => {
  const page = read("docs", "explanation", "architecture.md");
  const text = read("scenarios", "cold-expert.yaml");
  const scenario = parseYaml("cold-expert.yaml", text) as ScenarioInput;
  const tokens = [1];
  const layouts = ["interleaved"] as const;
  const run = await runScenario({ ...scenario, fidelity: "cycle", tokens, layouts });
  const [one] = run.results.cases;
  if (one?.kind !== "expert") throw new Error("the case is an expert");
  const row = (name: string, microseconds: number): void => {
    const time = microseconds.toFixed(3);
    expect(page).toMatch(new RegExp(`^\\|.*\\| ${name} \\| ${time} \\|$`, "m"));
  };
  const time = run.metric("time");
  row("`hostTime` without `time`", run.metric("hostTime") - time);
  row("`time`", time);
  for (const stage of one.latency?.stages ?? []) row(`stage \`${stage.id}\``, 1e6 * stage.time);
  expect(page).toContain(`${run.metric("cycles").toLocaleString("en")} cycles of the unit`);
});
