// SPDX-License-Identifier: Apache-2.0
// The entry point `neardata`: scenarios and sessions of machines from a program. Arguments are checked.

import { anyNumber, asyncEntry, entry } from "../base/entry.ts";
import * as quantities from "../base/units.ts";
import * as generated from "../workload/generate.ts";
import * as quantised from "../workload/quantise.ts";
import * as own from "./custom-kernel.ts";
import * as dimm from "./session/dimm.ts";
import * as heads from "./session/heads.ts";
import * as memory from "./session/memory.ts";
import * as options from "./session/options.ts";
import * as scenario from "./session/scenario.ts";
import * as storage from "./session/storage.ts";

export { NeardataError, type ErrorCode, type Issue } from "../base/errors.ts";
export type {
  Amperes,
  Bytes,
  BytesPerSecond,
  Cycles,
  Femtoseconds,
  Flops,
  FlopsPerSecond,
  Hertz,
  Ratio,
  Seconds,
} from "../base/units.ts";
export type { CsdMachine } from "../machine/csd/csd-machine.ts";
export type { CsdRun } from "../machine/csd/csd-types.ts";
export type { MachineGraph } from "../machine/machine-graph.ts";
export type { NdpMachine, NdpRun, NdpUnitParameters, Progress } from "../machine/types.ts";
export type { ReplaySummary } from "../kernels/dram/summary.ts";
export type {
  AttentionDocument,
  ExpertDocument,
  KernelDocument,
} from "../report/case-documents.ts";
export type { Block, Figure, Prose, Section, Table } from "../report/page.ts";
export type { KernelTimeline } from "../report/run-result.ts";
export type { TableCase } from "../report/table-case.ts";
export type { CaseCheck, CaseMetric } from "../report/saved/document.ts";
export type { TokenDocument } from "../lm/token/token-metrics.ts";
export type { Check, Metric } from "../results/metric.ts";
export type { Fidelity } from "../scenario/fidelities.ts";
export { scenarioSchema, type ScenarioInput } from "../scenario/schema.ts";
export type { AttentionHead } from "../workload/attention-heads.ts";
export type { ExpertWeights } from "../workload/expert.ts";
export type { GeneratedExpert } from "../workload/generate.ts";
export type { LowBitWeights } from "../workload/low-bit.ts";
export type {
  DimmOptions,
  DimmSession,
  ExpertKernel,
  ExpertResult,
  KernelOptions,
} from "./session/dimm.ts";
export type { Kernel, KernelCase, KernelContext, KernelInputs, KernelViews } from "./kernel.ts";
export type { KernelDefinition, ScenarioKernel } from "./custom-kernel.ts";
export type { HeadRecipe } from "./session/heads.ts";
export type { MemoryConfig, MemoryOptions, MemoryRequest } from "./session/memory.ts";
export type { ScenarioCase, ScenarioResults } from "./session/results.ts";
export type { ExtendedScenario, ScenarioOptions, ScenarioRun } from "./session/scenario.ts";
export type {
  AttentionKernel,
  AttentionOptions,
  AttentionResult,
  StorageOptions,
  StorageSession,
} from "./session/storage.ts";

/**
 * Runs a scenario: a file, or its content as an object, with quantities as texts with units or as plain numbers in
 * base units. @throws NeardataError `bad-input` with every problem, `build-failed`, `tool-missing`, `cancelled`
 */
export const runScenario = asyncEntry(scenario.runScenario, {
  scenario: options.scenarioArgument,
  options: options.scenarioOptions.optional(),
});

/** Opens a DIMM, and builds its RTL if the cache lacks it. */
export const openDimm = asyncEntry(dimm.openDimm, { options: options.dimmOptions.optional() });

/** Opens storage devices, and builds their RTL if the cache lacks it. */
export const openStorage = asyncEntry(storage.openStorage, {
  options: options.storageOptions.optional(),
});

/** Defines a kernel, for the option `kernels` of `runScenario`. */
export const defineKernel = entry(own.defineKernel, { definition: own.kernelDefinition });

/** Simulates requests on a DDR5 memory. */
export const replayMemory = asyncEntry(memory.replayMemory, {
  memory: options.memoryArgument,
  requests: options.memoryRequests,
  options: options.memoryOptions.optional(),
});

/** A head with heavy-tailed queries, topical segments and attention sinks; of one seed always the same. */
export const generateHead = entry(heads.generateHead, { recipe: options.headRecipe });

/** The same expert for the same request, on every machine. */
export const generateExpert = entry(generated.generateExpert, { request: options.expertRecipe });

/** An expert with rounded matrices, computed on demand. */
export const quantiseExpert = entry(quantised.quantiseExpert, options.quantised);

const value = { value: anyNumber };

/** Types for quantities of results: plain numbers in base units. */
export const amperes = entry(quantities.amperes, value);
export const bytes = entry(quantities.bytes, value);
export const bytesPerSecond = entry(quantities.bytesPerSecond, value);
export const cycles = entry(quantities.cycles, value);
export const femtoseconds = entry(quantities.femtoseconds, value);
export const flops = entry(quantities.flops, value);
export const flopsPerSecond = entry(quantities.flopsPerSecond, value);
export const hertz = entry(quantities.hertz, value);
export const ratio = entry(quantities.ratio, value);
export const seconds = entry(quantities.seconds, value);
