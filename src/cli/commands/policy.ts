// SPDX-License-Identifier: Apache-2.0
// `neardata policy solve`: offloading, placement, scheduling and search models on files of cases.

import type { Command } from "commander";
import { checkOutputFile } from "../files.ts";
import { readJsonFile, writeJsonFile } from "../json-file.ts";
import { printJson, printText } from "../output.ts";

interface SolveOptions {
  readonly out: string;
  readonly json?: boolean;
}

export function register(program: Command): void {
  const policy = program.command("policy").description("the papers' policies by themselves");
  policy
    .command("solve")
    .description("solve every case of a file; expected values in it are not needed and not read")
    .argument("<cases>", "file of cases (JSON; its field `oracle` says of which model)")
    .requiredOption("--out <file>", "where to write the results")
    .option("--json", "print a summary as JSON")
    .action(solveFile);
}

async function solveFile(path: string, options: SolveOptions): Promise<void> {
  const { solveCases } = await import("../../policy/cases/solve.ts");
  checkOutputFile("--out", options.out);
  const results = await solveCases(readJsonFile(path), path);
  writeJsonFile(options.out, results);
  if (options.json === true) printJson({ cases: results.cases.length, out: options.out });
  else printText(`${results.cases.length} cases solved: ${options.out}`);
}
