// SPDX-License-Identifier: Apache-2.0
// A session of computational storage devices, running batches of head jobs one after another off
// the JS thread. Sessions share nothing, so two of them may run at once.

import type { CsdMachine } from "../../machine/csd/csd-machine.ts";
import type { CsdRunOptions, CsdSession } from "../../machine/csd/csd-types.ts";
import { NeardataError } from "../../base/errors.ts";
import { loadAddon } from "../addon.ts";
import { controlledRun } from "../controlled-run.ts";
import { nativeCsdConfig } from "./csd-machine.ts";
import { nativeCsdRun, toCsdRun } from "./csd-run.ts";
import { nativePrompts, toPromptRun } from "./csd-prompts.ts";
import { buildSparfUnit } from "./csd-unit.ts";
import type { Native } from "../layout.ts";
import { probed } from "../probe.ts";

/**
 * Builds the devices (compiling the RTL when it is not in the cache). The RTL of a run is evaluated
 * on so many threads at most, without a number on as many as this machine has.
 */
export async function openCsdSession(machine: CsdMachine, threads?: number): Promise<CsdSession> {
  const plugin =
    machine.engine === "rtl" ? await probed(await buildSparfUnit(machine.unit)) : undefined;
  return openCsdSessionWith(machine, plugin, threads);
}

/** A session on a plug-in that is built already; for tests and benches. */
export function openCsdSessionWith(
  machine: CsdMachine,
  plugin: string | undefined,
  threads?: number,
): CsdSession {
  const addon = loadAddon();
  const handle = addon.csdOpen(nativeCsdConfig(machine, plugin));
  const limit = threads === undefined ? {} : { threads };
  let open = true;
  let last: Promise<unknown> = Promise.resolve();

  const opened = (): void => {
    if (!open) throw new NeardataError("misuse", "the session is closed");
  };
  /** Starts a call after all earlier calls have ended. */
  const inTurn = async <T>(start: () => Promise<T>): Promise<T> => {
    opened();
    const mine = last.then(async () => {
      opened();
      return start();
    });
    last = mine.catch(() => undefined);
    return mine;
  };
  const controlled = async (
    start: (progress: (done: number, count: number) => void) => Promise<Native<"CsdResult">>,
    options: CsdRunOptions,
  ): Promise<Native<"CsdResult">> =>
    controlledRun(
      start,
      {
        cancel: () => {
          addon.csdCancel(handle);
        },
        abandon: () => {
          addon.csdAbandon(handle);
        },
      },
      (jobsDone, count) => {
        options.onProgress?.({ jobsDone, jobs: count });
      },
      options.signal,
    );

  return {
    describe: () => {
      opened();
      return addon.csdDescribe(handle);
    },
    createSequence: ({ device, heads, dimsPerPage, tail }) => {
      opened();
      const id = addon.csdSequence(handle, device, heads, dimsPerPage, tail === "padded");
      return { device, id };
    },
    pagesOf: ({ device, id }, head, keys, values) => {
      opened();
      return addon.csdPages(handle, device, id, head, keys, values);
    },
    prefill: ({ device, id }, head, pages) => {
      opened();
      addon.csdPrefill(handle, device, id, head, pages);
    },
    keep: () => {
      opened();
      return addon.csdKeep(handle);
    },
    restore: (filled) => {
      opened();
      addon.csdRestore(handle, filled);
    },
    closeSequence: ({ device, id }) => {
      opened();
      addon.csdCloseSequence(handle, device, id);
    },
    plantError: ({ sequence, head, copy, index, bit }) => {
      opened();
      addon.csdInjectFault(handle, sequence.device, sequence.id, head, copy, index, bit);
    },
    run: async (jobs, options = {}) =>
      inTurn(async () => {
        const run = { ...nativeCsdRun(jobs, machine, options), ...limit };
        const result = controlled((progress) => addon.csdRun(handle, run, progress), options);
        return toCsdRun(await result);
      }),
    writePrompts: async (prompts, options = {}) =>
      inTurn(async () => {
        const all = { ...nativePrompts(prompts, machine, options), ...limit };
        const result = controlled((progress) => addon.csdWrite(handle, all, progress), options);
        return toPromptRun(await result, prompts);
      }),
    close: () => {
      if (!open) return;
      open = false;
      void last.then(() => {
        addon.csdClose(handle);
      });
    },
  };
}
