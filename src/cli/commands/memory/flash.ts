// SPDX-License-Identifier: Apache-2.0
// `neardata flash replay`: runs the requests of a facts file on the flash back end. `flash reads`: flash-reads.ts.

import { counted } from "../../../base/format-value.ts";
import type { Command } from "commander";
import { checkOutput } from "../../../base/files/output.ts";
import { exitOnSignal } from "../../terminal/interrupt.ts";
import { readJsonFile } from "../../json-file.ts";
import { printJson, printText } from "../../terminal/output.ts";
import { example } from "../../options/help.ts";
import { rejectTrace } from "../../../kernels/flash/foreign.ts";
import { beginningOf } from "../../../base/files/pieces.ts";
import { replayFacts } from "../../../kernels/flash/replay.ts";
import { parseFacts } from "../../../machine/flash/facts.ts";
import { registerReads } from "./flash-reads.ts";
import { loadFlash } from "../../../native/flash-binding.ts";

interface ReplayOptions {
  readonly out: string;
  readonly json?: boolean;
}

export function register(flash: Command): void {
  flash.addHelpText("after", example("neardata flash replay facts.json --out times.json"));
  flash
    .command("replay")
    .description(
      "Replay the page requests of a file with the arbitration of the file, then with commands before data, and compute the tick of each completion.",
    )
    .argument("<facts>", "The requests (format flash-facts-1); expected values are optional.")
    .requiredOption("--out <file>", "Write the times here.")
    .option("--json", "Print the totals as JSON.")
    .addHelpText("after", example("neardata flash replay facts.json --out times.json"))
    .action(replay);
  registerReads(flash);
}

async function replay(path: string, options: ReplayOptions): Promise<void> {
  const output = checkOutput("--out", options.out, [path]);
  rejectTrace(path, await beginningOf(path));
  const facts = parseFacts(readJsonFile(path), path);
  const document = await exitOnSignal(() => replayFacts(loadFlash(), facts));
  output.writeJson(document);
  const { expected, alternative_cmd_first: other } = document;
  if (options.json === true) {
    printJson({ id: document.id, total_ns: expected.total_ns, cmd_first_ns: other.total_ns });
    return;
  }
  const microseconds = (ns: number): string => (ns / 1000).toFixed(3);
  printText(
    `${document.id}: ${counted(facts.requests.count, "request")} in ${microseconds(expected.total_ns)} us ` +
      `(${expected.bandwidth_GBps.toFixed(3)} GB/s, ${facts.device.arbitration}), ` +
      `${microseconds(other.total_ns)} us when commands go first`,
  );
}
