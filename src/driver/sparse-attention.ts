// SPDX-License-Identifier: Apache-2.0
// The sparse-attention kernel: decode attention of a layer's heads on a session of storage devices.
// Heads are dealt out over the devices; the prompt's keys and values lie there when it begins. Each
// further token is appended before it is attended to, as in a decode.

import { numbersToHalves } from "../golden/half.ts";
import type { SparfParameters } from "../golden/sparf.ts";
import type { AttentionHead } from "../workload/attention-heads.ts";
import type { CsdJob, CsdRun, CsdRunOptions, CsdSequence, CsdSession } from "./csd-types.ts";

/** What to compute. */
export interface LayerTask {
  /** At least `length + decode` tokens each, all of one width. */
  readonly heads: readonly AttentionHead[];
  readonly method: "dense" | "sparf";
  /** Tokens in the cache at the first attention, the current one included. */
  readonly length: number;
  /** Tokens appended and attended to after that. */
  readonly decode: number;
  readonly select: (length: number) => SparfParameters;
  readonly dimsPerPage: number;
  /** Bits of all keys, or values, of a head; of who runs on the same heads again, kept ones. */
  readonly halves?: (rows: Float64Array) => Uint16Array;
}

/** One attention of every head. */
export interface LayerStep {
  /** Tokens in the cache. */
  readonly length: number;
  readonly run: CsdRun;
  /** By head: the job of its attention. */
  readonly jobs: readonly number[];
}

/** A head and where it lies. */
export interface PlacedHead {
  readonly head: AttentionHead;
  readonly sequence: CsdSequence;
  /** Number of the head within the sequence. */
  readonly index: number;
}

/** Runs every step, each when the one before has ended; stops after a step that breaks off. */
export async function runLayer(
  session: CsdSession,
  devices: number,
  task: LayerTask,
  options: CsdRunOptions = {},
): Promise<readonly LayerStep[]> {
  const { halves = numbersToHalves } = task;
  const placed = placeHeads(session, devices, task.heads, task.dimsPerPage);
  for (const { head, sequence, index } of placed) {
    const rows = (of: Float64Array): Uint16Array =>
      halves(of).subarray(0, task.length * head.width);
    session.prefill(sequence, index, rows(head.keys), rows(head.values));
  }
  return decodeLayer(session, placed, task, options);
}

/** The same on heads that lie there already; they are gone afterwards. */
export async function decodeLayer(
  session: CsdSession,
  heads: readonly PlacedHead[],
  task: Omit<LayerTask, "heads" | "dimsPerPage">,
  options: CsdRunOptions = {},
): Promise<readonly LayerStep[]> {
  const steps: LayerStep[] = [];
  for (let length = task.length; length <= task.length + task.decode; length += 1) {
    const appends = length === task.length ? [] : heads.map((head) => append(head, length));
    const attends = heads.map((head) => attention(head, length, task));
    const run = await session.run([...appends, ...attends], options);
    steps.push({ length, run, jobs: heads.map((_, h) => appends.length + h) });
    if (run.devices.some((device) => device.outcome.kind !== "completed")) break;
  }
  for (const sequence of new Set(heads.map((one) => one.sequence))) session.closeSequence(sequence);
  return steps;
}

/** One sequence a device; head h lies on device h mod `devices`. */
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
    key: lastRow(head.keys, head.width, length),
    value: lastRow(head.values, head.width, length),
  };
}

function attention(
  { head, sequence, index }: PlacedHead,
  length: number,
  { method, select }: Pick<LayerTask, "method" | "select">,
): CsdJob {
  const job = { sequence, head: index, queries: lastRow(head.queries, head.width, length) };
  if (method === "dense") return { ...job, kind: "dense" };
  return { ...job, kind: "sparse", ...select(length), mean: true };
}

function lastRow(rows: Float64Array, width: number, length: number): Uint16Array {
  return numbersToHalves(rows.subarray((length - 1) * width, length * width));
}
