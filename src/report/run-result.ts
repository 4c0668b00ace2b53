// SPDX-License-Identifier: Apache-2.0
// A whole run: its cases, and what the hardware costs. The source of results.json, of the terminal table and of the report.

import type { AreaReport } from "../results/area-report.ts";
import type { UnitEnergy } from "../results/unit-energy.ts";
import type { TokenCase } from "../lm/token/token-case.ts";
import type { CaseResult, AttentionCase, EnergyBySource, RunEnergy } from "../results/types.ts";

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
