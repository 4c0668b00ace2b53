// SPDX-License-Identifier: Apache-2.0
// Marks the types of the addon's layout with the sources that they were made from.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { inRepository } from "../base/paths.ts";

/** The folder of C++ that describes records and calls. */
const describing = inRepository("sim", "api");

/** The first line of the types: a hash of the headers below sim/api. */
export function layoutMark(): string {
  const hash = createHash("sha256");
  const headers = readdirSync(describing, { recursive: true, encoding: "utf8" });
  for (const name of headers.filter((path) => path.endsWith(".h")).sort()) {
    hash.update(`${name}\0`).update(readFileSync(join(describing, name)));
  }
  return `// Headers of sim/api: ${hash.digest("hex").slice(0, 24)}`;
}
