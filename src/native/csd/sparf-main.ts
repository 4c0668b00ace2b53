// SPDX-License-Identifier: Apache-2.0
// The bench of the SparF engine without Node (testbench/sparf_main.cc) for a parameter set.

import { rtlSources } from "../compile/rtl-sources.ts";
import type { RtlBuild } from "../unit/verilate.ts";
import { inRepository } from "../../base/paths.ts";

/**
 * Options of the build. The engine begins with zeros; tests generate its contents at random and add
 * checkers.
 */
export function sparfMain(parameters: Readonly<Record<string, number>>): RtlBuild {
  return {
    top: "sparf_engine",
    parameters,
    sources: rtlSources(["common", "sparf"], ["ndp/ndp_pkg.sv"]),
    harness: ["sparf_main.cc", "sparf_case.cc"].map((name) => inRepository("testbench", name)),
    kind: "executable",
  };
}
