// SPDX-License-Identifier: Apache-2.0
// Decode steps of an OPT-13B layer on simulated devices, for any assignment of heads
// to kernels and any arrangement of pages. Outputs of the last step are compared with the golden model.

import { csdMachine, sparfUnit } from "../../../machine/resolve/csd.ts";
import type { CsdDeviceRun } from "../../../machine/csd/csd-device-run.ts";
import type { CsdJob } from "../../../machine/csd/csd-jobs.ts";
import type { CsdRun, CsdSession } from "../../../machine/csd/csd-types.ts";
import { NeardataError } from "../../../base/errors.ts";
import { flashPresets, type FlashPreset } from "../../../machine/flash/presets.ts";
import { engineAttention, engineDense } from "../../../golden/attention-engine.ts";
import { trafficBudget } from "../../../golden/attention/budget.ts";
import { numbersToHalves } from "../../../golden/half.ts";
import { openCsdSession } from "../../../native/csd/csd-session.ts";
import { outcomeSentence } from "../../../results/checks.ts";
import { seconds, type Seconds } from "../../../base/units.ts";
import { present } from "../../../base/present.ts";
import { generateHta1, type SyntheticHead } from "../../../workload/hta1.ts";

/** One configuration of a layer's run. */
export interface DevicePath {
  readonly flash: FlashPreset;
  readonly devices: number;
  /** Heads in flight on a device; `slots` is the capacity of each of its two kernels. */
  readonly inFlight: number;
  readonly slots: number;
  /** Sequences whose heads follow one another. */
  readonly sequences: number;
  /** Order dimensions by the |q| of the prompt before they are paired. */
  readonly clusterDims: boolean;
  /** Pages of a head in the controller's DRAM. */
  readonly hotPages: number;
}

/** The times of one decode step. */
export interface DeviceStep {
  /** Of the attention alone, and with the appends before it. */
  readonly attention: Seconds;
  readonly whole: Seconds;
  readonly pages: number;
  /** Of these, from copies in DRAM. */
  readonly hot: number;
  /** Time of the least busy channel's bus over the attention's. */
  readonly leastBusy: number;
}

/** Heads of a layer and how many of their tokens are the prompt. */
export interface DeviceHeads {
  readonly heads: readonly SyntheticHead[];
  readonly prompt: number;
}

const layer = { heads: 40, width: 128, firstSeed: 500, dimsPerPage: 2 };

/** Heads with `decode` tokens after the prompt. */
export function layerHeads(prompt: number, decode: number): DeviceHeads {
  const heads = Array.from({ length: layer.heads }, (_, h) =>
    generateHta1(layer.firstSeed + h, prompt + decode, layer.width),
  );
  return { heads, prompt };
}

/** The heads with dimensions of q and K in descending order of the prompt's |q|: the same logits. */
export function clustered({ heads, prompt }: DeviceHeads): DeviceHeads {
  const ordered = heads.map((head) => {
    const { width, queries, keys } = head;
    const magnitude = new Float64Array(width);
    for (let i = 0; i < prompt * width; i += 1) {
      magnitude[i % width] = present(magnitude[i % width]) + Math.abs(present(queries[i]));
    }
    const order = [...magnitude.keys()].sort(
      (a, b) => present(magnitude[b]) - present(magnitude[a]) || a - b,
    );
    const moved = (rows: Float64Array): Float64Array =>
      rows.map((_, i) => present(rows[i - (i % width) + present(order[i % width])]));
    return { ...head, queries: moved(queries), keys: moved(keys) };
  });
  return { heads: ordered, prompt };
}

/** A head's arrays in the device's format. */
interface HalfHead {
  readonly width: number;
  readonly queries: Uint16Array;
  readonly keys: Uint16Array;
  readonly values: Uint16Array;
}

/** Runs decode steps of one set of heads; golden results are computed once. */
export interface DeviceLab {
  /**
   * Appends `steps` tokens to every head; the last is attended to and timed, and with hot pages
   * those before it too. `ratio` is the share of dense traffic, null of dense attention.
   */
  readonly step: (path: DevicePath, ratio: number | null, steps: number) => Promise<DeviceStep>;
}

/** @throws NeardataError `check-failed` when a run breaks off or outputs are not the golden ones. */
export function deviceLab(engine: "rtl" | "cycle", { heads, prompt }: DeviceHeads): DeviceLab {
  const halves = heads.map(({ width, queries, keys, values }): HalfHead => {
    const [q, k, v] = [queries, keys, values].map(numbersToHalves);
    return { width, queries: q ?? none, keys: k ?? none, values: v ?? none };
  });
  const known = new Map<string, readonly Uint16Array[]>();
  const golden = (ratio: number | null, length: number): readonly Uint16Array[] => {
    const key = `${String(ratio)} ${String(length)}`;
    const rows = known.get(key) ?? heads.map((head) => goldenRow(head, ratio, length));
    known.set(key, rows);
    return rows;
  };
  return {
    step: async (path, ratio, steps) => {
      const flash = flashPresets[path.flash];
      const { width } = layer;
      const unit = {
        ...sparfUnit(width, flash.channels, flash.page_bytes / (2 * width)),
        slots: path.slots,
      };
      const { devices, hotPages } = path;
      const base = csdMachine({ engine, devices, unit, flash });
      // A head has separate blocks in every plane.
      const blocksPerPlane = base.blocksPerPlane * path.sequences;
      const machine = { ...base, blocksPerPlane, hotPages };
      const session = await openCsdSession(machine);
      try {
        const { appended, attended } = await decode(session, {
          path,
          ratio,
          steps,
          heads: halves,
          prompt,
        });
        const wanted = golden(ratio, prompt + steps);
        const unlike = attended.jobs.filter(
          ({ outputs }, i) => !sameRow(outputs, wanted[i % wanted.length]),
        );
        if (unlike.length > 0) {
          throw new NeardataError("check-failed", `${unlike.length} heads differ from golden.`);
        }
        return stepOf(appended, attended);
      } finally {
        session.close();
      }
    },
  };
}

const none = new Uint16Array();

interface DecodeOptions {
  readonly path: DevicePath;
  /** Null for dense attention. */
  readonly ratio: number | null;
  /** Tokens to decode. */
  readonly steps: number;
  readonly heads: readonly HalfHead[];
  /** Tokens of the prompt. */
  readonly prompt: number;
}

async function decode(
  session: CsdSession,
  { path, ratio, steps, heads, prompt }: DecodeOptions,
): Promise<{ readonly appended: CsdRun; readonly attended: CsdRun }> {
  const placed = place(session, path, heads, prompt);
  const run = async (jobs: readonly CsdJob[]): Promise<CsdRun> => {
    const csdRun = await session.run(jobs, { inFlight: path.inFlight });
    const broken = csdRun.devices.find(({ outcome }) => outcome.kind !== "completed");
    if (broken === undefined) return csdRun;
    throw new NeardataError("check-failed", outcomeSentence(broken.outcome));
  };
  for (let step = 1; ; step += 1) {
    const length = prompt + step;
    const appended = await run(
      placed.map(({ of, ...at }): CsdJob => {
        const [key, value] = [rowOf(of.keys, of, length), rowOf(of.values, of, length)];
        return { kind: "append", ...at, key, value };
      }),
    );
    const last = step === steps;
    if (!last && path.hotPages === 0) continue;
    const attended = await run(
      placed.map(({ of, ...at }): CsdJob => {
        const job = { ...at, queries: rowOf(of.queries, of, length) };
        if (ratio === null) return { kind: "dense", ...job };
        return { kind: "sparse", ...job, ...trafficBudget(ratio, length, of.width), mean: true };
      }),
    );
    if (last) return { appended, attended };
  }
}

interface PlacedHead {
  readonly of: HalfHead;
  readonly sequence: CsdJob["sequence"];
  readonly head: number;
}

/** Head h of every sequence is on device h mod `devices`. */
function place(
  session: CsdSession,
  { devices, sequences }: DevicePath,
  heads: readonly HalfHead[],
  prompt: number,
): readonly PlacedHead[] {
  return Array.from({ length: sequences }, (): readonly PlacedHead[] => {
    const csdSequences = Array.from({ length: Math.min(devices, heads.length) }, (_, device) =>
      session.createSequence({
        device,
        heads: Math.ceil((heads.length - device) / devices),
        dimsPerPage: layer.dimsPerPage,
        tail: "padded",
      }),
    );
    return heads.flatMap((of, h): PlacedHead[] => {
      const sequence = csdSequences[h % devices];
      if (sequence === undefined) return [];
      const head = Math.floor(h / devices);
      const rows = (all: Uint16Array): Uint16Array => all.slice(0, prompt * of.width);
      const pages = session.pagesOf(sequence, head, rows(of.keys), rows(of.values));
      session.prefill(sequence, head, pages);
      return [{ of, sequence, head }];
    });
  }).flat();
}

function rowOf(rows: Uint16Array, { width }: HalfHead, length: number): Uint16Array {
  return rows.slice((length - 1) * width, length * width);
}

function goldenRow(head: SyntheticHead, ratio: number | null, length: number): Uint16Array {
  const { width } = head;
  const query = head.queries.slice((length - 1) * width, length * width);
  const cache = { ...head, length };
  if (ratio === null) return numbersToHalves(engineDense(query, cache));
  return numbersToHalves(engineAttention(query, cache, trafficBudget(ratio, length, width)).out);
}

function sameRow(a: Uint16Array, b: Uint16Array | undefined): boolean {
  return b?.length === a.length && a.every((value, i) => value === b[i]);
}

function stepOf(appended: CsdRun, attended: CsdRun): DeviceStep {
  const sum = (of: (device: CsdDeviceRun) => number): number =>
    attended.devices.reduce((total, device) => total + of(device), 0);
  const longest = (run: CsdRun): number => Math.max(...run.devices.map(({ time }) => time));
  const attention = longest(attended);
  const busy = attended.devices.flatMap(({ channels, time }) =>
    channels.map(({ command, data }) => (command + data) / time),
  );
  return {
    attention: seconds(attention * 1e-15),
    whole: seconds((longest(appended) + attention) * 1e-15),
    pages: sum(({ pagesRead }) => pagesRead),
    hot: sum(({ reads }) => reads.hot),
    leastBusy: Math.min(...busy),
  };
}
