// SPDX-License-Identifier: Apache-2.0
// Reads that fail: every page is right after retries or reported, and what is silent is given up.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { loadFlash } from "../../src/flash/binding.ts";
import { stripedPlace, type PagePlace } from "../../src/flash/chains.ts";
import { flashPresets } from "../../src/flash/presets.ts";
import { defaultReadPolicy, type ReadPolicy } from "../../src/flash/read-policy.ts";
import { readPages, type ReadAnswer } from "../../src/flash/reads.ts";
import { readsRun } from "./reads-model.ts";

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

  it("fail, are tried again and take the times that the plain rules say", () => {
    const seen = new Set<string>();
    const shape = fc.record({
      channels: fc.integer({ min: 1, max: 3 }),
      dies_per_channel: fc.integer({ min: 1, max: 2 }),
      planes_per_die: fc.integer({ min: 1, max: 2 }),
      page_bytes: fc.constantFrom(512, 1024, 1536, 4096),
      tR_ns: fc.integer({ min: 1, max: 5000 }),
      arbitration: fc.constantFrom("data_first", "cmd_first"),
    });
    const policy = fc.record({
      rawBitErrorRate: fc.constantFrom(0, 0.001, 0.004, 0.006, 0.03),
      retryGain: fc.constantFrom(1, 1.5, 4),
      codewordBytes: fc.constantFrom(512, 1024),
      correctableBits: fc.integer({ min: 0, max: 60 }),
      mostRetries: fc.integer({ min: 0, max: 4 }),
      retrySetupNs: fc.integer({ min: 0, max: 4000 }),
      deadTimeoutNs: fc.integer({ min: 1, max: 100_000 }),
      deadChannels: fc.uniqueArray(fc.nat(3), { maxLength: 1 }),
      seed: fc.nat(),
    });
    const place = fc.record({ at: fc.nat(100), block: fc.nat(3), page: fc.nat(2) });
    fc.assert(
      fc.property(shape, policy, fc.array(place, { maxLength: 12 }), (more, given, drawn) => {
        const one = { ...device, ...more, ticks_per_ns: 1, t_rb_ns: 0, bus_ticks_per_2_bytes: 1 };
        const each = { "1": 40, "2": 60 };
        const times = { t_cmd_read_ns: each, t_cmd_program_ns: each, t_cmd_erase_ns: each };
        const small = { ...one, ...times };
        const chosen = { ...defaultReadPolicy, ...given };
        const places = drawn.map(({ at, block, page }): PagePlace => {
          const row = Math.floor(at / small.channels);
          const die = row % small.dies_per_channel;
          const plane = Math.floor(row / small.dies_per_channel) % small.planes_per_die;
          return { channel: at % small.channels, die, plane, block, page };
        });
        const found = readPages(loadFlash(), small, chosen, places);
        expect(found).toEqual(readsRun(small, chosen, places));
        for (const { status } of found) seen.add(status);
      }),
      { numRuns: 300 },
    );
    expect(seen.size).toBe(4);
  });
});
