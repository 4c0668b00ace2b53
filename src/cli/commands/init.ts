// SPDX-License-Identifier: Apache-2.0
// `neardata init`: writes a first scenario with a comment at each key.

import { existsSync } from "node:fs";
import { basename } from "node:path";
import type { Command } from "commander";
import { inputError } from "../../base/errors.ts";
import { checkOutput } from "../../base/files/output.ts";
import { printJson, printText } from "../terminal/output.ts";
import { example } from "../options/help.ts";
import { firstScenario } from "../../scenario/first-scenario.ts";

export function register(command: Command): void {
  command
    .argument("[file]", "The scenario file to write; it must not exist.", "scenario.yaml")
    .option("--json", "Print one JSON document.")
    .addHelpText("after", example("neardata init my-scenario.yaml"))
    .action((file: string, options: { readonly json?: boolean }) => {
      if (existsSync(file)) throw inputError(file, "it exists; name a file that does not.");
      checkOutput("the file", file).write(firstScenario(nameOf(file)));
      if (options.json === true) printJson({ outcome: "completed", out: file });
      else printText(`${file}: run it with: neardata run ${file}`);
    });
}

/** A name that a scenario may have. */
function nameOf(file: string): string {
  const name = basename(file).replace(/\.ya?ml$/, "");
  return /^[A-Za-z0-9][\w.-]*$/.test(name) ? name : "scenario";
}
