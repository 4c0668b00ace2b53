// SPDX-License-Identifier: Apache-2.0
// What a run found, complete and plain: the source of results.json, of the terminal table and of
// the report. Renderers only format these values.

import type { TokenScenario } from "../config/token.ts";
import type { CsdMachine } from "../driver/csd/csd-machine.ts";
import type { LayerStep } from "../driver/csd/attention/sparse-attention.ts";
import type { Arrival } from "../driver/moe/expert-move.ts";
import type { NdpMachine, NdpRun } from "../driver/types.ts";
import type { FlashPreset } from "../flash/presets.ts";
import type { LmResult } from "../lm/evaluate.ts";
import type { AuditTotals } from "../lm/token/audit.ts";
import type { HardwareTotals } from "../lm/moe/hardware-use.ts";
import type { PlanRun } from "../lm/token/token-plan.ts";
import type { TokenReport } from "../lm/token/token-report.ts";
import type { Sensitivity } from "../lm/token/token-sensitivity.ts";
import type { LayerTime, Wait } from "../lm/token/token-waits.ts";
import type { AreaReport } from "../synth/area.ts";
import type { UnitEnergy } from "../synth/energy.ts";
import type { OperandFormats } from "../synth/operands.ts";
import type { AttentionLatency } from "./latency/latency.ts";
import type { Accuracy, Bottleneck, Bounds, Check, ExpertWork, Metric, Source } from "./metric.ts";
import type { ExpertLatency } from "./latency/latency.ts";
import type { Seconds } from "../units.ts";

/** One expert at one token count on one machine. */
export interface CaseResult {
  readonly id: string;
  readonly title: string;
  readonly layout: string;
  readonly fidelity: "rtl" | "cycle" | "analytic";
  /** Of inputs and weights. */
  readonly operands: OperandFormats;
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

/** Experts that changed their DIMM between steps. */
export interface TokenRelayout {
  readonly moves: number;
  /** Of one expert, simulated. */
  readonly moveUs: number;
  /** Time of a token where all stay. */
  readonly withoutUs: number;
}

/** Decode steps on one machine in one time. */
export interface TokenCase {
  readonly id: string;
  readonly title: string;
  readonly machine: TokenScenario;
  readonly result: LmResult;
  readonly report: TokenReport;
  /** Time on the chain that the last token waited for; a mean step. */
  readonly layers: readonly LayerTime[];
  readonly waits: readonly Wait[];
  readonly sensitivity: readonly Sensitivity[];
  /** Null where experts stay on their DIMMs. */
  readonly relayout: TokenRelayout | null;
  /** Null where nothing was audited. */
  readonly audit: AuditTotals | null;
  readonly hardware: { readonly attention: HardwareTotals; readonly experts: HardwareTotals };
  /** Null where a unit is another than the one that was measured. */
  readonly energy: RunEnergy | null;
  /** The plan as it ran. */
  readonly runs: readonly PlanRun[];
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
  /** Of decode steps of a whole model; likewise. */
  readonly tokens: readonly TokenCase[];
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

/**
 * Where the cost of a part comes from, which is counted times it: `measured` on the netlist, `published` in a data
 * sheet, `derived` from published numbers, or `assumed`.
 */
export type EnergySource = Exclude<Source, "calibrated">;

/** Joules by where their costs come from. */
export type EnergyBySource = Readonly<Record<EnergySource, number>>;

/** Joules of one kind. */
export interface EnergyPart {
  readonly part: string;
  readonly joules: number;
  readonly source: EnergySource;
  /** What one costs, and of what. */
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

/** What the hardware of a run costs. */
export interface RunCost {
  readonly units: readonly UnitCost[];
  /** By case of the run. */
  readonly energy: readonly (RunEnergy & { readonly kind: "expert" | "attention" | "token" })[];
  /** Joules of a decoded token's attention, all layers. */
  readonly token: readonly (EnergyBySource & {
    readonly title: string;
    readonly layers: number;
  })[];
}
