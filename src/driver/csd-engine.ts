// SPDX-License-Identifier: Apache-2.0
// Attention requests on the hardware: caches become sequences on one device, requests jobs. A cache
// that grows from request to request is appended to, token by token, as a decode does it.

import { csdMachine, engineRefuses, ringLinesFor, sparfUnit } from "../config/csd.ts";
import { NeardataError } from "../errors.ts";
import { flashPresets } from "../flash/presets.ts";
import type { HeadCache } from "../golden/attention.ts";
import { halvesToNumbers, numbersToHalves } from "../golden/half.ts";
import { outcomeSentence } from "../results/checks.ts";
import type { AttentionAnswer, AttentionEngine, AttentionRequest } from "./attention-engine.ts";
import type { CsdJob, CsdJobResult, CsdMachine, CsdSequence } from "./csd-types.ts";
import type { CsdSession, OpenCsdSession } from "./csd-types.ts";

/** Requests whose sequences lie on the device together. */
const batch = 256;
/** Only values and pages are asked for, so the cells are those that cost the fewest clocks. */
const evaluationFlash = flashPresets.znand4k;

/** Attends on devices that `open` builds, one for each width and page size. */
export function csdEngine(
  fidelity: CsdMachine["engine"],
  open: OpenCsdSession,
): AttentionEngine["attend"] {
  return async (requests) => {
    checkSizes(requests);
    const answers = new Map<AttentionRequest, AttentionAnswer>();
    for (const [alike, machine] of byMachine(fidelity, requests)) {
      const session = await open(machine);
      try {
        for (let at = 0; at < alike.length; at += batch) {
          const some = alike.slice(at, at + batch);
          const found = await attendBatch(session, some);
          some.forEach((request, i) => answers.set(request, there(found[i])));
        }
      } finally {
        session.close();
      }
    }
    return requests.map((request) => there(answers.get(request)));
  };
}

/** @throws NeardataError `bad-input` with every rule that a head breaks. */
function checkSizes(requests: readonly AttentionRequest[]): void {
  const problems = requests.flatMap(({ cache: { width, length }, pages: { m, pageBytes } }) =>
    engineRefuses({ width, length, pageBytes, dimsPerPage: m }),
  );
  if (problems.length === 0) return;
  const issues = [...new Set(problems)].map((message) => ({ where: "", message }));
  throw new NeardataError("bad-input", issues);
}

/** Requests that share a device, with the device. */
type Share = readonly [requests: readonly AttentionRequest[], machine: CsdMachine];

/** A device for each width and page size; those of one width have the same engine, built once. */
function byMachine(
  fidelity: CsdMachine["engine"],
  requests: readonly AttentionRequest[],
): readonly Share[] {
  return grouped(requests, ({ cache }) => cache.width).flatMap((ofWidth) => {
    const unit = unitFor(ofWidth);
    return grouped(ofWidth, ({ pages }) => pages.pageBytes).map((alike): Share => {
      const flash = { ...evaluationFlash, page_bytes: alike[0]?.pages.pageBytes ?? 0 };
      return [alike, csdMachine({ engine: fidelity, devices: 1, unit, flash })];
    });
  });
}

/** The engine that takes every one of these requests, all of one width. */
function unitFor(requests: readonly AttentionRequest[]): CsdMachine["unit"] {
  const { width = 1 } = requests[0]?.cache ?? {};
  const most = (of: (request: AttentionRequest) => number): number => Math.max(...requests.map(of));
  const rows = most(({ pages }) => pages.pageBytes / (2 * width));
  const lines = most((request) => {
    if (request.kind !== "sparse") return 0;
    const { pages, cache, parameters } = request;
    const dims = Math.min(parameters.r, width);
    return ringLinesFor(pages.pageBytes, pages.m, dims, cache.length);
  });
  return sparfUnit(width, evaluationFlash.channels, rows, lines);
}

/** Lists of equal keys, in order of first appearance. */
function grouped<T>(items: readonly T[], keyOf: (item: T) => number): readonly (readonly T[])[] {
  const groups = new Map<number, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return [...groups.values()];
}

/** A sequence of one head and the tokens that it has. */
interface Growing {
  readonly sequence: CsdSequence;
  length: number;
}

async function attendBatch(
  session: CsdSession,
  requests: readonly AttentionRequest[],
): Promise<readonly AttentionAnswer[]> {
  const growing = new Map<string, Growing>();
  const sequences: CsdSequence[] = [];
  const jobs: CsdJob[] = [];
  const jobOf: number[] = [];
  const caches = new Map<Float64Array, number>();
  for (const request of requests) {
    const cache =
      request.kind === "tokens" ? gathered(request.cache, request.tokens) : request.cache;
    const { m } = request.pages;
    const number = caches.get(cache.keys) ?? caches.size;
    caches.set(cache.keys, number);
    const key = `${String(number)} ${String(m)}`;
    let own = growing.get(key);
    if (own === undefined || own.length > cache.length) {
      const spec = { device: 0, heads: 1, dimsPerPage: m, tail: "dram-tail" } as const;
      own = { sequence: session.createSequence(spec), length: cache.length };
      session.prefill(own.sequence, 0, rows(cache.keys, cache), rows(cache.values, cache));
      growing.set(key, own);
      sequences.push(own.sequence);
    }
    for (; own.length < cache.length; own.length += 1) jobs.push(append(own, cache));
    jobOf.push(jobs.length);
    jobs.push(attention(own.sequence, request));
  }
  const { jobs: results, devices } = await session.run(jobs);
  for (const sequence of sequences) session.closeSequence(sequence);
  const failed = devices.find((device) => device.outcome.kind !== "completed");
  if (failed !== undefined) {
    throw new NeardataError("check-failed", outcomeSentence(failed.outcome));
  }
  return requests.map((request, i) => answerOf(request, results[jobOf[i] ?? -1]));
}

function append({ sequence, length }: Growing, { width, keys, values }: HeadCache): CsdJob {
  const row = (of: Float64Array): Uint16Array =>
    numbersToHalves(of.subarray(length * width, (length + 1) * width));
  return { kind: "append", sequence, head: 0, key: row(keys), value: row(values) };
}

function attention(sequence: CsdSequence, request: AttentionRequest): CsdJob {
  const job = { sequence, head: 0, queries: numbersToHalves(request.query) };
  if (request.kind !== "sparse") return { ...job, kind: "dense" };
  const { width, length } = request.cache;
  const { r, k, l } = request.parameters;
  const chosen = { r: Math.min(r, width), k: Math.min(k, length), l: Math.min(l, length) };
  return { ...job, kind: "sparse", ...chosen, mean: true };
}

function answerOf({ kind }: AttentionRequest, result: CsdJobResult | undefined): AttentionAnswer {
  const { status, dims, tokens, alpha, outputs, pages } = there(result);
  if (status !== "done") {
    throw new NeardataError("check-failed", `an attention job ended as ${status}.`);
  }
  return {
    dims,
    tokens,
    alpha: kind === "sparse" ? there(alpha[0]) : 1,
    out: halvesToNumbers(outputs),
    pages,
  };
}

function there<T>(value: T | undefined): T {
  if (value !== undefined) return value;
  throw new NeardataError("check-failed", "the device did not answer every attention job.");
}

function rows(of: Float64Array, { length, width }: HeadCache): Uint16Array {
  return numbersToHalves(of.subarray(0, length * width));
}

/** The cache of `tokens` alone. */
function gathered({ width, keys, values }: HeadCache, tokens: Uint32Array): HeadCache {
  const pick = (of: Float64Array): Float64Array => {
    const out = new Float64Array(tokens.length * width);
    tokens.forEach((t, i) => {
      out.set(of.subarray(t * width, (t + 1) * width), i * width);
    });
    return out;
  };
  return { length: tokens.length, width, keys: pick(keys), values: pick(values) };
}
