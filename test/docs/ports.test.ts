// SPDX-License-Identifier: Apache-2.0
// docs/reference/ports.md equals the text that `make ports` writes from RTL and descriptions. Its tables of legal
// values agree, at the limits of every field, with the predicate that is fuzzed against RTL and cycle model.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { inRepository } from "../../src/base/paths.ts";
import { constantsOf, fieldsOf, readModule, scopeOf } from "../../tools/ports/declarations.ts";
import { valueOf } from "../../tools/ports/expression.ts";
import { pictureFile, portsPage, units } from "../../tools/ports/page.ts";
import { fields as rows } from "../../tools/ports/sparf-descriptor.ts";
import { brokenField, fields, type Sizes } from "../helpers/sparf-descriptor.ts";

/**
 * Valid descriptors for an engine of the tests' size; the tests change fields of these to their
 * limits.
 */
const legalWords: Readonly<Record<"sparse" | "append", readonly number[]>> = {
  sparse: [
    ...[0x1100, 40, 16, 4, 4, 32, 32, 1, 100, 200, 1000, 1100, 500],
    ...[0x3eb8aa3b, 0x3ccccccd, 256],
  ],
  append: [0x1102, 40, 0, 0, 0, 0, 0, 1, 100, 200, 1000, 1100, 0, 0, 0, 256],
};

const page = readFileSync(inRepository("docs", "reference", "ports.md"), "utf8");

describe("docs/reference/ports.md", () => {
  it("is what the sources give", () => {
    expect(portsPage()).toBe(page);
  });

  it("shows every timing diagram, and no others exist", () => {
    const files = units.flatMap(({ top, pictures }) =>
      pictures.map(({ name }) => pictureFile(top, name)),
    );
    expect(files.filter((file) => !page.includes(`](${file})`))).toEqual([]);
    expect(files.filter((file) => !existsSync(inRepository("docs", "reference", file)))).toEqual(
      [],
    );
    const there = readdirSync(inRepository("docs", "reference")).filter((name) =>
      name.startsWith("waves-"),
    );
    expect(there.sort()).toEqual(files.sort());
  });

  it("has every format of weights as a legal value", () => {
    const codes = [...constantsOf("ndp_pkg", "Weights").values()];
    expect(page).toContain(`\`LowBitWeights\` = 1: 0 to ${String(Math.max(...codes))} |`);
  });

  it("has the widths that the RTL states elsewhere", () => {
    const { constant } = scopeOf("sparf_pkg");
    for (const [structure, bits] of [
      ["sparf_pkg::done_t", constant("DoneBits")],
      ["sparf_pkg::page_req_t", constant("PageReqBits")],
      ["relayout_pkg::header_t", scopeOf("relayout_pkg").constant("HeaderBits")],
    ] as const) {
      expect([structure, (fieldsOf(structure)[0]?.high ?? 0) + 1]).toEqual([structure, bits]);
    }
    const module = readModule("sparf_engine");
    const events = module.ports.find(({ name }) => name === "events_o");
    // Eight of the engine, three of each of 8 channels, nine of each of 2 kernels.
    expect(valueOf(events?.bits ?? "", scopeOf("sparf_engine", module))).toBe(8 + 3 * 8 + 9 * 2);
  });
});

describe("the legal values of the SparF engine's descriptor", () => {
  const sizes: Sizes = {
    Width: 16,
    MaxKeys: 256,
    MaxGroup: 4,
    RingLines: 64,
    MaxPageRows: 16,
    Tags: 8,
    QuerySets: 2,
  };
  const words = constantsOf("sparf_pkg", "Desc");
  const numbers = constantsOf("sparf_pkg", "Field");

  it.each(["sparse", "append"] as const)("of a %s hold at their edges", (kind) => {
    const append = kind === "append";
    const base = legalWords[kind];
    expect(brokenField(base, sizes, append)).toBe("none");
    const scope = {
      constant: (name: string) => sizes[name as keyof Sizes],
      call: () => undefined,
    };
    let edges = 0;
    for (const { word, bits: [high, low] = [31, 0], of = "heads, appends", ...row } of rows) {
      if (row.refusedWith === undefined || !of.includes(append ? "appends" : "heads")) continue;
      const refused = fields[numbers.get(row.refusedWith) ?? 0];
      const said = (value: number | string): string => {
        const field = typeof value === "number" ? value : valueOf(value, scope);
        const at = words.get(word) ?? NaN;
        const size = 2 ** (high - low + 1);
        const before = base[at] ?? 0;
        const old = Math.floor(before / 2 ** low) % size;
        return brokenField(base.with(at, before + (field - old) * 2 ** low), sizes, append);
      };
      const { taken, refused: wrong } = row.legal.edges;
      for (const value of taken) expect([word, value, said(value)]).toEqual([word, value, "none"]);
      for (const value of wrong) expect([word, value, said(value)]).toEqual([word, value, refused]);
      edges += taken.length + wrong.length;
    }
    expect(edges).toBeGreaterThan(append ? 30 : 50);
  });

  it("number the fields as the tests do", () => {
    expect(numbers.get("FieldPageBytes")).toBe(fields.length - 1);
    expect(numbers.get("FieldReciprocal")).toBe(fields.indexOf("reciprocal"));
  });
});
