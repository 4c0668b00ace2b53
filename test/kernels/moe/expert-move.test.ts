// SPDX-License-Identifier: Apache-2.0
// DIMM-Links as parameters of a scenario: with more concurrent flows an expert arrives earlier, until links, the
// host's channels or the writes at its target are the bottleneck. Without flows it is at its target from the start,
// and no result of the scenario changes.

import { expect, it } from "vitest";
import { parseScenario } from "../../../src/scenario/parse.ts";
import { resolveConfig, type ResolvedConfig } from "../../../src/scenario/resolve.ts";
import { machineOf } from "../../../src/kernels/ndp/cases.ts";
import { arrivalInClosedForm, arrivalOf } from "../../../src/kernels/moe/expert-move.ts";
import { layOutExpert } from "../../../src/workload/ndp/layout.ts";
import { rejection } from "../../helpers/rejection.ts";

const config = (ndp: string): ResolvedConfig =>
  resolveConfig(
    "a.yaml",
    parseScenario("a.yaml", `name: a\nexpert: { hidden: 1024, intermediate: 256 }\nndp: ${ndp}\n`),
  );

const shape = { hidden: 1024, intermediate: 256, tokens: 1 } as const;

async function times(ndp: string): Promise<readonly [simulated: number, closed: number]> {
  const { scenario } = config(`{ ${ndp} }`);
  const machine = machineOf(scenario, "interleaved");
  const task = { ...shape, format: "fp16", activation: "silu" } as const;
  const layout = layOutExpert(machine.unit, task, "interleaved");
  const { metrics, run } = await arrivalOf(scenario.links, machine, layout);
  const [simulated] = metrics;
  expect(run?.machine.parts.filter(({ kind }) => kind === "link")).not.toHaveLength(0);
  const [closed] = arrivalInClosedForm(scenario.links, machine, layout).metrics;
  return [simulated?.value ?? NaN, closed?.value ?? NaN];
}

/** 1.5 MiB in megabytes, and a sixteenth of it, which each DIMM has. */
const size = (3 * 1024 * 256 * 2) / 1e6;
const each = size / 16;
/** Megabytes of a microsecond times 1e-3: a link, and the two sub-channels of DDR5-4800. */
const [link, channel] = [25e-3, 38.4e-3];

it("full links bring an expert sooner the more there are, until its target's writes hold it up", async () => {
  const full = "linkTopology: full, linkGroup: 16";
  const [one, three, fifteen] = [
    await times(`links: 1, ${full}`),
    await times(`links: 3, ${full}`),
    await times(`links: 15, ${full}`),
  ];
  for (const [simulated, closed] of [one, three, fifteen])
    expect(simulated).toBeGreaterThan(closed);
  expect(one[1]).toBeCloseTo((15 * each) / link, 6);
  expect(one[0] / three[0]).toBeGreaterThan(2);
  // Writes at the target are the limit from three links on; more links only change the order of
  // packets.
  expect(fifteen[0] / three[0]).toBeCloseTo(1, 2);
  expect(fifteen[0]).toBeGreaterThan(1.5 * fifteen[1]);
});

it.each([
  // The first DIMM of a line receives over one link, and from the other side over the host.
  ["DIMM-Link's chains", "links: 15", (7 * each) / link],
  ["one flow at a time", "links: 1", (7 * each) / link + (8 * each) / channel],
  // 1, 2, 3 and 4 are on one side of the target, 5, 6 and 7 on the other.
  ["rings", "links: 15, linkTopology: ring", (8 * each) / channel],
  // 2, 4 and 6 are in the row of the target; the other row is received over one link.
  ["meshes", "links: 15, linkTopology: mesh", (8 * each) / channel],
  ["one chain", "links: 15, linkGroup: 16", (15 * each) / link],
  ["the host alone", "links: 15, linkGroup: 2", (14 * each) / channel],
] as const)("no expert comes sooner than the busiest path allows: %s", async (_, ndp, least) => {
  const [simulated, closed] = await times(ndp);
  expect(closed).toBeCloseTo(least, 6);
  expect(simulated).toBeGreaterThan(closed);
  expect(simulated).toBeLessThan(2 * closed);
});

it("is part of a scenario's hash only where it is asked for, and has the links of 16 DIMMs", () => {
  expect("links" in config("{ lanes: 8 }").scenario).toBe(false);
  expect(config("{ lanes: 8, links: 3 }").configHash).not.toBe(config("{ lanes: 8 }").configHash);
  expect(() => config("{ links: 16 }")).toThrow(rejection("bad-input", /ndp\.links: 16 .* 15/));
  const published = config("{ links: 3, linkTopology: chain, linkGroup: 8 }");
  expect(published.configHash).toBe(config("{ links: 3 }").configHash);
});

it.each([
  ["links: 3, linkGroup: 6", /ndp\.linkGroup: 6 is no part of 16 DIMMs/],
  ["links: 3, linkGroup: 32", /ndp\.linkGroup: 32/],
  ["links: 3, linkTopology: mesh, linkGroup: 1", /ndp\.linkGroup: a mesh has two rows/],
  ["links: 3, linkTopology: star", /ndp\.linkTopology: .*chain/],
  ["linkTopology: ring", /ndp\.linkTopology: this is about links/],
  ["linkGroup: 8", /ndp\.linkGroup: this is about links/],
])("refuses DIMMs that cannot be joined so: %s", (ndp, message) => {
  expect(() => config(`{ ${ndp} }`)).toThrow(rejection("bad-input", message));
});
