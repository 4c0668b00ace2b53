// SPDX-License-Identifier: Apache-2.0
// JSON texts: what is no JSON or leaves a reader to guess is refused with its place.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readJson } from "../src/json.ts";

describe("JSON", () => {
  it.each<[string, string]>([
    ['{"a":1,\n "a":2}', 'the name "a" occurs twice (line 2, column 2).'],
    ['{"\\u0061":1,"a":2}', 'the name "a" occurs twice (line 1, column 13).'],
    ["[1,2", "the text ends too early (line 1, column 5)."],
    ["", "the text ends too early (line 1, column 1)."],
    ['{"a":nul}', '"nul" stands where a value is due (line 1, column 6).'],
    ['{"a" 1}', '"1" stands where a : is due (line 1, column 6).'],
    ["[1,]", '"]" stands where a value is due (line 1, column 4).'],
    ["[01]", '"1" stands where a , or ] is due (line 1, column 3).'],
    ["1 2", '"2" stands where the end of the text is due (line 1, column 3).'],
    ["[1e999]", "1e999 is beyond all numbers (line 1, column 2)."],
    ['{"__proto__":1}', '"__proto__" is no name for a value (line 1, column 2).'],
    ['"ab', "a string does not end (line 1, column 1)."],
    ['"a\nb"', "a string holds a control character (line 1, column 3)."],
    ['"\\x"', "a string holds an unknown escape (line 1, column 2)."],
    [
      "[".repeat(5000),
      "arrays and objects lie deeper than 100 in one another (line 1, column 101).",
    ],
  ])("%s is refused", (text, problem) => {
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
