// SPDX-License-Identifier: Apache-2.0
// What plug-ins of Verilated units have in common: RTL sources, harness, flags.

import { readdirSync } from "node:fs";
import { join } from "node:path";

import { inRepository } from "./paths.ts";

/** Lint waivers, and files and all of directories below `rtl`, packages first. */
export function rtlSources(
  directories: readonly string[],
  files: readonly string[] = [],
): readonly string[] {
  const inDirectories = directories.flatMap((directory) =>
    readdirSync(inRepository("rtl", directory))
      .filter((name) => name.endsWith(".sv"))
      .sort()
      .map((name) => join(inRepository("rtl", directory), name)),
  );
  const all = [...files.map((name) => inRepository("rtl", name)), ...inDirectories];
  const isPackage = (path: string): boolean => path.endsWith("_pkg.sv");
  const waivers = inRepository("rtl", "lint");
  return [
    ...readdirSync(waivers)
      .filter((name) => name.endsWith(".vlt"))
      .sort()
      .map((name) => join(waivers, name)),
    ...all.filter(isPackage),
    ...all.filter((path) => !isPackage(path)),
  ];
}

/** C++ that makes a plug-in of a Verilated unit. */
export function pluginHarness(plugin: string): readonly string[] {
  return [plugin, "verilated_context.cc"].map((name) => inRepository("sim", "rtl", name));
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
