// SPDX-License-Identifier: Apache-2.0
// A resolved scenario to its results: loads what it works on and runs its kernels. What `run` writes
// down and `sweep` keeps rows of.

import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import process from "node:process";
import type {
  ExpertScenario,
  ExpertSource,
  ResolvedConfig,
  Scenario,
} from "../scenario/resolve.ts";
import { formatIssues, storageIssues } from "../scenario/unit-choice.ts";
import type { CaseContext } from "../kernels/ndp/cases.ts";
import {
  noExpectedLayers,
  type ExpectedLayers,
} from "../kernels/csd/attention/attention-checks.ts";
import type { Compute, ExpectedOutputs } from "../kernels/ndp/expected.ts";
import type { Progress } from "../machine/types.ts";
import { allOrNone, turns, type Turn } from "../kernels/turns.ts";
import { noKeptHeads, type KeptHeads } from "../kernels/csd/kept-heads.ts";
import { inFile, NeardataError } from "../base/errors.ts";
import type { RunCost, RunResult } from "../report/run-result.ts";
import type { AttentionHead } from "../workload/attention-heads.ts";
import type { ExpertWeights } from "../workload/expert.ts";
import type { LowBitWeights } from "../workload/low-bit.ts";
import { checkpointFile, withFunction } from "./checkpoint.ts";
import type { TokenWorkload } from "./token.ts";
import { version } from "../base/version.ts";

/** What the kernels work on; null and empty for a kernel that the scenario does not have. */
export interface Workload {
  readonly weights: ExpertWeights | LowBitWeights | null;
  readonly heads: readonly AttentionHead[];
  /** Expected outputs of experts and of attention. */
  readonly expected: ExpectedOutputs;
  readonly expectedLayers: ExpectedLayers;
  readonly keptHeads: KeptHeads;
  readonly token: TokenWorkload | null;
}

/** How a run is watched and stopped, and where its waveforms go. */
export interface SimulateOptions {
  readonly signal: AbortSignal;
  readonly waveDirectory: string;
  /** Of the beginning of every run; otherwise only of failures. */
  readonly waves: boolean;
  /** Run the RTL's quiet cycles too, and hold its outputs to that. */
  readonly checked?: boolean;
  /** Cores that runs take, side by side and each on threads of its own; default all that there are. */
  readonly threads?: number;
  /** What expected values are computed by, where that is to be timed. */
  readonly compute?: Compute;
  /** Keep what timelines are drawn from. */
  readonly timeline: boolean;
  /** Say what the hardware costs. */
  readonly cost: boolean;
  readonly progress: CaseProgress;
}

/** Gets how far one case is, until its end. */
export interface ProgressSink<T> {
  readonly update: (progress: T) => void;
  readonly end: () => void;
}

/** Sinks for the progress of cases, by title: of cycles and their share, or of the share alone, 0 to 1. */
export interface CaseProgress {
  readonly cycles: (title: string) => ProgressSink<Progress>;
  readonly share: (title: string) => ProgressSink<number>;
}

/** A run and, where it was asked for and recorded, what its hardware costs. */
export interface Simulated {
  readonly result: RunResult;
  readonly cost: RunCost | null;
}

/**
 * What `work` on a scenario gives. Bad input that is only known once files are read or a machine is
 * built says which scenario asked for it.
 */
export async function ofScenario<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof NeardataError) || error.code !== "bad-input") throw error;
    throw inFile(file, error.issues, { cause: error, details: error.details });
  }
}

/** Runs of a kernel; they begin in turn. */
type Kernel<T> = (when: { readonly signal: AbortSignal; readonly turn: Turn }) => Promise<T>;

/** Every kernel of a scenario, checked; on several cores several of its runs side by side. */
export async function simulate(
  config: ResolvedConfig,
  workload: Workload,
  options: SimulateOptions,
): Promise<Simulated> {
  const { scenario, configHash } = config;
  // Attention first: where a scenario has it, it mostly takes longest.
  const [ofAttention, ofTokens, ofExperts] = await Promise.all([
    attentionOf(config, workload, options),
    tokensOf(scenario, workload.token, options),
    expertsOf(config, workload, options),
  ]);
  const turn = turns(options.threads ?? availableParallelism());
  const [attention, tokens, cases] = await allOrNone(options.signal, async (part) => {
    const started = <T>(kernel: Kernel<T>): Promise<T> =>
      part(async (signal) => kernel({ signal, turn }));
    return Promise.all([started(ofAttention), started(ofTokens), started(ofExperts)]);
  });
  const result: RunResult = {
    scenario: scenario.name,
    title: scenario.title,
    configHash,
    seed: scenario.seed,
    versions: { neardata: version, ...ownVersions(scenario) },
    host: { node: process.versions.node },
    outcome: "completed",
    cases,
    attention,
    tokens,
  };
  const cost = options.cost ? (await import("./cost.ts")).costOfRun(result, scenario) : null;
  const { withQuantityChecks } = await import("../report/quantities.ts");
  return { result: withQuantityChecks(result, cost), cost };
}

function computedBy({ compute }: SimulateOptions): Pick<SimulateOptions, "compute"> {
  return compute === undefined ? {} : { compute };
}

async function expertsOf(
  config: ResolvedConfig,
  { weights, expected }: Workload,
  options: SimulateOptions,
): Promise<Kernel<RunResult["cases"]>> {
  if (weights === null) return async () => Promise.resolve([]);
  const { timeline, waveDirectory, waves, checked = false, progress } = options;
  const { runCases } = await import("../kernels/ndp/cases.ts");
  const { open, golden } = await unitOf(config, weights);
  const context = {
    open,
    golden,
    weights,
    expected,
    waveDirectory,
    waves,
    checked,
    timeline,
    ...computedBy(options),
    onCase: progress.cycles,
  };
  return async (when) => runCases(config, { ...context, ...when });
}

async function attentionOf(
  { ownEngine, scenario: { attention } }: ResolvedConfig,
  { heads, expectedLayers: expected, keptHeads: kept }: Workload,
  options: SimulateOptions,
): Promise<Kernel<RunResult["attention"]>> {
  if (attention === null) return async () => Promise.resolve([]);
  const { timeline, waveDirectory, waves, checked = false, progress } = options;
  const { runAttentionCases } = await import("../kernels/csd/attention/attention-cases.ts");
  const { csdsOn } = await import("./csd.ts");
  const context = {
    open:
      ownEngine === null
        ? csdsOn(options.threads)
        : (await import("../native/own-unit.ts")).openCsdSessionOn(ownEngine, options.threads),
    heads,
    expected,
    kept,
    waveDirectory,
    waves,
    checked,
    timeline,
    ...computedBy(options),
    onCase: progress.share,
  };
  return async (when) => runAttentionCases(attention, { ...context, ...when });
}

async function tokensOf(
  { token, seed }: Scenario,
  workload: TokenWorkload | null,
  { threads, progress }: SimulateOptions,
): Promise<Kernel<RunResult["tokens"]>> {
  if (token === undefined || workload === null) return async () => Promise.resolve([]);
  const { runToken } = await import("./token.ts");
  const { openSession } = await import("../native/session.ts");
  const { csdsOn } = await import("./csd.ts");
  return async ({ signal, turn }) =>
    turn(
      async () => {
        const line = progress.share("a token");
        const open = { openNdp: openSession, openCsd: csdsOn(threads) };
        const sessions = { ...open, onProgress: line.update, signal };
        try {
          return [await runToken(token, workload, sessions, { seed })];
        } finally {
          line.end();
        }
      },
      { signal },
    );
}

/** What opens a scenario's DIMMs and computes what they should. */
async function unitOf(
  { ownUnit: own, scenario }: ResolvedConfig,
  weights: ExpertWeights | LowBitWeights,
): Promise<Pick<CaseContext, "open" | "golden">> {
  if (own === null) {
    const { openSession } = await import("../native/session.ts");
    const { goldenExpert } = await import("../golden/expert.ts");
    return { open: openSession, golden: goldenExpert };
  }
  const where = scenario.expert?.source.kind === "checkpoint" ? "expert.weights" : "expert.storage";
  const storage = "storage" in weights ? weights.storage : null;
  const unfit = [
    ...formatIssues(own, weights.format),
    ...(storage === null ? [] : storageIssues(own, scenario.unit, storage, where)),
  ];
  if (unfit.length > 0) throw new NeardataError("bad-input", unfit);
  const { openSessionOn } = await import("../native/own-unit.ts");
  const { loadGolden } = await import("../kernels/ndp/own-golden.ts");
  return { open: openSessionOn(own), golden: await loadGolden(own) };
}

/** Units that the scenario brings, by their contents. */
function ownVersions({ own, attention }: Scenario): Readonly<Record<string, string>> {
  const units = [own, attention?.own].flatMap((unit) => unit ?? []);
  return Object.fromEntries(units.map(({ name, digest }) => [`unit ${name}`, digest]));
}

/** Gets remarks on a workload, a sentence each. */
export type OnRemark = (text: string) => void;

/** Makes or reads what a scenario names; `directory` is the scenario's. */
export async function loadWorkload(
  scenario: Scenario,
  directory: string,
  onRemark: OnRemark,
): Promise<Workload> {
  const { expert, attention, token, seed } = scenario;
  const { loadHeads } = await import("./attention-heads.ts");
  return {
    weights: expert === null ? null : await loadWeights(expert, seed, directory, onRemark),
    heads: attention === null ? [] : await loadHeads(attention, directory),
    expected: { golden: new Map(), real: new Map(), inputs: new Map(), images: new Map() },
    expectedLayers: noExpectedLayers(),
    keptHeads: noKeptHeads(),
    token: token === undefined ? null : (await import("./token.ts")).loadToken(token, directory),
  };
}

async function loadWeights(
  { name, source, activation }: ExpertScenario,
  seed: number,
  directory: string,
  onRemark: OnRemark,
): Promise<ExpertWeights | LowBitWeights> {
  if (source.kind === "checkpoint") {
    return readCheckpoint(source, { name, activation }, directory, onRemark);
  }
  const { generateExpert } = await import("../workload/generate.ts");
  const { format, hidden, intermediate, storage } = source;
  const expert = generateExpert({ seed, name, format, hidden, intermediate });
  if (storage === undefined) return expert;
  const { quantiseExpert } = await import("../workload/quantise.ts");
  return quantiseExpert(expert, storage);
}

async function readCheckpoint(
  source: ExpertSource & { readonly kind: "checkpoint" },
  { name, activation: given }: Pick<ExpertScenario, "name" | "activation">,
  directory: string,
  onRemark: OnRemark,
): Promise<ExpertWeights | LowBitWeights> {
  const { readAnyExpert } = await import("../workload/low-bit.ts");
  const { allowNonfinite, format } = source;
  const checkpoint = checkpointFile(resolve(directory, source.path));
  if (allowNonfinite) onRemark("NaN and infinity in the weights are carried as IEEE 754 says.");
  const keys = { format: "expert.format", nonfinite: "expert.allowNonfinite: true" };
  const options = { allowNonfinite, format: format ?? undefined, keys };
  const read = (): ExpertWeights | LowBitWeights => readAnyExpert(checkpoint, name, options);
  const key = "expert.activation";
  const { weights, remarks } = withFunction(checkpoint, { given, key }, read);
  for (const one of remarks) onRemark(one);
  if ((checkpoint.config?.activation ?? null) === null) {
    const said = "no config.json beside it says the activation function";
    onRemark(`${checkpoint.name}: ${said}; expert.activation is ${given}.`);
  }
  return weights;
}
