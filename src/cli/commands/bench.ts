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
import { benchCocotb } from "../../tools/bench/cocotb.ts";
import { benchMqsim } from "../../tools/bench/mqsim.ts";
import { cocotbPeer, mqsimPeer } from "../../tools/bench/peer.ts";
import { benchRows, rowNamed, type BenchRows } from "../../tools/bench/rows.ts";
import { benchTable } from "../../tools/bench/result.ts";
import { paperMachine } from "../../machine/resolve/systems.ts";
import { sweepWorker } from "../options/executors.ts";

interface Options {
  readonly repeats: number;
  readonly only: readonly string[];
  readonly json: boolean;
}

const defaultRepeats = 5;
const maxRepeats = 1000;
/** Requests of the trace that MQSim and neardata replay. */
const requests = 200_000;
/** Pages that pass the filter under cocotb and driven from TypeScript. */
const pages = 10;

/** An expert of DeepSeek-V2. */
const shape = {
  hidden: 5120,
  intermediate: 1536,
  tokens: 1,
  format: "fp16",
  activation: "silu",
} as const;

// First the benches that compare this process with another process: sessions leave a large heap behind.
const rows: BenchRows = {
  driven: { measure: async (repeats) => benchDriven(paperMachine(), shape, repeats) },
  cocotb: {
    peer: cocotbPeer,
    measure: async (repeats, program) => benchCocotb(program, { repeats, pages }),
  },
  mqsim: {
    peer: mqsimPeer,
    measure: async (repeats, program) => benchMqsim(program, { repeats, requests }),
  },
  ndp: { measure: async (repeats) => benchNdp(paperMachine(), shape, repeats) },
  flash: { measure: benchFlash },
  sparf: { measure: benchSparf },
  overheads: {
    measure: async (repeats) => benchOverheads(paperMachine("cycle"), shape, repeats),
  },
  unit: { measure: benchUnit },
  sweep: {
    measure: async (repeats) => {
      // Sweeps need an optional package, so they are imported only here.
      const { benchSweep } = await import("../../tools/bench/sweep.ts");
      return benchSweep(sweepWorker(), repeats);
    },
  },
};

export function register(command: Command): void {
  command
    .option(
      "--repeats <n>",
      "Repetitions of each measurement.",
      wholeNumber("--repeats", 1, maxRepeats),
      defaultRepeats,
    )
    .option(
      "--only <row>",
      `Measure only this row: ${Object.keys(rows).join(", ")}; repeatable.`,
      rowNamed(rows),
      [],
    )
    .option("--json", "Print one JSON document.", false)
    .addHelpText("after", example("neardata bench --repeats 3"))
    .action(async ({ repeats, only, json }: Options) => {
      remark(`medians of ${String(repeats)} turns; building what is not in the cache comes first`);
      const figures = await benchRows(rows, { repeats, only, onSkip: remark });
      if (json) printJson({ repeats, figures });
      else printText(benchTable(figures));
    });
}
