// SPDX-License-Identifier: Apache-2.0
// The buffer that turns rows of K into embedding-order pages, in RTL: every bit of every page, and the
// clocks of a filling, against layout and cycle model.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { numbersToHalves } from "../../src/golden/half.ts";
import { openCsdSession } from "../../src/native/csd/csd-session.ts";
import { inRepository } from "../../src/native/paths.ts";
import { ownPath } from "../../src/native/compile/rtl-sources.ts";
import { NeardataError, openUnit, type UnitOptions } from "../../src/rtl/index.ts";
import { bytes, femtoseconds, hertz } from "../../src/units.ts";
import { property, stalls } from "../../src/vitest/index.ts";
import { smallCsd, testHead } from "../helpers/csd.ts";
import {
  type Buffer,
  calm,
  goldenPage,
  lineValues,
  messagesIn,
  type PageSet,
  sendPages,
  type Sides,
  type TranspositionBuffer,
} from "../helpers/transposition-buffer.ts";

async function openBuffer(options: Partial<UnitOptions> = {}): Promise<Buffer> {
  return openUnit<TranspositionBuffer>({
    top: "transposition_buffer",
    uses: ["sram_1r1w.sv", "value_rotator.sv", "transposition_buffer.sv"],
    ...options,
  });
}

const words = 256;
let unit: Buffer;
beforeAll(async () => {
  unit = await openBuffer({ parameters: { Words: words, Slots: 4 }, seed: 1 });
});
afterAll(() => {
  unit.close();
});

interface Case {
  readonly sets: readonly PageSet[];
  readonly order: readonly { readonly set: number; readonly page: number }[];
  readonly sides: Sides;
}

/** Values from a seed: all bits are drawn. */
function linesOf(seed: number, tokens: number): Uint16Array {
  let state = seed;
  return Uint16Array.from({ length: tokens * lineValues }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 16;
  });
}

const set: fc.Arbitrary<PageSet> = fc
  .record({
    logDims: fc.nat({ max: 5 }),
    logPage: fc.nat({ max: 5 }),
    first: fc.nat({ max: 31 }),
    size: fc.double({ min: 0, max: 1, noNaN: true }),
    seed: fc.nat(),
  })
  .map(({ logDims, logPage, first, size, seed }) => {
    const dims = 2 ** logDims;
    // As many as a fourth of the words holds.
    const tiles = Math.max(1, Math.round((size * words) / 4 / dims));
    return {
      dims,
      first: first - (first % dims),
      dimsPerPage: 2 ** Math.min(logPage, logDims),
      tiles,
      lines: linesOf(seed, tiles * lineValues),
    };
  });

const cases: fc.Arbitrary<Case> = fc
  .record({
    sets: fc.array(set, { minLength: 1, maxLength: 4 }),
    picks: fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 1, maxLength: 8 }),
    sides: fc.record({ lines: stalls(), out: stalls() }),
  })
  .map(({ sets, picks, sides }) => ({
    sets,
    order: picks.map(([which, page]) => {
      const of = which % sets.length;
      const { dims = 1, dimsPerPage = 1 } = sets[of] ?? {};
      return { set: of, page: page % (dims / dimsPerPage) };
    }),
    sides,
  }));

async function check(on: Buffer, { sets, order, sides }: Case, waveform?: string): Promise<void> {
  const { pages, reportCycles } = await sendPages(on, sets, order, { sides, waveform });
  expect(pages.map(({ tag }) => tag)).toEqual(order.map((_, tag) => tag));
  for (const [tag, { set: of, page }] of order.entries()) {
    const [own] = sets.slice(of, of + 1);
    if (own !== undefined) expect(pages[tag]?.values).toEqual(goldenPage(own, page));
  }
  expect(reportCycles).toEqual(sets.map(() => 1));
}

/** Pages of one block of a head, as a device with so large a buffer fills them at once. */
function block(pageBytes: number, dimsPerPage: number, seed = 1): PageSet {
  const tokens = pageBytes / 2 / dimsPerPage;
  return {
    dims: lineValues,
    first: 0,
    dimsPerPage,
    tiles: tokens / lineValues,
    lines: linesOf(seed, tokens),
  };
}

const pagesOf = (sets: readonly PageSet[]): Case["order"] =>
  sets.flatMap(({ dims, dimsPerPage }, set) =>
    Array.from({ length: dims / dimsPerPage }, (_, page) => ({ set, page })),
  );

/**
 * Cycles of a slow clock that the cycle model takes from one head of so many tokens to the next, each
 * with one set of pages of two dimensions: what is left when the same is done at twice the clock.
 */
async function cyclesOfModel(tokens: number): Promise<number> {
  const [slow = NaN, fast = NaN] = await Promise.all(
    [1e6, 2e6].map(timeBetween.bind(null, tokens)),
  );
  return (slow - fast) / 5e8;
}

/** Femtoseconds between the ends of two heads' prompts. */
async function timeBetween(tokens: number, clock: number): Promise<number> {
  const { controller, flash } = smallCsd();
  const session = await openCsdSession(
    smallCsd({
      controller: {
        ...controller,
        transposition: { buffer: bytes(64 * 1024) },
        translation: { ...controller.translation, table: "sram" },
      },
      // Programs of no length, so that nothing but the buffer is waited for.
      flash: { ...flash, name: "of no data sheet", page_bytes: 4 * tokens, tPROG_ns: 0 },
      clock: hertz(clock),
    }),
  );
  const spec = { device: 0, heads: 2, dimsPerPage: 2, tail: "dram-tail" } as const;
  const sequence = session.createSequence(spec);
  const { prompts } = await session.writePrompts(
    [0, 1].map((head) => {
      const { cache } = testHead(head, tokens);
      const [keys, values] = [numbersToHalves(cache.keys), numbersToHalves(cache.values)];
      return { sequence, head, ready: femtoseconds(0), keys, values };
    }),
  );
  session.close();
  const [first, second] = prompts;
  return Number(second?.written) - Number(first?.written);
}

describe("transposition_buffer", () => {
  property(
    "sends every page of every set bit for bit, whoever waits",
    cases,
    async (one, { waveform }) => check(unit, one, waveform),
    { runs: 60, waves: "build/waves" },
  );

  it("turns whole blocks of the presets' pages in its 64 KiB", async () => {
    const large = await openBuffer();
    for (const sets of [
      [block(4096, 2)],
      [block(16 * 1024, 8)],
      [block(4096, 8), block(4096, 8, 2), block(4096, 4, 3)],
    ]) {
      await check(large, { sets, order: pagesOf(sets), sides: calm });
      expect(large.events()).toEqual([
        sets.reduce((sum, { tiles }) => sum + tiles * lineValues, 0),
        sets.reduce((sum, { tiles, dims }) => sum + tiles * dims, 0),
      ]);
    }
    large.close();
  });

  it("fills in a clock a line, with none between two sets, and sends a line a clock", async () => {
    const sets = [block(512, 2), block(512, 2, 2)];
    const { fillCycles } = await sendPages(unit, sets, pagesOf(sets));
    expect(fillCycles).toEqual([128, 128]);
    const { line, page, out } = unit.streams;
    const [lines, lefts] = [line.movedAt(), out.movedAt()];
    expect((lines.at(-1) ?? 0) - (lines[0] ?? 0)).toBe(255);
    expect((lefts[0] ?? 0) - (page.movedAt()[0] ?? 0)).toBe(4);
    // All pages of the first set were asked for before it was full; then those of the second wait.
    expect((lefts[127] ?? 0) - (lefts[0] ?? 0)).toBe(127);
  });

  it("takes the clocks that the cycle model charges", async () => {
    const measured = await Promise.all([32, 128].map(cyclesOfModel));
    const filled = [];
    for (const tokens of [32, 128]) {
      const one = block(4 * tokens, 2);
      filled.push((await sendPages(unit, [one], pagesOf([one]))).fillCycles[0] ?? NaN);
    }
    expect(filled).toEqual([32, 128]);
    // A head more takes cycles of other parts, too, which are the same for both.
    expect((measured[1] ?? NaN) - (measured[0] ?? NaN)).toBe((filled[1] ?? 0) - (filled[0] ?? 0));
  });

  it("fills a slot anew when no page of it is being sent", async () => {
    const [one, other] = [block(256, 2), block(256, 2, 5)];
    await sendPages(unit, [one], pagesOf([one]), {
      sides: { ...calm, out: { probability: 0.5, seed: 3 } },
    });
    const { set: sets, line, page, out } = unit.streams;
    const before = out.takenWords().length;
    page.send([{ slot: 0, first: 0, dims: 32, tag: 7 }]);
    await unit.run({ until: { moved: { page: 1 } } });
    sets.send([{ slot: 0, base: 0, first: 0, log_dims: 5, tiles: other.tiles }]);
    line.sendWords(new Uint32Array(other.lines.slice().buffer));
    await unit.run({ until: { moved: { line: 64, out: 64 } } });
    page.send([{ slot: 0, first: 0, dims: 32, tag: 8 }]);
    await unit.run({ until: { moved: { page: 1, out: 64 }, rest: 8 } });
    const values = messagesIn(out.takenWords().subarray(before));
    expect(values.slice(0, 64).flat()).toEqual([...goldenPage({ ...one, dimsPerPage: 32 }, 0)]);
    expect(values.slice(64).flat()).toEqual([...goldenPage({ ...other, dimsPerPage: 32 }, 0)]);
  });

  it.each([
    ["SetInRange", { slot: 0, base: 224, first: 0, log_dims: 5, tiles: 2 }],
    ["SetAligned", { slot: 0, base: 16, first: 0, log_dims: 5, tiles: 1 }],
    ["SetAligned", { slot: 0, base: 16, first: 8, log_dims: 4, tiles: 1 }],
  ])("notices a set that breaks its contract: %s", async (contract, wrong) => {
    unit.reset();
    unit.streams.set.send([wrong]);
    const run = unit.run({ cycles: 10 });
    await expect(run).rejects.toThrow(NeardataError);
    await expect(run).rejects.toThrow(new RegExp(contract));
  });

  it("notices a page of a set that never began, and one that is not in its set", async () => {
    unit.reset();
    unit.streams.page.send([{ slot: 1, first: 0, dims: 2, tag: 0 }]);
    await expect(unit.run({ cycles: 10 })).rejects.toThrow(/PageKnown/);
    const small: PageSet = { ...block(256, 2), dims: 4 };
    await sendPages(unit, [small], [{ set: 0, page: 1 }]);
    unit.streams.page.send([{ slot: 0, first: 2, dims: 4, tag: 0 }]);
    await expect(unit.run({ cycles: 10 })).rejects.toThrow(/PageInRange/);
  });

  it("with a planted fault is found out, by a case of one page", async () => {
    const directory = mkdtempSync(join(tmpdir(), "neardata-transposition-"));
    const text = readFileSync(inRepository("rtl", ownPath("transposition_buffer.sv")), "utf8");
    // The second tile of a set with less than all dimensions has its words where all would be.
    const right = "fill_word_q + (WordBits'(1) << fill_log_q)";
    expect(text.split(right)).toHaveLength(2);
    const wrong = text.replace(right, "fill_word_q + WordBits'(Values)");
    writeFileSync(join(directory, "transposition_buffer.sv"), wrong);
    const planted = await openBuffer({ parameters: { Words: words, Slots: 4 }, rtl: directory });
    const found = await fc.check(
      fc.asyncProperty(cases, async (one) => check(planted, one)),
      { numRuns: 60, seed: 1 },
    );
    planted.close();
    rmSync(directory, { recursive: true });
    expect(found.failed).toBe(true);
    const [smallest] = found.counterexample ?? [];
    expect(smallest?.order).toHaveLength(1);
    expect(smallest?.sets.at(-1)?.dims).toBeLessThan(32);
    expect(smallest?.sets.at(-1)?.tiles).toBeGreaterThan(1);
    if (smallest !== undefined) await check(unit, smallest);
  });
});
