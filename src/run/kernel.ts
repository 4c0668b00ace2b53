// SPDX-License-Identifier: Apache-2.0
// The interface of a kernel: from the settings of a scenario to simulated cases, and from cases to tables, pages,
// timelines and results.json. Experts, attention and tokens implement it, and so does a kernel of a program.

import type { Compute } from "../kernels/ndp/expected.ts";
import type { WhenCoresFree } from "../kernels/concurrency.ts";
import type { Progress } from "../machine/types.ts";
import type { JobSlots } from "../native/compile/job-slots.ts";
import type { Headline, Section } from "../report/page.ts";
import type { CaseDocument } from "../report/case-documents.ts";
import type { KernelResult, KernelTimeline, SectionParts } from "../report/run-result.ts";
import type { TableCase } from "../report/table-case.ts";
import type { Check, Metric } from "../results/metric.ts";
import type { Fidelity } from "../scenario/fidelities.ts";
import type { ResolvedConfig } from "../scenario/resolve.ts";

/** Receives remarks on files that a scenario names, a sentence each. */
export type OnRemark = (text: string) => void;

/** Inputs of a kernel's `prepare`, apart from its settings. */
export interface KernelInputs {
  /** Paths of a scenario are relative to it. */
  readonly directory: string;
  readonly seed: number;
  readonly onRemark: OnRemark;
}

/** Receives the progress of one case, until its end. */
export interface ProgressSink<T> {
  readonly update: (progress: T) => void;
  readonly end: () => void;
}

/** Sinks for the progress of cases, by title: of cycles and their share, or of the share alone, 0 to 1. */
export interface CaseProgress {
  readonly cycles: (title: string) => ProgressSink<Progress>;
  readonly share: (title: string) => ProgressSink<number>;
}

/** How a run is watched and stopped, and where its waveforms go. */
export interface SimulateOptions {
  readonly signal: AbortSignal;
  readonly waveDirectory: string;
  /** Of the beginning of every run; otherwise only of failures. */
  readonly waves: boolean;
  /** Also simulate the quiet cycles of the RTL, and compare its outputs in them with the model. */
  readonly checked?: boolean;
  /** Cores for concurrent runs, each with separate threads; default: all. */
  readonly threads?: number;
  /** Computes expected values, where their time is measured. */
  readonly compute?: Compute;
  /** Record the events of timelines. */
  readonly timeline: boolean;
  /** Add the cost of the hardware. */
  readonly cost: boolean;
  readonly progress: CaseProgress;
}

/** Inputs of a kernel's `run`, apart from its settings and its workload. */
export interface KernelContext extends Omit<SimulateOptions, "cost"> {
  readonly seed: number;
  /** Starts a simulation as soon as a core is free. */
  readonly whenCoresFree: WhenCoresFree;
}

/** One simulated case of a kernel. */
export interface KernelCase {
  /** Unique in the run. */
  readonly id: string;
  readonly title: string;
}

/** Builds one RTL unit. @returns its path */
export type UnitBuild = (slots: JobSlots) => Promise<string>;

/** The views of the cases of a kernel. */
export interface KernelViews<Case extends KernelCase> {
  /** Its key in a scenario. */
  readonly name: string;
  /** The numbers of a case, in the order of the tables. */
  readonly metrics: (one: Case) => readonly Metric<string>[];
  /** The checks of a case. */
  readonly checks: (one: Case) => readonly Check[];
  /** The fidelity of a case, which tables and the report page name; default: none. */
  readonly fidelity?: (one: Case) => Fidelity;
  /** Names of the units whose RTL a case at fidelity `rtl` simulates; default: none. */
  readonly rtlUnits?: readonly string[];
  /** The case as results.json has it, JSON values only; default: its id and title. */
  readonly document?: (one: Case) => object;
  /** Sections of the report page, before cost and checks; default: a table of all metrics. */
  readonly sections?: (
    cases: readonly Case[],
    parts: SectionParts,
  ) => Promise<readonly Section[]> | readonly Section[];
  /** Sections at the end of the page; default: none. */
  readonly machine?: (cases: readonly Case[]) => Promise<readonly Section[]> | readonly Section[];
  /** Cases that share a table in a terminal; default: one table of all cases. */
  readonly tables?: (cases: readonly Case[]) => readonly (readonly TableCase[])[];
  /** Figures of the summary that opens the report page, most important first; default: none. */
  readonly headlines?: (cases: readonly Case[]) => readonly Headline[];
  /** Lines of a terminal about latency; default: none. */
  readonly latency?: (cases: readonly Case[]) => readonly string[];
  /** Events over simulated time; default: none. */
  readonly timeline?: (cases: readonly Case[]) => KernelTimeline;
  /** Simulation time in seconds of the host, for sweeps; default: 0. */
  readonly simulationSeconds?: (one: Case) => number;
}

/** A kernel. `Settings` are those of a scenario; `Workload` is the data that its cases share. */
export interface Kernel<Settings, Workload, Case extends KernelCase> extends KernelViews<Case> {
  /** Reads or generates the workload. */
  readonly prepare: (settings: Settings, inputs: KernelInputs) => Promise<Workload> | Workload;
  /** Simulates every case. Each simulation waits for a core with `whenCoresFree`. */
  readonly run: (
    task: { readonly settings: Settings; readonly workload: Workload },
    context: KernelContext,
  ) => Promise<readonly Case[]>;
  /** The part of the settings that `prepare` reads: a sweep prepares once for equal parts. Default: all. */
  readonly inputs?: (settings: Settings) => unknown;
  /** RTL units of the cases that are known before `prepare`; default: none. */
  readonly units?: (settings: Settings) => Promise<readonly UnitBuild[]> | readonly UnitBuild[];
  /** Kernels of a higher priority start first; default: 0. */
  readonly priority?: number;
}

/** A kernel with its types hidden, so that one list can contain all kernels. */
export interface AnyKernel {
  readonly name: string;
  /** Of a kernel of a program; results.json contains it. */
  readonly version?: string;
  readonly priority: number;
  /** Whether a scenario has the kernel. */
  readonly has: (config: ResolvedConfig) => boolean;
  readonly inputs: (config: ResolvedConfig) => unknown;
  readonly units: (config: ResolvedConfig) => Promise<readonly UnitBuild[]>;
  readonly prepare: (config: ResolvedConfig, inputs: KernelInputs) => Promise<unknown>;
  /** `workload` is the result of `prepare` of the same kernel. */
  readonly run: (
    config: ResolvedConfig,
    workload: unknown,
    context: KernelContext,
  ) => Promise<KernelResult>;
}

/** An `AnyKernel` that returns its cases with their type. */
export interface TypedKernel<Case extends KernelCase> extends AnyKernel {
  /** The result of these cases. */
  readonly result: (cases: readonly Case[]) => KernelResult;
  /** The cases of this kernel in a run; none where the scenario lacks the kernel. */
  readonly casesIn: (run: { readonly kernels: readonly KernelResult[] }) => readonly Case[];
}

/** The kernel for a list; `settingsOf` returns null for a scenario that lacks the kernel. */
export function anyKernel<Settings, Workload, Case extends KernelCase>(
  kernel: Kernel<Settings, Workload, Case>,
  settingsOf: (config: ResolvedConfig) => Settings | null,
): TypedKernel<Case> {
  const results = new WeakMap<readonly object[], readonly Case[]>();
  const required = (config: ResolvedConfig): Settings => {
    const settings = settingsOf(config);
    if (settings === null) throw new RangeError(`the scenario has no ${kernel.name}`);
    return settings;
  };
  const result = (all: readonly Case[]): KernelResult => {
    results.set(all, all);
    return resultOf(kernel, all);
  };
  return {
    name: kernel.name,
    priority: kernel.priority ?? 0,
    has: (config) => settingsOf(config) !== null,
    inputs: (config) => (kernel.inputs ?? ((all): unknown => all))(required(config)),
    units: async (config) => kernel.units?.(required(config)) ?? [],
    prepare: async (config, inputs) => kernel.prepare(required(config), inputs),
    run: async (config, workload, context) =>
      // `prepare` above has returned the workload.
      result(
        await kernel.run({ settings: required(config), workload: workload as Workload }, context),
      ),
    result,
    casesIn: ({ kernels }) => kernels.flatMap((one) => results.get(one.typedCases) ?? []),
  };
}

function resultOf<Case extends KernelCase>(
  kernel: KernelViews<Case>,
  cases: readonly Case[],
): KernelResult {
  const numbered = cases.map((one) => ({
    id: one.id,
    title: one.title,
    metrics: kernel.metrics(one),
    accuracy: null,
  }));
  return {
    kernel: kernel.name,
    cases: cases.map((one) => ({
      id: one.id,
      title: one.title,
      fidelity: kernel.fidelity?.(one) ?? null,
      metrics: kernel.metrics(one),
      checks: kernel.checks(one),
      document: documentOf(kernel, one),
      simulationSeconds: kernel.simulationSeconds?.(one) ?? 0,
    })),
    rtlUnits: kernel.rtlUnits ?? [],
    typedCases: cases,
    sections: async (parts) => {
      if (kernel.sections !== undefined) return kernel.sections(cases, parts);
      if (cases.length === 0) return [];
      const { metricTable } = await import("../report/metric-table.ts");
      const blocks = [metricTable(`${kernel.name}-numbers`, "Every number.", numbered)];
      return [{ id: kernel.name, title: kernel.name, blocks }];
    },
    machine: async () => kernel.machine?.(cases) ?? [],
    tables: kernel.tables?.(cases) ?? (numbered.length === 0 ? [] : [numbered]),
    headlines: () => kernel.headlines?.(cases) ?? [],
    latency: kernel.latency?.(cases) ?? [],
    timeline: () => kernel.timeline?.(cases) ?? { spans: [], samples: [] },
  };
}

function documentOf<Case extends KernelCase>(kernel: KernelViews<Case>, one: Case): CaseDocument {
  if (kernel.document !== undefined) return kernel.document(one) as CaseDocument;
  return { kernel: kernel.name, id: one.id, title: one.title };
}
