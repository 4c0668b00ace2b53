// SPDX-License-Identifier: Apache-2.0
// A decode step of a batch for a model with a known shape and without weights: its routes are from
// the trained model of the repository. Results: time of the step, waits by resource, energy.

import { hostPath, paperMachine } from "../machine/resolve/systems.ts";
import type { OpenCsdSession } from "../machine/csd/csd-types.ts";
import type { OpenSession } from "../machine/types.ts";
import type { HostName } from "../machine/host/devices.ts";
import { counted } from "../base/format-value.ts";
import { deviceUse, endOf } from "../base/timeline.ts";
import { jobActivation, jobFormat } from "../lm/shape/expert-jobs.ts";
import { routerScores, scaledRouter } from "../lm/shape/scaled-routes.ts";
import { checkHostMemory, shapeHostTimes } from "../lm/shape/shape-host.ts";
import { runShapeStep, type ShapeStep } from "../lm/shape/shape-step.ts";
import { mixtureOf, type ShapeTask } from "../lm/shape/shape-task.ts";
import { criticalChain, type PlanRun, type StepTimes } from "../lm/token/token-plan.ts";
import { tokenReport, tokenText, type TokenReport } from "../lm/token/token-report.ts";
import { layerTimes, resourceWaits, type LayerTime, type Wait } from "../lm/token/token-waits.ts";
import { chainCheck } from "../lm/token/token-metrics.ts";
import type { Check } from "../results/metric.ts";
import type { RunEnergy } from "../results/types.ts";
import { loadToken, meterOf } from "./token.ts";

/** A step with its host and numbers of devices. */
export interface ShapeScenario extends Omit<ShapeTask, "router" | "again"> {
  readonly host: HostName;
  readonly dimms: number;
  readonly devices: number;
  /** The layer that runs on RTL as well. */
  readonly rtlLayer: number | null;
}

/** Where it runs. */
export interface ShapeSessions {
  readonly openNdp: OpenSession;
  readonly openCsd: OpenCsdSession;
  /** Hears which share of the layers is done. */
  readonly onProgress?: (done: number) => void;
}

/** Results of a step. */
export interface ShapeResult extends Pick<ShapeStep, "experts" | "rtl"> {
  readonly report: TokenReport;
  /** Time on the chain that the last token waited for. */
  readonly layers: readonly LayerTime[];
  readonly waits: readonly Wait[];
  /** Null where the cost of a unit was not recorded. */
  readonly energy: RunEnergy | null;
  /** Null where the host attends. */
  readonly attention: ShapeStep["attention"] | null;
  readonly runs: readonly PlanRun[];
  readonly checks: readonly Check[];
}

/** @throws NeardataError `bad-input` if host or DIMMs have too little memory. */
export async function runShape(
  scenario: ShapeScenario,
  { openNdp, openCsd, onProgress }: ShapeSessions,
): Promise<ShapeResult> {
  const { shape, layers, batch, parts, length, seed, host, dimms, devices } = scenario;
  checkHostMemory(shape, host, { tokens: batch, length });
  const experts = mixtureOf(shape);
  const { model, text } = loadToken({ model: null, text: null }, ".");
  const router = scaledRouter(await routerScores(model, text), experts, seed);
  const ndp = { ...paperMachine("cycle"), host: hostPath };
  const operands = { inputs: jobFormat, weights: "wide" } as const;
  const meter = meterOf({ dimms, host }, ndp, { operands, activation: jobActivation });
  const { rtlLayer } = scenario;
  const shapeStep = await runShapeStep(
    {
      ...scenario,
      router,
      again:
        rtlLayer === null ? null : { layer: rtlLayer, on: { engine: "rtl", openNdp, openCsd } },
    },
    { ndp, dimms, devices, openNdp, openCsd, observer: meter ?? undefined },
    (done) => onProgress?.(done / layers),
  );
  const hostTimes = shapeHostTimes(shape, host, { tokens: batch / parts, length });
  const times: StepTimes = shapeStep.times.map((steps) =>
    steps.map((step) =>
      step.map((layer, n) =>
        n < experts.denseLayers ? { ...layer, host: hostTimes.dense } : layer,
      ),
    ),
  );
  const { report, runs } = tokenReport({ times, homes: shapeStep.homes }, hostTimes.routed, host);
  const time = endOf(runs);
  const vectors = shapeStep.experts.reduce((sum, { jobs, tokens }) => sum + jobs * tokens, 0);
  const routedLayers = Math.max(0, layers - experts.denseLayers);
  const energy =
    meter?.energy({
      time,
      tokens: batch,
      hostBusy: deviceUse(runs).get("host")?.busy ?? time,
      linkBytes: (vectors + batch * routedLayers) * hostTimes.routed.vector,
      movedBytes: 0,
    }) ?? null;
  return {
    report,
    layers: layerTimes(criticalChain(runs), layers, 1),
    waits: resourceWaits(runs),
    energy,
    experts: shapeStep.experts,
    attention: scenario.attention.on === "storage" ? shapeStep.attention : null,
    rtl: shapeStep.rtl,
    runs,
    checks: [...shapeStep.checks, chainCheck(report)],
  };
}

/** The result for a terminal. */
export function shapeText(shapeResult: ShapeResult, scenario: ShapeScenario): string {
  const { shape, attention, layers, parts, batch, length, ratio, dimms, devices } = scenario;
  const { experts, report, rtl, checks, energy } = shapeResult;
  const jobs = experts.reduce((sum, one) => sum + one.jobs, 0);
  const list = experts.map(
    (e) => `${e.jobs} with ${counted(e.tokens, "token")}: ${e.timeUs.toFixed(2)} us each`,
  );
  const dense = layers === 1 ? "layer is" : `${layers} layers are`;
  const expertsText =
    jobs === 0
      ? `experts: no jobs, because the first ${dense} dense`
      : `experts: ${counted(jobs, "job")}; ${list.join(", ")}`;
  const attended =
    attention.on === "host"
      ? `attention on the host: ${attention.why}`
      : `attention: ${ratio === null ? "dense" : `SparF at ${ratio.toString()}`} over ${counted(length, "token")} on ` +
        `${counted(devices, "storage device")}, ${counted(attention.jobsPerHead, "job")} of ${counted(attention.group, "query head")} for each head of keys and values`;
  const hardware = energy?.parts.filter(({ part }) => !part.startsWith("host"));
  const joules = hardware?.reduce((sum, part) => sum + part.joules, 0);
  return [
    `${shape.title}, ${layers} of ${counted(shape.layers, "layer")}, ${counted(batch, "sequence")} in ` +
      `${counted(parts, "part")}, experts on ${counted(dimms, "DIMM")}`,
    tokenText(report, report.host, null),
    expertsText,
    attended,
    ...(joules === undefined ? [] : [`DIMMs and storage: ${(1e3 * joules).toFixed(2)} mJ a token`]),
    ...(rtl === null
      ? []
      : checks.filter(({ id }) => id.startsWith("rtl")).map((c) => `${c.title}: ${c.detail}`)),
  ].join("\n");
}
