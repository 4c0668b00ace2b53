// SPDX-License-Identifier: Apache-2.0
// What a run found, complete and plain: the source of results.json, of the terminal table and of
// the report. Nothing here is computed again by who shows it.

import type { CsdMachine } from "../driver/csd-types.ts";
import type { LayerStep } from "../driver/sparse-attention.ts";
import type { Arrival } from "../driver/expert-move.ts";
import type { NdpMachine, NdpRun } from "../driver/types.ts";
import type { FlashPreset } from "../flash/presets.ts";
import type { AreaReport } from "../synth/area.ts";
import type { UnitEnergy } from "../synth/energy.ts";
import type { AttentionLatency } from "./attention-latency.ts";
import type { RunEnergy } from "./energy.ts";
import type { MetricId } from "./metric-ids.ts";
import type { ExpertLatency } from "./expert-latency.ts";
import type { Bytes, BytesPerSecond, Flops, FlopsPerSecond, Ratio, Seconds } from "../units.ts";

/** Where a number comes from; shown beside it. */
export type Source = "measured" | "calibrated" | "assumed" | "published" | "derived";

/** One number that a person sees. */
export interface Metric {
  /** Stable name in results.json. */
  readonly id: MetricId;
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

/** Which bound holds a case and how near it came. */
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

/** One expert at one token count on one machine. */
export interface CaseResult {
  readonly id: string;
  readonly title: string;
  readonly layout: string;
  readonly fidelity: "rtl" | "cycle" | "analytic";
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
  /** What brought the expert here, simulated; null where it lies here, or nothing was. */
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

/** What ran a run; it may not change a number, so no result hash covers it. */
export interface RunHost {
  /** Version of Node.js. */
  readonly node: string;
}

/** A whole run directory's content. */
export interface RunResult {
  readonly scenario: string;
  readonly title: string;
  readonly configHash: string;
  readonly seed: number;
  /**
   * Of the programs that a number stands for: neardata, whose models made it. The result hash
   * covers them. Tools that only run or build the models (Node.js, Verilator, compilers) are not
   * among them: whichever they are, the numbers must be the same, and equal hashes show it.
   */
  readonly versions: Readonly<Record<string, string>>;
  readonly host: RunHost;
  readonly outcome: "completed" | "failed";
  /** Of the expert; empty where the scenario has none. */
  readonly cases: readonly CaseResult[];
  /** Of sparse attention; likewise. */
  readonly attention: readonly AttentionCase[];
}

/** A unit's cost as it was recorded. */
export interface UnitCost {
  readonly name: string;
  /** Null where the whole unit was not measured. */
  readonly area: AreaReport | null;
  readonly energy: UnitEnergy;
  /** False where the RTL has changed since. */
  readonly current: boolean;
  /** The run's unit has other parameters than the one that was measured. */
  readonly another?: true;
}

/** What the hardware of a run costs. */
export interface RunCost {
  readonly units: readonly UnitCost[];
  /** By case of the run. */
  readonly energy: readonly (RunEnergy & { readonly kind: "expert" | "attention" })[];
  /** Joules of a decoded token's attention, all layers. */
  readonly token: readonly {
    readonly title: string;
    readonly layers: number;
    readonly measured: number;
    readonly assumed: number;
  }[];
}
