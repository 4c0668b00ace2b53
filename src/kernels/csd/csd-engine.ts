// SPDX-License-Identifier: Apache-2.0
// Attention requests on the hardware: caches become sequences on one device, requests jobs. A cache
// that grows from request to request is appended to, token by token, as a decode does it.

import {
  csdMachine,
  engineRuleViolations,
  ringLinesFor,
  sparfUnit,
} from "../../machine/resolve/csd.ts";
import { NeardataError } from "../../base/errors.ts";
import { grouped } from "../../base/grouped.ts";
import { flashPresets } from "../../machine/flash/presets.ts";
import type { HeadCache } from "../../golden/attention/attention.ts";
import { halvesToNumbers, numbersToHalves } from "../../golden/half.ts";
import { outcomeSentence } from "../../results/checks.ts";
import type {
  AttentionAnswer,
  AttentionEngine,
  AttentionRequest,
} from "./attention/attention-request.ts";
import { interleave, stretchesOf, type StretchStep } from "./csd-stretches.ts";
import type { CsdMachine } from "../../machine/csd/csd-machine.ts";
import type { CsdJob, CsdJobResult, CsdSequence } from "../../machine/csd/csd-jobs.ts";
import type { HalfRows } from "../../machine/csd/csd-jobs.ts";
import type { CsdSession, OpenCsdSession } from "../../machine/csd/csd-types.ts";

/** Requests whose sequences are on the device at the same time. */
const batch = 512;
/**
 * The results are values and pages only, so these are the cells whose simulation costs the fewest
 * clocks.
 */
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
          const attentionAnswers = await attendBatch(session, some);
          some.forEach((request, i) => answers.set(request, assertDefined(attentionAnswers[i])));
        }
      } finally {
        session.close();
      }
    }
    return requests.map((request) => assertDefined(answers.get(request)));
  };
}

/** @throws NeardataError `bad-input` with every rule that a head or a group breaks. */
export function checkSizes(requests: readonly AttentionRequest[]): void {
  const problems = requests.flatMap(
    ({ queries, cache: { width, length }, pages: { m, pageBytes }, ...request }) =>
      engineRuleViolations({
        width,
        length,
        pageBytes,
        dimsPerPage: m,
        group: queries.length / width,
        ...(request.kind === "sparse" ? { choice: request.parameters } : {}),
      }),
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
      const flash = { ...evaluationFlash, page_bytes: alike[0].pages.pageBytes };
      return [alike, csdMachine({ engine: fidelity, devices: 1, unit, flash })];
    });
  });
}

/** The smallest engine that accepts every one of these requests, all of one width. */
function unitFor(requests: readonly AttentionRequest[]): CsdMachine["unit"] {
  const { width = 1 } = requests[0]?.cache ?? {};
  const most = (of: (request: AttentionRequest) => number): number => Math.max(...requests.map(of));
  const rows = most(({ pages }) => pages.pageBytes / (2 * width));
  const lines = most((request) => {
    if (request.kind !== "sparse") return 0;
    const { pages, cache, parameters } = request;
    return ringLinesFor(pages.pageBytes, pages.m, parameters.r, cache.length);
  });
  return sparfUnit(width, evaluationFlash.channels, rows, lines);
}

async function attendBatch(
  session: CsdSession,
  requests: readonly AttentionRequest[],
): Promise<readonly AttentionAnswer[]> {
  const caches = requests.map((request) =>
    request.kind === "tokens" ? gathered(request.cache, request.tokens) : request.cache,
  );
  const placed = caches.map((cache, i) => ({ cache, m: assertDefined(requests[i]).pages.m }));
  const halves = remembered(numbersToHalves);
  const stretches = stretchesOf(placed).map(({ m, first, requests: numbers }) => {
    const spec = { device: 0, heads: 1, dimsPerPage: m, tail: "dram-tail" } as const;
    const sequence = session.createSequence(spec);
    const rows = (of: Float64Array): HalfRows => halves(of).slice(0, first.length * first.width);
    const pages = session.pagesOf(sequence, 0, rows(first.keys), rows(first.values));
    session.prefill(sequence, 0, pages);
    let { length } = first;
    const steps = numbers.map((number): StretchStep<CsdJob> => {
      const cache = assertDefined(caches[number]);
      const tokens = Array.from({ length: cache.length - length }, (_, i) => length + i);
      length = cache.length;
      return {
        before: tokens.map((token) => appendJob(sequence, cache, token)),
        step: attentionJob(sequence, assertDefined(requests[number])),
      };
    });
    return { sequence, numbers, steps };
  });
  const jobs = interleave(stretches.map(({ steps }) => steps));
  const { jobs: results, devices } = await session.run(jobs);
  for (const { sequence } of stretches) session.closeSequence(sequence);
  const failed = devices.find((device) => device.outcome.kind !== "completed");
  if (failed !== undefined) {
    throw new NeardataError("check-failed", outcomeSentence(failed.outcome));
  }
  for (const result of results) rejectUnusable(result);
  const resultOf = new Map(jobs.map((job, i) => [job, results[i]]));
  const jobOf = new Map(
    stretches.flatMap(({ numbers, steps }) => numbers.map((number, i) => [number, steps[i]?.step])),
  );
  return requests.map((request, i) => answerOf(request, resultOf.get(assertDefined(jobOf.get(i)))));
}

/** A function that computes each of its answers once. */
function remembered<K, V>(compute: (key: K) => V): (key: K) => V {
  const known = new Map<K, V>();
  return (key) => {
    const answer = known.get(key) ?? compute(key);
    known.set(key, answer);
    return answer;
  };
}

/** The job that appends one token of a cache. */
export function appendJob(
  sequence: CsdSequence,
  { width, keys, values }: HeadCache,
  token: number,
): CsdJob {
  const row = (of: Float64Array): HalfRows =>
    numbersToHalves(of.subarray(token * width, (token + 1) * width));
  return { kind: "append", sequence, head: 0, key: row(keys), value: row(values) };
}

/** The job of a request. Selected tokens form a separate cache, which the job reads densely. */
export function attentionJob(sequence: CsdSequence, request: AttentionRequest): CsdJob {
  const job = { sequence, head: 0, queries: numbersToHalves(request.queries) };
  if (request.kind !== "sparse") return { ...job, kind: "dense" };
  const { r, k, l } = request.parameters;
  return { ...job, kind: "sparse", r, k, l, mean: true };
}

/**
 * @throws NeardataError `check-failed` where the outputs of a job, or of later ones, are not to be used:
 * it is not done, or read a value that is infinite or not a number
 */
export function rejectUnusable({
  status,
  refusedField,
  nonFinite,
}: Pick<CsdJobResult, "status" | "refusedField" | "nonFinite">): void {
  if (status !== "done") {
    const why = refusedField === null ? "" : `: its ${refusedField} breaks a rule of the engine`;
    throw new NeardataError("check-failed", `an attention job ended as ${status}${why}.`);
  }
  if (!nonFinite) return;
  const message =
    "a query, key or value is infinite or not a number, which the engine cannot hold.";
  throw new NeardataError("check-failed", message);
}

/** The answer of a device to a request. @throws NeardataError `check-failed` if the job failed. */
export function answerOf(
  { kind, cache: { width } }: AttentionRequest,
  result: CsdJobResult | undefined,
): AttentionAnswer {
  const { dims, tokens, alpha, outputs, pages, ...outcome } = assertDefined(result);
  rejectUnusable(outcome);
  return {
    dims,
    tokens,
    alphas: kind === "sparse" ? alpha : new Float64Array(outputs.length / width).fill(1),
    out: halvesToNumbers(outputs),
    pages,
  };
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

/** The value. @throws NeardataError `check-failed` where it is undefined: a job without its answer */
export function assertDefined<T>(value: T | undefined): T {
  if (value !== undefined) return value;
  throw new NeardataError("check-failed", "the devices did not answer every attention job.");
}
