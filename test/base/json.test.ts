// SPDX-License-Identifier: Apache-2.0
// JSON texts: invalid or ambiguous JSON is refused with its place.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readJson } from "../../src/base/json.ts";

describe("JSON", () => {
  it.each<[string, RegExp, line: number, column: number]>([
    ['{"a":1,\n "a":2}', /"a" .*twice/, 2, 2],
    ['{"\\u0061":1,"a":2}', /"a" .*twice/, 1, 13],
    ["[1,2", /ends/, 1, 5],
    ["", /ends/, 1, 1],
    ['{"a":nul}', /"nul" .*value/, 1, 6],
    ['{"a" 1}', /"1" .* : /, 1, 6],
    ["[1,]", /"\]" .*value/, 1, 4],
    ["[01]", /"1" .* , or \] /, 1, 3],
    ["1 2", /"2" .*end of the text/, 1, 3],
    ["[1e999]", /1e999/, 1, 2],
    ['{"__proto__":1}', /"__proto__"/, 1, 2],
    ['"ab', /string .*end/, 1, 1],
    ['"a\nb"', /control character/, 1, 3],
    ['"\\x"', /escape/, 1, 2],
    ["[".repeat(5000), / 100 /, 1, 101],
  ])("%s is refused", (text, found, line, column) => {
    const place = `${found.source}.*\\(line ${line}, column ${column}\\)`;
    const problem: unknown = expect.stringMatching(new RegExp(place));
    expect(readJson(text)).toEqual({ ok: false, problem });
  });

  it("is what JSON.parse reads, wherever both read it", () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const read = readJson(text);
        if (read.ok) expect(read.value).toEqual(JSON.parse(text));
        else expect(read.problem).toMatch(/twice|__proto__/);
      }),
    );
  });

  it("is refused wherever JSON.parse refuses it, and never throws", () => {
    const nearly = fc.array(fc.constantFrom(...Array.from('{}[],:"\\ut019eE+-. \nabcnrfls')), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(nearly, (characters) => {
        const text = characters.join("");
        let reads = true;
        try {
          JSON.parse(text);
        } catch {
          reads = false;
        }
        const read = readJson(text);
        if (!reads) expect(read.ok).toBe(false);
        else if (!read.ok) expect(read.problem).toMatch(/twice|beyond/);
      }),
      { numRuns: 2000 },
    );
  });
});
