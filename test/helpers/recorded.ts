// SPDX-License-Identifier: Apache-2.0
// Recorded runs of data/recorded, which pages quote.

import { readFileSync } from "node:fs";

import { inRepository } from "../../src/base/paths.ts";

export interface RecordedRun<Result> {
  readonly command: string;
  readonly date: string;
  /** Absent in old files. */
  readonly processor?: string;
  readonly processorSeconds?: number;
  readonly result: Result;
}

/** Bits of `neardata lm eval` for every window that it scored. */
export interface RecordedQuality {
  readonly bitsPerByte: number;
  readonly scoredBytes: number;
  readonly windows: readonly { readonly window: number; readonly bits: number }[];
}

/** The run of data/recorded/NAME.json; its result is not checked. */
export function recordedRun(name: string): RecordedRun<unknown> {
  const file = inRepository("data", "recorded", `${name}.json`);
  return JSON.parse(readFileSync(file, "utf8")) as RecordedRun<unknown>;
}

/** The one experiment of a recorded `neardata reproduce`, as far as pages quote it. */
export interface RecordedExperiment<Row> {
  readonly checks: readonly {
    readonly what: string;
    readonly ours: number;
    readonly rule: string;
    readonly holds: boolean;
  }[];
  readonly rows: readonly Row[];
}

/** The experiment of data/recorded/NAME.json; its rows are not checked. */
export function recordedExperiment<Row>(name: string): RecordedExperiment<Row> {
  const { experiments } = recordedRun(name).result as {
    readonly experiments: readonly RecordedExperiment<Row>[];
  };
  const [experiment] = experiments;
  if (experiment === undefined) throw new RangeError(`no experiment in ${name}`);
  return experiment;
}

/** Command, date, file, processor and processor time of a record that a page does not state. */
export function missingSource(page: string, name: string): readonly string[] {
  const { command, date, processor = "", processorSeconds = 0 } = recordedRun(name);
  const brand = /Intel\(R\) Xeon\(R\)|AMD EPYC/.exec(processor)?.[0].replaceAll("(R)", "");
  const maker = brand === undefined ? processor : `an ${brand}`;
  return [
    `npx ${command}`,
    date,
    `data/recorded/${name}.json`,
    `${processorSeconds.toLocaleString("en-US")} s of processor time on ${maker}`,
  ].filter((part) => !page.includes(part));
}

/** Difference of two runs in bits per byte, and its standard error over the windows, which both scored. */
export function qualityChange(
  to: RecordedQuality,
  from: RecordedQuality,
): { readonly mean: number; readonly error: number } {
  const count = to.windows.length;
  const perWindow = to.scoredBytes / count;
  const each = to.windows.map(({ window, bits }, at) => {
    const other = from.windows[at];
    if (other?.window !== window) throw new Error(`window ${window} is not at ${at} of both runs`);
    return (bits - other.bits) / perWindow;
  });
  const mean = each.reduce((sum, x) => sum + x, 0) / count;
  const variance = each.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (count - 1);
  return { mean, error: Math.sqrt(variance / count) };
}
