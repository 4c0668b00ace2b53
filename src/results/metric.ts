// SPDX-License-Identifier: Apache-2.0
// The parts of a result: numbers with unit and source, checks, settings and bounds.

import type {
  Bytes,
  BytesPerSecond,
  Flops,
  FlopsPerSecond,
  Ratio,
  Seconds,
} from "../base/units.ts";
import type { MetricId } from "./metric-ids.ts";

/** The source of a number, which reports show with it. */
export type Source = "measured" | "calibrated" | "assumed" | "published" | "derived";

/** One reported number. `Id` is `string` for results of a program's kernels. */
export interface Metric<Id extends string = MetricId> {
  /** Stable name in results.json. */
  readonly id: Id;
  readonly title: string;
  readonly value: number;
  readonly unit: string;
  readonly source: Source;
}

/** One check of a run, with its actual value. */
export interface Check {
  readonly id: string;
  readonly title: string;
  readonly pass: boolean;
  readonly detail: string;
}

/** The work of an expert, known before a run. */
export interface ExpertWork {
  readonly tokens: number;
  /** Length of an input row. */
  readonly hidden: number;
  /** Rows of gate and up. */
  readonly intermediate: number;
  /** Bytes of the three matrices without padding. */
  readonly weightBytes: Bytes;
  /** Two a multiply-accumulate, without padding, all tokens. */
  readonly flops: Flops;
}

/** Upper bounds of the machine, from its configuration alone. */
export interface Bounds {
  /** All pins at the rate of the bus. */
  readonly peakBandwidth: BytesPerSecond;
  /** The part of it that all-bank refresh leaves. */
  readonly refreshLimitedBandwidth: BytesPerSecond;
  readonly peakCompute: FlopsPerSecond;
}

/** The binding limit of a case, and the utilisation of that limit. */
export interface Bottleneck {
  readonly bound: "memory" | "compute";
  /** Least time by that bound. */
  readonly floor: Seconds;
  /** floor / actual time. */
  readonly reached: Ratio;
}

/** Differences between the outputs and the expected values. */
export interface Accuracy {
  /** Values whose bits differ from the golden model's. */
  readonly differentFromGolden: number;
  readonly values: number;
  /** |y - y64|_2 / |y64|_2 over all outputs. */
  readonly relativeL2: number;
  readonly largestError: number;
}
