// SPDX-License-Identifier: Apache-2.0
// Writes docs/reference/ports.md and its timing diagrams:   npx --no-install jiti tools/write-ports.ts [UNIT...]
// With names of units the diagrams of these alone; with `--page` none, and nothing is built.

import { writeFileSync } from "node:fs";
import process from "node:process";

import { inRepository } from "../src/base/paths.ts";
import { portsPage } from "./ports/page.ts";
import { timingDiagrams } from "./ports/transactions.ts";

writeFileSync(inRepository("docs", "reference", "ports.md"), portsPage());
const asked = process.argv.slice(2);
if (!asked.includes("--page")) {
  const diagrams = await timingDiagrams(asked.length === 0 ? undefined : asked);
  for (const [name, svg] of diagrams) writeFileSync(inRepository("docs", "reference", name), svg);
}
