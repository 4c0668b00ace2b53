// SPDX-License-Identifier: Apache-2.0
// Page reads with one of four outcomes: clean, correct after retries, uncorrectable, or timed out
// on a silent channel. Uncorrectable bytes are never returned as data.

import { defined } from "../../base/defined.ts";
import { randomStream } from "../../base/random.ts";
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
  /** Parity bytes of a codeword in addition to its data; they have bit errors too. Absent: none. */
  readonly parityBytes?: number;
}

/** Blocks of a plane, and pages of a block, among which random pages are. */
const [randomBlocks, randomBlockPages] = [1024, 256];

/** Pages of all channels, dies and planes, with equal probability. */
export function randomPages(
  { channels, dies_per_channel, planes_per_die }: FlashDevice,
  seed: number,
  count: number,
): readonly PagePlace[] {
  const { bits } = randomStream(seed, "random pages");
  return Array.from({ length: count }, (_, i) => {
    const below = (part: number, limit: number): number =>
      Math.floor((bits(5 * i + part) / 2 ** 32) * limit);
    return {
      channel: below(0, channels),
      die: below(1, dies_per_channel),
      plane: below(2, planes_per_die),
      block: below(3, randomBlocks),
      page: below(4, randomBlockPages),
    };
  });
}

/** Reads whole pages, which are all requested at once. Parity occupies no time on the bus here. */
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
