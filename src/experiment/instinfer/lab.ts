// SPDX-License-Identifier: Apache-2.0
// Attention of all heads of an OPT-13B layer on the simulated storage device: each kind is run once,
// its values held against the golden model, and its time becomes the timer of the system's model.

import { csdMachine, sparfUnit } from "../../config/csd.ts";
import { expectedLayer, layerAccuracy } from "../../driver/csd/attention-checks.ts";
import type { CsdDeviceRun } from "../../driver/csd/csd-device-run.ts";
import type { CsdMachine } from "../../driver/csd/csd-machine.ts";
import { runLayer, type LayerStep, type LayerTask } from "../../driver/csd/sparse-attention.ts";
import { NeardataError } from "../../errors.ts";
import { flashPresets, type FlashPreset } from "../../flash/presets.ts";
import { trafficBudget } from "../../golden/budget.ts";
import { openCsdSession } from "../../native/csd-session.ts";
import { measuredTimer } from "../../policy/instinfer/measured.ts";
import {
  fittedTo,
  publishedSetting,
  type InstInferSetting,
} from "../../policy/instinfer/systems.ts";
import { outcomeSentence } from "../../results/checks.ts";
import { seconds, type Seconds } from "../../units.ts";
import { generateHta1 } from "../../workload/hta1.ts";

/** The mean length of a decode from 1024 to 2048 tokens. */
const layer = { heads: 40, width: 128, length: 1536, firstSeed: 500, dimsPerPage: 2 };
const inFlight = 16;
/** Page requests of each run that a timeline shows. */
const keptPages = 12_000;

/** A layer on some devices; `ratio` is the share of dense traffic, null of dense attention. */
export interface EngineLayer {
  readonly ratio: number | null;
  readonly flash: FlashPreset;
  readonly devices: number;
}

export interface EngineRun extends EngineLayer {
  readonly machine: CsdMachine;
  readonly steps: readonly LayerStep[];
  /** Until the last output was at the host. */
  readonly time: Seconds;
  readonly device: CsdDeviceRun;
  /** Values that are not the golden model's, of all. */
  readonly different: number;
  readonly values: number;
}

export interface EngineLab {
  readonly heads: number;
  readonly length: number;
  readonly run: (what: EngineLayer) => Promise<EngineRun>;
  /** The published system with devices that take what the engine took, on Z-NAND. */
  readonly setting: () => Promise<InstInferSetting>;
}

/** Shares of the traffic that figure 17 sweeps. */
const ratios = [null, 1 / 2, 1 / 4, 1 / 8, 1 / 16] as const;

/** A lab of devices with this engine; every layer is run once. */
export function engineLab(engine: CsdMachine["engine"]): EngineLab {
  const known = new Map<string, Promise<EngineRun>>();
  let heads: LayerTask["heads"] | null = null;
  let last: Promise<unknown> = Promise.resolve();
  const run = (what: EngineLayer): Promise<EngineRun> => {
    const key = JSON.stringify(what);
    const before = known.get(key);
    if (before !== undefined) return before;
    const done = last.then(async () => {
      heads ??= Array.from({ length: layer.heads }, (_, h) =>
        generateHta1(layer.firstSeed + h, layer.length, layer.width),
      );
      return runOn(engine, what, heads);
    });
    last = done.catch(() => undefined);
    known.set(key, done);
    return done;
  };
  const setting = async (): Promise<InstInferSetting> => {
    const runs = await Promise.all(
      ratios.map(async (ratio) => run({ ratio, flash: "znand4k", devices: 1 })),
    );
    const timer = measuredTimer(
      runs.map(({ ratio, time }) => ({
        dims: ratio,
        heads: layer.heads,
        tokens: layer.length,
        time,
      })),
    );
    return { ...publishedSetting, timer, ...fittedTo(timer) };
  };
  return { heads: layer.heads, length: layer.length, run, setting };
}

async function runOn(
  engine: CsdMachine["engine"],
  what: EngineLayer,
  heads: LayerTask["heads"],
): Promise<EngineRun> {
  const { ratio, devices } = what;
  const flash = flashPresets[what.flash];
  const { width, length, dimsPerPage } = layer;
  const unit = sparfUnit(width, flash.channels, flash.page_bytes / (2 * width));
  const machine = csdMachine({ engine, devices, unit, flash });
  const select = (tokens: number): ReturnType<typeof trafficBudget> =>
    trafficBudget(ratio ?? 1, tokens, width);
  const method = ratio === null ? "dense" : "sparf";
  const task: LayerTask = { heads, method, length, decode: 0, select, dimsPerPage };
  const session = await openCsdSession(machine);
  try {
    const steps = await runLayer(session, devices, task, { inFlight, keepPages: keptPages });
    const runs = steps.flatMap((step) => step.run.devices);
    const failed = runs.find((device) => device.outcome.kind !== "completed");
    const [device] = runs;
    if (device === undefined || failed !== undefined) {
      const why = failed === undefined ? "no device ran." : outcomeSentence(failed.outcome);
      throw new NeardataError("check-failed", why);
    }
    const { accuracy } = layerAccuracy(steps, expectedLayer(task));
    const { differentFromGolden: different, values } = accuracy;
    const time = seconds(Math.max(...runs.map((one) => one.time)) * 1e-15);
    return { ...what, machine, steps, time, device, different, values };
  } finally {
    session.close();
  }
}
