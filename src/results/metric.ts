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

/** Where a number comes from; shown beside it. */
export type Source = "measured" | "calibrated" | "assumed" | "published" | "derived";

/** One number that a person sees. `Id` is `string` where kernels of a program are among the sources. */
export interface Metric<Id extends string = MetricId> {
  /** Stable name in results.json. */
  readonly id: Id;
  readonly title: string;
  readonly value: number;
  readonly unit: string;
  readonly source: Source;
}

/** One rule that must hold for the run to count, with what was found. */
export interface Check {
  readonly id: string;
  readonly title: string;
  readonly pass: boolean;
  readonly detail: string;
}

/** What an expert asks of a machine, before anything ran. */
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

/** What the machine could do at best, from its configuration alone. */
export interface Bounds {
  /** All pins at the rate of the bus. */
  readonly peakBandwidth: BytesPerSecond;
  /** What all-bank refresh leaves of it. */
  readonly refreshLimitedBandwidth: BytesPerSecond;
  readonly peakCompute: FlopsPerSecond;
}

/** Which bound holds a case and how near the case is to the bound. */
export interface Bottleneck {
  readonly bound: "memory" | "compute";
  /** Least time by that bound. */
  readonly floor: Seconds;
  /** floor / time taken. */
  readonly reached: Ratio;
}

/** How the outputs compare with what they should be. */
export interface Accuracy {
  /** Values whose bits differ from the golden model's. */
  readonly differentFromGolden: number;
  readonly values: number;
  /** |y - y64|_2 / |y64|_2 over all outputs. */
  readonly relativeL2: number;
  readonly largestError: number;
}
