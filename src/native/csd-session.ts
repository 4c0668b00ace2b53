// SPDX-License-Identifier: Apache-2.0
// A session of computational storage devices, running batches of head jobs one after another off
// the JS thread. Sessions share nothing, so two of them may run at once.

import type {
  CsdJob,
  CsdMachine,
  CsdRun,
  CsdRunOptions,
  CsdSession,
  OpenCsdSession,
} from "../driver/csd-types.ts";
import { NeardataError } from "../errors.ts";
import { controlledRun } from "./controlled-run.ts";
import { loadCsd } from "./csd-binding.ts";
import { nativeCsdConfig } from "./csd-machine.ts";
import { copies, nativeCsdRun, toCsdRun } from "./csd-run.ts";
import { buildSparfUnit } from "./csd-unit.ts";

/** Builds the devices (compiling the RTL when it is not in the cache). */
export const openCsdSession: OpenCsdSession = async (machine) => {
  const plugin = machine.engine === "rtl" ? await buildSparfUnit(machine.unit) : undefined;
  return openCsdSessionWith(machine, plugin);
};

/** A session on a plug-in that is built already; for tests and benches. */
export function openCsdSessionWith(machine: CsdMachine, plugin: string | undefined): CsdSession {
  const addon = loadCsd();
  const handle = addon.csdOpen(nativeCsdConfig(machine, plugin));
  let open = true;
  let last: Promise<unknown> = Promise.resolve();

  const opened = (): void => {
    if (!open) throw new NeardataError("misuse", "the session is closed");
  };
  const runNow = async (jobs: readonly CsdJob[], options: CsdRunOptions): Promise<CsdRun> => {
    opened();
    const result = await controlledRun(
      (progress) => addon.csdRun(handle, nativeCsdRun(jobs, machine, options), progress),
      () => {
        addon.csdCancel(handle);
      },
      (jobsDone, count) => {
        options.onProgress?.({ jobsDone, jobs: count });
      },
      options.signal,
    );
    return toCsdRun(result, machine);
  };

  return {
    createSequence: ({ device, heads, dimsPerPage, tail }) => {
      opened();
      const id = addon.csdSequence(handle, device, heads, dimsPerPage, tail === "padded");
      return { device, id };
    },
    prefill: ({ device, id }, head, keys, values) => {
      opened();
      addon.csdPrefill(handle, device, id, head, keys, values);
    },
    closeSequence: ({ device, id }) => {
      opened();
      addon.csdCloseSequence(handle, device, id);
    },
    plantError: ({ sequence, head, copy, index, bit }) => {
      opened();
      const kind = copies.indexOf(copy);
      addon.csdPlant(handle, sequence.device, sequence.id, head, kind, index, bit);
    },
    run: async (jobs, options = {}) => {
      opened();
      const mine = last.then(async () => runNow(jobs, options));
      last = mine.catch(() => undefined);
      return mine;
    },
    close: () => {
      if (!open) return;
      open = false;
      void last.then(() => {
        addon.csdClose(handle);
      });
    },
  };
}
