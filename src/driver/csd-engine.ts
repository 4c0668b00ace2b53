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

/** Attends on devices that `open` builds, one for each width and page size among the requests. */
export function csdEngine(
  fidelity: CsdMachine["engine"],
  open: OpenCsdSession,
): AttentionEngine["attend"] {
  return async (requests) => {
    checkSizes(requests);
    const answers = new Map<AttentionRequest, AttentionAnswer>();
    for (const alike of byMachine(requests)) {
      const session = await open(machineFor(fidelity, alike));
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

function byMachine(
  requests: readonly AttentionRequest[],
): readonly (readonly AttentionRequest[])[] {
  const groups = new Map<string, AttentionRequest[]>();
  for (const request of requests) {
    const key = `${String(request.cache.width)} ${String(request.pages.pageBytes)}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [request]);
    else group.push(request);
  }
  return [...groups.values()];
}

/** TLC of the paper's class, with the pages that the requests ask for. */
function machineFor(
  fidelity: CsdMachine["engine"],
  requests: readonly AttentionRequest[],
): CsdMachine {
  const { width = 1 } = requests[0]?.cache ?? {};
  const pageBytes = requests[0]?.pages.pageBytes ?? 0;
  const ringLines = requests.map(({ kind, pages, cache, ...rest }) =>
    kind === "sparse" && "parameters" in rest
      ? ringLinesFor(pageBytes, pages.m, rest.parameters.r, cache.length)
      : 0,
  );
  const flash = { ...flashPresets.tlc4k, page_bytes: pageBytes };
  const pageRows = pageBytes / (2 * width);
  const unit = sparfUnit(width, flash.channels, pageRows, Math.max(...ringLines));
  return csdMachine({ engine: fidelity, devices: 1, unit, flash });
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
