// SPDX-License-Identifier: Apache-2.0
// `neardata bench`: speeds of this machine, as ratios measured in one run.

import type { Command } from "commander";

import { inputError, NeardataError } from "../../base/errors.ts";
import { formatValue } from "../../base/format-value.ts";
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
import { cocotbPeer, mqsimPeer, peerPath, type Peer } from "../../tools/bench/peer.ts";
import { benchTable, type BenchFigure } from "../../tools/bench/result.ts";
import { paperMachine } from "../../machine/resolve/systems.ts";
import { sweepWorker } from "../options/executors.ts";

interface Options {
  readonly repeats: number;
  readonly only: readonly RowName[];
  readonly json: boolean;
}

const defaultRepeats = 5;
const maxRepeats = 1000;
/** Requests of the trace that MQSim and neardata replay. */
const traceRequests = 200_000;

/** An expert of DeepSeek-V2. */
const shape = {
  hidden: 5120,
  intermediate: 1536,
  tokens: 1,
  format: "fp16",
  activation: "silu",
} as const;

type Row = (repeats: number) => Promise<readonly BenchFigure[]>;

/**
 * Rows in the order of their measurement. First the benches that compare this process with a testbench in another
 * process: sessions leave a large heap behind.
 */
const rows = {
  driven: async (repeats) => benchDriven(paperMachine(), shape, repeats),
  ndp: async (repeats) => benchNdp(paperMachine(), shape, repeats),
  flash: benchFlash,
  mqsim: async (repeats) => benchMqsim(peerPath(mqsimPeer), repeats, traceRequests),
  sparf: benchSparf,
  overheads: async (repeats) => benchOverheads(paperMachine("cycle"), shape, repeats),
  unit: benchUnit,
  cocotb: async (repeats) => benchCocotb(peerPath(cocotbPeer), repeats),
  sweep: async (repeats) => {
    // Sweeps need an optional package, so they are imported only here.
    const { benchSweep } = await import("../../tools/bench/sweep.ts");
    return benchSweep(sweepWorker(), repeats);
  },
} as const satisfies Readonly<Record<string, Row>>;
type RowName = keyof typeof rows;
const rowNames = Object.keys(rows) as readonly RowName[];

/** Rows that are skipped if the peer is not installed, unless `--only` names them. */
const peers: Readonly<Partial<Record<RowName, Peer>>> = { mqsim: mqsimPeer, cocotb: cocotbPeer };

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
      `Measure only this row: ${rowNames.join(", ")}; repeatable.`,
      (text: string, before: readonly RowName[]) => [...before, rowNamed(text)],
      [],
    )
    .option("--json", "Print one JSON document.", false)
    .addHelpText("after", example("neardata bench --repeats 3 --only mqsim --only cocotb"))
    .action(async ({ repeats, only, json }: Options) => {
      remark(`medians of ${String(repeats)} turns; building what is not in the cache comes first`);
      const skipped = only.length > 0 ? [] : absentPeers();
      for (const { row, reason } of skipped) remark(`${row} is skipped: ${reason}`);
      const figures: BenchFigure[] = [];
      for (const name of rowNames) {
        if (only.length > 0 && !only.includes(name)) continue;
        if (skipped.some(({ row }) => row === name)) continue;
        figures.push(...(await rows[name](repeats)));
      }
      if (json) printJson({ repeats, figures, skipped });
      else printText(benchTable(figures));
    });
}

function rowNamed(text: string): RowName {
  const name = rowNames.find((known) => known === text);
  if (name !== undefined) return name;
  const message = `${formatValue(text)} is not a row; rows are ${rowNames.join(", ")}.`;
  throw inputError("--only", message);
}

/** Rows whose peer this machine lacks, and the reasons. */
function absentPeers(): readonly { readonly row: RowName; readonly reason: string }[] {
  return rowNames.flatMap((row) => {
    const peer = peers[row];
    if (peer === undefined) return [];
    try {
      peerPath(peer);
      return [];
    } catch (error) {
      if (!(error instanceof NeardataError)) throw error;
      return [{ row, reason: error.message }];
    }
  });
}
