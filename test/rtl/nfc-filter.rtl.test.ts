// SPDX-License-Identifier: Apache-2.0
// The channel filter in RTL: exactly the rows of the mask leave, in order, and are counted.

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { openUnit, type Unit } from "../../src/rtl/index.ts";
import { stalls } from "../../src/rtl/fast-check/index.ts";
import { property } from "../../src/rtl/vitest/index.ts";
import { rejection } from "../helpers/rejection.ts";

interface Page {
  readonly mask: number;
  readonly rows: number;
  readonly rowBeats: number;
  readonly usedBeats: number;
}

interface Filter {
  parameters: "MaxRows" | "MaxRowBeats" | "BeatBits";
  streams: {
    page: {
      direction: "in";
      message: { mask: number; rows: number; row_beats: number; used_beats: number };
    };
    in: { direction: "in"; message: { data: bigint } };
    out: {
      direction: "out";
      message: { data: bigint; row_last: number; last: number };
    };
  };
  inputs: Record<string, never>;
  outputs: { events_o: number };
}

let unit: Unit<Filter>;

beforeAll(async () => {
  unit = await openUnit<Filter>({
    top: "sparf_nfc_filter",
    uses: ["sparf/flash/sparf_nfc_filter.sv"],
  });
});

afterAll(() => {
  unit.close();
});

/** The contents of a page's beat number `beat`: arbitrary bits, different for each beat. */
const beatOf = (beat: number): bigint =>
  BigInt.asUintN(64, BigInt(beat + 1) * 0x9e37_79b9_7f4a_7c15n);

/**
 * Sends pages one after another: the next page may start after the last beat of the previous one.
 */
async function filter(pages: readonly Page[], waveform?: string): Promise<void> {
  for (const { mask, rows, rowBeats, usedBeats } of pages) {
    const { page, in: beats } = unit.streams;
    page.send([{ mask, rows, row_beats: rowBeats, used_beats: usedBeats }]);
    beats.send(Array.from({ length: rows * rowBeats }, (_, beat) => ({ data: beatOf(beat) })));
    const moved = { page: 1, in: rows * rowBeats };
    await unit.run({ until: { moved, rest: 64 }, waveform });
  }
}

function golden({ mask, rows, rowBeats, usedBeats }: Page): Filter["streams"]["out"]["message"][] {
  const passed = Array.from({ length: rows }, (_, row) => row).filter((row) => (mask >> row) & 1);
  return passed.flatMap((row) =>
    Array.from({ length: usedBeats }, (_, beat) => {
      const rowLast = Number(beat === usedBeats - 1);
      const last = row === passed.at(-1) ? rowLast : 0;
      return { data: beatOf(row * rowBeats + beat), row_last: rowLast, last };
    }),
  );
}

const page: fc.Arbitrary<Page> = fc
  .record({
    most: fc.integer({ min: 1, max: 16 }),
    rowBeats: fc.oneof(
      { weight: 8, arbitrary: fc.integer({ min: 1, max: 40 }) },
      { weight: 1, arbitrary: fc.constantFrom(64, 300, 511, 512) },
    ),
    unused: fc.oneof(fc.constant(0), fc.nat({ max: 511 })),
    bits: fc.nat({ max: 0xffff }),
  })
  .map(({ most, rowBeats, unused, bits }) => {
    // Of long rows a page has few.
    const rows = rowBeats > 40 ? Math.min(most, 2) : most;
    const usedBeats = rowBeats - (unused % rowBeats);
    return { mask: bits & (2 ** rows - 1), rows, rowBeats, usedBeats };
  });

const cases = fc.record({
  pages: fc.array(page, { minLength: 1, maxLength: 10 }),
  source: stalls(),
  sink: stalls(),
});

describe("sparf_nfc_filter", () => {
  property(
    "lets exactly the rows of the mask pass, whoever waits",
    cases,
    async ({ pages, source, sink }, { waveform }) => {
      unit.reset();
      unit.streams.in.pause(source);
      unit.streams.out.pause(sink);
      await filter(pages, waveform);
      const passed = pages.flatMap(golden);
      expect(unit.streams.out.taken()).toEqual(passed);
      const beats = pages.reduce((sum, { rows, rowBeats }) => sum + rows * rowBeats, 0);
      expect(unit.events()).toEqual([beats, passed.length]);
    },
    { runs: 60, waves: "build/waves" },
  );

  it("notices a mask that names rows the page does not have", async () => {
    unit.reset();
    const wrong = filter([{ mask: 4, rows: 2, rowBeats: 4, usedBeats: 4 }]);
    await expect(wrong).rejects.toThrow(rejection("check-failed", /RowsInRange/));
    // Its model is not evaluated further, and the cycle of the failure is the same.
    const cycle = unit.cycle();
    await expect(unit.run({ cycles: 3 })).rejects.toThrow(rejection("check-failed", /RowsInRange/));
    expect(unit.cycle()).toBe(cycle);
  });
});
