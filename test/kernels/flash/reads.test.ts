// SPDX-License-Identifier: Apache-2.0
// Reads that fail: every page is right after retries or reported, and what is silent is given up.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { loadFlash } from "../../../src/native/flash-binding.ts";
import { stripedPlace, type PagePlace } from "../../../src/kernels/flash/chains.ts";
import { flashPresets } from "../../../src/machine/flash/presets.ts";
import { defaultReadPolicy } from "../../../src/machine/flash/read-policy.ts";
import {
  randomPages,
  readPages,
  type PageReadPolicy,
  type ReadAnswer,
} from "../../../src/kernels/flash/reads.ts";
import { cli } from "../../helpers/cli.ts";
import { rejectedAt } from "../../helpers/rejected-at.ts";
import { readsRun } from "./reads-model.ts";

const device = flashPresets.tlc4k;
const pages = (count: number): PagePlace[] =>
  Array.from({ length: count }, (_, i) => stripedPlace(device, i));

function read(policy: Partial<PageReadPolicy>, count = 64): readonly ReadAnswer[] {
  return readPages(loadFlash(), device, { ...defaultReadPolicy, ...policy }, pages(count));
}

it("random pages are on all channels, dies and planes alike, and the same for the same seed", () => {
  const places = randomPages(device, 7, 8192);
  expect(places).toEqual(randomPages(device, 7, 8192));
  expect(places).not.toEqual(randomPages(device, 8, 8192));
  const { channels, dies_per_channel: dies, planes_per_die: planes } = device;
  const mean = 8192 / (channels * dies * planes);
  const counts = new Map<string, number>();
  for (const { channel, die, plane } of places) {
    const key = `${channel} ${die} ${plane}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  expect(counts.size).toBe(channels * dies * planes);
  for (const count of counts.values()) {
    expect(Math.abs(count - mean)).toBeLessThan(5 * Math.sqrt(mean));
  }
});

it("neardata flash reads prints how random reads end, and rejects a channel that the device lacks", async () => {
  const policy = ["--pages", "512", "--bit-error-rate", "0.004", "--parity", "70"];
  const { code, stdout } = await cli("flash", "reads", ...policy, "--dead-channel", "3", "--json");
  expect(code).toBe(0);
  const result = JSON.parse(stdout) as { ends: Record<ReadAnswer["status"], number> };
  const { clean, retried, uncorrectable, "channel-dead": dead } = result.ends;
  expect(clean + retried + uncorrectable + dead).toBe(512);
  expect(Math.min(clean, retried, dead)).toBeGreaterThan(0);
  expect(await cli("flash", "reads", "--dead-channel", "8")).toEqual(
    rejectedAt(/--dead-channel: tlc4k has channels 0 to 7, not 8/),
  );
});

const oneRead = 290 + 45_020 + (2048 * 10) / 7;

/** That more than `most` of so many bits are wrong, each with this probability. */
function tail(bits: number, rate: number, most: number): number {
  let [logarithm, sum] = [bits * Math.log1p(-rate), 0];
  for (let wrong = 0; wrong <= most; wrong += 1) {
    sum += Math.exp(logarithm);
    logarithm += Math.log(((bits - wrong) / (wrong + 1)) * (rate / (1 - rate)));
  }
  return 1 - sum;
}

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

  it.each([0, 70, 1024])(
    "have errors in all of their codewords, with %i bytes of parity",
    (parity) => {
      // 4 codewords of 1,024 bytes and their parity: 32.768 bits per page at least, and a spread of its root.
      const answers = read({ rawBitErrorRate: 0.001, parityBytes: parity }, 256);
      const bits = answers.reduce((sum, { correctedBits }) => sum + correctedBits, 0);
      const mean = 0.001 * 8 * 4 * (1024 + parity) * 256;
      expect(Math.abs(bits - mean)).toBeLessThan(5 * Math.sqrt(mean));
    },
  );

  // Data alone has 8,192 bits: 6.8 % in place of 15.8 at 0.0035, where parity is left out.
  it.each([
    [0.0035, 1024, 70, 40],
    [0.0025, 1024, 1024, 40],
    [0.1, 64, 0, 67],
    [0.45, 64, 8, 287],
    [0.7, 64, 8, 429],
  ])(
    "fail at first as often as the binomial of a codeword says: rate %f, %i and %i bytes, %i bits",
    (rawBitErrorRate, codewordBytes, parityBytes, correctableBits) => {
      const count = 3000;
      const code = { codewordBytes, parityBytes, correctableBits };
      const answers = read({ rawBitErrorRate, ...code, mostRetries: 0 }, count);
      const failed = answers.filter(({ status }) => status === "uncorrectable").length;
      const bits = 8 * (codewordBytes + parityBytes);
      const words = device.page_bytes / codewordBytes;
      const share = 1 - (1 - tail(bits, rawBitErrorRate, correctableBits)) ** words;
      expect(share).toBeGreaterThan(0.02);
      expect(share).toBeLessThan(0.98);
      const spread = Math.sqrt(count * share * (1 - share));
      expect(Math.abs(failed - count * share)).toBeLessThan(5 * spread);
    },
  );

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
      rawBitErrorRate: fc.constantFrom(0, 0.001, 0.004, 0.006, 0.03, 0.6, 1),
      retryGain: fc.constantFrom(1, 1.5, 4),
      codewordBytes: fc.constantFrom(512, 1024),
      parityBytes: fc.constantFrom(0, 35, 70, 1024),
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
        const readAnswers = readPages(loadFlash(), small, chosen, places);
        expect(readAnswers).toEqual(readsRun(small, chosen, places));
        for (const { status } of readAnswers) seen.add(status);
      }),
      { numRuns: 300 },
    );
    expect(seen.size).toBe(4);
  });
});
