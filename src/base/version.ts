// SPDX-License-Identifier: Apache-2.0
// The program's version, from package.json.

import { readFileSync } from "node:fs";
import { z } from "zod";
import { inRepository } from "./paths.ts";

const manifest = z.object({ version: z.string() });

/** The version in package.json. */
export const version: string = manifest.parse(
  JSON.parse(readFileSync(inRepository("package.json"), "utf8")),
).version;
