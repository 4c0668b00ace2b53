// SPDX-License-Identifier: Apache-2.0
// Reads that fail: every page is right after retries or reported, and what is silent is given up.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { loadFlash } from "../../src/flash/binding.ts";
import { stripedPlace, type PagePlace } from "../../src/flash/chains.ts";
import { flashPresets } from "../../src/flash/presets.ts";
import { defaultReadPolicy, type ReadPolicy } from "../../src/flash/read-policy.ts";
import { readPages, type ReadAnswer } from "../../src/flash/reads.ts";

const device = flashPresets.tlc4k;
const pages = (count: number): PagePlace[] =>
  Array.from({ length: count }, (_, i) => stripedPlace(device, i));

function read(policy: Partial<ReadPolicy>, count = 64): readonly ReadAnswer[] {
  return readPages(loadFlash(), device, { ...defaultReadPolicy, ...policy }, pages(count));
}

const oneRead = 290 + 45_020 + (2048 * 10) / 7;

describe("page reads", () => {
  it("are clean and as fast as plain reads when no bit fails", () => {
    const answers = read({}, 8);
    expect(answers.every((a) => a.status === "clean" && a.attempts === 1)).toBe(true);
    for (const answer of answers) expect(answer.doneNs).toBeCloseTo(oneRead, 6);
  });

  it("pay a whole read and the set-up for every retry", () => {
    // 40 errors are correctable; 0.008 * 8192 bits = 66 expected at first, 16 after one retry.
    const [answer] = read({ rawBitErrorRate: 0.008 }, 1);
    expect(answer).toMatchObject({ status: "retried", attempts: 2 });
    expect(answer?.doneNs).toBeCloseTo(2 * oneRead + defaultReadPolicy.retrySetupNs, 6);
  });

  it("report what stays wrong after the last retry", () => {
    const answers = read({ rawBitErrorRate: 0.1, retryGain: 1 });
    expect(answers.every((a) => a.status === "uncorrectable" && a.attempts === 6)).toBe(true);
  });

  it("have errors in all of their codewords", () => {
    // 4 codewords of 1,024 bytes: a mean of 32.768 bits a page, of 256 pages 8,389 and 92 of spread.
    const answers = read({ rawBitErrorRate: 0.001 }, 256);
    const bits = answers.reduce((sum, { correctedBits }) => sum + correctedBits, 0);
    expect(Math.abs(bits - 0.001 * 8 * 4096 * 256)).toBeLessThan(5 * 92);
  });

  it("give a dead channel up and go on with the others", () => {
    const answers = read({ deadChannels: [3] });
    answers.forEach((answer, i) => {
      expect(answer.status).toBe(i % device.channels === 3 ? "channel-dead" : "clean");
      if (answer.status === "channel-dead") expect(answer.doneNs).toBe(10_000_000);
    });
  });

  it("end in an answer at every error rate, the same for the same seed", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 0.2, noNaN: true }),
        fc.integer({ min: 0, max: 5 }),
        fc.uniqueArray(fc.integer({ min: 0, max: 7 })),
        fc.nat(),
        (rawBitErrorRate, mostRetries, deadChannels, seed) => {
          const policy = { rawBitErrorRate, mostRetries, deadChannels, seed };
          const answers = read(policy);
          expect(answers).toEqual(read(policy));
          answers.forEach(({ status, attempts }, i) => {
            expect(status === "channel-dead").toBe(deadChannels.includes(i % device.channels));
            expect(attempts).toBeLessThanOrEqual(mostRetries + 1);
            if (status === "uncorrectable") expect(attempts).toBe(mostRetries + 1);
            if (status === "retried") expect(attempts).toBeGreaterThan(1);
          });
        },
      ),
      { numRuns: 40 },
    );
  });
});
