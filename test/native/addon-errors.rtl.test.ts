// SPDX-License-Identifier: Apache-2.0
// What the addon refuses is an error of this program, with the exit code that belongs to it.

import { expect, test } from "vitest";

import { exitCodeOf, NeardataError } from "../../src/base/errors.ts";
import { withOurErrors, withOurRejection } from "../../src/native/addon-errors.ts";
import { loadAddon } from "../../src/native/addon.ts";
import type { Native } from "../../src/native/layout.ts";
import { rejection } from "../helpers/rejection.ts";
import { ndp } from "./api-base.ts";

const coded = (code: string): Error => Object.assign(new Error("its words"), { code });

test("a machine that the addon refuses is bad input", () => {
  const config = ndp({ unitClock: 1 }) as unknown as Native<"NdpConfig">;
  expect(() => loadAddon().ndpOpen(config)).toThrow(rejection("bad-input", /unitClock is 1\b/));
});

test.each([
  ["bad-input", 2],
  ["exhausted", 3],
  ["check-failed", 1],
  ["misuse", 70],
])("%s thrown, or a run rejected with it, exits with %i", async (code, exit) => {
  const calls = withOurErrors({
    throws: () => {
      throw coded(code);
    },
    rejects: async () => Promise.reject(coded(code)),
    value: 5,
  }) as { throws: () => never; rejects: () => Promise<never>; value: number };
  expect(calls.value).toBe(5);
  expect(calls.throws).toThrow(NeardataError);
  const rejected = await calls.rejects().catch((error: unknown) => error);
  expect(exitCodeOf(rejected)).toBe(exit);
  const awaited = await withOurRejection(calls.rejects()).catch((error: unknown) => error);
  expect(exitCodeOf(awaited)).toBe(exit);
});

test("an error without such a code goes through", () => {
  const thrown = Object.assign(new Error("a getter's"), { code: "ENOENT" });
  const calls = withOurErrors({
    throws: () => {
      throw thrown;
    },
  }) as { throws: () => never };
  expect(calls.throws).toThrow(thrown);
});
