// SPDX-License-Identifier: Apache-2.0
// What this program and the addon pass to each other is said on both sides, and compared when the addon
// is loaded: a field that one of them lacks, has otherwise or elsewhere is refused.

import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";

import { addonPath, checkLayout, type Layout } from "../../src/native/addon.ts";
import { calls, records } from "../../src/native/layout.ts";
import { rowsOf, wordsOf } from "../../src/native/record.ts";
import { refusal } from "../helpers/refusal.ts";

const addon = createRequire(import.meta.url)(addonPath()) as Readonly<Record<string, unknown>> & {
  readonly layout: Layout;
};

const checked = (layout: Layout | undefined) => (): void => {
  checkLayout("addon.node", layout);
};

function expectRefused(layout: Layout | undefined, difference: RegExp): void {
  expect(checked(layout)).toThrow(refusal("not-built", difference));
  expect(checked(layout)).toThrow(/^addon\.node: .*`make build`/);
}

describe("an addon", () => {
  test("says what this program says, of every record and every function", () => {
    expect(checked(addon.layout)).not.toThrow();
    const functions = Object.keys(addon).filter((name) => typeof addon[name] === "function");
    expect(Object.keys(calls).sort()).toEqual(functions.sort());
    expect(Object.keys(records).sort()).toEqual(Object.keys(addon.layout.records).sort());
  });

  const { Traffic: traffic = "" } = addon.layout.records;
  test.each([
    [
      "a field more",
      { records: { Traffic: `${traffic} lost` } },
      /Traffic .*in out lost there, in out here/,
    ],
    [
      "fields in another order",
      { records: { Traffic: "out in" } },
      /Traffic .*out in there, in out here/,
    ],
    [
      "a field of another type",
      { records: { Traffic: "in out:string" } },
      /Traffic .*in out:string there/,
    ],
    ["a record that is not known here", { records: { Heat: "in out" } }, /Heat .*nothing here/],
    [
      "a call that takes something else",
      { calls: { ndpClear: "handle at:number -> void" } },
      /call ndpClear /,
    ],
  ] as const)("with %s is refused", (_, change, difference) => {
    const layout = {
      records: { ...addon.layout.records, ...("records" in change ? change.records : {}) },
      calls: { ...addon.layout.calls, ...("calls" in change ? change.calls : {}) },
    };
    expectRefused(layout, difference);
  });

  test("that says nothing, or lacks a record, is refused", () => {
    expectRefused(undefined, /addon/);
    const { Traffic: _, ...rest } = addon.layout.records;
    expectRefused({ ...addon.layout, records: rest }, /Traffic .*nothing there/);
  });
});

test("rows are read by the names and words of their fields", () => {
  const rows = rowsOf("at kind:idle|busy done:boolean", Float64Array.of(5, 1, 0, 7, 0, 1));
  expect(rows).toEqual([
    { at: 5, kind: "busy", done: false },
    { at: 7, kind: "idle", done: true },
  ]);
  expect(wordsOf("a b", [{ b: 2, a: 1 }])).toEqual(Uint32Array.of(1, 2));
});
