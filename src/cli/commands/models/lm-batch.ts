// SPDX-License-Identifier: Apache-2.0
// `neardata lm batch`: requests of a trace in one running batch on storage devices and NDP DIMMs.

import { counted } from "../../../base/format-value.ts";
import { present } from "../../../base/present.ts";
import type { Command } from "commander";
import type { CsdMachine } from "../../../machine/csd/csd-machine.ts";
import { checkOutputs, writeAllOrNothing } from "../../../base/files/output.ts";
import type { LowBitFormat } from "../../../golden/low-bit.ts";
import type { HostName } from "../../../machine/host/devices.ts";
import { batchText, batchSamples, batchSpans } from "../../../lm/batch/batch-report.ts";
import { readWholeFile } from "../../../run/files.ts";
import {
  addMixtureOptions,
  assumeOption,
  auditOption,
  countOption,
  devicesOption,
  dimmsOption,
  seedOption,
  storageOption,
} from "../../options/lm-options.ts";
import { inputPath, rejectUnread } from "../../options/options.ts";
import { exitOnSignal } from "../../terminal/interrupt.ts";
import { judgeChecks, printJson, printText } from "../../terminal/output.ts";
import { type ServedTrace, serveTrace } from "../../../run/batch.ts";
import { shareLine } from "../../../run/progress.ts";
import { example } from "../../options/help.ts";
import { renderPage } from "../../../report/html.ts";
import { perfettoJson } from "../../../report/perfetto.ts";
import { firstRequests } from "../../../workload/request-trace.ts";
import { openPieces } from "../../../base/files/pieces.ts";
import { linesOf } from "../../../base/files/lines.ts";
import { csdsOn } from "../../../run/csd.ts";
import { openSession } from "../../../native/session.ts";
import { hostNamed, loadExperts } from "../../../run/lm-model.ts";

interface BatchOptions {
  readonly trace: string;
  readonly requests: number;
  readonly shrink?: number;
  readonly pace: number;
  readonly batch: number;
  readonly chunk: number;
  readonly room?: number;
  readonly model: string;
  readonly text: string;
  readonly attention: "dense" | "sparf";
  readonly ratio: number;
  readonly fidelity: CsdMachine["engine"];
  readonly host: string;
  readonly dimms: number;
  readonly devices: number;
  readonly storage?: LowBitFormat;
  readonly audit?: number;
  readonly seed: number;
  readonly assume: readonly string[];
  readonly timeline?: string;
  readonly page?: string;
  readonly json?: boolean;
}

/** Adds `batch` to `lm`. */
export function registerBatch(lm: Command): void {
  const command = lm
    .command("batch")
    .description(
      "Serve the requests of a trace with continuous batching and chunked prefill, on the machine of `lm token`.",
    )
    .requiredOption(
      "--trace <file>",
      "The requests: a trace of Azure LLM inference, Mooncake or BurstGPT, plain or gzip.",
      inputPath,
    )
    .addOption(
      countOption("--requests <n>", "Serve the first n requests of the trace.", 1e6).default(8),
    )
    .addOption(
      countOption(
        "--shrink <n>",
        "Shorten a length of t tokens to ceil(t / n) (default: the smallest n with which all requests fit the model).",
        1e6,
      ),
    )
    .addOption(
      countOption("--pace <n>", "Requests arrive n times as fast as in the trace.", 1e9).default(
        100,
      ),
    )
    .addOption(countOption("--batch <n>", "Sequences in the batch at most.", 256).default(8))
    .addOption(countOption("--chunk <n>", "Prompt tokens in a step at most.", 1024).default(64))
    .addOption(
      countOption(
        "--room <n>",
        "Flash pages of a device for keys and values (default: 7/8 of all pages).",
        1e9,
      ),
    );
  addMixtureOptions(command)
    .addOption(dimmsOption(4))
    .addOption(devicesOption(2))
    .addOption(storageOption())
    .addOption(auditOption())
    .addOption(seedOption("The seed of the sample of --audit."))
    .addOption(assumeOption())
    .option("--timeline <file>", "Write a timeline for ui.perfetto.dev.")
    .option("--page <file>", "Write a report page.")
    .option("--json", "Print the result as JSON.")
    .addHelpText("after", example("neardata lm batch --trace requests.csv --requests 8 --dimms 8"))
    .action(serve);
}

async function serve(options: BatchOptions, command: Command): Promise<void> {
  rejectUnread(command, [
    ["ratio", options.attention === "dense", "dense attention moves all of K and V."],
    ["audit", options.fidelity === "rtl", "at fidelity rtl everything runs on RTL."],
    ["seed", options.audit === undefined, "nothing is drawn without --audit."],
  ]);
  const { attention, fidelity, timeline, page, text } = options;
  const places = [
    ...(timeline === undefined ? [] : [{ option: "--timeline", path: timeline }]),
    ...(page === undefined ? [] : [{ option: "--page", path: page }]),
  ];
  checkOutputs(places, [options.trace, options.model, text]);
  const host = hostNamed(options.host);
  const trace = await firstRequests(
    options.trace,
    linesOf(options.trace, openPieces(options.trace)),
    options.requests,
  );
  const { model, files } = loadExperts(options.model, options.assume);
  const outputs = checkOutputs(places, [...files, text, options.trace]);
  const { requests, shrink, pace, batch, chunk, room, dimms, devices, audit, seed } = options;
  const line = shareLine(options.trace);
  const served = await exitOnSignal(() =>
    serveTrace(
      {
        trace,
        requests,
        pace,
        batch,
        chunk,
        fidelity,
        host,
        dimms,
        devices,
        seed,
        shrink: shrink ?? null,
        room: room ?? null,
        ratio: attention === "dense" ? null : options.ratio,
        storage: options.storage ?? null,
        audit: audit ?? null,
      },
      model,
      readWholeFile(text),
      { openNdp: openSession, openCsd: csdsOn(), onProgress: line.update },
    ),
  ).finally(line.end);
  const { run, report, rules, document, resultHash } = served;
  const contents: string[] = [];
  if (timeline !== undefined) {
    contents.push(perfettoJson(batchSpans(run), batchSamples(run.steps)));
  }
  if (page !== undefined) {
    const { batchPage } = await import("../../../report/batch.ts");
    const provenance = [
      ["result hash", resultHash],
      ["trace", options.trace],
      [
        "machine",
        `${counted(dimms, "NDP DIMM")}, ${counted(devices, "storage device")}, ${host}, fidelity ${fidelity}`,
      ],
    ] as const;
    const title = `${counted(requests, "request")} in one batch`;
    const notes = { title, rules, provenance };
    contents.push(renderPage(batchPage(run, report, run.checks, notes)));
  }
  writeAllOrNothing(outputs.map((output, i) => [output, present(contents[i])]));
  if (options.json === true) printJson({ resultHash, ...document });
  else printText(servedText(served, host));
  judgeChecks(run.checks);
}

/** The rules, every number, and the results of the audit. */
function servedText({ rules, report, run }: ServedTrace, host: HostName): string {
  const audited = run.checks.filter(({ id }) => id === "audit").map(({ detail }) => detail);
  return [rules, batchText(report, host), ...audited].join("\n");
}
