// SPDX-License-Identifier: Apache-2.0
// A small computational storage device, and heads from a seed to put on it.

import { csdMachine, sparfUnit } from "../../src/machine/resolve/csd.ts";
import type { CsdMachine } from "../../src/machine/csd/csd-machine.ts";
import type { CsdJob, CsdSequence } from "../../src/machine/csd/csd-jobs.ts";
import type { CsdRun, CsdSession } from "../../src/machine/csd/csd-types.ts";
import { flashPresets } from "../../src/machine/flash/presets.ts";
import type { HeadCache } from "../../src/golden/attention/attention.ts";
import { numbersToHalves } from "../../src/golden/half.ts";
import { generateHta1 } from "../../src/workload/hta1.ts";

/** Two channels of two dies with pages of 4 tokens; 16 dimensions. */
export function smallCsd(changes: Partial<CsdMachine> = {}): CsdMachine {
  const width = 16;
  const flash = {
    ...flashPresets.znand4k,
    channels: 2,
    dies_per_channel: 2,
    page_bytes: 128,
  };
  const unit = {
    ...sparfUnit(width, flash.channels, 4),
    kernels: 2,
    lanes: 4,
    maxKeys: 512,
    slots: 2,
    ringLines: 64,
    tags: 32,
  };
  return { ...csdMachine({ engine: "cycle", devices: 1, unit, flash }), ...changes };
}

/** Keys, values and a query for each token. */
export interface TestHead {
  readonly cache: HeadCache;
  readonly query: (token: number) => Float64Array;
}

export function testHead(seed: number, length: number, width = 16): TestHead {
  const { queries, keys, values } = generateHta1(seed, length, width);
  return {
    cache: { length, width, keys, values },
    query: (token) => queries.slice(token * width, (token + 1) * width),
  };
}

/** The first `length` tokens. */
export function prompt({ cache }: TestHead, length: number): HeadCache {
  return { ...cache, length };
}

/** Puts the caches on a device as the heads of one sequence. */
export function fill(
  session: CsdSession,
  caches: readonly HeadCache[],
  spec: Partial<Parameters<CsdSession["createSequence"]>[0]> = {},
): CsdSequence {
  const sequence = session.createSequence({
    device: 0,
    heads: caches.length,
    dimsPerPage: 2,
    tail: "dram-tail",
    ...spec,
  });
  caches.forEach(({ length, width, keys, values }, head) => {
    const rows = (of: Float64Array): Uint16Array => numbersToHalves(of.subarray(0, length * width));
    session.prefill(sequence, head, session.pagesOf(sequence, head, rows(keys), rows(values)));
  });
  return sequence;
}

/** The job that appends a token of a head. */
export function appendJob(
  sequence: CsdSequence,
  head: number,
  { cache }: TestHead,
  token: number,
): CsdJob {
  const row = (of: Float64Array): Uint16Array =>
    numbersToHalves(of.subarray(token * cache.width, (token + 1) * cache.width));
  return { kind: "append", sequence, head, key: row(cache.keys), value: row(cache.values) };
}

/** The observable results and counters of a run, without those of its simulation. */
export function observableRun({ devices, jobs, pages, sharedLink }: CsdRun): unknown {
  return {
    jobs,
    sharedLink,
    pages,
    devices: devices.map(({ skipped: _, host: __, ...device }) => device),
  };
}

/** The traffic of each edge of a run's machine. */
export function edgeTraffic({ machine }: CsdRun): unknown {
  return machine.edges.map(({ from, to, messages }) => [from, to, messages]);
}
