// SPDX-License-Identifier: Apache-2.0
// Page reads with one of four outcomes: clean, correct after retries, uncorrectable, or timed out
// on a silent channel. Uncorrectable bytes are never returned as data.

import { defined } from "../../base/defined.ts";
import { present } from "../../base/present.ts";
import { nativeDevice, wholePages, type FlashBinding } from "../../native/flash-binding.ts";
import type { PagePlace } from "./chains.ts";
import type { FlashDevice } from "../../machine/flash/device.ts";
import type { ReadPolicy } from "../../machine/flash/read-policy.ts";

/** How a page read ends. */
export const readStatuses = ["clean", "retried", "uncorrectable", "channel-dead"] as const;
export type ReadStatus = (typeof readStatuses)[number];

/** One page's answer. */
export interface ReadAnswer {
  readonly status: ReadStatus;
  readonly attempts: number;
  readonly correctedBits: number;
  readonly doneNs: number;
}

/** A read policy of pages by themselves. */
export interface PageReadPolicy extends ReadPolicy {
  /** Of a codeword, beside its data; they have errors too. Absent: none. */
  readonly parityBytes?: number;
}

/** Reads whole pages, asked for together. Parity takes no time on the bus here. */
export function readPages(
  flash: FlashBinding,
  device: FlashDevice,
  policy: PageReadPolicy,
  pages: readonly PagePlace[],
): readonly ReadAnswer[] {
  const answers = flash.flashReads({
    ...nativeDevice(device, device.arbitration),
    where: wholePages(device, pages),
    rawRate: policy.rawBitErrorRate,
    retryGain: policy.retryGain,
    codewordBytes: policy.codewordBytes,
    correctableBits: policy.correctableBits,
    mostRetries: policy.mostRetries,
    seed: policy.seed,
    ...defined({ parityBytes: policy.parityBytes }),
    retrySetup: policy.retrySetupNs * device.ticks_per_ns,
    deadTimeout: policy.deadTimeoutNs * device.ticks_per_ns,
    deadChannels: Uint32Array.from(policy.deadChannels),
  });
  return pages.map((_, i) => ({
    status: readStatuses[present(answers.status[i])] ?? "channel-dead",
    attempts: present(answers.attempts[i]),
    correctedBits: present(answers.correctedBits[i]),
    doneNs: present(answers.done[i]) / device.ticks_per_ns,
  }));
}
