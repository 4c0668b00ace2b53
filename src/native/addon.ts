// SPDX-License-Identifier: Apache-2.0
// Loads the native addon and makes sure that both sides say alike what they pass to each other.

import { createRequire } from "node:module";

import { NeardataError } from "../base/errors.ts";
import { installedAddon } from "./compile/addon-build.ts";
import { withOurErrors } from "./addon-errors.ts";
import { calls, records, type Binding } from "./layout.ts";
import { inRepository, isInstalled } from "../base/paths.ts";
import { partsOf, type Texts } from "./record.ts";

/** What an addon says of itself, as layout.ts does. */
export interface Layout {
  readonly records: Texts;
  readonly calls: Texts;
}

/** Where `make build` puts the addon. */
const madeAddon = ["build", "native", "Release", "neardata.node"] as const;

let installed: string | undefined;

/**
 * The file that holds the addon: NEARDATA_ADDON, or where `make build` puts it; that of an installed
 * package is compiled on the first load.
 * @throws NeardataError `build-failed`, `tool-missing` where it cannot be compiled
 */
export function addonPath(): string {
  const named = process.env["NEARDATA_ADDON"];
  if (named !== undefined && named !== "") return named;
  if (!isInstalled()) return inRepository(...madeAddon);
  installed ??= installedAddon();
  return installed;
}

/**
 * The addon's functions; their errors are NeardataErrors.
 * @throws NeardataError `not-built` when the file is missing, does not load or is of other sources.
 */
export function loadAddon(): Binding {
  return loadFrom(addonPath(), () => "the native addon does not load; build it with `make build`");
}

/** The same of an addon in a file, with what is said where it does not load. */
export function loadFrom(path: string, unloadable: (cause: unknown) => string): Binding {
  let addon: object;
  try {
    addon = createRequire(import.meta.url)(path) as object;
  } catch (cause) {
    throw new NeardataError("not-built", [{ where: path, message: unloadable(cause) }], { cause });
  }
  checkLayout(path, (addon as { readonly layout?: Layout }).layout);
  return withOurErrors(addon) as Binding;
}

let checked: unknown;

/** Compares what an addon passes with what this program was written for, once for each addon. */
export function checkLayout(path: string, layout: Layout | undefined): void {
  if (layout !== undefined && layout === checked) return;
  const different =
    layout === undefined
      ? "it does not say what it takes"
      : (difference("record", records, layout.records) ?? difference("call", calls, layout.calls));
  if (different !== undefined) {
    const message =
      "the native addon is of other sources than this program; build it again with " +
      `\`make build\` (${different})`;
    throw new NeardataError("not-built", [{ where: path, message }]);
  }
  checked = layout;
}

/** The first text that is not the same here and there. */
function difference(what: string, here: Texts, there: Texts): string | undefined {
  const shown = (text: string | undefined): string =>
    text === undefined ? "nothing" : partsOf(text).join(" ");
  for (const name of new Set([...Object.keys(here), ...Object.keys(there)])) {
    const [ours, theirs] = [shown(here[name]), shown(there[name])];
    if (ours !== theirs) return `the ${what} ${name} is ${theirs} there, ${ours} here`;
  }
  return undefined;
}
