// SPDX-License-Identifier: Apache-2.0
// The pages of the documentation, as paths from the root of the repository.

import { readdirSync } from "node:fs";
import { join } from "node:path";

import { inRepository } from "../../src/base/paths.ts";

export const documentationPages: readonly string[] = [
  "README.md",
  "CONTRIBUTING.md",
  ...readdirSync(inRepository("docs"), { encoding: "utf8", recursive: true })
    .filter((name) => name.endsWith(".md") && !name.includes("node_modules"))
    .map((name) => join("docs", name)),
];
