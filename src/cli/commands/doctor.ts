// SPDX-License-Identifier: Apache-2.0
// `neardata doctor`: lists installed and missing tools, with the commands that install them. Exit
// code 3 if a tool that `neardata run` needs is missing.

import process from "node:process";
import type { Command } from "commander";
import { describe, examine } from "../../native/requirements.ts";
import { packageFindings } from "../options/packages.ts";
import { printJson, printText } from "../terminal/output.ts";
import { example } from "../options/help.ts";

export function register(command: Command): void {
  command
    .option("--json", "Print one JSON document.")
    .addHelpText("after", example("neardata doctor"))
    .action((options: { readonly json?: boolean }) => {
      const findings = [...examine(), ...packageFindings()];
      if (options.json === true) printJson({ findings });
      else printText(findings.map(describe).join("\n"));
      if (findings.some((f) => f.needed && !f.fits)) process.exitCode = 3;
    });
}
