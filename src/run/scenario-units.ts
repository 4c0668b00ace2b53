// SPDX-License-Identifier: Apache-2.0
// The RTL units of a scenario, built side by side before anything runs on them.

import { isDeepStrictEqual } from "node:util";
import type { ResolvedConfig } from "../scenario/resolve.ts";
import type { JobSlots } from "../native/compile/job-slots.ts";

type Build = (slots: JobSlots) => Promise<string>;

/**
 * Builds the units that are not in the cache, in as many jobs as there are cores. Heads of files have
 * shapes that are known when they are read: the unit for them is built with their session.
 * @returns the units' paths
 * @throws NeardataError `tool-missing`, `build-failed`
 */
export async function buildScenarioUnits(config: ResolvedConfig): Promise<readonly string[]> {
  const builds = [
    ...(await expertUnits(config)),
    ...(await attentionUnits(config)),
    ...(await tokenUnits(config)),
  ];
  const { jobSlots } = await import("../native/compile/job-slots.ts");
  const slots = jobSlots();
  // All are waited for: a process that ends would leave compilers at work.
  const ended = await Promise.allSettled(builds.map(async (build) => build(slots)));
  return ended.map((one) => {
    if (one.status === "rejected") throw one.reason;
    return one.value;
  });
}

async function expertUnits({ scenario, ownUnit }: ResolvedConfig): Promise<readonly Build[]> {
  if (scenario.expert === null || scenario.fidelity !== "rtl") return [];
  if (ownUnit !== null) {
    const { buildOwnUnit } = await import("../native/own-unit.ts");
    return [async (slots) => buildOwnUnit(ownUnit, scenario.unit, slots)];
  }
  const { buildNdpUnit, ndpSources } = await import("../native/ndp/ndp-unit.ts");
  return [async (slots) => buildNdpUnit(scenario.unit, ndpSources(), slots)];
}

/** The DIMMs' unit where the expert has another; the engine is built with its session, as heads of files. */
async function tokenUnits({ scenario, ownUnit }: ResolvedConfig): Promise<readonly Build[]> {
  const { token, expert, fidelity } = scenario;
  if (token?.fidelity !== "rtl") return [];
  const { tokenDimm } = await import("./token.ts");
  const { unit } = tokenDimm(token);
  const own = expert !== null && fidelity === "rtl" && ownUnit === null;
  if (own && isDeepStrictEqual(unit, scenario.unit)) return [];
  const { buildNdpUnit, ndpSources } = await import("../native/ndp/ndp-unit.ts");
  return [async (slots) => buildNdpUnit(unit, ndpSources(), slots)];
}

async function attentionUnits(config: ResolvedConfig): Promise<readonly Build[]> {
  const { attention } = config.scenario;
  const { ownEngine } = config;
  if (attention?.fidelity !== "rtl" || attention.source.kind !== "hta1") return [];
  const { attentionMachine } = await import("../kernels/csd/attention/attention-machine.ts");
  const shape = { width: attention.source.width, length: attention.length ?? 0 };
  const units = attention.flash.map(
    (flash) => attentionMachine(attention, shape, flash, attention.devices[0] ?? 1).unit,
  );
  const different = new Map(units.map((unit) => [JSON.stringify(unit), unit]));
  const { buildSparfUnit } = await import("../native/csd/csd-unit.ts");
  const { buildOwnUnit } = await import("../native/own-unit.ts");
  return [...different.values()].map(
    (unit): Build =>
      async (slots) =>
        ownEngine === null ? buildSparfUnit(unit, slots) : buildOwnUnit(ownEngine, unit, slots),
  );
}
