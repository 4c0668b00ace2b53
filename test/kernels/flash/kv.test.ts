// SPDX-License-Identifier: Apache-2.0
// Keys and values on flash: every page is at its written address, no page is overwritten, and
// garbage collection preserves valid pages.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { loadFlash } from "../../../src/native/flash-binding.ts";
import { runKv, type KvEvent, type KvRun, type KvWork } from "../../../src/kernels/flash/kv.ts";
import { pageKinds } from "../../../src/machine/flash/page-kind.ts";
import type { FlashDevice } from "../../../src/machine/flash/device.ts";
import { flashPresets } from "../../../src/machine/flash/presets.ts";

/** Two planes, pages of 16 tokens or (m = 2) 256 tokens of a head of 32. */
const device: FlashDevice = {
  ...flashPresets.tlc4k,
  channels: 2,
  dies_per_channel: 1,
  page_bytes: 1024,
};
const width = 32;

const run = (events: readonly KvEvent[], blocks = 16): KvRun =>
  runKv(loadFlash(), device, { blocks, pagesPerBlock: 8 }, width, events);

const open = (sequence: number, heads = 1): KvEvent => ({
  kind: "open",
  sequence,
  heads,
  dimsPerPage: 2,
});
const append = (sequence: number, tokens: number): KvEvent => ({
  kind: "append",
  sequence,
  tokens,
});

const key = (w: Omit<KvWork, "operation">): string =>
  [w.channel, w.die, w.plane, w.block, w.page].join();

/**
 * Replays operations on a flash that rejects the operations that real flash rejects; returns the
 * pages in use.
 */
function replayRules(result: KvRun): Set<string> {
  const written = new Set<string>();
  for (const item of result.work.flat()) {
    if (item.operation === "program") {
      expect(written.has(key(item)), "a page is written once between erases").toBe(false);
      const before = { ...item, page: item.page - 1 };
      expect(item.page === 0 || written.has(key(before)), "pages in order").toBe(true);
      written.add(key(item));
    } else if (item.operation === "read") {
      expect(written.has(key(item))).toBe(true);
    } else {
      for (let page = 0; page < 8; page += 1) written.delete(key({ ...item, page }));
    }
  }
  return written;
}

describe("keys and values on flash", () => {
  it("writes K twice and V once, when pages are full", () => {
    const { work, pagesWritten } = run([open(1), append(1, 255), append(1, 1)]);
    // The head has 16 groups of 16 tokens, K and V, and, with 256 tokens, 16 groups of 2
    // dimensions.
    expect(work[1]).toHaveLength(15 * 2);
    expect(work[2]).toHaveLength(2 + 16);
    expect(pagesWritten).toBe(48);
  });

  it("appending token by token leaves the same pages as at once", () => {
    const locate: KvEvent[] = pageKinds.flatMap((copy) =>
      Array.from({ length: 20 }, (_, index) => {
        return { kind: "locate" as const, sequence: 1, head: 0, copy, index };
      }),
    );
    const atOnce = run([open(1), append(1, 300), ...locate]);
    const oneByOne = run([open(1), ...Array.from({ length: 300 }, () => append(1, 1)), ...locate]);
    const there = (result: KvRun): boolean[] => result.located.map((place) => place !== null);
    expect(there(oneByOne)).toEqual(there(atOnce));
    expect(oneByOne.pagesWritten).toBe(atOnce.pagesWritten);
    expect(new Set(atOnce.located.filter((p) => p !== null).map(key)).size).toBe(16 + 18 * 2);
  });

  it("cleans without moving anything when sequences do not share blocks", () => {
    const events = Array.from({ length: 40 }, (_, s): KvEvent[] => [
      open(s),
      append(s, 256),
      { kind: "close", sequence: s },
    ]).flat();
    const result = run(events);
    expect(result.fullAt).toBeNull();
    expect(result.erases).toBeGreaterThan(0);
    expect(result.writeAmplification).toBe(1);
    expect(result.wear.most - result.wear.least).toBeLessThanOrEqual(1);
    replayRules(result);
  });

  it("says when there is no room", () => {
    const result = run([open(1), append(1, 100_000)]);
    expect(result.fullAt).toBe(1);
  });

  it("keeps every living page through any history", () => {
    const step = fc.record({
      sequence: fc.integer({ min: 0, max: 5 }),
      tokens: fc.integer({ min: 1, max: 200 }),
      end: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60, size: "max" }), (steps) => {
        const tokens = new Map<number, number>();
        const events: KvEvent[] = [];
        for (const { sequence, tokens: more, end } of steps) {
          if (!tokens.has(sequence)) events.push(open(sequence));
          if (end && tokens.has(sequence)) {
            events.push({ kind: "close", sequence });
            tokens.delete(sequence);
          } else {
            events.push(append(sequence, more));
            tokens.set(sequence, (tokens.get(sequence) ?? 0) + more);
          }
        }
        const living = [...tokens].flatMap(([sequence, count]) =>
          Array.from({ length: Math.floor(count / 16) }, (_, index) => ({ sequence, index })),
        );
        for (const { sequence, index } of living) {
          events.push({ kind: "locate", sequence, head: 0, copy: "token-keys", index });
        }
        const result = run(events, 24);
        fc.pre(result.fullAt === null);
        const written = replayRules(result);
        const places = result.located.map((place) => (place === null ? "" : key(place)));
        expect(new Set(places).size).toBe(living.length);
        for (const place of places) expect(written.has(place)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});
