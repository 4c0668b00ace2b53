// SPDX-License-Identifier: Apache-2.0
// Conclusions of TriMoE on a router's loads beside the generator's: the numbers that set the generator's constants are
// fitted on its own trace, and judged as all others on a router's.

import { expect, test } from "vitest";
import { modelShape } from "../../../src/workload/shapes.ts";
import {
  conclusionRows,
  generatedLoads,
} from "../../../src/papers/trimoe/figures/router/conclusions.ts";

test("the two numbers that set the generator are fitted on its trace, and no other number is", () => {
  // The layer of figure 3, on which both constants are set.
  const model = "deepseek-v2";
  const { experts } = modelShape(model, "the test");
  const routing = { experts: experts?.routed ?? 0, perToken: experts?.perToken ?? 0, batch: 512 };
  const trace = { name: "generated", steps: generatedLoads(routing, 60) };
  const rows = conclusionRows([trace], trace, {
    ...{ model, batch: 512, planner: "equations", cold: 6 },
  });
  const fitted = rows.filter(({ generatorVerdict }) => generatorVerdict === "fitted");
  expect(fitted.map(({ conclusion }) => conclusion)).toEqual([
    "figure 3: tokens of the coldest 70 % of experts",
    "figure 3: accuracy of the average at alpha 0.3",
  ]);
  // As a router's the same loads agree with the paper: no constant is set by them there.
  for (const { agree } of fitted) expect(agree).toBe(1);
  expect(rows.map(({ conclusion }) => conclusion)).toContain("table 3: TriMoE, mean of the three");
});
