// SPDX-License-Identifier: Apache-2.0
// The sources of the plug-in of a Verilated unit: C++ that is common to all units, and the shim that
// is generated from its ports.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { inRepository } from "../../base/paths.ts";
import { anyPorts, type DescribedStreams } from "./any-ports.ts";
import { drivenShimText } from "./driven-shim.ts";
import type { UnitDescription } from "./ports.ts";
import { shimText, type ShimModel } from "./shim.ts";
import { unitPorts } from "./streams.ts";

export type { DescribedStreams } from "./any-ports.ts";

/** C++ that is compiled with every unit. */
export function pluginHarness(): readonly string[] {
  return [inRepository("sim", "rtl", "shim", "verilated_context.cc")];
}

/** Flags that make a failing assertion an answer instead of the end of the process. */
export function pluginFlags(): readonly string[] {
  return [
    `-include ${inRepository("sim", "rtl", "shim", "verilated_print.h")}`,
    "-DVL_USER_STOP",
    "-DVL_USER_FINISH",
    "-DVL_USER_FATAL",
  ];
}

/** By which rule the ports of a unit are read: that of units of machines, or that of any unit. */
export type PortRule = "machine" | "any";

/** Sources that determine the text of a shim, in addition to the unit. */
export function shimGenerator(rule: PortRule): readonly string[] {
  const readers = ["ports", "describe", "constraints", "verilator-xml", "verilator-json"];
  const names = [...readers, "streams", "fields", "shim"];
  const shims = ["model_shim.h", "unit_shim.h"];
  if (rule === "any") {
    names.push("any-ports", "driven-shim");
    shims.push("driven_loop.h");
  }
  return [
    ...shims.map((name) => inRepository("sim", "rtl", "shim", name)),
    inRepository("src", "native", "compile", "trigger-names.ts"),
    ...names.map((name) => inRepository("src", "native", "unit", `${name}.ts`)),
  ];
}

/** A unit whose model Verilator has written. */
export interface ShimSource {
  readonly unit: UnitDescription;
  readonly streams?: DescribedStreams;
}

/**
 * Writes the shim of a unit as `name` into `work`, where its model is.
 * @throws NeardataError `bad-input` with every port that breaks the rule
 */
export function writeShim(
  { unit, streams }: ShimSource,
  work: string,
  name: string,
  rule: PortRule,
): void {
  const header = readFileSync(join(work, `V${unit.top}.h`), "utf8");
  const model: ShimModel = {
    timing: unit.timing ?? false,
    // Verilator renames a port whose name is a keyword of C++.
    member: (encoded) =>
      new RegExp(`\\b__SYM__${encoded}\\b`).test(header) ? `__SYM__${encoded}` : encoded,
  };
  const text =
    rule === "any"
      ? drivenShimText(anyPorts(unit, streams), model)
      : shimText(unitPorts(unit), model);
  writeFileSync(join(work, name), text);
}
