// SPDX-License-Identifier: Apache-2.0
// What a campaign did, a row a command: inputs, failures, seconds on the clock, exit codes, and the
// seed of the slowest input.

import type { Ran } from "./campaign.ts";

interface Row {
  inputs: number;
  failed: number;
  seconds: number;
  slowest: number;
  slowestSeed: number;
  readonly codes: Map<string, number>;
}

export interface CommandTable {
  readonly add: (ran: Ran, seed: number) => void;
  readonly text: () => string;
}

const columns = ["inputs", "failed", "seconds", "slowest", "of seed", "exit codes"];

/** An empty table. */
export function commandTable(): CommandTable {
  const rows = new Map<string, Row>();
  return {
    add: ({ broken, input, outcome }, seed) => {
      const row = rows.get(input.command) ?? emptyRow();
      rows.set(input.command, row);
      const stopped = outcome.kind === "ended" && outcome.stopped;
      const code = outcome.kind === "died" ? "died" : stopped ? "stopped" : String(outcome.code);
      row.codes.set(code, (row.codes.get(code) ?? 0) + 1);
      row.inputs += 1;
      row.seconds += outcome.seconds;
      row.failed += broken.length > 0 ? 1 : 0;
      if (outcome.seconds <= row.slowest) return;
      row.slowest = outcome.seconds;
      row.slowestSeed = seed;
    },
    text: () => {
      const lines = [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(lineOf);
      return [line("command", columns), ...lines].join("\n");
    },
  };
}

function emptyRow(): Row {
  return { inputs: 0, failed: 0, seconds: 0, slowest: 0, slowestSeed: 0, codes: new Map() };
}

function lineOf([command, row]: readonly [string, Row]): string {
  const codes = [...row.codes].sort().map(([code, n]) => `${code}: ${String(n)}`);
  const { failed, inputs, seconds, slowest, slowestSeed } = row;
  const times = [seconds.toFixed(1), slowest.toFixed(2)];
  const counts = [String(inputs), String(failed), ...times, String(slowestSeed)];
  return line(command, [...counts, codes.join(", ")]);
}

function line(command: string, cells: readonly string[]): string {
  const right = cells.slice(0, -1).map((cell) => cell.padStart(11));
  return `${command.padEnd(14)} ${right.join(" ")}   ${cells.at(-1) ?? ""}`;
}
