// SPDX-License-Identifier: Apache-2.0
// The door `neardata`: scenarios and sessions of machines from a program.

export type { Fidelity } from "../scenario/fidelities.ts";
export type { ScenarioInput } from "../scenario/schema.ts";
export type { CsdMachine } from "../machine/csd/csd-machine.ts";
export type { CsdRun } from "../machine/csd/csd-types.ts";
export type { MachineGraph } from "../machine/machine-graph.ts";
export type { NdpMachine, NdpRun, NdpUnitParameters, Progress } from "../machine/types.ts";
export { NeardataError, type ErrorCode, type Issue } from "../base/errors.ts";
export type { ResultContent } from "../report/saved/document.ts";
export type { Check, Metric } from "../results/metric.ts";
export {
  openDimm,
  type DimmOptions,
  type DimmSession,
  type ExpertKernel,
  type ExpertResult,
  type KernelOptions,
} from "./session/dimm.ts";
export { runScenario, type ScenarioOptions, type ScenarioRun } from "./session/scenario.ts";
export {
  openStorage,
  type AttentionKernel,
  type AttentionOptions,
  type AttentionResult,
  type StorageOptions,
  type StorageSession,
} from "./session/storage.ts";
export type { AttentionHead } from "../workload/attention-heads.ts";
export { generateHead, type HeadRecipe } from "./session/heads.ts";
export { generateExpert, type GeneratedExpert } from "../workload/generate.ts";
export type { ExpertWeights } from "../workload/expert.ts";
export type { LowBitWeights } from "../workload/low-bit.ts";
export { quantiseExpert } from "../workload/quantise.ts";
