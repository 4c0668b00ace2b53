// SPDX-License-Identifier: Apache-2.0
// Records between this program and the addon: their types are made from the addon's layout, rows are read and
// written by it, and an addon of other sources is rejected.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";

import { inRepository } from "../../src/base/paths.ts";
import { addonLayout, addonPath, checkSources, loadAddon } from "../../src/native/addon.ts";
import { layoutMark } from "../../src/native/layout-mark.ts";
import { fieldsOf, rowsOf, wordsOf } from "../../src/native/record.ts";
import { layoutTypes } from "../../tools/layout-types.ts";
import { rejection } from "../helpers/rejection.ts";

const layout = { records: {}, calls: {}, handles: "" };

/** Fields of results that no file of src reads, with the reason why the layout has them. */
const unreadFields: Readonly<Record<string, string>> = {
  "CsdEngine.dramReads": "an event of the unit: the record has every event",
  "CsdEngine.dramWrites": "likewise",
  "CsdEngine.headsBegun": "likewise",
  "CsdEngine.headsDone": "likewise",
  "NdpCounts.descriptorAccepted": "likewise",
  "NdpCounts.descriptorEnd": "likewise",
  "NdpTotals.descriptorAccepted": "likewise",
  "NdpTotals.descriptorEnd": "likewise",
  "Link.payloadBytes": "tests compare it with the bytes of a layer",
};

/** Records that src writes as plain numbers in the order of their fields. */
const byPosition = ["RelayoutRow"];

describe("the layout of the addon", () => {
  test("has no function and no field that src does not use, except fields of the list", () => {
    const types = readFileSync(inRepository("build", "native", "layout.d.ts"), "utf8");
    const sources = readdirSync(inRepository("src"), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts"))
      .map((path) => readFileSync(inRepository("src", path), "utf8"));
    const words = new Set(sources.flatMap((text) => text.match(/\w+/g) ?? []));
    const [records = "", calls = ""] = types.split("export interface Calls");
    const names = [...calls.matchAll(/readonly (\w+): \(/g)].map(([, name = ""]) => name);
    expect(names.length).toBeGreaterThan(50);
    expect(names.filter((name) => !words.has(name))).toEqual([]);
    const fields = [...records.matchAll(/^ {2}readonly (\w+): \{\n([^}]*)\}/gm)].flatMap(
      ([, record = "", body = ""]) =>
        [...body.matchAll(/readonly (\w+)\??:/g)].map(([, field = ""]) => ({ record, field })),
    );
    expect(fields.length).toBeGreaterThan(300);
    const unused = fields.filter(
      ({ record, field }) => !words.has(field) && !byPosition.includes(record),
    );
    expect(unused.map(({ record, field }) => `${record}.${field}`).sort()).toEqual(
      Object.keys(unreadFields).sort(),
    );
  });

  test("has every function, and the types of the build are those of the layout", () => {
    const addon = createRequire(import.meta.url)(addonPath()) as Readonly<Record<string, unknown>>;
    const functions = Object.keys(addon).filter((name) => typeof addon[name] === "function");
    expect(Object.keys(addonLayout().calls).sort()).toEqual(functions.sort());
    const types = readFileSync(inRepository("build", "native", "layout.d.ts"), "utf8");
    expect(types).toBe(`${layoutMark()}\n${layoutTypes({ handles: "", ...addonLayout() })}`);
  });

  test("gives every type of TypeScript", () => {
    const types = layoutTypes({
      records: {
        Config: "model:rtl|cycle plugin:string? memory:Slow|Fast clock:Hz rows:Row# on:boolean",
        Slow: "kind:slow latency",
        Fast: "kind:fast",
        Row: "at count",
        Report:
          "end:fs cycles:cycles moved:bytes rate:Hz took:s all:Span*[] parts:Span[] bits:Uint8Array",
        Span: "begin:fs end:fs",
      },
      calls: {
        open: "Config -> handle",
        keep: "handle stream:number -> Contents",
        run: "handle Config progress -> Promise<Report>",
        close: "handle -> void",
      },
      handles: "Contents",
    });
    for (const line of [
      'readonly model: "rtl" | "cycle";',
      "readonly plugin?: string | undefined;",
      'readonly memory: Records<Own>["Slow"] | Records<Own>["Fast"];',
      "readonly clock: number;",
      'readonly rows: Words<"Row">;',
      'readonly kind: "slow";',
      'readonly end: Own["fs"];',
      'readonly rate: Own["Hz"];',
      'readonly all: readonly (Rows<"Span">)[];',
      'readonly parts: readonly (Records<Own>["Span"])[];',
      'readonly open: (given: Records<Own>["Config"]) => Handle;',
      'readonly keep: (handle: Handle, stream: number) => Own["Contents"];',
      "progress: (first: number, second: number) => void) => Promise<",
      "readonly close: (handle: Handle) => undefined;",
    ]) {
      expect(types).toContain(line);
    }
  });

  test("may be empty", () => {
    expect(layoutTypes(layout)).toContain("export interface Calls");
  });
});

test("an addon of other sources is rejected", () => {
  const folder = mkdtempSync(join(tmpdir(), "neardata-layout-"));
  const file = join(folder, "layout.d.ts");
  try {
    writeFileSync(file, "// Headers of sim/api: other\n");
    const check = (): void => {
      checkSources("addon.node", file);
    };
    expect(check).toThrow(rejection("not-built", /of other sources/));
    expect(check).toThrow(/^addon\.node: .*`make build`/);
    writeFileSync(file, `${layoutMark()}\n`);
    expect(check).not.toThrow();
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a named addon that does not load is an error with the name of its variable", () => {
  vi.stubEnv("NEARDATA_ADDON", "/nowhere/neardata.node");
  try {
    for (const load of [loadAddon, addonLayout])
      expect(load).toThrow(rejection("not-built", /does not load: unset NEARDATA_ADDON\.$/));
    expect(loadAddon).toThrow(/^\/nowhere\/neardata\.node: /);
  } finally {
    vi.unstubAllEnvs();
  }
});

describe("rows of a record", () => {
  test("are read by the names and words of their fields", () => {
    expect(rowsOf("TimeSpan", Float64Array.of(5, 6, 7, 8))).toEqual([
      { begin: 5, end: 6 },
      { begin: 7, end: 8 },
    ]);
    const [page] = rowsOf("CsdPage", Float64Array.of(1, 2, 3, 4, 5, 6));
    expect(page).toMatchObject({ job: 1, copy: "dim-keys", index: 3 });
    const [command] = rowsOf("RankCommand", Float64Array.of(0, 0, 1, 9, 3, 0, 0, 0, 0));
    expect(command).toMatchObject({ host: true, cycle: 9, command: 3 });
  });

  test("are written in the order of the layout", () => {
    const row = { tokens: 4, head: 3, sequence: 2, device: 1 };
    expect(wordsOf("PromptRow", [row])).toEqual(Uint32Array.of(1, 2, 3, 4));
  });

  test("that are not whole, and wrong names, are errors with the names", () => {
    expect(() => rowsOf("TimeSpan", Float64Array.of(1, 2, 3))).toThrow(
      rejection("misuse", /3 numbers are not whole rows of TimeSpan, which has 2 fields/),
    );
    const { tokens, ...rest } = { device: 1, sequence: 2, head: 3, tokens: 4 };
    const misnamed = { ...rest, token: tokens };
    expect(() => wordsOf("PromptRow", [misnamed as never])).toThrow(
      rejection("misuse", /PromptRow has no field token\. Did you mean "tokens"\?/),
    );
    expect(() => wordsOf("PromptRow", [rest as never])).toThrow(
      rejection("misuse", /a row of PromptRow lacks the field tokens/),
    );
    for (const head of [-1, 2 ** 32, 0.5, NaN]) {
      expect(() => wordsOf("PromptRow", [{ device: 1, sequence: 2, head, tokens: 4 }])).toThrow(
        rejection("misuse", new RegExp(`PromptRow has ${head} as head, which is not a word`)),
      );
    }
    expect(() => fieldsOf("PromptRows")).toThrow(
      rejection("misuse", /no record PromptRows\. Did you mean "PromptRow"\?/),
    );
  });
});
