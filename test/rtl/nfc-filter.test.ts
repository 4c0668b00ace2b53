// SPDX-License-Identifier: Apache-2.0
// The channel filter in RTL: exactly the rows of the mask leave, in order, and are counted.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { NeardataError } from "../../src/errors.ts";
import { inRepository } from "../../src/native/paths.ts";
import { runTool } from "../../src/native/process.ts";
import { verilate } from "../../src/native/verilate.ts";

interface Page {
  readonly mask: number;
  readonly rows: number;
  readonly rowBeats: number;
  readonly usedBeats: number;
  readonly sourcePause: number;
  readonly sinkPause: number;
}

interface Beat {
  readonly row: number;
  readonly last: boolean;
  /** Number of the beat in its page, which is what the pages here hold. */
  readonly content: number;
}

const directory = mkdtempSync(join(tmpdir(), "neardata-nfc-filter-"));
let bench = "";

beforeAll(async () => {
  bench = await verilate({
    top: "nfc_filter",
    parameters: {},
    sources: [inRepository("rtl", "sparf", "nfc_filter.sv")],
    harness: [inRepository("testbench", "nfc_filter_main.cc")],
    kind: "executable",
    trace: false,
  });
});

afterAll(() => {
  rmSync(directory, { recursive: true });
});

interface Filtered {
  readonly beatsIn: number;
  readonly beatsKept: number;
  readonly beats: readonly Beat[];
}

async function filter(pages: readonly Page[]): Promise<readonly Filtered[]> {
  const [input, output] = [join(directory, "pages"), join(directory, "results")];
  const words = pages.flatMap((p) => [
    p.mask,
    p.rows,
    p.rowBeats,
    p.usedBeats,
    p.sourcePause,
    p.sinkPause,
    ...Array.from({ length: p.rows * p.rowBeats }, (_, beat) => [beat, ~beat >>> 0]).flat(),
  ]);
  writeFileSync(input, Uint32Array.from(words));
  await runTool(bench, [input, output]);
  const bytes = readFileSync(output);
  const results = new Uint32Array(
    bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength),
  );
  let at = 0;
  return pages.map(() => {
    const [beatsIn = 0, beatsKept = 0, count = 0] = results.subarray(at, at + 3);
    at += 3;
    const beats = Array.from({ length: count }, (_, i): Beat => {
      const [row = 0, last = 0, low = 0, high = 0] = results.subarray(at + 4 * i, at + 4 * i + 4);
      expect(high).toBe(~low >>> 0);
      return { row, last: last === 1, content: low };
    });
    at += 4 * count;
    return { beatsIn, beatsKept, beats };
  });
}

function golden({ mask, rows, rowBeats, usedBeats }: Page): Filtered {
  const beats = Array.from({ length: rows }, (_, row) => row)
    .filter((row) => (mask >> row) & 1)
    .flatMap((row) =>
      Array.from({ length: usedBeats }, (_, b) => ({
        row,
        last: false,
        content: row * rowBeats + b,
      })),
    );
  return {
    beatsIn: rows * rowBeats,
    beatsKept: beats.length,
    beats: beats.map((beat, i) => ({ ...beat, last: i === beats.length - 1 })),
  };
}

const page: fc.Arbitrary<Page> = fc
  .record({
    rows: fc.integer({ min: 1, max: 16 }),
    rowBeats: fc.integer({ min: 1, max: 40 }),
    used: fc.double({ min: 0, max: 1, noNaN: true }),
    bits: fc.nat({ max: 0xffff }),
    sourcePause: fc.constantFrom(0, 150),
    sinkPause: fc.constantFrom(0, 150),
  })
  .map(({ rows, rowBeats, used, bits, sourcePause, sinkPause }) => ({
    mask: bits & (2 ** rows - 1),
    rows,
    rowBeats,
    usedBeats: Math.max(1, Math.round(used * rowBeats)),
    sourcePause,
    sinkPause,
  }));

describe("nfc_filter", () => {
  it("lets exactly the rows of the mask pass, whoever waits", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(page, { minLength: 1, maxLength: 10 }), async (pages) => {
        expect(await filter(pages)).toEqual(pages.map(golden));
      }),
      { numRuns: 60 },
    );
  });

  it("notices a mask that names rows the page does not have", async () => {
    const wrong = { mask: 4, rows: 2, rowBeats: 4, usedBeats: 4, sourcePause: 0, sinkPause: 0 };
    await expect(filter([wrong])).rejects.toThrow(NeardataError);
  });
});
