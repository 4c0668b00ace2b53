// SPDX-License-Identifier: Apache-2.0
// A session of storage devices with attention: InstInfer's engine, or your own, behind flash. The
// devices store heads of keys and values; attention of their latest token runs off the JS thread.

import { resolve } from "node:path";

import { defined } from "../../base/defined.ts";
import {
  csdMachine,
  engineRuleViolations,
  ringLinesFor,
  sparfUnit,
} from "../../machine/resolve/csd.ts";
import { readOverlay } from "../../native/overlay.ts";
import { readCustomUnit, type CustomUnit } from "../../native/custom-unit-choice.ts";
import { expectedLayer, outputsOf } from "../../kernels/csd/attention/attention-checks.ts";
import { rejectUnusable } from "../../kernels/csd/csd-engine.ts";
import type { CsdMachine } from "../../machine/csd/csd-machine.ts";
import type { CsdRun, CsdRunOptions } from "../../machine/csd/csd-types.ts";
import type { MachineGraph } from "../../machine/machine-graph.ts";
import {
  decodeLayer,
  pagesOf,
  placeHeads,
  type LayerTask,
} from "../../kernels/csd/attention/sparse-attention.ts";
import { checkArguments } from "../../base/entry.ts";
import { disposal } from "../../base/disposal.ts";
import { shareOf } from "../../base/quantity.ts";
import { inputError, NeardataError } from "../../base/errors.ts";
import { flashPresets, type FlashPreset } from "../../machine/flash/presets.ts";
import { trafficBudget } from "../../golden/attention/budget.ts";
import { differentBits } from "../../golden/reference.ts";
import type { SparfParameters } from "../../golden/attention/sparf.ts";
import { openCsdSession } from "../../native/csd/csd-session.ts";
import { openCsdSessionOn } from "../../native/custom-unit.ts";
import { outcomeSentence } from "../../results/checks.ts";
import { cycles } from "../../base/units.ts";
import { headBits, type AttentionHead } from "../../workload/attention-heads.ts";
import type { KernelOptions } from "./dimm.ts";
import { attentionKernel, attentionOptions } from "./options.ts";
import { rejectStopped, stopped } from "./stopped.ts";

const dimsPerPage = 2;
const femtoseconds = 1e-15;
const parts = ["queries", "keys", "values"] as const;
const isNonFinite = (bits: number): boolean => (bits & 0x7c00) === 0x7c00;

/** The configuration of the devices. */
export interface StorageOptions {
  /** Verilated SystemVerilog, or the model with the same cycles. Default: rtl. */
  readonly engine?: "rtl" | "cycle";
  /** Devices; heads are dealt out over them. Default: 1. */
  readonly devices?: number;
  /** Default: znand4k. */
  readonly flash?: FlashPreset;
  /** Values of a head's query, key and value. Default: 128. */
  readonly headWidth?: number;
  /** Tokens of a head at most. Default: 2048. */
  readonly mostTokens?: number;
  /** Limit of the threads of a run; default: one per core. */
  readonly threads?: number;
  /** Directory of a custom engine (docs/guides/extending.md), or of changes to neardata's RTL. */
  readonly unit?: string;
  readonly rtl?: string;
}

/** Heads, and the selection of dimensions and tokens for the query of their latest token. */
export interface AttentionKernel {
  /** All equally long and wide. */
  readonly heads: readonly AttentionHead[];
  /** Default: sparf. */
  readonly method?: "dense" | "sparf";
  /** SparF: dimensions that rank the tokens, tokens, and how many of them are the latest ... */
  readonly select?: SparfParameters;
  /** ... or the share of K and V that it moves, a number or a text such as "1/8". Default: 1/8. */
  readonly ratio?: number | string;
}

export interface AttentionOptions extends Omit<KernelOptions, "onProgress"> {
  /** Now and then, and when all is done. */
  readonly onProgress?: (progress: { readonly jobsDone: number; readonly jobs: number }) => void;
  /** Limit of the heads in flight per device; default: as many as fit. */
  readonly inFlight?: number;
}

/** The result of an attention. */
export interface AttentionResult {
  /** [heads][width] bits. */
  readonly outputs: Uint16Array;
  /**
   * By head: the selections, ascending (empty for dense attention), and the share of the selected
   * tokens.
   */
  readonly choices: readonly {
    readonly dims: Uint32Array;
    readonly tokens: Uint32Array;
    readonly alpha: number;
  }[];
  /** Until the last output was at the host. */
  readonly seconds: number;
  /** Engine cycles of the slowest device. */
  readonly cycles: number;
  /** Counters, times and traffic of the run. */
  readonly run: CsdRun;
  /** Outputs that are not the golden model's, bit for bit. */
  readonly differences: () => number;
}

export interface StorageSession extends Disposable, AsyncDisposable {
  readonly machine: CsdMachine;
  /** Its parts, their ports, and the edges between them. */
  readonly describe: () => MachineGraph;
  /**
   * Stores the heads on the devices as a prefill does, computes their attention, and removes them.
   * @throws NeardataError `bad-input` if they do not fit in the engine, `cancelled`, `check-failed`
   * if the run did not complete
   */
  readonly attend: (
    kernel: AttentionKernel,
    options?: AttentionOptions,
  ) => Promise<AttentionResult>;
  readonly close: () => void;
}

/** Opens storage devices, and builds their RTL if the cache lacks it. */
export async function openStorage(options: StorageOptions = {}): Promise<StorageSession> {
  const { threads } = options;
  const customUnit = customEngine(options);
  const machine = machineOf(options);
  if (customUnit !== null && machine.engine === "cycle") {
    throw inputError("engine", `${customUnit.name} has no cycle model: its engine is rtl.`);
  }
  const session = await (customUnit === null
    ? openCsdSession(machine, threads)
    : openCsdSessionOn(customUnit, threads)(machine));
  return {
    machine,
    describe: () => session.describe(),
    attend: async (kernel, given = {}) => {
      const parameters = { kernel: attentionKernel, options: attentionOptions };
      checkArguments("attend", parameters, [kernel, given]);
      rejectStopped(given.signal);
      const task = taskOf(machine, kernel, options.mostTokens);
      const placed = placeHeads(session, machine.devices, task.heads, dimsPerPage);
      try {
        for (const one of placed) {
          session.prefill(one.sequence, one.index, pagesOf(session, one, task.length));
        }
        const steps = await decodeLayer(session, placed, task, runOptions(given));
        const [run] = steps.map((step) => step.run);
        if (run === undefined) throw new NeardataError("check-failed", "nothing ran");
        rejectUnended(run);
        given.onProgress?.({ jobsDone: run.jobs.length, jobs: run.jobs.length });
        const outputs = outputsOf(steps);
        return {
          outputs,
          run,
          choices: run.jobs.map(({ dims, tokens, alpha }) => ({
            dims,
            tokens,
            alpha: alpha[0] ?? 1,
          })),
          seconds: femtoseconds * Math.max(...run.devices.map(({ time }) => time)),
          cycles: Math.max(...run.devices.map((device) => device.cycles)),
          differences: () => {
            return differentBits(outputs, expectedLayer(task).golden);
          },
        };
      } finally {
        for (const sequence of new Set(placed.map((one) => one.sequence))) {
          session.closeSequence(sequence);
        }
      }
    },
    close: () => {
      session.close();
    },
    ...disposal(() => {
      session.close();
    }),
  };
}

function customEngine({ unit, rtl }: StorageOptions): CustomUnit | null {
  if (unit !== undefined) return readCustomUnit(resolve(unit), ".", "unit", "storage-device");
  if (rtl === undefined) return null;
  const { engine } = readOverlay(rtl, ".");
  if (engine !== null) return engine;
  throw inputError("rtl", `no file of ${rtl} belongs to the engine of storage devices.`);
}

/** Large enough for any choice of dimensions. */
function machineOf({
  engine = "rtl",
  devices = 1,
  flash = "znand4k",
  headWidth: width = 128,
  mostTokens = 2048,
}: StorageOptions): CsdMachine {
  const device = flashPresets[flash];
  const { page_bytes: pageBytes, channels } = device;
  const refused = engineRuleViolations({ width, length: mostTokens, pageBytes, dimsPerPage });
  if (refused.length > 0) {
    throw new NeardataError(
      "bad-input",
      refused.map((message) => ({ where: "headWidth, mostTokens", message })),
    );
  }
  const ringLines = ringLinesFor(pageBytes, dimsPerPage, width / 2, mostTokens);
  const unit = sparfUnit(width, channels, pageBytes / (2 * width), ringLines);
  return csdMachine({ engine, devices, unit, flash: device });
}

function taskOf(
  { unit: { width } }: CsdMachine,
  { heads, method = "sparf", select, ratio: share = 1 / 8 }: AttentionKernel,
  most = 2048,
): LayerTask {
  const [first] = heads;
  if (first === undefined) throw inputError("heads", "there is none.");
  const { length } = first;
  const odd = heads.findIndex((head) => head.width !== width || head.length !== length);
  if (odd >= 0) {
    const shape = `${String(length)} tokens of ${String(width)} values`;
    throw inputError(
      `heads[${String(odd)}]`,
      `all heads have ${shape}, as the first and the device.`,
    );
  }
  if (length > most) {
    throw inputError(
      "heads",
      `${String(length)} tokens are more than the ${String(most)} asked for.`,
    );
  }
  const unfit = heads.flatMap((head, h) =>
    parts
      .filter((part) => headBits(head, part, 0, length).some(isNonFinite))
      .map((part) => ({
        where: `heads[${String(h)}].${part}`,
        message: "holds an infinity or NaN as FP16, which attention cannot use.",
      })),
  );
  if (unfit.length > 0) throw new NeardataError("bad-input", unfit);
  const ratio = typeof share === "number" ? share : shareOf(share);
  const budget = trafficBudget(ratio ?? 1, length, width);
  const chosen = select ?? { ...budget, l: Math.floor(budget.k / 4) };
  const { r, k, l } = chosen;
  if (
    ![r, k, l].every(Number.isInteger) ||
    r < 1 ||
    r > width / 2 ||
    k < 1 ||
    k > length ||
    l > k
  ) {
    const rule = `r from 1 to ${String(width / 2)}, k from 1 to ${String(length)}, l up to k`;
    throw inputError("select", `${JSON.stringify(chosen)}: whole numbers, ${rule}.`);
  }
  return { heads, method, length, decode: 0, dimsPerPage, select: () => chosen };
}

function runOptions({ signal, onProgress, waveform, inFlight }: AttentionOptions): CsdRunOptions {
  return {
    ...defined({
      signal,
      onProgress,
      inFlight,
      waveform:
        waveform === undefined
          ? undefined
          : { path: waveform, from: cycles(0), to: cycles(Number.MAX_SAFE_INTEGER) },
    }),
  };
}

function rejectUnended({ devices, jobs }: CsdRun): void {
  const outcomes = devices.map(({ outcome }) => outcome);
  if (outcomes.some(({ kind }) => kind === "cancelled")) throw stopped();
  const failed = outcomes.find(({ kind }) => kind !== "completed");
  if (failed !== undefined) throw new NeardataError("check-failed", outcomeSentence(failed));
  for (const job of jobs) rejectUnusable(job);
}
