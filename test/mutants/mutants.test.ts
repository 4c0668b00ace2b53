// SPDX-License-Identifier: Apache-2.0
// The rules that inject faults: each kind in its places, none in comments, types or assertions; and
// the sampling, which is independent of other samples.

import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { faultsOf } from "./faults.ts";
import { sampleMutants, mutantName, applyMutant, type Mutant } from "./mutant.ts";
import { reasons } from "./reasons.ts";
import { tokenMutants } from "./tokens.ts";
import { typescriptMutants } from "./typescript.ts";

const results = (mutants: readonly Mutant[], source: string): readonly string[] =>
  mutants.map((mutant) => `${mutant.rule}: ${applyMutant(mutant, source).trim()}`);

describe("injected faults", () => {
  it("TypeScript", () => {
    const made = (source: string): readonly string[] =>
      results(typescriptMutants("a.ts", source), source);
    expect(made("a < 5;")).toEqual(["off by one: a <= 5;", "off by one: a < 6;"]);
    expect(made("a - b;")).toEqual(["wrong operand: (b) - (a);"]);
    expect(made("a = b + 1n;")).toEqual([
      "dropped reset: ;",
      "wrong operand: a = b - 1n;",
      "off by one: a = b + 2n;",
    ]);
    expect(made("f(a, b.c);")).toEqual(["swapped port: f(b.c, a);"]);
    expect(made("if (a && b) c();")).toEqual([
      "stuck bit: if (true) c();",
      "stuck bit: if (false) c();",
      "stuck bit: if (a) c();",
    ]);
    expect(made("if (a === undefined) throw b; f(c[2] ?? 0);")).toEqual([
      "off by one: if (a === undefined) throw b; f(c[3] ?? 0);",
    ]);
    expect(made("type A = 1 | 2; // 3 < 4\nthrow new Error(`${x - 1}`);")).toEqual([]);
  });

  it("SystemVerilog", () => {
    const made = (source: string): readonly string[] =>
      results(tokenMutants("a.sv", source), source);
    expect(made("assign x = a & b;")).toEqual([
      "wrong operand: assign x = a | b;",
      "stuck bit: assign x = '0;",
      "stuck bit: assign x = '1;",
    ]);
    expect(made("x <= y + 1;")).toEqual(["off by one: x <= y + 2;", "wrong operand: x <= y - 1;"]);
    expect(made("  count <= '0;")).toEqual(["dropped reset: ;"]);
    expect(made("unit u (.a(x), .b(y));")).toEqual(["swapped port: unit u (.a(y), .b(x));"]);
    expect(made("if (n == 4'd3) x <= y;")).toEqual([
      "wrong operand: if (n != 4'd3) x <= y;",
      "off by one: if (n == 4'd4) x <= y;",
    ]);
    expect(made("// a < b\n`ASSERT(a < b)\nassert (a == b);")).toEqual([]);
    expect(made("  `STAYS(Held_A, a && b(c), d,\n         {e + 1, f})")).toEqual([]);
    expect(made("`ifdef NEARDATA_ASSERT\n  assign x = a & b;\n`endif")).toEqual([]);
  });

  it("C++", () => {
    const made = (source: string): readonly string[] =>
      results(tokenMutants("a.cc", source), source);
    expect(made("if (f(a) <= b) c();")).toEqual([
      "off by one: if (f(a) < b) c();",
      "stuck bit: if (true) c();",
      "stuck bit: if (false) c();",
    ]);
    expect(made("std::min(a, b);")).toEqual(["wrong operand: std::max(a, b);"]);
    expect(made("f(a, b);")).toEqual(["swapped port: f(b, a);"]);
    expect(made("  due_ = kNever;\n  all.clear();")).toEqual([
      "dropped reset: ;\n  all.clear();",
      "dropped reset: due_ = kNever;\n;",
    ]);
    expect(made('#include <a>\nsay("a < b");')).toEqual([]);
  });

  it("are sampled by number, equal for every count", () => {
    const names = Array.from({ length: 50 }, (_, i) => `fault ${String(i)}`);
    const ten = sampleMutants(names, 1, 0, 10);
    expect(sampleMutants(names.toReversed(), 1, 0, 10)).toEqual(ten);
    expect(sampleMutants(names, 1, 4, 3)).toEqual(ten.slice(4, 7));
    expect(sampleMutants(names, 2, 0, 10)).not.toEqual(ten);
  });

  it("are named by where they are and what became of it", () => {
    const source = "x;\nconst y = a < b;\n";
    const [first] = typescriptMutants("src/a.ts", source);
    expect(first && mutantName(first, source)).toBe("src/a.ts:2:13: off by one: `<` became `<=`");
  });

  it("have texts that do not depend on other lines", () => {
    const texts = (source: string): readonly string[] =>
      faultsOf("a.sv", source).map(({ text }) => text);
    const source = "  x <= y;\nif (n == 4'd3) x <= y;\n  count <= '0;\nif (n == 4'd3) x <= y;\n";
    expect(texts(source)).toEqual([
      "a.sv: if (n {== -> !=} 4'd3) x <= y;",
      "a.sv: if (n {== -> !=} 4'd3) x <= y; #2",
      "a.sv: if (n == 4'd{3 -> 4}) x <= y;",
      "a.sv: if (n == 4'd{3 -> 4}) x <= y; #2",
      "a.sv: {count <= '0; -> ;}",
    ]);
    expect(texts(`wire z;\n\n  ${source}`)).toEqual(texts(source));
  });

  it("have a reason only if they are possible faults of the code", () => {
    const files = new Set([...reasons.keys()].map((text) => text.slice(0, text.indexOf(":"))));
    const possible = new Set(
      [...files].flatMap((file) =>
        faultsOf(file, readFileSync(file, "utf8")).map(({ text }) => text),
      ),
    );
    expect([...reasons.keys()].filter((text) => !possible.has(text))).toEqual([]);
  });
});
