// SPDX-License-Identifier: Apache-2.0
// Decode steps of a whole model in a run: what is kept of them.

import type { TokenScenario } from "../../scenario/token.ts";
import type { LmResult } from "../evaluate.ts";
import type { AuditTotals } from "./audit.ts";
import type { HardwareTotals } from "../moe/hardware-use.ts";
import type { PlanRun } from "./token-plan.ts";
import type { TokenReport } from "./token-report.ts";
import type { Sensitivity } from "./token-sensitivity.ts";
import type { LayerTime, Wait } from "./token-waits.ts";
import type { Check, Metric } from "../../results/metric.ts";
import type { RunEnergy } from "../../results/types.ts";

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
  /** Null if a unit differs from the measured one. */
  readonly energy: RunEnergy | null;
  /** The plan as it ran. */
  readonly runs: readonly PlanRun[];
  readonly metrics: readonly Metric[];
  readonly checks: readonly Check[];
}
