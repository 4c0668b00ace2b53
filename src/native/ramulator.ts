// SPDX-License-Identifier: Apache-2.0
// The addon whose DDR5 channels are an installed Ramulator 2.0 or 2.1. It makes the same calls as the
// native one; there is one only where the user has built it.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";

import type { MemoryBackend } from "../machine/dram/backends.ts";
import { NeardataError } from "../base/errors.ts";
import { addonPath, loadAddon, loadFrom } from "./addon.ts";
import type { Binding } from "./layout.ts";

/** The variable that names an installation; native/ramulator/addon.cmake says what is looked for. */
const ramulatorVariable = "RAMULATOR2_DIR";

/** Why there is no Ramulator backend on this machine, or nothing when there is one. */
export function ramulatorMissing(): string | undefined {
  const directory = process.env[ramulatorVariable];
  if (directory === undefined || directory === "") {
    return (
      `the memory backend ramulator2 needs an installed Ramulator 2.0 or 2.1; set ${ramulatorVariable} ` +
      "to the directory with its headers and library and run `make build`"
    );
  }
  if (!existsSync(directory)) {
    return `${ramulatorVariable} names ${directory}, which does not exist`;
  }
  if (!existsSync(ramulatorPath())) {
    return (
      `the addon for the Ramulator in ${directory} is not built; run \`make build\` with ` +
      `${ramulatorVariable} set`
    );
  }
  return undefined;
}

/** Which Ramulator it is, as native/ramulator/addon.cmake tells them apart; none where there is none. */
export function ramulatorVersion(): "2.0" | "2.1" | undefined {
  if (ramulatorMissing() !== undefined) return undefined;
  const directory = process.env[ramulatorVariable] ?? "";
  const newer = ["include", "src"].some((headers) =>
    existsSync(join(directory, headers, "ramulator", "controller")),
  );
  return newer ? "2.1" : "2.0";
}

/**
 * Loads the addon with these channels.
 * @throws NeardataError `tool-missing` or `not-built` saying what is missing and how to get it.
 */
export function loadBackend(backend: MemoryBackend): Binding {
  if (backend === "native") return loadAddon();
  const missing = ramulatorMissing();
  if (missing !== undefined) throw new NeardataError("tool-missing", missing);
  return loadFrom(
    ramulatorPath(),
    (cause) => `the addon for Ramulator does not load: ${String(cause)}`,
  );
}

function ramulatorPath(): string {
  return join(dirname(addonPath()), "neardata_ramulator.node");
}
