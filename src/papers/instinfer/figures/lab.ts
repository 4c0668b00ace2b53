// SPDX-License-Identifier: Apache-2.0
// Attention of all heads of an OPT-13B layer on the simulated storage device: each kind is run once,
// its values compared with the golden model, and its time becomes the timer of the system's model.

import { present } from "../../../base/present.ts";
import { csdMachine, sparfUnit } from "../../../machine/resolve/csd.ts";
import { expectedLayer, layerAccuracy } from "../../../kernels/csd/attention/attention-checks.ts";
import type { CsdDeviceRun } from "../../../machine/csd/csd-device-run.ts";
import type { CsdMachine } from "../../../machine/csd/csd-machine.ts";
import { runLayer, type LayerTask } from "../../../kernels/csd/attention/sparse-attention.ts";
import { type LayerStep } from "../../../machine/csd/layer-step.ts";
import { NeardataError } from "../../../base/errors.ts";
import { flashPresets, type FlashPreset } from "../../../machine/flash/presets.ts";
import { trafficBudget } from "../../../golden/attention/budget.ts";
import { openCsdSession } from "../../../native/csd/csd-session.ts";
import { measuredTimer } from "../model/measured.ts";
import { fittedTo, publishedSetting, type InstInferSetting } from "../model/systems.ts";
import { outcomeSentence } from "../../../results/checks.ts";
import { seconds, type Seconds } from "../../../base/units.ts";
import { generateHta1 } from "../../../workload/hta1.ts";

const layer = { heads: 40, width: 128, firstSeed: 500, dimsPerPage: 2 };
/** Mean length of a decode from 1024 to 2048 tokens. */
const meanLength = 1536;
/** Lengths at which that decode is simulated: every 256 tokens. */
export const decodeLengths = [1024, 1280, 1536, 1792, 2048] as const;
const inFlight = 16;
/** Page requests of each run that a timeline shows. */
const keptPages = 12_000;

/** A layer on some devices; `ratio` is the share of dense traffic, null of dense attention. */
export interface EngineLayer {
  readonly ratio: number | null;
  readonly flash: FlashPreset;
  readonly devices: number;
  /** Tokens of each head; the mean of the decode when absent. */
  readonly length?: number;
}

export interface EngineRun extends Required<EngineLayer> {
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
  readonly run: (what: EngineLayer) => Promise<EngineRun>;
  /** Tokens of a layer without a given length. */
  readonly length: number;
  /**
   * The published system, with devices whose time is that of the engine on Z-NAND, the mean of a
   * decode.
   */
  readonly setting: () => Promise<InstInferSetting>;
}

/** Shares of the traffic that figure 17 sweeps. */
const ratios = [null, 1 / 2, 1 / 4, 1 / 8, 1 / 16] as const;

/** A lab of devices with this engine; every layer is run once. */
export function engineLab(engine: CsdMachine["engine"]): EngineLab {
  const known = new Map<string, Promise<EngineRun>>();
  let heads: readonly [length: number, made: LayerTask["heads"]] | null = null;
  let last: Promise<unknown> = Promise.resolve();
  const run = (asked: EngineLayer): Promise<EngineRun> => {
    const { ratio, flash, devices, length = meanLength } = asked;
    const what = { ratio, flash, devices, length };
    const key = JSON.stringify(what);
    const before = known.get(key);
    if (before !== undefined) return before;
    const done = last.then(async () => {
      if (heads?.[0] !== length) heads = [length, headsOf(length)];
      return runOn(engine, what, heads[1]);
    });
    last = done.catch(() => undefined);
    known.set(key, done);
    return done;
  };
  const setting = async (): Promise<InstInferSetting> => {
    // Length by length, so that the heads of one are made once.
    const runs = await Promise.all(
      decodeLengths.flatMap((length) =>
        ratios.map(async (ratio) => run({ ratio, flash: "znand4k", devices: 1, length })),
      ),
    );
    const timer = measuredTimer(
      ratios.map((ratio) => ({
        dims: ratio,
        heads: layer.heads,
        tokens: meanLength,
        time: meanOfDecode(runs.filter((one) => one.ratio === ratio)),
      })),
    );
    return { ...publishedSetting, timer, ...fittedTo(timer) };
  };
  return { heads: layer.heads, length: meanLength, run, setting };
}

function headsOf(length: number): LayerTask["heads"] {
  return Array.from({ length: layer.heads }, (_, h) =>
    generateHta1(layer.firstSeed + h, length, layer.width),
  );
}

/** Mean over a decode of layers at its lengths, straight lines between them. */
export function meanOfDecode(runs: readonly EngineRun[]): Seconds {
  const sorted = runs.toSorted((a, b) => a.length - b.length);
  const area = sorted.slice(1).reduce((total, { length, time }, i) => {
    const before = sorted[i] ?? { length, time };
    return total + ((length - before.length) * (time + before.time)) / 2;
  }, 0);
  return seconds(area / (present(sorted.at(-1)?.length) - present(sorted[0]?.length)));
}

async function runOn(
  engine: CsdMachine["engine"],
  what: Required<EngineLayer>,
  heads: LayerTask["heads"],
): Promise<EngineRun> {
  const { ratio, devices, length } = what;
  const flash = flashPresets[what.flash];
  const { width, dimsPerPage } = layer;
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
