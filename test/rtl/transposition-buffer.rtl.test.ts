// SPDX-License-Identifier: Apache-2.0
// The buffer that transposes rows of K into embedding-order pages, in RTL: every bit of every page,
// and the clocks of a filling, against layout and cycle model.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { numbersToHalves } from "../../src/golden/half.ts";
import { openCsdSession } from "../../src/native/csd/csd-session.ts";
import { inRepository } from "../../src/base/paths.ts";
import { rtlPath } from "../../src/native/compile/rtl-sources.ts";
import { openUnit, type UnitOptions } from "../../src/rtl/index.ts";
import { bytes, femtoseconds, hertz } from "../../src/base/units.ts";
import { property } from "../../src/rtl/vitest/index.ts";
import { smallCsd, testHead } from "../helpers/csd.ts";
import { rejection } from "../helpers/rejection.ts";
import {
  type Buffer,
  calm,
  goldenPage,
  lineValues,
  messagesIn,
  type PageSet,
  sendPages,
  type TranspositionBuffer,
} from "../helpers/transposition-buffer.ts";
import {
  block,
  cases,
  check,
  linesOf,
  pagesOf,
  wholeCases,
  wholeSlots,
  wholeWords,
  words,
} from "../helpers/transposition-cases.ts";
import { inFull } from "../helpers/needs.ts";

async function openBuffer(options: Partial<UnitOptions> = {}): Promise<Buffer> {
  return openUnit<TranspositionBuffer>({
    top: "transposition_buffer",
    uses: ["sram_1r1w.sv", "value_rotator.sv", "transposition_buffer.sv"],
    ...options,
  });
}

let unit: Buffer;
let large: Buffer;
beforeAll(async () => {
  unit = await openBuffer({ parameters: { Words: words, Slots: 4 }, seed: 1 });
  large = await openBuffer();
});
afterAll(() => {
  unit.close();
  large.close();
});

/**
 * Cycles of the cycle model from one head of `tokens` tokens to the next, each with one set of
 * pages of two dimensions.
 */
async function cyclesOfModel(tokens: number): Promise<number> {
  return (await timeBetween(tokens)) / 1e9;
}

/** Femtoseconds between the ends of two heads' prompts. */
async function timeBetween(tokens: number): Promise<number> {
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
      // The slowest clock: DRAM and flash buses need less than one cycle.
      clock: hertz(1e6),
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

  property(
    "sends every page of sets anywhere in its 64 KiB, in any slot, with any tag",
    wholeCases,
    async (one, { waveform }) => check(large, one, waveform),
    { runs: 30, waves: "build/waves" },
  );

  it("begins anew after a reset within a set as large as can be, in every slot", async () => {
    const one = block(256, 2);
    for (let slot = 0; slot < wholeSlots; slot += 1) {
      for (const { base, tiles } of [
        { base: 0, tiles: wholeWords },
        { base: wholeWords - 1, tiles: 1 },
        { base: 0, tiles: wholeWords - 1 },
      ]) {
        large.reset();
        large.streams.set.send([{ slot, base, first: slot, log_dims: 0, tiles }]);
        large.streams.line.sendWords(new Uint32Array(linesOf(slot + 1, 3).buffer));
        await large.run({ until: { moved: { set: 1, line: 3 } } });
      }
      await check(large, {
        sets: [{ ...one, slot, base: 32 * slot }],
        order: [{ set: 0, page: 3 }],
        sides: calm,
      });
    }
  });

  it.each([wholeWords, wholeWords - 1])("turns a set of %i tiles, one page", async (tiles) => {
    const tokens = tiles * lineValues;
    const only = { dims: 1, first: 5, dimsPerPage: 1, tiles, lines: linesOf(tiles, tokens) };
    await check(large, { sets: [only], order: [{ set: 0, page: 0 }], sides: calm });
    expect(large.events()).toEqual([tokens, tiles]);
  });

  it("turns whole blocks of the presets' pages in its 64 KiB", inFull, async () => {
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
  });

  it("fills in a clock a line, with none between two sets, and sends a line a clock", async () => {
    const sets = [block(512, 2), block(512, 2, 2)];
    const { fillCycles } = await sendPages(unit, sets, pagesOf(sets));
    expect(fillCycles).toEqual([128, 128]);
    const { line, page, out } = unit.streams;
    const [lines, lefts] = [line.movedAt(), out.movedAt()];
    expect((lines.at(-1) ?? 0) - (lines[0] ?? 0)).toBe(255);
    expect((lefts[0] ?? 0) - (page.movedAt()[0] ?? 0)).toBe(4);
    // All pages of the first set were requested before it was full; then those of the second set
    // wait.
    expect((lefts[127] ?? 0) - (lefts[0] ?? 0)).toBe(127);
  });

  it("takes the clocks that the cycle model charges", async () => {
    const measured = await Promise.all([32, 64].map(cyclesOfModel));
    const filled = [];
    for (const tokens of [32, 64]) {
      const one = block(4 * tokens, 2);
      filled.push((await sendPages(unit, [one], pagesOf([one]))).fillCycles[0] ?? NaN);
    }
    expect(filled).toEqual([32, 64]);
    // One more head adds the same cycles of other parts in both cases.
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
    await expect(run).rejects.toThrow(rejection("check-failed", new RegExp(contract)));
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

  it("has an injected fault that a case of one page finds", inFull, async () => {
    const directory = mkdtempSync(join(tmpdir(), "neardata-transposition-"));
    const text = readFileSync(inRepository("rtl", rtlPath("transposition_buffer.sv")), "utf8");
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
