// SPDX-License-Identifier: Apache-2.0
// The sparse-attention kernel: decode attention of a layer's heads on a session of storage devices.
// Heads are distributed over the devices, which store the prompt's keys and values at the start.
// Each further token is appended before attention to it, as in decode.

import type { SparfParameters } from "../../../golden/attention/sparf.ts";
import { headBits, type AttentionHead } from "../../../workload/attention-heads.ts";
import type { CsdJob, CsdSequence } from "../../../machine/csd/csd-jobs.ts";
import type { CsdRunOptions, CsdSession, HeadPages } from "../../../machine/csd/csd-types.ts";
import type { LayerStep } from "../../../machine/csd/layer-step.ts";

/** The layer to compute, its method and its number of decode steps. */
export interface LayerTask {
  /** At least `length + decode` tokens each, all of one width. */
  readonly heads: readonly AttentionHead[];
  readonly method: "dense" | "sparf";
  /** Queries of a head, those of its last tokens; absent: one. */
  readonly group?: number;
  /** Tokens in the cache at the first attention, the current one included. */
  readonly length: number;
  /** Tokens appended and attended to after that. */
  readonly decode: number;
  readonly select: (length: number) => SparfParameters;
  readonly dimsPerPage: number;
}

/** A head, the device of its sequence, and its number in the sequence. */
export interface PlacedHead {
  readonly head: AttentionHead;
  readonly sequence: CsdSequence;
  /** Number of the head within the sequence. */
  readonly index: number;
}

/** Runs every step on empty devices, which the heads are put on first. */
export async function runLayer(
  session: CsdSession,
  devices: number,
  task: LayerTask,
  options: CsdRunOptions = {},
): Promise<readonly LayerStep[]> {
  const placed = placeHeads(session, devices, task.heads, task.dimsPerPage);
  for (const one of placed) {
    session.prefill(one.sequence, one.index, pagesOf(session, one, task.length));
  }
  return decodeLayer(session, placed, task, options);
}

/** The first `length` tokens of a head as pages. */
export function pagesOf(
  session: CsdSession,
  { head, sequence, index }: PlacedHead,
  length: number,
): HeadPages {
  const rows = (part: "keys" | "values"): Uint16Array => headBits(head, part, 0, length);
  return session.pagesOf(sequence, index, rows("keys"), rows("values"));
}

/** Runs every step on placed heads. A step begins when the previous one has ended. */
export async function decodeLayer(
  session: CsdSession,
  heads: readonly PlacedHead[],
  task: Omit<LayerTask, "heads" | "dimsPerPage">,
  options: CsdRunOptions = {},
): Promise<readonly LayerStep[]> {
  const steps: LayerStep[] = [];
  for (let length = task.length; length <= task.length + task.decode; length += 1) {
    const step = await decodeStep(session, heads, task, length, options);
    steps.push(step);
    // A step that breaks off is the last.
    if (step.run.devices.some((device) => device.outcome.kind !== "completed")) break;
  }
  return steps;
}

/** The step at which the cache has `length` tokens: all but the first append one. */
export async function decodeStep(
  session: CsdSession,
  heads: readonly PlacedHead[],
  task: Pick<LayerTask, "method" | "group" | "length" | "select">,
  length: number,
  options: CsdRunOptions = {},
): Promise<LayerStep> {
  const appends = length === task.length ? [] : heads.map((head) => append(head, length));
  const attends = heads.map((head) => attention(head, length, task));
  const run = await session.run([...appends, ...attends], options);
  return { length, run, jobs: heads.map((_, h) => appends.length + h) };
}

/** One sequence per device; head h is on device h mod `devices`. */
export function placeHeads(
  session: CsdSession,
  devices: number,
  heads: readonly AttentionHead[],
  dimsPerPage: number,
): readonly PlacedHead[] {
  const sequences = Array.from({ length: Math.min(devices, heads.length) }, (_, device) =>
    session.createSequence({
      device,
      heads: Math.ceil((heads.length - device) / devices),
      dimsPerPage,
      tail: "padded",
    }),
  );
  return heads.flatMap((head, h): PlacedHead[] => {
    const sequence = sequences[h % devices];
    return sequence === undefined ? [] : [{ head, sequence, index: Math.floor(h / devices) }];
  });
}

function append({ head, sequence, index }: PlacedHead, length: number): CsdJob {
  return {
    kind: "append",
    sequence,
    head: index,
    key: headBits(head, "keys", length - 1, length),
    value: headBits(head, "values", length - 1, length),
  };
}

function attention(
  { head, sequence, index }: PlacedHead,
  length: number,
  { method, group = 1, select }: Pick<LayerTask, "method" | "group" | "select">,
): CsdJob {
  const queries = headBits(head, "queries", length - group, length);
  const job = { sequence, head: index, queries };
  if (method === "dense") return { ...job, kind: "dense" };
  return { ...job, kind: "sparse", ...select(length), mean: true };
}
