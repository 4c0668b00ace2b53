// SPDX-License-Identifier: Apache-2.0
// What a format of request traces is: how its first line looks, and how a line becomes a request.

/** A time in whole seconds and the rest: a date in seconds leaves a double no microseconds. */
export interface TraceTime {
  readonly whole: number;
  readonly fraction: number;
}

/** A line of a trace. `time` is null if times are not needed. */
export interface RequestRow {
  readonly time: TraceTime | null;
  readonly prompt: number;
  readonly generated: number;
}

/** A row, or the rule that the line breaks. */
export type RowOrProblem = RequestRow | string;

/** Reads the lines of one file. */
export interface RowReader {
  readonly read: (line: string) => RowOrProblem;
  /** The first line is a request and not a header. */
  readonly firstIsRow: boolean;
}

/** Problems of a whole file, such as a column that is missing. */
export interface FileProblems {
  readonly problems: readonly string[];
}

export interface RequestFormat {
  /** As a sentence names it. */
  readonly title: string;
  /** Its first line. */
  readonly example: string;
  /** A remark that results contain. */
  readonly note?: string;
  /** Why requests have no tokens. */
  readonly empty: string;
  /**
   * Null where the first line is of another format. Without `times` arrivals are neither needed nor read.
   */
  readonly open: (first: string, times: boolean) => RowReader | FileProblems | null;
}

/** Tokens of a request: up to nine digits. */
const tokens = /^\d{1,9}$/;

/** A number of tokens. */
export function tokensOf(text: string): number | null {
  return tokens.test(text) ? Number(text) : null;
}
