// SPDX-License-Identifier: Apache-2.0
// The number of DIMM-Links as a parameter of a scenario: with more of them an expert comes sooner, until the
// writes at its target hold it up; without any it lies there, and nothing of the scenario changes.

import { expect, it } from "vitest";
import { parseScenario } from "../../src/config/parse.ts";
import { resolveConfig, type ResolvedConfig } from "../../src/config/resolve.ts";
import { machineOf } from "../../src/driver/ndp/cases.ts";
import { arrivalInClosedForm, arrivalOf } from "../../src/driver/moe/expert-move.ts";
import { layOutExpert } from "../../src/driver/ndp/layout.ts";
import { refusal } from "../helpers/refusal.ts";

const config = (ndp: string): ResolvedConfig =>
  resolveConfig(
    "a.yaml",
    parseScenario("a.yaml", `name: a\nexpert: { hidden: 1024, intermediate: 256 }\nndp: ${ndp}\n`),
  );

const shape = { hidden: 1024, intermediate: 256, tokens: 1 } as const;

async function times(links: number): Promise<readonly [simulated: number, closed: number]> {
  const { scenario } = config(`{ links: ${String(links)} }`);
  const machine = machineOf(scenario, "interleaved");
  const task = { ...shape, format: "fp16", activation: "silu" } as const;
  const layout = layOutExpert(machine.unit, task, "interleaved");
  const { metrics, run } = await arrivalOf(scenario.links, machine, layout);
  const [simulated] = metrics;
  expect(run?.machine.parts.filter(({ kind }) => kind === "link")).not.toHaveLength(0);
  const [closed] = arrivalInClosedForm(scenario.links, layout).metrics;
  return [simulated?.value ?? NaN, closed?.value ?? NaN];
}

it("more links bring an expert sooner until its target's writes hold it up, never sooner than the links allow", async () => {
  const [one, three, fifteen] = [await times(1), await times(3), await times(15)];
  for (const [simulated, closed] of [one, three, fifteen])
    expect(simulated).toBeGreaterThan(closed);
  // 1.5 MiB over 25 GB/s.
  expect(one[1]).toBeCloseTo((3 * 1024 * 256 * 2) / 25e3, 6);
  expect(one[0] / three[0]).toBeGreaterThan(2);
  // Writes at the target hold it up with three already; more links only change the order of packets.
  expect(fifteen[0] / three[0]).toBeCloseTo(1, 2);
  expect(fifteen[0]).toBeGreaterThan(1.5 * fifteen[1]);
});

it("is part of a scenario's hash only where it is asked for, and has the links of 16 DIMMs", () => {
  expect("links" in config("{ lanes: 8 }").scenario).toBe(false);
  expect(config("{ lanes: 8, links: 3 }").configHash).not.toBe(config("{ lanes: 8 }").configHash);
  expect(() => config("{ links: 16 }")).toThrow(refusal("bad-input", /ndp\.links: 16 .* 15/));
});
