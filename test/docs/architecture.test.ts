// SPDX-License-Identifier: Apache-2.0
// docs/explanation/architecture.md has the times of the first case of scenarios/cold-expert.yaml, and fidelities.md has
// the distance of the closed form from them.

import { describe, expect, it } from "vitest";

import { parseYaml } from "../../src/base/yaml.ts";
import { runScenario, type ScenarioInput } from "../../src/run/index.ts";
import { repositoryText } from "../helpers/pages.ts";

const scenario = {
  ...(parseYaml(
    "cold-expert.yaml",
    repositoryText("scenarios", "cold-expert.yaml"),
  ) as ScenarioInput),
  tokens: [1],
};
const simulated = await runScenario({ ...scenario, fidelity: "cycle" });

describe("an expert with one token", () => {
  it("has the times of docs/explanation/architecture.md", () => {
    const page = repositoryText("docs", "explanation", "architecture.md");
    const one = simulated.results.cases.find(({ id }) => id === "interleaved-1");
    if (one?.kind !== "expert") throw new Error("the case is an expert");
    const row = (name: string, microseconds: number): void => {
      const time = microseconds.toFixed(3);
      expect(page).toMatch(new RegExp(`^\\|.*\\| ${name} \\| ${time} \\|$`, "m"));
    };
    const time = simulated.metric("time", one.id);
    row("`hostTime` minus `time`", simulated.metric("hostTime", one.id) - time);
    row("`time`", time);
    for (const stage of one.latency?.stages ?? []) row(`stage \`${stage.id}\``, 1e6 * stage.time);
    const cycles = simulated.metric("cycles", one.id).toLocaleString("en");
    expect(page).toContain(`${cycles} cycles of the unit`);
  });

  it("has the distance to its closed form of docs/explanation/fidelities.md", async () => {
    const page = repositoryText("docs", "explanation", "fidelities.md");
    const closed = await runScenario({ ...scenario, fidelity: "analytic" });
    const distanceOf = (name: string): number =>
      100 * (closed.metric("time", name) / simulated.metric("time", name) - 1);
    expect(page).toContain(`by ${distanceOf("interleaved-1").toFixed(1)} to `);
    expect(page).toContain(`they are ${distanceOf("row-major-1").toFixed(0)} % longer`);
  });
});
