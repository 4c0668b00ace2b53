// SPDX-License-Identifier: Apache-2.0
// What a command must do with a file of any contents: end with 0, 1 or 2, say one sentence per problem
// that a user can act on, and name the file. Mutations of a good file for properties.

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect } from "vitest";
import { NeardataError } from "../../src/base/errors.ts";
import { cli, inTemporary, type CliResult } from "./cli.ts";

/** Words about the program instead of the file. */
const forbidden =
  /\[object |undefined|\bNaN bytes|Invalid input|Maximum call stack|bug of neardata|\bat .*\.[jt]s:\d|Unexpected token/;
const longestLine = 600;

/** One line per problem, none of the forbidden words, no line without end. */
export function expectPlainWords(stderr: string): void {
  for (const line of stderr.trimEnd().split("\n")) {
    expect(line).not.toMatch(forbidden);
    expect(line.length).toBeLessThanOrEqual(longestLine);
  }
}

/** A file's contents, and the rest of the command line. */
export interface HostileFile {
  /** Its name in the directory that is handed to `args`. */
  readonly name: string;
  /** The command line; further files are written into the directory first. */
  readonly args: (path: string, directory: string) => readonly string[];
}

/** Runs the command over a file with these contents. */
export async function feed(file: HostileFile, contents: string | Uint8Array): Promise<CliResult> {
  return inTemporary((directory) => {
    const path = join(directory, file.name);
    writeFileSync(path, contents);
    return cli(...file.args(path, directory));
  });
}

/** Refused with exit code 2 and a sentence that names the file and matches `rule`. */
export async function expectRejected(
  file: HostileFile,
  contents: string | Uint8Array,
  rule: RegExp,
): Promise<void> {
  const { code, stderr } = await feed(file, contents);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(rule) as unknown });
  expect(stderr).toContain(file.name);
  expectPlainWords(stderr);
}

/**
 * Expects the rejection of everything except a regular file: a directory, a pipe without a writer,
 * a device, nothing.
 */
export async function expectOnlyRegular(file: HostileFile): Promise<void> {
  await inTemporary(async (directory) => {
    const folder = join(directory, "folder");
    mkdirSync(folder);
    const pipe = join(directory, "pipe");
    execFileSync("mkfifo", [pipe]);
    const none = join(directory, "none");
    for (const path of [folder, pipe, none, "/dev/zero", join(none, "x"), `/${"x".repeat(300)}`]) {
      const { code, stderr } = await cli(...file.args(path, directory));
      expect({ path, code, stderr }).toEqual({
        path,
        code: 2,
        stderr: expect.stringContaining(path) as unknown,
      });
      expectPlainWords(stderr);
    }
  });
}

/** A change of a file's bytes: removed, repeated, replaced or inserted. */
interface ByteChange {
  readonly at: number;
  readonly remove: number;
  readonly insert: Uint8Array;
}

const snippets = [
  "0",
  "-1",
  "1e999",
  "null",
  '"',
  "{",
  "[",
  ",",
  ",,",
  "\r\n",
  "\0",
  "\ufeff",
  "9".repeat(30),
];

const byteChange: fc.Arbitrary<ByteChange> = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  remove: fc.oneof(fc.nat(3), fc.nat(200)),
  insert: fc.oneof(
    fc.uint8Array({ maxLength: 3 }),
    fc.constantFrom(...snippets).map((text) => new TextEncoder().encode(text)),
  ),
});

/** `good` with one to three changes of its bytes. */
export function changedBytes(good: Uint8Array): fc.Arbitrary<Uint8Array> {
  return fc
    .array(byteChange, { minLength: 1, maxLength: 3 })
    .map((changes) => changes.reduce(withChange, good));
}

function withChange(file: Uint8Array, { at, remove, insert }: ByteChange): Uint8Array {
  const begin = Math.floor(at * file.length);
  return Buffer.concat([file.subarray(0, begin), insert, file.subarray(begin + remove)]);
}

const hostileValue = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    -1,
    0,
    1,
    0.5,
    1e-320,
    1e30,
    2 ** 31,
    2 ** 32,
    2 ** 53,
    1.8e308,
    "",
    "0",
    "x".repeat(5000),
    [],
    {},
    [1],
    [[]],
    { a: 1 },
  ),
  fc.jsonValue({ maxDepth: 2 }),
);

/** `good` with one to three of its values replaced, removed, or joined by others. */
export function changedValues(good: unknown): fc.Arbitrary<unknown> {
  const change = fc.record({
    path: fc.array(fc.nat(1000), { minLength: 1, maxLength: 6 }),
    how: fc.constantFrom("replace", "replace", "remove", "add"),
    value: hostileValue,
  });
  return fc.array(change, { minLength: 1, maxLength: 3 }).map((changes) => {
    let document: unknown = structuredClone(good);
    for (const { path, how, value } of changes) document = changedAt(document, path, how, value);
    return document;
  });
}

function changedAt(node: unknown, path: readonly number[], how: string, value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined || typeof node !== "object" || node === null) return value;
  const keys = Object.keys(node);
  const key = keys[step % Math.max(1, keys.length)];
  const copy = (Array.isArray(node) ? [...(node as unknown[])] : { ...node }) as Record<
    string,
    unknown
  >;
  if (how === "add" && rest.length === 0) copy["more"] = value;
  else if (key === undefined) return value;
  else if (how === "remove" && rest.length === 0) Reflect.deleteProperty(copy, key);
  else copy[key] = changedAt(copy[key], rest, how, value);
  return Array.isArray(node) ? Object.values(copy) : copy;
}

/**
 * Checks over `runs` mutations that a reader either accepts a file or rejects it with `bad-input`.
 */
export function expectSturdyReader(
  read: (contents: Uint8Array) => unknown,
  contents: fc.Arbitrary<Uint8Array>,
  runs: number,
): void {
  fc.assert(
    fc.property(contents, (bytes) => {
      try {
        read(bytes);
      } catch (error) {
        if (!(error instanceof NeardataError) || error.code !== "bad-input") throw error;
        expectPlainWords(error.message);
      }
    }),
    { numRuns: runs },
  );
}

/** Checks the same of the command over `runs` mutations. */
export async function expectSturdy(
  file: HostileFile,
  contents: fc.Arbitrary<string | Uint8Array>,
  runs: number,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(contents, async (bytes) => {
      const { code, stderr } = await feed(file, bytes);
      expect([0, 1, 2]).toContain(code);
      if (code === 2) expect(stderr).not.toBe("");
      expectPlainWords(stderr);
    }),
    { numRuns: runs },
  );
}
