// SPDX-License-Identifier: Apache-2.0
// Loads the native addon, which describes its records and calls itself.

import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";

import { NeardataError } from "../base/errors.ts";
import { inRepository, isInstalled } from "../base/paths.ts";
import { withOurErrors } from "./addon-errors.ts";
import { installedAddon } from "./compile/addon-build.ts";
import { layoutMark } from "./layout-mark.ts";
import type { Binding } from "./layout.ts";

/** Fields of records and types of calls by name; native/layout.h defines them. */
export interface Layout {
  readonly records: Readonly<Record<string, string>>;
  readonly calls: Readonly<Record<string, string>>;
}

/** Where `make build` puts the addon. */
const madeAddon = ["build", "native", "Release", "neardata.node"] as const;
/** Where `make build` writes the types of its layout, once it is built. */
const madeLayout = ["build", "native", "layout.d.ts"] as const;

let installed: string | undefined;

/**
 * The file of the addon: NEARDATA_ADDON, or the output of `make build`. The addon of an installed
 * package is compiled at the first load.
 * @throws NeardataError `build-failed`, `tool-missing` if it cannot be compiled
 */
export function addonPath(): string {
  const named = namedAddon();
  if (named !== null) return named;
  if (!isInstalled()) return inRepository(...madeAddon);
  installed ??= installedAddon();
  return installed;
}

/** The file that NEARDATA_ADDON names, or null. */
export function namedAddon(): string | null {
  const named = process.env["NEARDATA_ADDON"] ?? "";
  return named === "" ? null : named;
}

/** Whether this process has compared the layout's sources. */
let checked = false;

/**
 * The addon's functions; their errors are NeardataErrors.
 * @throws NeardataError `not-built` when the file is missing, does not load or is of other sources.
 */
export function loadAddon(): Binding {
  const path = addonPath();
  if (!checked && path === inRepository(...madeAddon)) {
    checkSources(path, inRepository(...madeLayout));
    checked = true;
  }
  return loadFrom(path, addonAdvice);
}

/** What to do about an addon that does not load. */
function addonAdvice(): string {
  const cure =
    namedAddon() !== null
      ? "unset NEARDATA_ADDON"
      : isInstalled()
        ? "delete this file, and the next command compiles it"
        : "build it with `make build`";
  return `the native addon does not load: ${cure}.`;
}

/** Loads an addon from a file; `unloadable` is the message if it does not load. */
export function loadFrom(path: string, unloadable: (cause: unknown) => string): Binding {
  return withOurErrors(load(path, unloadable)) as Binding;
}

/** The layout of the addon. @throws NeardataError `not-built` as `loadAddon` does */
export function addonLayout(): Layout {
  const path = addonPath();
  return load(path, addonAdvice).layout;
}

function load(path: string, unloadable: (cause: unknown) => string): { readonly layout: Layout } {
  try {
    return createRequire(import.meta.url)(path) as { readonly layout: Layout };
  } catch (cause) {
    throw new NeardataError("not-built", [{ where: path, message: unloadable(cause) }], { cause });
  }
}

/**
 * Compares the sources of an addon's layout with those of this checkout.
 * @throws NeardataError `not-built` when they differ
 */
export function checkSources(path: string, layoutFile: string): void {
  if (!existsSync(layoutFile)) return;
  const [mark] = readFileSync(layoutFile, "utf8").split("\n", 1);
  if (mark !== layoutMark()) {
    const message =
      "the native addon is of other sources than this program; build it again with `make build`.";
    throw new NeardataError("not-built", [{ where: path, message }]);
  }
}
