// SPDX-License-Identifier: Apache-2.0
// What makes a plug-in of a Verilated unit: C++ of ours that is the same for all, and the shim that is
// generated from its ports.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { inRepository } from "../paths.ts";
import { describeUnit } from "./describe.ts";
import { shimText } from "./shim.ts";
import { unitPorts } from "./streams.ts";

/** C++ that is compiled with every unit. */
export function pluginHarness(): readonly string[] {
  return [inRepository("sim", "rtl", "verilated_context.cc")];
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

/** What the text of a shim depends on beside the unit. */
export function shimGenerator(): readonly string[] {
  const names = ["ports", "verilator-xml", "verilator-json", "streams", "fields", "shim"];
  return [
    inRepository("sim", "rtl", "unit_shim.h"),
    ...names.map((name) => inRepository("src", "native", "unit", `${name}.ts`)),
  ];
}

/**
 * Writes the shim of a unit into `work`. @returns its path
 * @throws NeardataError `tool-missing`, `build-failed`, `bad-input` with every port that breaks the rule
 */
export async function writeShim(
  top: string,
  elaborated: readonly string[],
  work: string,
): Promise<string> {
  const file = join(work, `${top}_shim.cc`);
  await writeFile(file, shimText(unitPorts(await describeUnit(top, elaborated, work))));
  return file;
}
