// SPDX-License-Identifier: Apache-2.0
// The rates of the RTL unit of a device file, from a simulation: an expert of Qwen3-235B on a unit
// of an NDP DIMM behind DDR5, dense attention on the engine of a storage device behind its flash.

import { dirname, resolve } from "node:path";
import { readCustomUnit } from "../../native/custom-unit-choice.ts";
import type { ScenarioInput } from "../../scenario/schema.ts";
import { inputError, NeardataError } from "../../base/errors.ts";
import type { UnitRates } from "../../machine/host/near-device-file.ts";
import { runScenario } from "../../run/session/scenario.ts";
import { bytesPerSecond, flopsPerSecond } from "../../base/units.ts";

/** One token is bound by reads, eight by arithmetic. */
const [few, many] = [1, 8];

/**
 * @throws NeardataError `bad-input` without such a unit, `check-failed` when its numbers are not those of
 * its golden model, and as a run of a scenario does
 */
export async function measureUnit(
  kind: "ndp" | "csd",
  folder: string,
  file: string,
): Promise<UnitRates> {
  const from = dirname(resolve(file));
  const machine = kind === "ndp" ? "ndp-dimm" : "storage-device";
  const { formats, digest } = readCustomUnit(folder, from, `${file}: unit`, machine);
  const [format] = formats;
  if (format === undefined) throw inputError(`${file}: unit`, "the unit computes in no format.");
  const unit = { rtl: folder };
  const scenario: ScenarioInput =
    kind === "ndp"
      ? {
          name: "device",
          system: "trimoe",
          fidelity: "rtl",
          unit,
          tokens: [few, many],
          expert: { model: "qwen3-235b-a22b", format },
          layouts: ["interleaved"],
        }
      : {
          name: "device",
          attention: {
            fidelity: "rtl",
            unit,
            heads: 16,
            headWidth: 128,
            length: 1024,
            inFlight: [16],
            methods: ["dense"],
          },
        };
  const run = await runScenario(scenario, { from });
  const [failed] = run.failed;
  if (failed !== undefined) {
    throw new NeardataError("check-failed", [
      { where: `${file}: unit`, message: `in simulation it fails: ${failed.title}.` },
    ]);
  }
  if (kind === "csd") {
    return { bandwidth: bytesPerSecond(1e9 * run.metric("flashRate")), compute: null, digest };
  }
  return {
    bandwidth: bytesPerSecond(1e9 * run.metric("bandwidth", `interleaved-${few}`)),
    compute: flopsPerSecond(1e9 * run.metric("compute", `interleaved-${many}`)),
    digest,
  };
}
