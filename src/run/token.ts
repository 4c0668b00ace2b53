// SPDX-License-Identifier: Apache-2.0
// A scenario's decode steps of a whole model: reads model and text, runs the steps, and returns times,
// waits by resource, the sensitivity to the machine, and energy.

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { hostPath, lowBitMachine, paperMachine } from "../machine/resolve/systems.ts";
import type { TokenScenario } from "../scenario/token.ts";
import { cancelledRun } from "../kernels/cancelled.ts";
import { moveBetweenDimms } from "../kernels/moe/expert-move.ts";
import { layOutExpert } from "../workload/ndp/layout.ts";
import type { NdpMachine, OpenSession } from "../machine/types.ts";
import type { OpenCsdSession } from "../machine/csd/csd-types.ts";
import { inputError } from "../base/errors.ts";
import type { FloatFormat } from "../golden/activation.ts";
import { deviceUse, endOf } from "../base/timeline.ts";
import { promptOf } from "../lm/evaluate.ts";
import type { AuditHardware } from "../lm/token/audit.ts";
import type { MoeModel } from "../lm/moe/model.ts";
import { runTokenSteps, type TokenSteps } from "../lm/token/token-machine.ts";
import { criticalChain, type HostTimes, type PlanRun } from "../lm/token/token-plan.ts";
import { hostOf, hostTimesOf, tokenReport } from "../lm/token/token-report.ts";
import { relayoutPlaces, type RelayoutPlaces } from "../lm/token/token-relayout.ts";
import { seconds, type Seconds } from "../base/units.ts";
import { attentionRecorder, tokenSensitivity } from "../lm/token/token-sensitivity.ts";
import { layerTimes, resourceWaits } from "../lm/token/token-waits.ts";
import { inRepository } from "../base/paths.ts";
import {
  tokenEnergyMeter,
  type MeasuredUnit,
  type TokenEnergyMeter,
  type TokenHardware,
} from "../results/energy/token-energy.ts";
import { tokenChecks, tokenMetrics } from "../lm/token/token-metrics.ts";
import type { TokenCase } from "../lm/token/token-case.ts";
import { readRecord, recordedNdp, type RecordedUnit } from "../tools/synth/record.ts";
import { expertFormat } from "../workload/expert.ts";
import { loadLanguageModel } from "./lm-model.ts";
import { readWholeFile } from "./files.ts";

/** The model, the text and the method of a token. */
export interface TokenWorkload {
  readonly model: MoeModel;
  readonly text: Uint8Array;
}

/** @throws NeardataError `bad-input` where the model or the text is not there, or is none. */
export function loadToken(
  { model, text }: Pick<TokenScenario, "model" | "text">,
  directory: string,
): TokenWorkload {
  const columnFor = (key: string, given: string | null, ...usual: readonly string[]): string => {
    if (given !== null) return resolve(directory, given);
    const path = inRepository("data", ...usual);
    if (existsSync(path)) return path;
    const named = `data/${usual.join("/")}`;
    throw inputError(`token.${key}`, `${named} of the repository is not there; name a file here.`);
  };
  const loaded = loadLanguageModel(columnFor("model", model, "tinymoe", "tinymoe.safetensors"), {});
  if (loaded.kind !== "moe") throw inputError("token.model", "the model has no routed experts.");
  return {
    model: loaded.model,
    text: readWholeFile(columnFor("text", text, "tinylm", "eval.bin")),
  };
}

/** The DIMM of a token's experts: the paper's, or the one whose unit accepts low-bit weights. */
export function tokenDimm({
  fidelity,
  storage,
}: Pick<TokenScenario, "fidelity" | "storage">): NdpMachine {
  const machine =
    storage === null ? paperMachine(fidelity) : { ...lowBitMachine(), engine: fidelity };
  return { ...machine, host: hostPath };
}

/** Where steps run. */
export interface TokenSessions {
  readonly openNdp: OpenSession;
  readonly openCsd: OpenCsdSession;
  /** Hears which share of the steps' layers is done. */
  readonly onProgress?: (done: number) => void;
  /** Stops the steps between two runs. */
  readonly signal?: AbortSignal;
}

/** Options for additional results. */
export interface TokenOptions {
  readonly sensitivity?: boolean;
  /** The seed of the audit's samples. */
  readonly seed?: number;
  /** The fidelity of audits of sampled operations; default: RTL. */
  readonly auditOn?: AuditHardware;
}

/** The steps, checked. */
export async function runToken(
  scenario: TokenScenario,
  { model, text }: TokenWorkload,
  { openNdp, openCsd, onProgress, signal }: TokenSessions,
  { sensitivity = true, seed = 1, auditOn }: TokenOptions = {},
): Promise<TokenCase> {
  const { fidelity, attention, ratio, storage, host, dimms, devices } = scenario;
  const ndp = tokenDimm(scenario);
  const meter = meterOf(scenario, ndp, {
    operands: { inputs: inputsOf(model), weights: storage ?? "wide" },
    activation: model.architecture.settings.hidden_act.value,
  });
  const recorder = attentionRecorder();
  const ran = { experts: 0, heads: 0 };
  const steps = Math.min(scenario.steps, Math.ceil(model.inputs / 2));
  const task = {
    text,
    windows: scenario.windows,
    steps,
    storage: storage ?? undefined,
    method: { attention, ratio: ratio ?? 1, choice: "whole" },
  } as const;
  const whole = scenario.windows.length * steps * layersOf(model);
  let stepsDone = 0;
  const observer = {
    expert: (run: Parameters<TokenEnergyMeter["expert"]>[0]) => {
      rejectCancelled(signal);
      ran.experts += 1;
      meter?.expert(run);
    },
    attention: (...[step, machine]: Parameters<TokenEnergyMeter["attention"]>) => {
      rejectCancelled(signal);
      ran.heads += step.jobs.length;
      meter?.attention(step, machine);
      stepsDone += 1;
      onProgress?.(stepsDone / whole);
    },
    onRequests: recorder.onRequests,
  };
  const again = auditOn ?? { engine: "rtl", openNdp, openCsd };
  const audit =
    scenario.audit === null ? undefined : { draw: { share: scenario.audit, seed }, on: again };
  const machine = { fidelity, ndp, dimms, devices, openNdp, openCsd, observer, audit };
  const tokenSteps = await runTokenSteps(model, task, machine);
  const hostTimes = hostTimesOf(model, host);
  const still = tokenReport(tokenSteps, hostTimes, host);
  const moving = scenario.relayout
    ? await relayoutOf(scenario, model, ndp, tokenSteps, hostTimes)
    : null;
  const { report, runs } =
    moving === null ? still : tokenReport(tokenSteps, hostTimes, host, moving.places);
  const { architecture } = model;
  const layers = layersOf(model);
  const sequences = tokenSteps.times.length;
  const plan = {
    architecture,
    measured: tokenSteps,
    host: hostTimes,
    dimms,
    devices,
    calls: recorder.calls,
    open: openCsd,
  };
  const time = endOf(runs);
  const energy =
    meter?.energy({
      time,
      tokens: sequences * steps,
      hostBusy: deviceUse(runs).get("host")?.busy ?? time,
      linkBytes: linkBytesOf(runs, hostTimes.vector),
      movedBytes: moving === null ? 0 : moving.places.moves * moving.bytes,
    }) ?? null;
  const routed = model.layers.filter(({ network }) => "router" in network).length;
  const needed = {
    experts: sequences * steps * routed * architecture.settings.num_experts_per_tok.value,
    heads: sequences * steps * layers * architecture.kvHeads,
  };
  const { result, hardware } = tokenSteps;
  return {
    id: "token",
    title: titleOf(scenario),
    machine: scenario,
    result,
    report,
    hardware,
    energy,
    runs,
    audit: tokenSteps.audit,
    relayout: moving && {
      moves: moving.places.moves,
      moveUs: moving.time * 1e6,
      withoutUs: still.report.tokenUs,
    },
    layers: layerTimes(criticalChain(runs), layers, steps),
    waits: resourceWaits(runs),
    sensitivity: sensitivity ? await tokenSensitivity(plan) : [],
    metrics: tokenMetrics({ result, report, energy }),
    checks: [...tokenSteps.checks, ...tokenChecks(ran, needed, report, fidelity)],
  };
}

function rejectCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  throw cancelledRun();
}

function layersOf({ layers }: MoeModel): number {
  return layers.length;
}

function titleOf({ attention, storage, ratio }: TokenScenario): string {
  const share = ratio === null ? "" : ` ${ratio < 1 ? `1/${String(Math.round(1 / ratio))}` : "1"}`;
  return `a token, ${attention === "sparf" ? "SparF" : "dense"}${share}, ${storage ?? "16-bit"} experts`;
}

/** Places of experts in every step; the time and bytes of one move, simulated. */
async function relayoutOf(
  { dimms, storage }: TokenScenario,
  model: MoeModel,
  ndp: NdpMachine,
  { times, loads, homes }: TokenSteps,
  { projections, router }: HostTimes,
): Promise<{ readonly places: RelayoutPlaces; readonly time: Seconds; readonly bytes: number }> {
  const { hidden, settings } = model.architecture;
  const rows = model.layers.flatMap(({ network }) =>
    "router" in network ? (network.experts[0]?.gate.rows ?? []) : [],
  );
  const fewer = { gateUpRepeats: 1, downRepeats: 1 };
  const shape = {
    hidden,
    intermediate: Math.max(...rows),
    tokens: 1,
    format: "fp16",
    activation: settings.hidden_act.value,
    ...(storage === null ? {} : { lowBit: { format: storage, ...fewer } }),
  } as const;
  const layout = layOutExpert(ndp.unit, shape, "interleaved");
  const { time, bytes } = await moveBetweenDimms(ndp, layout);
  const hostTime = seconds(projections + router);
  const start = { loads, homes, prompt: promptOf(model), dimms, moveTime: time, hostTime };
  return { places: relayoutPlaces(times, start), time, bytes };
}

/** A vector to the DIMMs for each dispatch, one back for each expert. */
function linkBytesOf(runs: readonly PlanRun[], vector: number): number {
  const vectors = runs.filter(({ part }) => part === "dispatch" || part === "experts").length;
  return vectors * vector;
}

/** The format of the routed experts' inputs: that of their weights, where these have 16 bits. */
function inputsOf({ architecture: { layers }, checkpoint }: MoeModel): FloatFormat {
  const [first] = layers.flatMap(({ network }) =>
    network.kind === "routed" ? [network.experts] : [],
  );
  return first === undefined ? "fp16" : expertFormat(checkpoint, `${first}.0`);
}

/** Null where the cost of a unit was not recorded. */
export function meterOf(
  { dimms, host }: Pick<TokenScenario, "dimms" | "host">,
  ndp: NdpMachine,
  computed: Pick<TokenHardware, "operands" | "activation">,
): TokenEnergyMeter | null {
  const cost = (unit: RecordedUnit | undefined): MeasuredUnit | null => {
    const record = unit === undefined ? undefined : readRecord(unit)?.record;
    if (record === undefined) return null;
    return { energy: record.energy, flipFlops: record.area?.sum.ff ?? null };
  };
  const units = { ndp: cost(recordedNdp(ndp.unit)), sparf: cost("sparf") };
  if (units.ndp === null || units.sparf === null) return null;
  return tokenEnergyMeter({
    ndp,
    measured: ndp.unit,
    ...computed,
    dimms,
    host: hostOf(host),
    units: { ndp: units.ndp, sparf: units.sparf },
  });
}
