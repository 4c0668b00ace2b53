// SPDX-License-Identifier: Apache-2.0
// The bench of the NDP unit without Node (testbench/ndp_main.cc) for a parameter set.

import type { NdpUnitParameters } from "../../machine/types.ts";
import { ndpSources, rtlParameters } from "./ndp-unit.ts";
import { inRepository } from "../../base/paths.ts";
import { verilate, type RtlBuild } from "../unit/verilate.ts";

const harness = [
  ["testbench", "ndp_main.cc"],
  ["testbench", "ndp_case.cc"],
  ["testbench", "ndp_job.cc"],
  ["sim", "rtl", "ndp_fields.cc"],
  ["sim", "rtl", "unit_fields.cc"],
  ["testbench", "ndp_model.cc"],
  ["sim", "unit", "ndp", "values", "act_values.cc"],
] as const;

/**
 * Path of the executable, built if the cache lacks it. Tests use other `sources`, and units with
 * random initial contents. @throws NeardataError `tool-missing`, `build-failed`
 */
export async function buildNdpMain(
  unit: NdpUnitParameters,
  sources: readonly string[] = ndpSources(),
  { drawnContents = false }: Pick<RtlBuild, "drawnContents"> = {},
): Promise<string> {
  return verilate({
    top: "dimm_ndp",
    parameters: rtlParameters(unit),
    sources,
    harness: harness.map((path) => inRepository(...path)),
    kind: "executable",
    plugin: "machine",
    drawnContents,
  });
}
