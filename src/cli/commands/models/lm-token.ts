// SPDX-License-Identifier: Apache-2.0
// `neardata lm token`: decode steps of a mixture-of-experts model on one machine, in one time.

import { counted } from "../../../base/format-value.ts";
import { defined } from "../../../base/defined.ts";
import type { Command } from "commander";
import type { CsdMachine } from "../../../machine/csd/csd-machine.ts";
import { checkOptionalOutput } from "../../../base/files/output.ts";
import type { LowBitFormat } from "../../../golden/low-bit.ts";
import type { TokenRelayout } from "../../../lm/token/token-case.ts";
import { readWholeFile } from "../../../run/files.ts";
import { exitOnSignal } from "../../terminal/interrupt.ts";
import {
  addMixtureOptions,
  assumeOption,
  auditOption,
  countOption,
  devicesOption,
  dimmsOption,
  parseWindows,
  seedOption,
  storageOption,
} from "../../options/lm-options.ts";
import { rejectUnread } from "../../options/options.ts";
import { judgeChecks, printJson, printText } from "../../terminal/output.ts";
import { example } from "../../options/help.ts";
import { perfettoJson } from "../../../report/perfetto.ts";
import { runToken } from "../../../run/token.ts";
import { csdsOn } from "../../../run/csd.ts";
import { openSession } from "../../../native/session.ts";
import { tokenSpans, tokenText } from "../../../lm/token/token-report.ts";
import { hostNamed, loadExperts } from "../../../run/lm-model.ts";

interface TokenOptions {
  readonly model: string;
  readonly text: string;
  readonly attention: "dense" | "sparf";
  readonly ratio: number;
  readonly fidelity: CsdMachine["engine"];
  readonly host: string;
  readonly dimms: number;
  readonly devices: number;
  readonly windows: readonly number[];
  readonly steps: number;
  readonly storage?: LowBitFormat;
  readonly sensitivity?: boolean;
  readonly relayout?: boolean;
  readonly audit?: number;
  readonly seed: number;
  readonly assume: readonly string[];
  readonly timeline?: string;
  readonly json?: boolean;
}

/** Adds `token` to `lm`. */
export function registerToken(lm: Command): void {
  const command = lm
    .command("token")
    .description(
      "Time a token of a mixture of experts: attention on storage devices, routed experts on NDP DIMMs.",
    );
  addMixtureOptions(command)
    .addOption(dimmsOption(4))
    .addOption(devicesOption(2))
    .option(
      "--windows <list>",
      "Windows of the text, one sequence each, such as 0,2,4 (default: 0).",
      parseWindows,
      [0],
    )
    .addOption(countOption("--steps <n>", "Decode steps.", 512).default(4))
    .addOption(storageOption())
    .option("--relayout", "Move experts between DIMMs after each step, by their predicted loads.")
    .addOption(auditOption())
    .addOption(seedOption("The seed of the sample of --audit."))
    .option("--sensitivity", "Also vary links, DIMMs, devices and ratios; needs --json.")
    .addOption(assumeOption())
    .option("--timeline <file>", "Write a timeline for ui.perfetto.dev.")
    .option("--json", "Print the result as JSON.")
    .addHelpText(
      "after",
      example("neardata lm token --windows 0,2 --steps 4 --timeline token.json"),
    )
    .action(decode);
}

function relayoutText({ moves, moveUs, withoutUs }: TokenRelayout): string {
  return `${counted(moves, "expert")} changed the DIMM, ${moveUs.toFixed(2)} us each; where all stay a token takes ${withoutUs.toFixed(2)} us`;
}

async function decode(options: TokenOptions, command: Command): Promise<void> {
  rejectUnread(command, [
    ["ratio", options.attention === "dense", "dense attention moves all of K and V."],
    ["audit", options.fidelity === "rtl", "at fidelity rtl everything runs on RTL."],
    ["seed", options.audit === undefined, "nothing is drawn without --audit."],
    ["sensitivity", options.json !== true, "it is part of the document of --json."],
  ]);
  const { attention, windows, steps, fidelity, dimms, devices } = options;
  const host = hostNamed(options.host);
  checkOptionalOutput("--timeline", options.timeline, [options.model, options.text]);
  const loaded = loadExperts(options.model, options.assume);
  const output = checkOptionalOutput("--timeline", options.timeline, [
    ...loaded.files,
    options.text,
  ]);
  const ratio = attention === "dense" ? null : options.ratio;
  const storage = options.storage ?? null;
  const asked = { model: options.model, text: options.text, windows, steps, fidelity, host };
  const sensitivity = options.sensitivity === true;
  const tokenCase = await exitOnSignal(() =>
    runToken(
      {
        ...asked,
        attention,
        ratio,
        storage,
        dimms,
        devices,
        relayout: options.relayout === true,
        audit: options.audit ?? null,
      },
      { model: loaded.model, text: readWholeFile(options.text) },
      { openNdp: openSession, openCsd: csdsOn() },
      { sensitivity, seed: options.seed },
    ),
  );
  const { report, result, hardware, checks, energy, layers, waits, audit, relayout } = tokenCase;
  output?.write(perfettoJson(tokenSpans(tokenCase.runs)));
  if (options.json === true) {
    printJson({
      fidelity,
      dimms,
      devices,
      storage,
      ...report,
      layers,
      waits,
      energy,
      ...defined({
        sensitivity: sensitivity ? tokenCase.sensitivity : undefined,
        audit: audit ?? undefined,
        relayout: relayout ?? undefined,
      }),
      result,
      hardware,
      checks,
    });
  } else {
    const moved = relayout === null ? [] : [relayoutText(relayout)];
    const audited = checks.filter(({ id }) => id === "audit").map(({ detail }) => detail);
    printText([tokenText(report, host, result.bitsPerByte), ...moved, ...audited].join("\n"));
  }
  judgeChecks(checks);
}
