// SPDX-License-Identifier: Apache-2.0
// `neardata schema`: the JSON Schema of scenario files for editors and other tools, or the same as
// a page for people; or that of the file of a unit.

import { Option, type Command } from "commander";
import { printJson, printText } from "../terminal/output.ts";
import { example } from "../options/help.ts";

/** Adds `schema`. */
export function register(program: Command): void {
  program
    .command("schema")
    .description("Print the JSON Schema of scenario files.")
    .option("--json", "Accepted for symmetry: the schema is always JSON.")
    .addOption(
      new Option(
        "--markdown",
        "Print the reference of all input files (docs/reference/scenarios.md).",
      ).conflicts("json"),
    )
    .addOption(new Option("--unit", "Print the JSON Schema of unit.yaml.").conflicts("markdown"))
    .addHelpText("after", example("neardata schema > scenario.schema.json"))
    .action(async (options: { readonly markdown?: boolean; readonly unit?: boolean }) => {
      if (options.unit === true) {
        const { customUnitJsonSchema } = await import("../../native/custom-unit-choice.ts");
        printJson(customUnitJsonSchema());
        return;
      }
      const { scenarioJsonSchema } = await import("../../scenario/schema.ts");
      if (options.markdown !== true) {
        printJson(scenarioJsonSchema());
        return;
      }
      const { referencePage } = await import("../../scenario/reference/page.ts");
      const { fileKinds } = await import("../reference-kinds.ts");
      printText(referencePage(fileKinds()));
    });
}
