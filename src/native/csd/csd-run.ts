// SPDX-License-Identifier: Apache-2.0
// Converts jobs into the addon's format, and its results into the driver's terms.

import { defined } from "../../base/defined.ts";
import type { CsdDeviceRun } from "../../machine/csd/csd-device-run.ts";
import type { CsdMachine } from "../../machine/csd/csd-machine.ts";
import type { CsdJob, CsdJobResult } from "../../machine/csd/csd-jobs.ts";
import type { CsdRun, CsdRunOptions, SharedLinkUse } from "../../machine/csd/csd-types.ts";
import { NeardataError } from "../../base/errors.ts";
import type { Native } from "../layout.ts";
import { outcomeOf } from "../ndp/ndp-run.ts";
import { rowsOf, wordsOf } from "../record.ts";

const operations = { sparse: 0, dense: 1, append: 2 } as const;

export function nativeCsdRun(
  jobs: readonly CsdJob[],
  { unit }: CsdMachine,
  options: CsdRunOptions,
): Native<"CsdRun"> {
  const parts = jobs.map(valuesOf);
  const all = new Uint16Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  const given = jobs.map((job, i) => {
    const values = parts[i]?.length ?? 0;
    const { device, id } = job.sequence;
    const attentionJob = {
      device,
      sequence: id,
      head: job.head,
      operation: operations[job.kind],
      values,
    };
    const group = job.kind === "append" ? 1 : Math.ceil(values / unit.width);
    if (job.kind !== "sparse") return { ...attentionJob, group, r: 0, k: 0, window: 0, mean: 0 };
    return { ...attentionJob, group, r: job.r, k: job.k, window: job.l, mean: job.mean ? 1 : 0 };
  });
  return {
    jobs: wordsOf("CsdJobRow", given),
    rows: all,
    inFlight: options.inFlight ?? 0,
    maxCycles: options.maxCycles ?? 0,
    keepPages: options.keepPages ?? 0,
    ...defined({ stalls: options.stalls, waveform: options.waveform, checked: options.checked }),
  };
}

function valuesOf(job: CsdJob): Uint16Array {
  if (job.kind !== "append") return job.queries;
  const both = new Uint16Array(job.key.length + job.value.length);
  both.set(job.key);
  both.set(job.value, job.key.length);
  return both;
}

/** @throws NeardataError `bad-input`, as below. */
export function toCsdRun(result: Native<"CsdResult">): CsdRun {
  return {
    jobs: jobResults(result),
    devices: result.devices.map(deviceRun),
    sharedLink: sharedLinkUse(result),
    machine: result.machine,
    pages: rowsOf("CsdPage", result.pages),
  };
}

/** Null where every device has its lanes alone. */
export function sharedLinkUse({ sharedLink }: Native<"CsdResult">): SharedLinkUse | null {
  if (sharedLink === undefined) return null;
  const { traffic, busyIn, busyOut } = sharedLink;
  return {
    in: { bytes: traffic.in, busy: busyIn },
    out: { bytes: traffic.out, busy: busyOut },
  };
}

/**
 * The result of each job.
 * @throws NeardataError `bad-input` if a flash was full; `details.jobs` has the statuses of the
 * jobs
 */
export function jobResults(result: Native<"CsdResult">): readonly CsdJobResult[] {
  const full = result.devices.find(({ fault }) => fault === "bad-config");
  const jobs = jobsOf(result);
  if (full === undefined) return jobs;
  const details = { jobs: jobs.map(({ status }) => status) };
  const { place, message } = full;
  throw new NeardataError("bad-input", [{ where: place, message }], { details });
}

function jobsOf(result: Native<"CsdResult">): readonly CsdJobResult[] {
  const jobs = rowsOf("CsdJob", result.jobs);
  const none = { outputsEnd: 0, dimsEnd: 0, tokensEnd: 0, alphaEnd: 0 };
  return jobs.map((job, i) => {
    const begin = jobs[i - 1] ?? none;
    return {
      status: job.status,
      refusedField: job.refusedField === "none" ? null : job.refusedField,
      nonFinite: job.nonFinite,
      outputs: result.outputs.subarray(begin.outputsEnd, job.outputsEnd),
      dims: result.dims.subarray(begin.dimsEnd, job.dimsEnd),
      tokens: result.tokens.subarray(begin.tokensEnd, job.tokensEnd),
      alpha: result.alpha.subarray(begin.alphaEnd, job.alphaEnd),
      pages: { keys: job.keyPages, values: job.valuePages, dims: job.dimPages },
      onFlash: { dims: job.dimsOnFlash, tokens: job.tokensOnFlash },
      sent: job.sent,
      taken: job.taken,
      done: job.done,
      received: job.received,
    };
  });
}

/** The counters of a device in a run. */
export function deviceRun(device: Native<"CsdDevice">): CsdDeviceRun {
  const { engine, dram, link, linkWires, writes, times } = device;
  const { pagesWritten, pagesMoved, erases, failedPrograms } = writes;
  return {
    outcome: outcomeOf(device),
    cycles: device.cycles,
    skipped: device.skipped,
    time: device.end,
    channels: rowsOf("CsdChannel", device.channels),
    kernels: rowsOf("CsdKernel", device.kernels),
    busy: engine.busy,
    pagesRead: engine.pagesRead,
    pagesProgrammed: engine.pagesProgrammed,
    dram: { written: dram.in, read: dram.out },
    link,
    linkWires,
    reads: device.reads,
    writes: {
      pagesWritten,
      pagesMoved,
      erases,
      failedPrograms,
      writeAmplification: pagesWritten === 0 ? 1 : (pagesWritten + pagesMoved) / pagesWritten,
      wear: { most: writes.mostErases, least: writes.leastErases },
      garbageCollection: { pagesMoved: writes.runMoves, erases: writes.runErases },
    },
    host: { rtl: times.unit, memory: times.memory, engine: times.engine, total: times.total },
  };
}
