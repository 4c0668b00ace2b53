// SPDX-License-Identifier: Apache-2.0
// Loads the native addon and makes sure that it was built from the same sources as this program.

import { createRequire } from "node:module";

import { NeardataError } from "../errors.ts";
import { withOurErrors } from "./addon-errors.ts";
import { inRepository } from "./paths.ts";

/** What the addon must say; native/module.cc holds the other half. */
const expectedAbi = 4;

/** The file that holds the addon: NEARDATA_ADDON, or where `make build` puts it. */
export function addonPath(): string {
  return (
    process.env["NEARDATA_ADDON"] ?? inRepository("build", "native", "Release", "neardata.node")
  );
}

/**
 * The addon's exports; the caller knows which of them it uses and what they are. Their errors are
 * NeardataErrors.
 * @throws NeardataError `not-built` when the file is missing, does not load or is of other sources.
 */
export function loadAddon(): object {
  const path = addonPath();
  let addon: { readonly abi?: number };
  try {
    addon = createRequire(import.meta.url)(path) as { readonly abi?: number };
  } catch (cause) {
    const message = "the native addon does not load; build it with `make build`";
    throw new NeardataError("not-built", [{ where: path, message }], { cause });
  }
  checkAbi(path, addon.abi);
  return withOurErrors(addon);
}

/** Compares the interface version that an addon gives with the one this program was written for. */
export function checkAbi(path: string, abi: number | undefined): void {
  if (abi === expectedAbi) return;
  const message =
    `the native addon has interface version ${String(abi)} and this program ` +
    `${String(expectedAbi)}; build it again with \`make build\``;
  throw new NeardataError("not-built", [{ where: path, message }]);
}
