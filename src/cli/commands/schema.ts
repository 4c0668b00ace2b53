// SPDX-License-Identifier: Apache-2.0
// `neardata schema`: the JSON Schema of scenario files, for editors and other tools.

import type { Command } from "commander";
import { printJson } from "../output.ts";

/** Adds `schema`. */
export function register(program: Command): void {
  program
    .command("schema")
    .description("Print the JSON Schema of scenario files.")
    .option("--json", "the same: the schema is JSON")
    .action(async () => {
      const { scenarioJsonSchema } = await import("../../config/schema.ts");
      printJson(scenarioJsonSchema());
    });
}
