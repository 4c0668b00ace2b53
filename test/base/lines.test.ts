// SPDX-License-Identifier: Apache-2.0
// Lines of text in pieces: the same whatever the pieces are, and what is not text is said with its place.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { linesOf } from "../../src/base/files/lines.ts";
import { rejection } from "../helpers/rejection.ts";

async function lines(bytes: Uint8Array, cuts: readonly number[]): Promise<readonly string[]> {
  const places = [0, ...[...cuts].sort((a, b) => a - b), bytes.length];
  const pieces = places.slice(1).map((end, i) => bytes.subarray(places[i], end));
  const found: string[] = [];
  for await (const { number, text } of linesOf("t", pieces)) {
    found.push(text);
    expect(number).toBe(found.length);
  }
  return found;
}

describe("lines", () => {
  const line = fc.stringMatching(/^[ -~\u00e9\u{1f600}]*$/u);
  it("are the same in any pieces, with LF or CR LF, with and without an end", async () => {
    const inputs = fc.record({
      texts: fc.array(line, { maxLength: 8 }),
      end: fc.constantFrom("\n", "\r\n"),
      ended: fc.boolean(),
      cuts: fc.array(fc.nat(200), { maxLength: 6 }),
    });
    await fc.assert(
      fc.asyncProperty(inputs, async ({ cuts, end, ended, texts }) => {
        const whole = ended ? texts : [...texts, "last"];
        const bytes = Buffer.from(`\ufeff${whole.map((text) => text + end).join("")}`);
        const cut = ended || whole.length === 0 ? bytes : bytes.subarray(0, -end.length);
        const within = cuts.filter((n) => n <= cut.length);
        const found = await lines(cut, within);
        // A file that is a byte order mark alone is one empty line.
        expect(found).toEqual(whole.length === 0 ? [""] : whole);
      }),
    );
  });

  it.each<[string, Uint8Array, RegExp]>([
    ["NUL", Buffer.from("ab\ncd\0"), /^t: byte 5 is NUL/],
    ["bytes that are no UTF-8", Buffer.from([0x61, 0x0a, 0xff, 0x0a]), /^t: line 2 /],
    ["UTF-8 that is cut", Buffer.from([0x61, 0x0a, 0xc3]), /^t: line 2 /],
    ["a line beyond the limit", Buffer.alloc(2 ** 20 + 1, "a"), /^t:1: .*longer/],
    [
      "a line of wide characters beyond it",
      Buffer.from("\u00e9".repeat(2 ** 19 + 1)),
      /^t:1: .*longer/,
    ],
  ])("with %s are refused", async (_, bytes, rule) => {
    for (const cuts of [[], [1], [3]]) {
      await expect(lines(bytes, cuts)).rejects.toThrow(rejection("bad-input", rule));
    }
  });
});
