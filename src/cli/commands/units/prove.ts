// SPDX-License-Identifier: Apache-2.0
// `neardata prove`: properties of the RTL that solvers decide. Exit code 1 when one is refuted or
// stays undecided, or, with --inject, when an injected fault shows no trace.

import { Option, type Command } from "commander";

import { inputError } from "../../../base/errors.ts";
import { checkOptionalOutput } from "../../../base/files/output.ts";
import {
  type Row,
  listText,
  injectedFaultRows,
  provenRows,
  rowText,
  summary,
} from "../../../tools/prove/table.ts";
import type { EngineKind } from "../../../tools/prove/types.ts";
import { interruptible } from "../../terminal/interrupt.ts";
import { failCheck, printJson, printText } from "../../terminal/output.ts";
import { remark } from "../../../run/remark.ts";
import { version } from "../../../base/version.ts";
import { example } from "../../options/help.ts";
import { renderPage } from "../../../report/html.ts";
import { provePage } from "../../../tools/prove/page.ts";
import { sampled } from "../../../tools/prove/netlists/list.ts";
import { gateListText, gateRows, injectedGateRows } from "../../../tools/prove/clocks/table.ts";
import {
  netlistRow,
  netlistText,
  injectedNetlistRow,
} from "../../../tools/prove/netlists/table.ts";
import { workers } from "../../../tools/prove/workers.ts";
import { findTools } from "../../../tools/prove/tools.ts";
import { chosen } from "../../../tools/prove/list.ts";

interface Options {
  readonly list: boolean;
  readonly quick: boolean;
  readonly inject: boolean;
  readonly engine?: EngineKind | "registers" | "gate";
  readonly out?: string;
  readonly json: boolean;
}

export function register(command: Command): void {
  command
    .argument("[names...]", "Harnesses, modules, netlists or areas of the list (default: all).")
    .option("--list", "Print the list of properties and prove none.", false)
    .option("--quick", "Prove only the set of continuous integration.", false)
    .option("--inject", "Inject the fault of each property and expect a trace.", false)
    .addOption(
      new Option("--engine <kind>", "Prove only properties of this engine.").choices([
        "pdr",
        "induction",
        "window",
        "bounded",
        "registers",
        "gate",
      ]),
    )
    .option("--out <file.html>", "Write a page.")
    .option("--json", "Print one JSON document.", false)
    .addHelpText("after", example("neardata prove --list"))
    .action(prove);
}

async function prove(names: readonly string[], options: Options): Promise<void> {
  const output = checkOptionalOutput("--out", options.out);
  if (options.list && output !== null) {
    throw inputError("--out", "with --list nothing is proven, and there is no page.");
  }
  if (options.list && options.inject) {
    throw inputError("--inject", "with --list nothing is proven and no fault is injected.");
  }
  const { quick, engine = null } = options;
  const meant = chosen({ names, quick, engine });
  if (options.list) {
    if (options.json) printJson({ ...meant, sampled });
    else {
      const { harnesses, netlists, gates } = meant;
      const lines = [...listText(harnesses), ...netlistText(netlists), ...gateListText(gates)];
      printText(lines.join("\n"));
    }
    return;
  }
  const tools = findTools();
  const rows: Row[] = [];
  await interruptible(async (signal) => {
    const prover = { tools, workers: workers(undefined, signal) };
    const ofHarness = options.inject ? injectedFaultRows : provenRows;
    const ofNetlist = options.inject ? injectedNetlistRow : netlistRow;
    const ofGate = options.inject ? injectedGateRows : gateRows;
    const tasks = [
      ...meant.harnesses.flatMap((harness) => ofHarness(prover, harness)),
      ...meant.netlists.map((slice) => ofNetlist(prover, slice)),
      ...meant.gates.flatMap((proof) => ofGate(prover, proof)),
    ];
    const begins = tasks.map(({ name, rows: made }, i) => async () => {
      if (name !== tasks[i - 1]?.name) remark(name);
      return made();
    });
    for await (const some of prover.workers.inOrder(begins)) {
      rows.push(...some);
      if (!options.json) for (const row of some) printText(rowText(row));
    }
  });
  if (options.json) printJson({ tools, rows });
  else printText(summary(rows));
  if (output !== null) {
    output.write(renderPage(provePage(rows, tools, version)));
    remark(`page written to ${options.out ?? ""}`);
  }
  if (rows.some((row) => !row.passed)) failCheck();
}
