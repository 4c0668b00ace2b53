// SPDX-License-Identifier: Apache-2.0
// Ramulator 2 as a backend: a second addon, built against an installation that the user has. It
// answers the same calls as the native model.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import process from "node:process";

import { NeardataError } from "../errors.ts";
import { inRepository } from "../native/paths.ts";
import type { DramBinding } from "./binding.ts";

/** The variable that names an installation: its headers under include or src, its library. */
export const ramulatorVariable = "RAMULATOR2_DIR";

/** Why there is no Ramulator backend on this machine, or nothing when there is one. */
export function ramulatorMissing(): string | undefined {
  const directory = process.env[ramulatorVariable];
  if (directory === undefined || directory === "") {
    return (
      `the backend ramulator2 needs an installed Ramulator 2; set ${ramulatorVariable} to the ` +
      "directory with its headers and library"
    );
  }
  if (!existsSync(directory))
    return `${ramulatorVariable} names ${directory}, which does not exist`;
  if (!existsSync(addonPath())) {
    return `the binding to the Ramulator 2 in ${directory} is not built`;
  }
  return undefined;
}

/**
 * Loads the backend.
 * @throws NeardataError `tool-missing` saying what is missing and how to get it.
 */
export function loadRamulator(): DramBinding {
  const missing = ramulatorMissing();
  if (missing !== undefined) throw new NeardataError("tool-missing", missing);
  return createRequire(import.meta.url)(addonPath()) as DramBinding;
}

function addonPath(): string {
  return inRepository("build", "ramulator", "Release", "neardata_ramulator.node");
}
