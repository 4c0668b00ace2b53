// SPDX-License-Identifier: Apache-2.0
// From jobs to the numbers that the addon takes, and from its numbers to the driver's terms.

import type { CsdDeviceRun, KernelCycles } from "../driver/csd-device-run.ts";
import type {
  CsdJob,
  CsdJobResult,
  CsdMachine,
  CsdRun,
  CsdRunOptions,
  PageRecord,
  SharedLinkUse,
} from "../driver/csd-types.ts";
import { NeardataError } from "../errors.ts";
import { pageKinds } from "../flash/page-kind.ts";
import { bytes, cycles, femtoseconds, seconds } from "../units.ts";
import type { NativeCsdDeviceResult, NativeCsdResult, NativeCsdRun } from "./csd-binding.ts";
import { outcomeOf, rows } from "./ndp-run.ts";

const operations = { sparse: 0, dense: 1, append: 2 } as const;
const statuses = ["not-done", "done", "unreadable", "refused"] as const;
const givenFields = 10;
const jobFields = 10;
const endFields = 4;
const pageFields = 6;
/** Strobes of the engine itself, and of each kernel; sim/unit/sparf_events.h names them. */
const engineEvents = 8;
const kernelEvents = 9;
const event = { pageRead: 0, pageProgram: 1, busy: 7 } as const;

export function nativeCsdRun(
  jobs: readonly CsdJob[],
  { unit }: CsdMachine,
  options: CsdRunOptions,
): NativeCsdRun {
  const parts = jobs.map(rowsOf);
  const all = new Uint16Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  const numbers = new Uint32Array(givenFields * jobs.length);
  jobs.forEach((job, i) => {
    const length = parts[i]?.length ?? 0;
    const group = job.kind === "append" ? 1 : Math.ceil(length / unit.width);
    const chosen = job.kind === "sparse" ? [job.r, job.k, job.l, job.mean ? 1 : 0] : [0, 0, 0, 0];
    const { device, id } = job.sequence;
    const own = [device, id, job.head, operations[job.kind], group, ...chosen, length];
    numbers.set(own, givenFields * i);
  });
  return {
    jobs: numbers,
    rows: all,
    inFlight: options.inFlight ?? 0,
    maxCycles: options.maxCycles ?? 0,
    keepPages: options.keepPages ?? 0,
    ...(options.stalls === undefined ? {} : { stalls: options.stalls }),
    ...(options.waveform === undefined ? {} : { waveform: options.waveform }),
    ...(options.checked === undefined ? {} : { checked: options.checked }),
  };
}

function rowsOf(job: CsdJob): Uint16Array {
  if (job.kind !== "append") return job.queries;
  const both = new Uint16Array(job.key.length + job.value.length);
  both.set(job.key);
  both.set(job.value, job.key.length);
  return both;
}

/** @throws NeardataError `bad-input`, as below. */
export function toCsdRun(result: NativeCsdResult, machine: CsdMachine): CsdRun {
  return {
    jobs: jobResults(result),
    devices: result.devices.map((device) => deviceRun(device, machine)),
    sharedLink: sharedLinkUse(result),
    machine: result.machine,
    pages: rows(result.pages, pageFields).map(pageRecord),
  };
}

/** Null where every device has its lanes alone. */
export function sharedLinkUse({ sharedLink }: NativeCsdResult): SharedLinkUse | null {
  if (sharedLink === undefined) return null;
  const [bytesIn = 0, bytesOut = 0, busyIn = 0, busyOut = 0] = sharedLink;
  return {
    in: { bytes: bytes(bytesIn), busy: femtoseconds(busyIn) },
    out: { bytes: bytes(bytesOut), busy: femtoseconds(busyOut) },
  };
}

/**
 * What became of each job.
 * @throws NeardataError `bad-input` when a flash was full; the statuses of the jobs are its `details.jobs`
 */
export function jobResults(result: NativeCsdResult): readonly CsdJobResult[] {
  const full = result.devices.find(({ fault }) => fault === "bad-config");
  const jobs = jobsOf(result);
  if (full === undefined) return jobs;
  const details = { jobs: jobs.map(({ status }) => status) };
  const { place, message } = full;
  throw new NeardataError("bad-input", [{ where: place, message }], { details });
}

function jobsOf(result: NativeCsdResult): readonly CsdJobResult[] {
  const ends = rows(result.ends, endFields);
  return rows(result.jobs, jobFields).map((field, job) => {
    const [output, dims, tokens, alpha] = [0, 1, 2, 3].map((list) => ({
      from: job === 0 ? 0 : (ends[job - 1]?.(list) ?? 0),
      to: ends[job]?.(list) ?? 0,
    }));
    return {
      status: statuses[field(0)] ?? "not-done",
      outputs: result.outputs.subarray(output?.from, output?.to),
      dims: result.dims.subarray(dims?.from, dims?.to),
      tokens: result.tokens.subarray(tokens?.from, tokens?.to),
      alpha: result.alpha.subarray(alpha?.from, alpha?.to),
      pages: { keys: field(3), values: field(4), dims: field(5) },
      onFlash: { dims: field(1), tokens: field(2) },
      sent: femtoseconds(field(6)),
      taken: femtoseconds(field(7)),
      done: femtoseconds(field(8)),
      received: femtoseconds(field(9)),
    };
  });
}

function pageRecord(field: (i: number) => number): PageRecord {
  return {
    job: field(0),
    copy: pageKinds[field(1)] ?? "dim-keys",
    index: field(2),
    channel: field(3),
    asked: femtoseconds(field(4)),
    arrived: femtoseconds(field(5)),
  };
}

/** What a device did in a run. */
export function deviceRun(device: NativeCsdDeviceResult, { unit }: CsdMachine): CsdDeviceRun {
  const count = (strobe: number): number => device.events[strobe] ?? 0;
  const ofChannel = (what: number, channel: number): number =>
    count(engineEvents + what * unit.channels + channel);
  const [written = 0, moved = 0, erases = 0, most = 0, least = 0, failedPrograms = 0] =
    device.writes;
  const [clean = 0, retried = 0, uncorrectable = 0, channelDead = 0, checksum = 0, corrected = 0] =
    device.reads;
  const [hot = 0, movesRetried = 0, movesLost = 0] = device.reads.slice(6);
  const { times } = device;
  return {
    outcome: outcomeOf(device),
    cycles: cycles(device.cycles),
    skipped: cycles(device.skipped),
    time: femtoseconds(device.end),
    channels: Array.from({ length: unit.channels }, (_, c) => ({
      command: femtoseconds(device.busCommand[c] ?? 0),
      data: femtoseconds(device.busData[c] ?? 0),
      beats: ofChannel(0, c),
      beatsKept: ofChannel(1, c),
      stalled: cycles(ofChannel(2, c)),
    })),
    kernels: Array.from({ length: unit.kernels }, (_, k) =>
      kernelCycles((strobe) => count(engineEvents + 3 * unit.channels + k * kernelEvents + strobe)),
    ),
    busy: cycles(count(event.busy)),
    pagesRead: count(event.pageRead),
    pagesProgrammed: count(event.pageProgram),
    dram: { written: bytes(device.dram[0] ?? 0), read: bytes(device.dram[1] ?? 0) },
    link: { in: bytes(device.link[0] ?? 0), out: bytes(device.link[1] ?? 0) },
    reads: {
      ...{ clean, retried, uncorrectable, channelDead, checksum, correctedBits: corrected, hot },
      ...{ movesRetried, movesLost },
    },
    writes: {
      pagesWritten: written,
      pagesMoved: moved,
      erases,
      failedPrograms,
      writeAmplification: written === 0 ? 1 : (written + moved) / written,
      wear: { most, least },
    },
    host: {
      rtl: seconds(times.unit),
      memory: seconds(times.memory),
      engine: seconds(times.engine),
      total: seconds(times.total),
    },
  };
}

function kernelCycles(count: (strobe: number) => number): KernelCycles {
  return {
    rankLogits: cycles(count(0)),
    rank: cycles(count(2)),
    softmax: cycles(count(3)),
    logits: cycles(count(1)),
    attend: cycles(count(4)),
    fold: cycles(count(5)),
    waitKeys: cycles(count(6)),
    waitValues: cycles(count(7)),
    blocked: cycles(count(8)),
  };
}
