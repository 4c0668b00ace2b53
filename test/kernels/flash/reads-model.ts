// SPDX-License-Identifier: Apache-2.0
// Reads that fail and are tried again, worked plainly: which bits of a page are wrong is a pure function of
// the seed, and every attempt is a read of its own in the plain model of a channel.

import type { PagePlace } from "../../../src/kernels/flash/chains.ts";
import type { FlashDevice } from "../../../src/machine/flash/device.ts";
import type { PageReadPolicy, ReadAnswer } from "../../../src/kernels/flash/reads.ts";
import { flashRun } from "./channel-model.ts";
import type { FlashRequest } from "./flash-work.ts";

const mask = (1n << 64n) - 1n;

/** One step of SplitMix64. */
function mix(x: bigint): bigint {
  let z = (x + 0x9e3779b97f4a7c15n) & mask;
  z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
  z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & mask;
  return z ^ (z >> 31n);
}

/** Wrong bits of so many; the binomial distribution is worked in parts with a mean of 32 at most. */
function wrongOf(bits: number, rate: number, key: bigint): number {
  if (bits === 0 || rate <= 0) return 0;
  if (rate > 0.5) return bits - wrongOf(bits, 1 - rate, key);
  const part = Math.min(bits, Math.floor(32 / rate));
  const draw = Number(key >> 11n) / 2 ** 53;
  let [count, probability] = [0, Math.exp(part * Math.log1p(-rate))];
  for (let sum = probability; sum <= draw && count < part && probability > 0; sum += probability) {
    probability *= ((rate / (1 - rate)) * (part - count)) / (count + 1);
    count += 1;
  }
  return count + wrongOf(bits - part, rate, mix(key));
}

/** Wrong bits of each codeword in an attempt, which are numbered from 0. */
function wrongBits(
  policy: PageReadPolicy,
  place: PagePlace,
  bytes: number,
  reading: number,
  attempt: number,
): readonly number[] {
  const rate = Math.min(1, policy.rawBitErrorRate / policy.retryGain ** attempt);
  const { channel, die, plane, block, page } = place;
  const key = [channel, die, plane, block, page, reading, attempt].reduce(
    (so, part) => mix(so ^ BigInt(part)),
    mix(BigInt(policy.seed)),
  );
  const words = Math.max(1, Math.ceil(bytes / policy.codewordBytes));
  const { codewordBytes, parityBytes = 0 } = policy;
  return Array.from({ length: words }, (_, i) => {
    const data = Math.min(bytes - i * codewordBytes, codewordBytes);
    const parity = Math.ceil((data * parityBytes) / codewordBytes);
    return wrongOf(8 * (data + parity), rate, mix((key + BigInt(i)) & mask));
  });
}

interface Attempts {
  readonly status: ReadAnswer["status"];
  readonly attempts: number;
  readonly correctedBits: number;
}

function attemptsOf(
  policy: PageReadPolicy,
  place: PagePlace,
  bytes: number,
  reading: number,
): Attempts {
  if (policy.deadChannels.includes(place.channel)) {
    return { status: "channel-dead", attempts: 0, correctedBits: 0 };
  }
  for (let attempt = 0; attempt <= policy.mostRetries; attempt += 1) {
    const bits = wrongBits(policy, place, bytes, reading, attempt);
    if (bits.some((count) => count > policy.correctableBits)) continue;
    const correctedBits = bits.reduce((sum, count) => sum + count, 0);
    return { status: attempt === 0 ? "clean" : "retried", attempts: attempt + 1, correctedBits };
  }
  return { status: "uncorrectable", attempts: policy.mostRetries + 1, correctedBits: 0 };
}

/** Reads pages that are requested together; ticks are nanoseconds. */
export function readsRun(
  device: FlashDevice,
  policy: PageReadPolicy,
  pages: readonly PagePlace[],
): readonly ReadAnswer[] {
  const bytes = device.page_bytes;
  const answers = pages.map((place, i) => attemptsOf(policy, place, bytes, i));
  interface Asked extends FlashRequest {
    readonly reading: number;
    readonly attempt: number;
  }
  const ask = (reading: number, attempt: number, submit: number, batch: number): Asked => {
    const place = pages[reading];
    if (place === undefined) throw new Error(`no page ${String(reading)}`);
    return { ...place, op: "R", bytes, submit, batch, reading, attempt };
  };
  let asked = answers.flatMap(({ attempts }, i) => (attempts > 0 ? [ask(i, 0, 0, 0)] : []));
  for (;;) {
    const { times } = flashRun(device, device.arbitration, asked);
    const done = asked.map(({ reading, attempt }, i) => {
      return { reading, attempt, done: times[i]?.done ?? NaN };
    });
    // The next failing page is requested again; no later event can change the time of this request.
    const open = done
      .filter(({ reading, attempt }) => attempt + 1 < (answers[reading]?.attempts ?? 0))
      .filter((one) => !asked.some((a) => a.reading === one.reading && a.attempt > one.attempt));
    if (open.length === 0) {
      return answers.map((answer, i) => {
        const last = Math.max(...done.filter(({ reading }) => reading === i).map((d) => d.done));
        const end = answer.status === "channel-dead" ? policy.deadTimeoutNs : last;
        return { ...answer, doneNs: end };
      });
    }
    const submit = Math.min(...open.map((one) => one.done)) + policy.retrySetupNs;
    const batch = (asked.at(-1)?.batch ?? 0) + 1;
    const again = open.filter((one) => one.done + policy.retrySetupNs === submit);
    asked = [...asked, ...again.map((one) => ask(one.reading, one.attempt + 1, submit, batch))];
  }
}
