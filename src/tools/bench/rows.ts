// SPDX-License-Identifier: Apache-2.0
// The rows of `neardata bench`: which of them run, and which are skipped because another simulator is not installed.

import { inputError, NeardataError, type Issue } from "../../base/errors.ts";
import { formatValue } from "../../base/format-value.ts";
import { peerPath, type Peer } from "./peer.ts";
import type { BenchFigure } from "./result.ts";

/** A row that measures neardata, alone or beside a peer. */
export interface BenchRow {
  readonly peer?: Peer;
  /** `program` is the path of the peer's program; without a peer it is empty. */
  readonly measure: (repeats: number, program: string) => Promise<readonly BenchFigure[]>;
}

/** Rows by name, in the order of their measurement. */
export type BenchRows = Readonly<Record<string, BenchRow>>;

export interface RowsOptions {
  readonly repeats: number;
  /** Names of rows; none: all rows whose peer is installed. */
  readonly only: readonly string[];
  /** Gets one sentence for each skipped row, before the first measurement. */
  readonly onSkip: (sentence: string) => void;
}

/** The figures of the selected rows. @throws NeardataError `tool-missing` with each peer that a named row lacks */
export async function benchRows(
  rows: BenchRows,
  { repeats, only, onSkip }: RowsOptions,
): Promise<readonly BenchFigure[]> {
  const selected = Object.entries(rows).filter(
    ([name]) => only.length === 0 || only.includes(name),
  );
  const absent: Issue[] = [];
  const ready = selected.flatMap(([name, { peer, measure }]) => {
    const program = peer === undefined ? "" : installedProgram(peer);
    if (typeof program === "string") return [{ measure, program }];
    if (only.length > 0) absent.push({ where: "", message: program.reason });
    else onSkip(`${name} is skipped: ${program.reason}`);
    return [];
  });
  if (absent.length > 0) throw new NeardataError("tool-missing", absent);
  const figures: BenchFigure[] = [];
  for (const { measure, program } of ready) figures.push(...(await measure(repeats, program)));
  return figures;
}

/** The path of a peer's program, or the reason why there is none. */
function installedProgram(peer: Peer): string | { readonly reason: string } {
  try {
    return peerPath(peer);
  } catch (error) {
    if (error instanceof NeardataError) return { reason: error.message };
    throw error;
  }
}

/** Adds a row to the value of `--only`. @throws NeardataError `bad-input` if no row has this name */
export function rowNamed(rows: BenchRows) {
  return (text: string, before: readonly string[]): readonly string[] => {
    const names = Object.keys(rows);
    if (names.includes(text)) return [...before, text];
    const message = `${formatValue(text)} is not a row; rows are ${names.join(", ")}.`;
    throw inputError("--only", message);
  };
}
