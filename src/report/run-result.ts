// SPDX-License-Identifier: Apache-2.0
// A whole run: its cases, and the energy and area of the hardware. The source of results.json, of the terminal table
// and of the report.

import type { AreaReport } from "../results/area-report.ts";
import type { UnitEnergy } from "../results/unit-energy.ts";
import type { Check, Metric } from "../results/metric.ts";
import type { Fidelity } from "../scenario/fidelities.ts";
import type { Sample, Span } from "../results/latency/span.ts";
import type { EnergyBySource, RunEnergy } from "../results/types.ts";
import type { CaseDocument } from "./case-documents.ts";
import type { HeadEstimate } from "./attention/attention-latency.ts";
import type { Headline, Section } from "./page.ts";
import type { TableCase } from "./table-case.ts";

/** The host of a run. It must not change a number, so no result hash covers it. */
export interface RunHost {
  /** Version of Node.js. */
  readonly node: string;
}

/** A case of any kernel. */
export interface RunCase {
  readonly id: string;
  readonly title: string;
  /** Null for a case of a program's kernel without fidelities. */
  readonly fidelity: Fidelity | null;
  readonly metrics: readonly Metric<string>[];
  readonly checks: readonly Check[];
  readonly document: CaseDocument;
  /** Simulation time in seconds of the host. */
  readonly simulationSeconds: number;
}

/** Events over simulated time. */
export interface KernelTimeline {
  readonly spans: readonly Span[];
  readonly samples: readonly Sample[];
}

/** Inputs of a kernel's sections, apart from the kernel's cases. */
export interface SectionParts {
  /** Closed forms, for comparison with the time of a head by unit. */
  readonly estimate?: HeadEstimate | undefined;
}

/** The cases of one kernel, and the views of them. */
export interface KernelResult {
  readonly kernel: string;
  readonly cases: readonly RunCase[];
  /** Names of the units whose RTL a case at fidelity `rtl` simulates. */
  readonly rtlUnits: readonly string[];
  /** The cases as the kernel has them; `casesIn` of the kernel returns them with their type. */
  readonly typedCases: readonly object[];
  readonly sections: (parts: SectionParts) => Promise<readonly Section[]>;
  /** Sections at the end of the page. */
  readonly machine: () => Promise<readonly Section[]>;
  /** Cases of each table in a terminal. */
  readonly tables: readonly (readonly TableCase[])[];
  /** Figures of the summary that opens the report page. */
  readonly headlines: () => readonly Headline[];
  /** Lines about latency for a terminal. */
  readonly latency: readonly string[];
  readonly timeline: () => KernelTimeline;
}

/** A whole run directory's content. */
export interface RunResult {
  readonly scenario: string;
  readonly title: string;
  readonly configHash: string;
  readonly seed: number;
  /**
   * Versions of the programs that determine the numbers: neardata, which contains the models. The
   * result hash covers them. Tools that only run or build the models (Node.js, Verilator,
   * compilers) are not among them: the numbers must not depend on them, which equal hashes verify.
   */
  readonly versions: Readonly<Record<string, string>>;
  readonly host: RunHost;
  readonly outcome: "completed" | "failed";
  /** By kernel, in the order of results.json. */
  readonly kernels: readonly KernelResult[];
}

/** A unit's cost as it was recorded. */
export interface UnitCost {
  readonly name: string;
  /** Null where the whole unit was not measured. */
  readonly area: AreaReport | null;
  readonly energy: UnitEnergy;
  /** False where the RTL has changed since. */
  readonly current: boolean;
  /** The parameters of the run's unit differ from those of the measured unit. */
  readonly another?: true;
}

/** The cost of a run's hardware. */
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
