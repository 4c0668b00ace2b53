// SPDX-License-Identifier: Apache-2.0
// Storage devices without hardware: sequences as arrays, jobs by the golden engine, a microsecond
// each, with a fault where a test wants one. Pages are counted by the rules.

import type { CsdDeviceRun } from "../../src/machine/csd/csd-device-run.ts";
import type { CsdMachine } from "../../src/machine/csd/csd-machine.ts";
import type {
  CsdJob,
  CsdJobResult,
  CsdSequence,
  PromptTail,
} from "../../src/machine/csd/csd-jobs.ts";
import type {
  CsdRun,
  CsdSession,
  FilledDevices,
  HeadPages,
  OpenCsdSession,
} from "../../src/machine/csd/csd-types.ts";
import type { RunOutcome } from "../../src/machine/types.ts";
import type { HeadCache } from "../../src/golden/attention/attention.ts";
import {
  engineAttention,
  engineDense,
  engineGroupAttention,
} from "../../src/golden/attention-engine.ts";
import { halvesToNumbers, numbersToHalves } from "../../src/golden/half.ts";
import { groupsOf } from "../../src/golden/attention/pages.ts";
import { bytes, cycles, femtoseconds, seconds } from "../../src/base/units.ts";
import { twoParts } from "./machines.ts";

/** Injected faults. */
export interface CsdFault {
  readonly outcome?: RunOutcome;
  /** Invert the lowest bit of the first output value of this job. */
  readonly flipJob?: number;
  /** This job reads an infinity. */
  readonly nonFiniteJob?: number;
  /** Count one page of V too many. */
  readonly extraPage?: boolean;
}

interface FakeSequence {
  readonly dimsPerPage: number;
  readonly tail: PromptTail;
  readonly heads: { keys: number[]; values: number[]; prompt: number }[];
}

const jobTime = 1e9;

/** Opens such devices; `machines` collects the requested machines. */
export function fakeCsd(fault: CsdFault = {}, machines: CsdMachine[] = []): OpenCsdSession {
  return (machine) => {
    machines.push(machine);
    return Promise.resolve(session(machine, fault));
  };
}

function session(machine: CsdMachine, fault: CsdFault): CsdSession {
  const sequences: FakeSequence[] = [];
  const headOf = ({ id }: CsdSequence, head: number): FakeSequence["heads"][number] => {
    const found = sequences[id]?.heads[head];
    if (found === undefined) throw new RangeError("no such head");
    return found;
  };
  const { width } = machine.unit;
  return {
    describe: () => ({ clocks: [], parts: [], edges: [] }),
    createSequence: ({ device, heads, dimsPerPage, tail }) => {
      const empty = Array.from({ length: heads }, () => ({ keys: [], values: [], prompt: 0 }));
      sequences.push({ dimsPerPage, tail, heads: empty });
      return { device, id: sequences.length - 1 };
    },
    pagesOf: (_sequence, _head, keys, values) =>
      ({
        keys: [...halvesToNumbers(keys)],
        values: [...halvesToNumbers(values)],
      }) as unknown as HeadPages,
    prefill: (sequence, head, pages) => {
      const own = headOf(sequence, head);
      const { keys, values } = pages as unknown as Pick<typeof own, "keys" | "values">;
      Object.assign(own, { keys: [...keys], values: [...values], prompt: values.length / width });
    },
    keep: () => structuredClone(sequences) as unknown as FilledDevices,
    restore: (filled) => {
      sequences.splice(0, Infinity, ...structuredClone(filled as unknown as FakeSequence[]));
    },
    writePrompts: () => Promise.reject(new RangeError("these devices are filled by prefill")),
    closeSequence: () => undefined,
    plantError: () => undefined,
    close: () => undefined,
    run: (jobs) => {
      const given = new Map<number, number>();
      const results = jobs.map((job, number) => {
        const i = given.get(job.sequence.device) ?? 0;
        given.set(job.sequence.device, i + 1);
        const head = headOf(job.sequence, job.head);
        const { dimsPerPage: m = 1, tail = "padded" } = sequences[job.sequence.id] ?? {};
        if (job.kind === "append") {
          head.keys.push(...halvesToNumbers(job.key));
          head.values.push(...halvesToNumbers(job.value));
          const nonFinite = fault.nonFiniteJob === number;
          return done(i, { outputs: new Uint16Array(), nonFinite });
        }
        const cache = {
          length: head.keys.length / width,
          width,
          keys: Float64Array.from(head.keys),
          values: Float64Array.from(head.values),
        };
        const pageBytes = machine.flash.page_bytes;
        const full = (size: number): number =>
          tail === "padded" ? head.prompt : cache.length - (cache.length % size);
        const onFlash = { dims: full(pageBytes / (2 * m)), tokens: full(pageBytes / (2 * width)) };
        const result = attend(i, job, { cache, m, pageBytes, onFlash, fault });
        if (fault.flipJob === number) result.outputs.set([(result.outputs[0] ?? 0) ^ 1]);
        return result;
      });
      return Promise.resolve(runOf(machine, jobs, results, fault));
    },
  };
}

interface AttendOptions {
  readonly cache: HeadCache;
  readonly m: number;
  readonly pageBytes: number;
  readonly onFlash: CsdJobResult["onFlash"];
  readonly fault: CsdFault;
}

function attend(
  index: number,
  job: Exclude<CsdJob, { kind: "append" }>,
  { cache, m, pageBytes, onFlash, fault }: AttendOptions,
): CsdJobResult {
  const all = halvesToNumbers(job.queries);
  const queries = Array.from({ length: all.length / cache.width }, (_, g) =>
    all.slice(g * cache.width, (g + 1) * cache.width),
  );
  const n = pageBytes / (2 * cache.width);
  const extra = fault.extraPage === true ? 1 : 0;
  if (job.kind === "dense") {
    const keys = Math.ceil(onFlash.tokens / n);
    const outputs = rowsOf(queries.map((query) => engineDense(query, cache)));
    return done(index, { outputs, onFlash, pages: { dims: 0, keys, values: keys + extra } });
  }
  const [query] = queries;
  if (query === undefined) throw new Error("no query");
  const sparfResults =
    queries.length > 1
      ? engineGroupAttention(queries, cache, job)
      : [engineAttention(query, cache, job)];
  const { dims = new Uint32Array(), tokens = new Uint32Array() } = sparfResults[0] ?? {};
  const blocks = Math.ceil(onFlash.dims / (pageBytes / (2 * m)));
  const keys = groupsOf(
    tokens.filter((t) => t < onFlash.tokens),
    n,
  ).length;
  return done(index, {
    outputs: rowsOf(sparfResults.map(({ out }) => out)),
    dims,
    tokens,
    alpha: Float64Array.from(sparfResults, ({ alpha }) => alpha),
    pages: { dims: blocks * groupsOf(dims, m).length, keys, values: keys + extra },
    onFlash,
  });
}

/** Bits of one row behind the other. */
function rowsOf(rows: readonly Float64Array[]): Uint16Array {
  return numbersToHalves(Float64Array.from(rows.flatMap((row) => [...row])));
}

function done(
  index: number,
  found: Partial<CsdJobResult> & Pick<CsdJobResult, "outputs">,
): CsdJobResult {
  return {
    status: "done",
    refusedField: null,
    nonFinite: false,
    dims: new Uint32Array(),
    tokens: new Uint32Array(),
    alpha: Float64Array.of(1),
    pages: { dims: 0, keys: 0, values: 0 },
    onFlash: { dims: 0, tokens: 0 },
    sent: femtoseconds(index * jobTime),
    taken: femtoseconds(index * jobTime),
    done: femtoseconds((index + 1) * jobTime),
    received: femtoseconds((index + 1) * jobTime),
    ...found,
  };
}

function runOf(
  machine: CsdMachine,
  jobs: readonly CsdJob[],
  results: readonly CsdJobResult[],
  fault: CsdFault,
): CsdRun {
  const longest = results.reduce((last, r) => Math.max(last, r.received), 0);
  const devices = Array.from({ length: machine.devices }, (_, d): CsdDeviceRun => {
    const matchingResults = results.filter((_result, i) => jobs[i]?.sequence.device === d);
    const time = femtoseconds(matchingResults.reduce((last, r) => Math.max(last, r.received), 0));
    const pages = matchingResults.reduce((n, { pages: p }) => n + p.dims + p.keys + p.values, 0);
    const { channels } = machine.flash;
    const none = cycles(0);
    return {
      outcome: fault.outcome ?? { kind: "completed" },
      cycles: cycles((time * machine.clock) / 1e15),
      time,
      channels: Array.from({ length: channels }, () => ({
        command: femtoseconds(0),
        data: femtoseconds(0.95 * longest),
        beats: (pages * machine.flash.page_bytes) / 8 / channels,
        beatsKept: (pages * machine.flash.page_bytes) / 32 / channels,
        stalled: none,
      })),
      kernels: Array.from({ length: machine.unit.kernels }, () => ({
        rankLogits: none,
        rank: none,
        softmax: none,
        logits: none,
        attend: none,
        fold: none,
        waitKeys: none,
        waitValues: none,
        blocked: none,
      })),
      skipped: none,
      busy: none,
      pagesRead: pages,
      pagesProgrammed: 0,
      dram: { read: bytes(0), written: bytes(0) },
      link: { in: bytes(0), out: bytes(0) },
      linkWires: { in: bytes(0), out: bytes(0) },
      reads: {
        clean: pages,
        retried: 0,
        uncorrectable: 0,
        channelDead: 0,
        checksum: 0,
        correctedBits: 0,
        hot: 0,
        movesRetried: 0,
        movesLost: 0,
      },
      writes: {
        pagesWritten: 0,
        pagesMoved: 0,
        erases: 0,
        failedPrograms: 0,
        writeAmplification: 1,
        wear: { most: 0, least: 0 },
        garbageCollection: { pagesMoved: 0, erases: 0 },
      },
      host: { rtl: seconds(0), memory: seconds(0), engine: seconds(0), total: seconds(0) },
    };
  });
  return {
    jobs: results,
    devices,
    sharedLink: null,
    machine: twoParts,
    pages: [],
  };
}
