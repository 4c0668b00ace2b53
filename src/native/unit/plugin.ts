// SPDX-License-Identifier: Apache-2.0
// What makes a plug-in of a Verilated unit: C++ of ours that is the same for all, and the shim that is
// generated from its ports.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { inRepository } from "../paths.ts";
import { anyPorts, portsForShim, type ToldStreams } from "./any-ports.ts";
import { drivenShimText } from "./driven-shim.ts";
import { describeUnit } from "./describe.ts";
import { shimText } from "./shim.ts";
import { unitPorts } from "./streams.ts";

export type { ToldStreams } from "./any-ports.ts";

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

/** What the text of a shim depends on beside the unit. */
export function shimGenerator(rule: PortRule): readonly string[] {
  const names = ["ports", "verilator-xml", "verilator-json", "streams", "fields", "shim"];
  const shims = ["model_shim.h", "unit_shim.h"];
  if (rule === "any") {
    names.push("any-ports", "driven-shim");
    shims.push("driven_shim.h");
  }
  return [
    ...shims.map((name) => inRepository("sim", "rtl", "shim", name)),
    ...names.map((name) => inRepository("src", "native", "unit", `${name}.ts`)),
  ];
}

/**
 * Writes the shim of a unit into `work`. @returns its path
 * @throws NeardataError `tool-missing`, `build-failed`, `bad-input` with every port that breaks the rule
 */
export async function writeShim(
  { top, streams }: { readonly top: string; readonly streams?: ToldStreams },
  elaborated: readonly string[],
  work: string,
  rule: PortRule,
): Promise<string> {
  const file = join(work, `${top}_shim.cc`);
  const unit = await describeUnit(top, elaborated, work);
  const text =
    rule === "any"
      ? drivenShimText(portsForShim(anyPorts(unit, streams)))
      : shimText(unitPorts(unit));
  await writeFile(file, text);
  return file;
}
