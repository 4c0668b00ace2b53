// SPDX-License-Identifier: Apache-2.0
// One step of attention of a layer: its run, and which job is which head's.

import type { CsdRun } from "./csd-types.ts";

/** One attention of every head. */
export interface LayerStep {
  /** Tokens in the cache. */
  readonly length: number;
  readonly run: CsdRun;
  /** By head: the job of its attention. */
  readonly jobs: readonly number[];
}
