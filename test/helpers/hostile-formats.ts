// SPDX-License-Identifier: Apache-2.0
// Formats of documents as a table: a good one, changes of it that are refused, and a property over
// any changes.

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { changedBytes, changedValues, expectRejected, expectSturdy, feed } from "./hostile.ts";
import type { HostileFile } from "./hostile.ts";

/** A command, a valid document of its file, and invalid variants: a change and the message. */
export interface Format {
  readonly title: string;
  readonly file: HostileFile;
  readonly good: object;
  readonly refused: readonly (readonly [string, object, RegExp])[];
}

/** The command line of a command that writes to --out. */
export function out(...words: readonly string[]): HostileFile["args"] {
  return (path, directory) => [...words, path, "--out", join(directory, "out")];
}

/** `good` with the value at a path such as `cases.0.k` replaced. */
export function changed(good: object, path: string, value: unknown): object {
  const copy = structuredClone(good);
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  const around = keys.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], copy);
  (around as Record<string, unknown>)[last] = value;
  return copy;
}

/** Tests of each format. */
export function describeFormats(formats: readonly Format[]): void {
  describe.each(formats)("$title", ({ file, good, refused }) => {
    it.each(refused)("with %s are refused", async (_, document, rule) => {
      await expectRejected(file, JSON.stringify(document), rule);
    });

    it("are read as they are", async () => {
      expect(await feed(file, JSON.stringify(good))).toMatchObject({ code: 0, stderr: "" });
    });

    it("changed anywhere are read or refused", async () => {
      const bytes = Buffer.from(JSON.stringify(good));
      await expectSturdy(file, changedBytes(bytes), 12);
      await expectSturdy(
        file,
        changedValues(good).map((value) => JSON.stringify(value ?? null)),
        25,
      );
    });
  });
}
