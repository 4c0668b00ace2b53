// SPDX-License-Identifier: Apache-2.0
// `neardata prove`: properties of the RTL that solvers decide. Exit code 1 when one is refuted or
// stays undecided, or, with --planted, when a planted fault shows no trace.

import { Option, type Command } from "commander";

import { inputError } from "../../../errors.ts";
import { checkOptionalOutput } from "../../../files/output.ts";
import type { EngineKind } from "../../../prove/types.ts";
import { failCheck, printJson, printText, remark } from "../../terminal/output.ts";
import { version } from "../../version.ts";

interface Options {
  readonly list: boolean;
  readonly quick: boolean;
  readonly planted: boolean;
  readonly engine?: EngineKind;
  readonly out?: string;
  readonly json: boolean;
}

/** Adds `prove`. */
export function register(program: Command): void {
  program
    .command("prove")
    .description("prove properties of the RTL with solvers, two of which have to agree")
    .argument("[names...]", "harnesses, modules or areas of the list (default: all)")
    .option("--list", "print the list of properties and prove none", false)
    .option("--quick", "only the set of continuous integration", false)
    .option("--planted", "plant each property's fault and look for its trace", false)
    .addOption(
      new Option("--engine <kind>", "only properties of this engine").choices([
        "pdr",
        "window",
        "bounded",
      ]),
    )
    .option("--out <file.html>", "write a page")
    .option("--json", "print one JSON document", false)
    .action(prove);
}

async function prove(names: readonly string[], options: Options): Promise<void> {
  const output = checkOptionalOutput("--out", options.out);
  if (options.list && output !== null) {
    throw inputError("--out", "with --list nothing is proven, and there is no page.");
  }
  if (options.list && options.planted) {
    throw inputError("--planted", "with --list nothing is proven and no fault is planted.");
  }
  const { chosen } = await import("../../../prove/list.ts");
  const { findTools } = await import("../../../prove/tools.ts");
  const { listDocument, listText, plantedRows, provenRows, rowText, summary } =
    await import("../../../prove/table.ts");
  const { quick, engine = null } = options;
  const meant = chosen({ names, quick, engine });
  if (options.list) {
    if (options.json) printJson(listDocument(meant));
    else printText(listText(meant));
    return;
  }
  const tools = findTools();
  const work = options.planted ? plantedRows : provenRows;
  const rows = [];
  for (const harness of meant) {
    remark(options.planted ? `${harness.name}: faults` : harness.name);
    for await (const row of work(tools, harness)) {
      rows.push(row);
      if (!options.json) printText(rowText(row));
    }
  }
  if (options.json) printJson({ tools, rows });
  else printText(summary(rows));
  if (output !== null) {
    const [{ provePage }, { renderPage }] = await Promise.all([
      import("../../../prove/page.ts"),
      import("../../../report/html.ts"),
    ]);
    output.write(renderPage(provePage(rows, tools, version)));
    remark(`page written to ${options.out ?? ""}`);
  }
  if (rows.some((row) => !row.passed)) failCheck();
}
