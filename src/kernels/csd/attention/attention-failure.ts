// SPDX-License-Identifier: Apache-2.0
// A case of attention that failed on RTL is run again from the same cache, with a waveform of the engine's
// cycles around the failure. The waveform is of the first device, so a failure of another has none.

import type { CsdMachine } from "../../../machine/csd/csd-machine.ts";
import type { CsdRunOptions, CsdSession } from "../../../machine/csd/csd-types.ts";
import type { FilledDevices } from "../../../machine/csd/csd-types.ts";
import { decodeStep, type LayerTask, type PlacedHead } from "./sparse-attention.ts";
import { type LayerStep } from "../../../machine/csd/layer-step.ts";
import { failureWaves } from "../../waves.ts";

/** The step and cycle of the first failure of device 0. */
interface Failure {
  /** Number of the step. */
  readonly step: number;
  /** Engine cycle of that step's run. */
  readonly cycle: number;
}

/** The first fault, or the first outputs unlike `golden`; null where all is right or was cancelled. */
export function failureOf(
  { clock, devices }: Pick<CsdMachine, "clock" | "devices">,
  steps: readonly LayerStep[],
  golden: Uint16Array,
): Failure | null {
  let at = 0;
  for (const [step, { run, jobs }] of steps.entries()) {
    const outcome = run.devices[0]?.outcome;
    if (outcome !== undefined && outcome.kind !== "completed") {
      return outcome.kind === "cancelled" ? null : { step, cycle: outcome.cycle };
    }
    for (const [head, job] of jobs.entries()) {
      const result = run.jobs[job];
      const expected = golden.subarray(at, at + (result?.outputs.length ?? 0));
      at += expected.length;
      const wrong = result?.outputs.some((bits, i) => bits !== expected[i]) ?? false;
      if (wrong && result !== undefined && head % devices === 0) {
        return { step, cycle: (result.done / 1e15) * clock };
      }
    }
  }
  return null;
}

interface TraceOptions extends Pick<CsdRunOptions, "signal" | "inFlight"> {
  /** The contents of the devices before the steps. */
  readonly before: FilledDevices;
  readonly failure: Failure;
  /** Of the waveform. */
  readonly path: string;
}

/**
 * Restores the devices to their contents before the first step, repeats the steps up to the
 * failure, and traces the last one.
 */
export async function traceAttention(
  session: CsdSession,
  heads: readonly PlacedHead[],
  task: LayerTask,
  { before, failure: { step, cycle }, path, ...options }: TraceOptions,
): Promise<void> {
  session.restore(before);
  for (let done = 0; done <= step; done += 1) {
    const waveform = done === step ? { waveform: failureWaves(path, cycle) } : {};
    await decodeStep(session, heads, task, task.length + done, { ...options, ...waveform });
  }
}
