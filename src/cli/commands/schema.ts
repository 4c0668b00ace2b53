// SPDX-License-Identifier: Apache-2.0
// `neardata schema`: the JSON Schema of scenario files for editors and other tools, or the same as
// a page for people; or that of the file of a unit.

import { Option, type Command } from "commander";
import { printJson, printText } from "../terminal/output.ts";
import { example } from "../options/help.ts";
import { fileKinds } from "../reference-kinds.ts";
import { referencePage } from "../../scenario/reference/page.ts";
import { scenarioJsonSchema } from "../../scenario/schema.ts";
import { customUnitJsonSchema } from "../../native/custom-unit-choice.ts";

export function register(command: Command): void {
  command
    .option("--json", "Print JSON, as without this option.")
    .addOption(
      new Option(
        "--markdown",
        "Print the reference of all input files (docs/reference/scenarios.md).",
      ).conflicts("json"),
    )
    .addOption(new Option("--unit", "Print the JSON Schema of unit.yaml.").conflicts("markdown"))
    .addHelpText("after", example("neardata schema > scenario.schema.json"))
    .action((options: { readonly markdown?: boolean; readonly unit?: boolean }) => {
      if (options.unit === true) {
        printJson(customUnitJsonSchema());
        return;
      }
      if (options.markdown !== true) {
        printJson(scenarioJsonSchema());
        return;
      }
      printText(referencePage(fileKinds()));
    });
}
