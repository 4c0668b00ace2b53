// SPDX-License-Identifier: Apache-2.0
// The designs of an exploration that can be built, and what each takes: an NDP unit in mm2 of a
// chip, a SparF engine in the largest share of a Zynq-7045 that it takes of anything.

import { checkScenario, resolveConfig, type Scenario } from "../config/resolve.ts";
import { NeardataError } from "../errors.ts";
import { applySettings } from "../explore/point.ts";
import type { Settings } from "../explore/spec.ts";
import { findFlow } from "../synth/slice.ts";
import { ownLibrary, readLibrary } from "../synth/liberty.ts";
import { composeNdpArea } from "../synth/ndp-parts.ts";
import { floorOf } from "../synth/summary.ts";
import { remark } from "./output.ts";

function scenarioOf(file: string, scenario: unknown, settings: Settings): Scenario {
  return resolveConfig(file, checkScenario(file, applySettings(scenario, settings))).scenario;
}

/**
 * Leaves out what breaks a rule of the hardware.
 * @throws NeardataError `bad-input` when nothing is left: with the rules that the first one breaks.
 */
export function buildable(
  file: string,
  scenario: unknown,
  designs: readonly Settings[],
): { readonly designs: readonly Settings[]; readonly refused: number } {
  scenarioOf(file, scenario, {});
  const why: NeardataError[] = [];
  const good = designs.filter((settings) => {
    try {
      scenarioOf(file, scenario, settings);
      return true;
    } catch (error) {
      if (!(error instanceof NeardataError) || error.code !== "bad-input") throw error;
      why.push(error);
      return false;
    }
  });
  const [first] = why;
  if (good.length === 0 && first !== undefined) throw first;
  return { designs: good, refused: designs.length - good.length };
}

export interface DesignAreas {
  /** Of the scenario's own design, then of each other. */
  readonly values: readonly number[];
  readonly unit: string;
  /** How they were measured. */
  readonly note: string;
}

export async function areasOf(
  unit: "ndp" | "csd",
  file: string,
  scenario: unknown,
  designs: readonly Settings[],
): Promise<DesignAreas> {
  if (unit === "csd") throw new NeardataError("bad-input", "unit: csd is not explored yet.");
  const flow = await findFlow(readLibrary(ownLibrary()));
  const values: number[] = [];
  const known = new Map<string, number>();
  for (const settings of [{}, ...designs]) {
    const { unit: parameters } = scenarioOf(file, scenario, settings);
    const key = JSON.stringify(parameters);
    let area = known.get(key);
    if (area === undefined) {
      const report = await composeNdpArea(flow, parameters, (slice) => {
        if (known.size === 0) remark(`slice ${slice.module} ${JSON.stringify(slice.parameters)}`);
      });
      area = floorOf(report).total;
      known.set(key, area);
    }
    values.push(area);
  }
  const note =
    `Area is floor in ${flow.library?.name ?? ""}: datapath and memories of each design, control ` +
    "as in the unit of the paper's size.";
  return { values, unit: "mm2", note };
}
