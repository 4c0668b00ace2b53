// SPDX-License-Identifier: Apache-2.0
// Searches a directory for the headers and the library of Ramulator 2.0 or 2.1, in the order of
// native/ramulator/addon.cmake.

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

/** The variable that names an installation. */
export const ramulatorVariable = "RAMULATOR2_DIR";

/** An installed Ramulator: its directory, which is RAMULATOR2_DIR of a build, and its library. */
export interface RamulatorTree {
  readonly directory: string;
  readonly library: string;
  readonly version: "2.0" | "2.1";
}

/** A header of each version, below the directory of the headers. */
const headers = [
  ["2.1", join("ramulator", "controller", "controller_base.h")],
  ["2.0", join("dram_controller", "plugin.h")],
] as const;

/** The installation in a directory, or the reason why it is invalid, in one sentence. */
export function ramulatorTree(named: string): RamulatorTree | string {
  const directory = resolve(named);
  if (!existsSync(directory)) return `${ramulatorVariable} names ${named}, which does not exist`;
  const versionHeader = headers.find(([, header]) =>
    ["include", "src"].some((folder) => existsSync(join(directory, folder, header))),
  );
  if (versionHeader === undefined) {
    const names = headers.map(([, header]) => header).join(" or ");
    return `${ramulatorVariable} names ${named}, which has no Ramulator 2.0 or 2.1: ${names} is missing in include and src`;
  }
  const library = ["lib", ".", "build"]
    .flatMap((folder) =>
      ["so", "a"].map((ending) => join(directory, folder, `libramulator.${ending}`)),
    )
    .find((path) => existsSync(path));
  if (library === undefined) {
    return `${ramulatorVariable} names ${named}, where Ramulator is not built: libramulator.so is missing in lib, in the directory itself and in build`;
  }
  return { directory, library, version: versionHeader[0] };
}
