// SPDX-License-Identifier: Apache-2.0
// A session of one NDP DIMM: TriMoE's unit, or one of your own, behind DDR5. Experts run on it one after
// another, off the JS thread.

import { resolve } from "node:path";
import type { z } from "zod";

import { defined } from "../../base/defined.ts";
import { readOverlay } from "../../native/overlay.ts";
import { readCustomUnit, type CustomUnit } from "../../native/custom-unit-choice.ts";
import { unitIssues } from "../../machine/resolve/geometry.ts";
import { paperMachine } from "../../machine/resolve/systems.ts";
import { prepareExpert, runExpert } from "../../kernels/ndp/cold-expert.ts";
import type { Arrangement } from "../../machine/arrangement.ts";
import { goldenOnUnit } from "../../kernels/ndp/unit-golden.ts";
import type { MachineGraph } from "../../machine/machine-graph.ts";
import type { NdpMachine, NdpRun, Progress } from "../../machine/types.ts";
import { checkArguments } from "../../base/entry.ts";
import { disposal } from "../../base/disposal.ts";
import type { DeepReadonly } from "../../base/deep-readonly.ts";
import { inputError, NeardataError } from "../../base/errors.ts";
import type { ActivationFunction, GateFunction } from "../../golden/names.ts";
import { differentBits } from "../../golden/reference.ts";
import { openSessionOn } from "../../native/custom-unit.ts";
import { openSession } from "../../native/session.ts";
import { unitOf } from "../../scenario/unit-choice.ts";
import { cycles } from "../../base/units.ts";
import type { ExpertWeights } from "../../workload/expert.ts";
import type { LowBitWeights } from "../../workload/low-bit.ts";
import { biasesAsColumns } from "../../workload/ndp/bias-columns.ts";
import { dimmOptions, expertKernel, kernelOptions } from "./options.ts";
import { rejectStopped, stopped } from "./stopped.ts";

/** The configuration of the DIMM. */
export interface DimmOptions {
  /** Verilated SystemVerilog, or the model with the same cycles. Default: rtl. */
  readonly engine?: "rtl" | "cycle";
  /** Differences from TriMoE's unit, by the keys of a scenario's `ndp`; `buffer` is a number of bytes or a text. */
  readonly parameters?: DeepReadonly<z.input<typeof dimmOptions>>["parameters"];
  /** Directory of a custom unit (docs/guides/extending.md), or of changes to neardata's RTL. */
  readonly unit?: string;
  readonly rtl?: string;
}

/** An expert and the inputs of its tokens. */
export interface ExpertKernel {
  readonly weights: ExpertWeights | LowBitWeights;
  /** [tokens][hidden] bits. */
  readonly inputs: Uint16Array;
  /** The gate function, by its name or with its limit; silu unless given. */
  readonly activation?: ActivationFunction | GateFunction;
  readonly layout?: Arrangement;
}

export interface KernelOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
  /** An FST file of all its cycles (rtl). */
  readonly waveform?: string | undefined;
}

/** The result of a kernel. */
export interface ExpertResult {
  /** [tokens][hidden] bits. */
  readonly outputs: Uint16Array;
  /** Unit cycles. */
  readonly cycles: number;
  /** Counters, times and traffic of the run. */
  readonly run: NdpRun;
  /** Outputs that are not the golden model's, bit for bit. */
  readonly differences: () => number;
}

export interface DimmSession extends Disposable, AsyncDisposable {
  readonly machine: NdpMachine;
  /** Its parts, their ports, and the edges between them. */
  readonly describe: () => MachineGraph;
  /**
   * @throws NeardataError `bad-input` if it does not fit in the DIMM, `cancelled`, `check-failed` if
   * the run did not complete
   */
  readonly expert: (kernel: ExpertKernel, options?: KernelOptions) => Promise<ExpertResult>;
  readonly close: () => void;
}

/** Opens a DIMM, and builds its RTL if the cache lacks it. */
export async function openDimm(options: DimmOptions = {}): Promise<DimmSession> {
  const { engine = "rtl", parameters = {} } = dimmOptions.parse(options);
  const custom = customUnit(options);
  if (custom !== null && engine === "cycle") {
    throw inputError("engine", `${custom.name} has no cycle model: its engine is rtl.`);
  }
  const paper = paperMachine(engine);
  const unit = unitOf(parameters, custom, paper.unit);
  const unfit = unitIssues(parameters, unit).map(({ where, message }) => ({
    where: where.replace(/^ndp/, "parameters"),
    message,
  }));
  if (unfit.length > 0) throw new NeardataError("bad-input", unfit);
  const machine: NdpMachine = { ...paper, unit };
  const session = await (custom === null ? openSession : openSessionOn(custom))(machine);
  return {
    machine,
    describe: () => session.describe(),
    expert: async (kernel, asked = {}) => {
      checkArguments("expert", { kernel: expertKernel, options: kernelOptions }, [kernel, asked]);
      const { weights, inputs, activation = "silu", layout = "interleaved" } = kernel;
      const { signal, onProgress, waveform } = asked;
      rejectStopped(signal);
      const onUnit = biasesAsColumns(machine.unit, weights, inputs, activation);
      const prepared = prepareExpert(machine, { ...onUnit, activation, arrangement: layout });
      const { run, outputs } = await runExpert(session, prepared, {
        ...defined({
          signal,
          onProgress,
          waveform:
            waveform === undefined
              ? undefined
              : { path: waveform, from: cycles(0), to: prepared.job.maxCycles },
        }),
      });
      if (outputs === null) throw notEnded(run);
      // A short run ends before the first report of its thread.
      onProgress?.({ cycles: run.cycles, done: 1 });
      return {
        outputs,
        run,
        cycles: run.cycles,
        differences: () => {
          return differentBits(
            outputs,
            goldenOnUnit(machine.unit, { weights, inputs, activation }),
          );
        },
      };
    },
    close: () => {
      session.close();
    },
    ...disposal(() => {
      session.close();
    }),
  };
}

function customUnit({ unit, rtl }: DimmOptions): CustomUnit | null {
  if (unit !== undefined) return readCustomUnit(resolve(unit), ".", "unit", "ndp-dimm");
  if (rtl === undefined) return null;
  const { unit: changed } = readOverlay(rtl, ".");
  if (changed !== null) return changed;
  throw inputError("rtl", `no file of ${rtl} belongs to the unit of an NDP DIMM.`);
}

function notEnded({ outcome }: NdpRun): NeardataError {
  if (outcome.kind === "cancelled") return stopped();
  return new NeardataError("check-failed", `the run did not end: ${JSON.stringify(outcome)}`);
}
