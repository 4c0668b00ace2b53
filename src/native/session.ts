// SPDX-License-Identifier: Apache-2.0
// A session: one NDP DIMM built and loaded, running jobs one after another off the JS thread.
// Sessions share nothing, so two of them may run at once.

import { defined } from "../base/defined.ts";
import type {
  NdpJob,
  NdpMachine,
  NdpRun,
  NdpSession,
  OpenSession,
  RunOptions,
  StreamPiece,
} from "../machine/types.ts";
import { NeardataError } from "../base/errors.ts";
import { cycles, femtoseconds } from "../base/units.ts";
import { controlledRun } from "./controlled-run.ts";
import { nativeConfig } from "./ndp/ndp-machine.ts";
import type { Native } from "./layout.ts";
import {
  activityOf,
  bandwidthOf,
  commandsOf,
  outcomeOf,
  phasesOf,
  streamCounters,
  hostMoments,
  unitCounters,
} from "./ndp/ndp-run.ts";
import { buildNdpUnit } from "./ndp/ndp-unit.ts";
import { bytesToRead } from "./ndp/ndp-traffic.ts";
import { probed } from "./probe.ts";
import { loadBackend } from "./ramulator.ts";
import type { Handle } from "./layout.ts";
import { rowsOf } from "./record.ts";

/** Builds the machine (compiling its RTL when that is not in the cache). */
export const openSession: OpenSession = async (machine) => {
  const plugin =
    machine.engine === "rtl" ? await probed(await buildNdpUnit(machine.unit)) : undefined;
  return openSessionWith(machine, plugin);
};

/** A session on a plug-in that is built already; for tests and benches. */
export function openSessionWith(machine: NdpMachine, plugin: string | undefined): NdpSession {
  const addon = loadBackend("ideal" in machine.memory ? "native" : machine.memory.backend);
  const handle = addon.ndpOpen(nativeConfig(machine, plugin));
  let open = true;
  let last: Promise<unknown> = Promise.resolve();

  const runNow = async (job: NdpJob, options: RunOptions): Promise<NdpRun> => {
    if (!open) throw closed();
    load(handle, job);
    const result = await runNative(handle, job, machine, options);
    const { burst, bursts } = job.result;
    const outputs = job.streams.map((_, stream) => addon.ndpRead(handle, stream, burst, bursts));
    return toRun(result, outputs, machine);
  };

  const load = (target: Handle, job: NdpJob): void => {
    addon.ndpClear(target);
    job.streams.forEach((pieces, stream) => {
      pieces.forEach((piece, place) => {
        loadPiece(target, stream, piece, place === 0);
      });
    });
  };

  const loadPiece = (
    target: Handle,
    stream: number,
    { burst, data, cache }: StreamPiece,
    first: boolean,
  ): void => {
    if (first && cache?.contents !== undefined) {
      addon.ndpRestore(target, stream, cache.contents);
      return;
    }
    addon.ndpLoad(target, stream, burst, data);
    if (first && cache !== undefined) cache.contents = addon.ndpKeep(target, stream);
  };

  const runNative = async (
    target: Handle,
    job: NdpJob,
    on: NdpMachine,
    options: RunOptions,
  ): Promise<Native<"NdpResult">> => {
    const expected = bytesToRead(job.descriptor, on.unit);
    return controlledRun(
      (progress) => addon.ndpRun(target, nativeRun(job, options), progress),
      {
        cancel: () => {
          addon.ndpCancel(target);
        },
        abandon: () => {
          addon.ndpAbandon(target);
        },
      },
      (now, read) => {
        options.onProgress?.({ cycles: cycles(now), done: Math.min(1, read / expected) });
      },
      options.signal,
    );
  };

  return {
    describe: () => {
      if (!open) throw closed();
      return addon.ndpDescribe(handle);
    },
    run: async (job, options = {}) => {
      if (!open) throw closed();
      const mine = last.then(async () => runNow(job, options));
      last = mine.catch(() => undefined);
      return mine;
    },
    close: () => {
      if (!open) return;
      open = false;
      void last.then(() => {
        addon.ndpClose(handle);
      });
    },
  };
}

function closed(): NeardataError {
  return new NeardataError("misuse", "the session is closed");
}

function nativeRun(job: NdpJob, options: RunOptions): Native<"NdpRun"> {
  return {
    descriptors: job.descriptor,
    maxCycles: job.maxCycles,
    keepCommands: options.keepCommands ?? 0,
    ...defined({ stalls: options.stalls, waveform: options.waveform, checked: options.checked }),
  };
}

function toRun(
  result: Native<"NdpResult">,
  outputs: readonly Uint8Array[],
  machine: NdpMachine,
): NdpRun {
  const [job = { taken: 0, done: result.cycles }] = rowsOf("JobCycles", result.jobs);
  const { times } = result;
  const atHost = hostMoments(result.host);
  return {
    outcome: outcomeOf(result),
    // The model observes the end one cycle after the unit signals it, so the difference includes
    // both ends.
    cycles: cycles(job.done - job.taken),
    time: femtoseconds(atHost === null ? result.end : atHost.ended - atHost.commanded),
    atHost,
    unit: unitCounters(result),
    streams: streamCounters(result),
    result: outputs,
    bandwidth: bandwidthOf(result, machine.clock),
    activity: activityOf(result),
    phases: phasesOf(result),
    commands: commandsOf(machine, result),
    machine: result.machine,
    host: { rtl: times.unit, memory: times.memory, engine: times.engine, total: times.total },
  };
}
