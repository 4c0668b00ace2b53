// SPDX-License-Identifier: Apache-2.0
// The program's version, from package.json.

import { readFileSync } from "node:fs";
import { inRepository } from "./paths.ts";

/** The version in package.json. */
export const { version }: { readonly version: string } = JSON.parse(
  readFileSync(inRepository("package.json"), "utf8"),
) as { version: string };
