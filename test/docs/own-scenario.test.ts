// SPDX-License-Identifier: Apache-2.0
// The scenarios of docs/guides/own-scenario.md have the cycles that the guide states.

import { expect, it } from "vitest";

import { parseYaml } from "../../src/base/yaml.ts";
import { runSweepScenario } from "../../src/cli/explore/sweep-point.ts";
import { repositoryText, sectionRows } from "../helpers/pages.ts";
import { valueOf } from "../helpers/sweep-points.ts";

const page = repositoryText("docs", "guides", "own-scenario.md");

/** Cycles of the scenario of this name on the page, with 1 and 4 tokens. */
async function cyclesOf(name: string): Promise<readonly number[]> {
  const [, text = ""] =
    new RegExp(`^\`\`\`yaml\\n(name: ${name}\\n.*?)^\`\`\``, "ms").exec(page) ?? [];
  const file = `${name}.yaml`;
  const { failed, metrics } = await runSweepScenario(file, parseYaml(file, text), null);
  expect(failed).toEqual([]);
  return [1, 4].map((tokens) => valueOf(metrics, "cycles", `interleaved-${String(tokens)}`));
}

const shown = (cycles: number | undefined): string => cycles?.toLocaleString("en-US") ?? "";

it("docs/guides/own-scenario.md has the cycles of its scenarios", async () => {
  const [mine, machine] = [await cyclesOf("mine"), await cyclesOf("machine")];
  expect(sectionRows(page, "## 2. Run")[0]?.slice(0, 3)).toEqual([
    "unit cycles",
    ...mine.map(shown),
  ]);
  const compared = sectionRows(page, "## 4. Change the machine").slice(1);
  expect(compared.map((cells) => cells.slice(1).map((cell) => cell.split(" ")[0]))).toEqual(
    mine.map((cycles, i) => [
      shown(cycles),
      shown(machine[i]),
      ((machine[i] ?? Number.NaN) / cycles).toFixed(2),
    ]),
  );
});
