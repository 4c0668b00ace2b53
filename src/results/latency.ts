// SPDX-License-Identifier: Apache-2.0
// Breakdowns of the time of a run: of an expert by phase of the unit, of attention by unit of the
// engine and by interval of a head. expert-latency.ts and attention-latency.ts compute it.

import type { Seconds } from "../base/units.ts";
import type { Spread } from "./percentiles.ts";

/** A phase of TriMoE's unit. */
export interface ExpertPhase {
  readonly id: "weights" | "compute" | "activation" | "output";
  /** The meaning of its cycles. */
  readonly counts: string;
  readonly resource: string;
  /** Time of the descriptor that belongs to it. */
  readonly time: Seconds;
  /** Part of the descriptor's time, 0 to 1. */
  readonly share: number;
  /** Time its resource was busy, also where it overlaps with another phase. */
  readonly atWork: Seconds;
}

/** A step of the descriptor, and how far its two resources were used. */
export interface ExpertStage {
  readonly id: "load" | "gate-up" | "down";
  readonly time: Seconds;
  /** Bytes relative to the refresh-limited bandwidth. */
  readonly memory: number | null;
  /** Cycles in which the array worked; null, as above, in less than two windows of the record. */
  readonly array: number | null;
  readonly critical: "DRAM" | "array" | "latency" | "too short";
}

export interface ExpertLatency {
  readonly phases: readonly ExpertPhase[];
  readonly stages: readonly ExpertStage[];
}

/** A unit of the engine, or the flash behind it. */
export interface EnginePhase {
  readonly id: "logit-0" | "softmax" | "argtopk" | "logit" | "attend" | "fold" | "flash";
  readonly counts: string;
  readonly resource: string;
  /** Time at work for one head. */
  readonly perHead: Seconds;
  /** Share of the run in which the resource was at work: mean over kernels, or channels. */
  readonly busy: number;
}

/** An interval in the life of a head. */
export interface HeadInterval {
  readonly id: "queue" | "query" | "step 1" | "rank" | "step 2" | "finish" | "return";
  readonly counts: string;
  /** The resource or event that ends the interval. */
  readonly critical: string;
  readonly times: Spread;
}

export interface AttentionLatency {
  /** Empty of engine units if their time is not modelled. */
  readonly phases: readonly EnginePhase[];
  /** Heads whose every page was recorded. */
  readonly intervals: readonly HeadInterval[];
  /** From sent to received. */
  readonly whole: Spread;
  /** Share of the run in which a die was sensing. */
  readonly diesBusy: number;
}
