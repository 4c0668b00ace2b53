// SPDX-License-Identifier: Apache-2.0
// The Verilated `dimm_ndp` of a parameter set as a plug-in for a session.

import { readdirSync } from "node:fs";
import { join } from "node:path";

import type { NdpUnitParameters } from "../driver/types.ts";
import { inRepository } from "./paths.ts";
import { verilate } from "./verilate.ts";

/** The unit's parameters under the names that they have in the RTL. */
export function rtlParameters(unit: NdpUnitParameters): Readonly<Record<string, number>> {
  return {
    Streams: unit.streams,
    MultPerStream: unit.multipliersPerStream,
    Lanes: unit.lanes,
    BitsPerCycle: unit.bitsPerCycle,
    BufferBytes: unit.bufferBytes,
    QueueBursts: unit.queueBursts,
    ActLanes: unit.activationLanes,
    MaxTokens: unit.maxTokens,
  };
}

/** Sources of the unit, packages first. */
export function ndpSources(): readonly string[] {
  const files = ["common", "ndp"].flatMap((directory) =>
    readdirSync(inRepository("rtl", directory))
      .filter((name) => name.endsWith(".sv"))
      .sort()
      .map((name) => join(inRepository("rtl", directory), name)),
  );
  const isPackage = (path: string): boolean => path.endsWith("_pkg.sv");
  const waivers = inRepository("rtl", "lint");
  return [
    ...readdirSync(waivers)
      .filter((name) => name.endsWith(".vlt"))
      .sort()
      .map((name) => join(waivers, name)),
    ...files.filter(isPackage),
    ...files.filter((path) => !isPackage(path)),
  ];
}

/**
 * Path of the plug-in, built if the cache lacks it. `sources` other than the repository's are for
 * tests.
 * @throws NeardataError `tool-missing`, `build-failed`
 */
export async function buildNdpUnit(
  unit: NdpUnitParameters,
  sources: readonly string[] = ndpSources(),
): Promise<string> {
  return verilate({
    top: "dimm_ndp",
    parameters: rtlParameters(unit),
    sources,
    harness: pluginHarness(),
    kind: "sharedObject",
    cxxFlags: pluginFlags(),
  });
}

/** C++ that makes a plug-in of the Verilated unit. */
export function pluginHarness(): readonly string[] {
  return ["dimm_ndp_plugin.cc", "verilated_context.cc"].map((name) =>
    inRepository("sim", "rtl", name),
  );
}

/** Flags that make a failing assertion an answer instead of the end of the process. */
export function pluginFlags(): readonly string[] {
  return [
    `-include ${inRepository("sim", "rtl", "verilated_print.h")}`,
    "-DVL_USER_STOP",
    "-DVL_USER_FINISH",
    "-DVL_USER_FATAL",
  ];
}
