// SPDX-License-Identifier: Apache-2.0
// Page reads that always end in an answer: clean, right after retries, uncorrectable, or given up
// on a channel that is silent. Nothing is returned as data that the code could not correct.

import { nativeDevice, placeFields, type FlashBinding } from "./binding.ts";
import type { PagePlace } from "./chains.ts";
import type { FlashDevice } from "./device.ts";

/** How a page read ends. */
export const readStatuses = ["clean", "retried", "uncorrectable", "channel-dead"] as const;
export type ReadStatus = (typeof readStatuses)[number];

/** Bit errors and what the controller does about them. */
export interface ReadPolicy {
  /** Raw bit errors per bit with default read thresholds. */
  readonly rawBitErrorRate: number;
  /** Each retry divides the rate by this. */
  readonly retryGain: number;
  /** Factors of that rate by type of page, which pages of a block have in turn; none: all alike. */
  readonly errorsByPageType: readonly number[];
  readonly codewordBytes: number;
  /** Bits that the code corrects in a codeword. */
  readonly correctableBits: number;
  readonly mostRetries: number;
  /** From a failed read to the next attempt. */
  readonly retrySetupNs: number;
  /** Until a silent channel is given up. */
  readonly deadTimeoutNs: number;
  readonly deadChannels: readonly number[];
  readonly seed: number;
}

/** One page's answer. */
export interface ReadAnswer {
  readonly status: ReadStatus;
  readonly attempts: number;
  readonly correctedBits: number;
  readonly doneNs: number;
}

/** A code of 40 bits a kilobyte, and thresholds that five retries move through. */
export const defaultReadPolicy: ReadPolicy = {
  rawBitErrorRate: 0,
  retryGain: 4,
  errorsByPageType: [],
  codewordBytes: 1024,
  correctableBits: 40,
  mostRetries: 5,
  retrySetupNs: 1000,
  deadTimeoutNs: 10_000_000,
  deadChannels: [],
  seed: 1,
};

/** Reads whole pages, asked for together. */
export function readPages(
  flash: FlashBinding,
  device: FlashDevice,
  policy: ReadPolicy,
  pages: readonly PagePlace[],
): readonly ReadAnswer[] {
  const where = new Uint32Array(pages.length * placeFields);
  pages.forEach((p, i) => {
    where.set([p.channel, p.die, p.plane, p.block, p.page, device.page_bytes], i * placeFields);
  });
  const answers = flash.flashReads({
    ...nativeDevice(device, device.arbitration),
    where,
    rawRate: policy.rawBitErrorRate,
    retryGain: policy.retryGain,
    codewordBytes: policy.codewordBytes,
    correctableBits: policy.correctableBits,
    mostRetries: policy.mostRetries,
    seed: policy.seed,
    retrySetup: policy.retrySetupNs * device.ticks_per_ns,
    deadTimeout: policy.deadTimeoutNs * device.ticks_per_ns,
    deadChannels: Uint32Array.from(policy.deadChannels),
  });
  return pages.map((_, i) => ({
    status: readStatuses[answers.status[i] ?? 0] ?? "channel-dead",
    attempts: answers.attempts[i] ?? 0,
    correctedBits: answers.correctedBits[i] ?? 0,
    doneNs: (answers.done[i] ?? NaN) / device.ticks_per_ns,
  }));
}
