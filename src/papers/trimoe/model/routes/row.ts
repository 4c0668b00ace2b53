// SPDX-License-Identifier: Apache-2.0
// A row of a recorded trace of routes, and the contents of a file in one of the formats.

/** Tokens of an expert in one step of a layer, with the line of the file. */
export interface RouteRow {
  readonly step: number;
  readonly layer: number;
  readonly expert: number;
  readonly tokens: number;
  /** A line, `:12`, or a place in a JSON document, `: logical_count[0]`; behind the file's name. */
  readonly where: string;
}

/** A broken rule and where, behind the file's name. */
export interface RouteProblem {
  readonly where: string;
  readonly message: string;
}

/** Rows, problems, and remarks for a reader of the results. */
export interface Routes {
  readonly rows: readonly RouteRow[];
  readonly problems: readonly RouteProblem[];
  readonly notes: readonly string[];
}

/** The note of a trace whose counts are sums over a recording. */
export const withoutSteps =
  "the trace has no steps: what it counts of a layer is taken for one step.";

export const maxNumber: number = 2 ** 31 - 1;

/** A whole number from 0 to `maxNumber`. */
export function isWholeNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= maxNumber;
}
