// SPDX-License-Identifier: Apache-2.0
// Data of timelines: intervals on tracks and lanes, and values that change.

/** An activity on a track. Times are nanoseconds of simulated time. */
export interface Span {
  readonly track: string;
  readonly lane: string;
  readonly name: string;
  readonly startNs: number;
  readonly durationNs: number;
  readonly args?: Readonly<Record<string, string | number>>;
}

/** A value that changes over time, plotted as a step curve. */
export interface Sample {
  readonly track: string;
  readonly name: string;
  readonly timeNs: number;
  readonly value: number;
}
