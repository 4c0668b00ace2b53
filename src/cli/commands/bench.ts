// SPDX-License-Identifier: Apache-2.0
// `neardata bench`: speeds of this machine, as ratios measured in one run.

import type { Command } from "commander";

import { wholeNumber } from "../options/options.ts";
import { printJson, printText } from "../terminal/output.ts";
import { remark } from "../../run/remark.ts";
import { example } from "../options/help.ts";
import { benchNdp } from "../../tools/bench/ndp.ts";
import { benchFlash } from "../../tools/bench/flash.ts";
import { benchSparf } from "../../tools/bench/sparf.ts";
import { benchOverheads } from "../../tools/bench/overheads.ts";
import { benchDriven } from "../../tools/bench/driven.ts";
import { benchUnit } from "../../tools/bench/unit.ts";
import { benchTable } from "../../tools/bench/result.ts";
import { paperMachine } from "../../machine/resolve/systems.ts";
import { sweepWorker } from "../options/executors.ts";

interface Options {
  readonly repeats: number;
  readonly json: boolean;
}

const defaultRepeats = 5;
const maxRepeats = 1000;

export function register(command: Command): void {
  command
    .option(
      "--repeats <n>",
      "Repetitions of each measurement.",
      wholeNumber("--repeats", 1, maxRepeats),
      defaultRepeats,
    )
    .option("--json", "Print one JSON document.", false)
    .addHelpText("after", example("neardata bench --repeats 3"))
    .action(async ({ repeats, json }: Options) => {
      // Sweeps need an optional package, so they are imported only now.
      const { benchSweep } = await import("../../tools/bench/sweep.ts");
      remark(`medians of ${String(repeats)} turns; building what is not in the cache comes first`);
      const shape = {
        hidden: 5120,
        intermediate: 1536,
        tokens: 1,
        format: "fp16",
        activation: "silu",
      } as const;
      // First the benches that compare this process with a testbench in another process: sessions leave a
      // large heap behind.
      const figures = [
        ...(await benchDriven(paperMachine(), shape, repeats)),
        ...(await benchNdp(paperMachine(), shape, repeats)),
        ...(await benchFlash(repeats)),
        ...(await benchSparf(repeats)),
        ...(await benchOverheads(paperMachine("cycle"), shape, repeats)),
        ...(await benchUnit(repeats)),
        ...(await benchSweep(sweepWorker(), repeats)),
      ];
      if (json) printJson({ repeats, figures });
      else printText(benchTable(figures));
    });
}
