// SPDX-License-Identifier: Apache-2.0
// `neardata bench`: speeds of this machine, as ratios measured in one run.

import type { Command } from "commander";

import { inputError } from "../../errors.ts";
import { printJson, printText, remark } from "../output.ts";

interface Options {
  readonly repeats: string;
  readonly json: boolean;
}

const defaultRepeats = "5";

export function register(program: Command): void {
  program
    .command("bench")
    .description("measure how fast the models run: ratios from one run, medians of several turns")
    .option("--repeats <n>", "turns of each measurement", defaultRepeats)
    .option("--json", "print one JSON document", false)
    .action(async (options: Options) => {
      const repeats = Number(options.repeats);
      if (!Number.isInteger(repeats) || repeats < 1) {
        throw inputError("--repeats", `${options.repeats} is not a whole number above 0.`);
      }
      const [
        { benchNdp },
        { benchFlash },
        { benchSparf },
        { benchSweep },
        { benchTable },
        { paperMachine },
        { sweepWorker },
      ] = await Promise.all([
        import("../../bench/ndp.ts"),
        import("../../bench/flash.ts"),
        import("../../bench/sparf.ts"),
        import("../../bench/sweep.ts"),
        import("../../bench/result.ts"),
        import("../../config/systems.ts"),
        import("../executors.ts"),
      ]);
      remark(`medians of ${String(repeats)} turns; building what is not in the cache comes first`);
      const shape = {
        hidden: 5120,
        intermediate: 1536,
        tokens: 1,
        format: "fp16",
        activation: "silu",
      } as const;
      const figures = [
        ...(await benchNdp(paperMachine(), shape, repeats)),
        ...(await benchFlash(repeats)),
        ...(await benchSparf(repeats)),
        ...(await benchSweep(sweepWorker(), repeats)),
      ];
      if (options.json) printJson({ repeats, figures });
      else printText(benchTable(figures));
    });
}
