// SPDX-License-Identifier: Apache-2.0
// `neardata flash replay`: runs the requests of a facts file on the flash back end.

import type { Command } from "commander";
import { checkOutput } from "../../../base/files/output.ts";
import { endedAtOnce } from "../../terminal/interrupt.ts";
import { readJsonFile } from "../../json-file.ts";
import { printJson, printText } from "../../terminal/output.ts";

interface ReplayOptions {
  readonly out: string;
  readonly json?: boolean;
}

export function register(program: Command): void {
  const flash = program.command("flash").description("the flash back end by itself");
  flash
    .command("replay")
    .description("time the page requests of a facts file, to the tick, in both arbitrations")
    .argument("<facts>", "facts file (format flash-facts-1); expected values are not needed")
    .requiredOption("--out <file>", "where to write the times")
    .option("--json", "print the totals as JSON")
    .action(replay);
}

async function replay(path: string, options: ReplayOptions): Promise<void> {
  const { loadFlash } = await import("../../../native/flash-binding.ts");
  const { parseFacts } = await import("../../../machine/flash/facts.ts");
  const { replayFacts } = await import("../../../kernels/flash/replay.ts");
  const { beginningOf } = await import("../../../base/files/pieces.ts");
  const { refuseTrace } = await import("../../../kernels/flash/foreign.ts");
  const output = checkOutput("--out", options.out, [path]);
  refuseTrace(path, await beginningOf(path));
  const facts = parseFacts(readJsonFile(path), path);
  const document = await endedAtOnce(() => replayFacts(loadFlash(), facts));
  output.writeJson(document);
  const { expected, alternative_cmd_first: other } = document;
  if (options.json === true) {
    printJson({ id: document.id, total_ns: expected.total_ns, cmd_first_ns: other.total_ns });
    return;
  }
  const microseconds = (ns: number): string => (ns / 1000).toFixed(3);
  printText(
    `${document.id}: ${facts.requests.count} requests in ${microseconds(expected.total_ns)} us ` +
      `(${expected.bandwidth_GBps.toFixed(3)} GB/s, ${facts.device.arbitration}), ` +
      `${microseconds(other.total_ns)} us when commands go first`,
  );
}
