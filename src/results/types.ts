// SPDX-License-Identifier: Apache-2.0
// The complete results of a run as plain data: the source of results.json, of the terminal table
// and of the report. Renderers only format these values.

import type { CsdMachine } from "../machine/csd/csd-machine.ts";
import type { LayerStep } from "../machine/csd/layer-step.ts";
import type { Arrival } from "./arrival.ts";
import type { NdpMachine, NdpRun } from "../machine/types.ts";
import type { FlashPreset } from "../machine/flash/presets.ts";

import type { ActivationFunction, GateFunction } from "../golden/names.ts";
import type { OperandFormats } from "../machine/operands.ts";
import type { AttentionLatency } from "./latency.ts";
import type { Accuracy, Bottleneck, Bounds, Check, ExpertWork, Metric, Source } from "./metric.ts";
import type { ExpertLatency } from "./latency.ts";
import type { Seconds } from "../base/units.ts";

/** One expert at one token count on one machine. */
export interface CaseResult {
  readonly id: string;
  readonly title: string;
  readonly layout: string;
  readonly fidelity: "rtl" | "cycle" | "analytic";
  /** Of inputs and weights. */
  readonly operands: OperandFormats;
  readonly activation: ActivationFunction | GateFunction;
  readonly work: ExpertWork;
  readonly machine: NdpMachine;
  readonly bounds: Bounds;
  readonly bottleneck: Bottleneck;
  readonly time: Seconds;
  /** Absent where nothing was simulated. */
  readonly run: NdpRun | null;
  /** Likewise, and where the run did not end. */
  readonly latency: ExpertLatency | null;
  readonly accuracy: Accuracy | null;
  /** SHA-256 of the output bits, row by row; null where none were computed. */
  readonly outputHash: string | null;
  /**
   * The simulated transfer of the expert to its DIMM; null if the expert is in place, or if nothing
   * was simulated.
   */
  readonly arrival: Arrival["run"];
  readonly metrics: readonly Metric[];
  readonly checks: readonly Check[];
}

/** Dense or sparse attention of a layer on one kind of device. */
export interface AttentionCase {
  readonly id: string;
  readonly title: string;
  readonly method: "dense" | "sparf";
  readonly flash: FlashPreset;
  readonly devices: number;
  readonly inFlight: number;
  readonly fidelity: "rtl" | "cycle" | "analytic";
  readonly heads: number;
  /** Queries that share a head's keys and values; absent: one. */
  readonly group?: number;
  readonly width: number;
  readonly machine: CsdMachine;
  /** Simulated time of all steps. */
  readonly time: Seconds;
  /** Empty where nothing was simulated. */
  readonly steps: readonly LayerStep[];
  readonly latency: AttentionLatency | null;
  /** Against the golden model and against float64 of the same method. */
  readonly accuracy: Accuracy | null;
  /** |y - dense|_2 / |dense|_2 against dense attention in float64; null for dense itself. */
  readonly errorAgainstDense: number | null;
  readonly outputHash: string | null;
  readonly metrics: readonly Metric[];
  readonly checks: readonly Check[];
}

/**
 * Source of the cost of a part, by which its count is multiplied: `measured` on the netlist,
 * `published` in a data sheet, `derived` from published numbers, or `assumed`.
 */
export type EnergySource = Exclude<Source, "calibrated">;

/** Joules by source of their cost. */
export type EnergyBySource = Readonly<Record<EnergySource, number>>;

/** Joules of one kind. */
export interface EnergyPart {
  readonly part: string;
  readonly joules: number;
  readonly source: EnergySource;
  /** The cost of one, and its source. */
  readonly how: string;
  /** How many were counted, where it is a count. */
  readonly count: number | null;
}

export interface RunEnergy {
  readonly id: string;
  readonly title: string;
  readonly parts: readonly EnergyPart[];
  readonly joules: number;
}
