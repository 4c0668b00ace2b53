// SPDX-License-Identifier: Apache-2.0
// results.json is accepted only as it was written: `neardata report` refuses every changed value, at
// any place, and every changed file next to it; the same document in another layout is accepted.

import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NeardataError, type Issue } from "../../src/base/errors.ts";
import type { ResultDocument } from "../../src/report/saved/document.ts";
import { canonicalJson } from "../../src/base/hash.ts";
import { parseSavedRun } from "../../src/report/saved/saved.ts";
import { cli } from "../helpers/cli.ts";
import { rejection } from "../helpers/rejection.ts";
import { rejectedAt } from "../helpers/rejected-at.ts";

const scenario = `
name: small
title: A small run
fidelity: cycle
expert: { hidden: 70, intermediate: 37 }
tokens: [1]
ndp: { streams: 2, multipliersPerStream: 4, buffer: 16 KiB, queueBursts: 8, activationLanes: 32, maxTokens: 8 }
attention: { heads: 2, headWidth: 32, length: 200, decode: 1, flash: [znand4k], inFlight: [2] }
`;

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type Path = readonly (string | number)[];

const place = mkdtempSync(join(tmpdir(), "neardata-saved-"));
const run = join(place, "run");
let text = "";
let document: Json = null;
let paths: readonly Path[] = [];

beforeAll(async () => {
  writeFileSync(join(place, "small.yaml"), scenario);
  const { code, stderr } = await cli("run", join(place, "small.yaml"), "--out", run);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  text = readFileSync(join(run, "results.json"), "utf8");
  document = JSON.parse(text) as Json;
  paths = pathsOf(document);
});
afterAll(() => {
  rmSync(place, { recursive: true });
});

/** Every path of a document except its root: groups and their contents. */
function pathsOf(value: Json, at: Path = []): readonly Path[] {
  if (value === null || typeof value !== "object") return [at];
  const inside = Object.entries(value).flatMap(([key, part]) =>
    pathsOf(part, [...at, Array.isArray(value) ? Number(key) : key]),
  );
  return at.length === 0 ? inside : [at, ...inside];
}

const isGroup = (value: Json): value is { readonly [key: string]: Json } =>
  value !== null && typeof value === "object";

function valueAt(value: Json, path: Path): Json {
  return path.reduce<Json>((part, key) => (isGroup(part) ? (part[key] ?? null) : null), value);
}

/** A copy in which `edit` has changed the group that contains the last key of `path`. */
function edited(path: Path, edit: (group: Record<string, Json>, key: string) => void): Json {
  const copy = structuredClone(document);
  const group = valueAt(copy, path.slice(0, -1)) as Record<string, Json>;
  edit(group, String(path.at(-1)));
  return copy;
}

/** `neardata report` of the run with another results.json. */
async function reported(results: string): ReturnType<typeof cli> {
  const directory = join(place, "changed");
  mkdirSync(directory, { recursive: true });
  for (const name of ["report.html", "timeline.json"]) {
    cpSync(join(run, name), join(directory, name));
  }
  writeFileSync(join(directory, "results.json"), results);
  return cli("report", directory, "--json");
}

/** The end of a command that refuses it for a hash. */
function refusedFor(hash: "resultHash" | "documentHash"): unknown {
  const { code, stderr } = rejectedAt(`changed/results.json: ${hash}`);
  return expect.objectContaining({ code, stderr });
}

/** Some changes a value may suffer. */
const change = fc.oneof(
  fc.constantFrom("delete" as const, "add" as const, "swap" as const),
  fc.jsonValue().map((value) => ({ value: value as Json })),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => ({ value })),
  fc.constantFrom(null, true, false, 0, -1, "", "completed").map((value) => ({ value })),
);
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

function changedBy(what: Change, path: Path, name: string): Json {
  const before = valueAt(document, path);
  return edited(path, (group, key) => {
    if (what === "delete") {
      if (Array.isArray(group)) group.splice(Number(key), 1);
      else Reflect.deleteProperty(group, key);
    } else if (what === "add") {
      if (Array.isArray(group)) group.push(before);
      else group[`${name} `] = before;
    } else if (what === "swap") group[key] = swapped(before);
    else group[key] = what.value;
  });
}

/** A value like it: the next number or so, the other boolean, a longer text or list. */
function swapped(value: Json): Json {
  if (typeof value === "number") return value + Math.max(1, Math.abs(value)) * 2 ** -50;
  if (typeof value === "boolean") return !value;
  if (typeof value === "string") return `${value} `;
  return [value];
}

/** The issues of a refusal; fails if the document is accepted. */
function issuesOf(results: string): readonly Issue[] {
  try {
    parseSavedRun("results.json", results);
  } catch (error) {
    if (!(error instanceof NeardataError) || error.code !== "bad-input") throw error;
    return error.issues;
  }
  throw new Error("it was taken");
}

describe("a changed results.json", () => {
  it("is refused wherever it was changed", () => {
    fc.assert(
      fc.property(fc.nat(), change, fc.string(), (at, what, name) => {
        const changed = changedBy(what, paths[at % paths.length] ?? [], name);
        fc.pre(canonicalJson(changed) !== canonicalJson(document));
        const issues = issuesOf(JSON.stringify(changed));
        expect(issues.every(({ where }) => where.startsWith("results.json"))).toBe(true);
        expect(issues.map(({ message }) => message).join()).not.toMatch(/undefined|\[object/);
      }),
      { numRuns: 200 },
    );
  });

  it.each<[string, readonly Path[]]>([
    ["a metric", [["metrics", 0, "value"]]],
    ["a check", [["checks", 0, "pass"]]],
    ["the scenario", [["scenario"], ["title"]]],
    ["the cost", [["cost", "energy", 0, "joules"]]],
    ["a phase", [["cases", 0, "latency", "phases", 0, "time"]]],
    ["the version", [["versions", "neardata"]]],
  ])("is refused with exit code 2 for %s, as a changed result", async (_, changed) => {
    for (const path of changed) {
      const result = await reported(JSON.stringify(changedBy("swap", path, "")));
      expect(result).toEqual(refusedFor("resultHash"));
    }
  });

  it.each<[string, Path]>([
    ["a wall time", ["cases", 0, "host", "total"]],
    ["the Node.js that ran it", ["host", "node"]],
    ["the hash of a file", ["files", "report.html"]],
  ])("is refused with exit code 2 for %s, as changed beside the result", async (_, path) => {
    const result = await reported(JSON.stringify(changedBy("swap", path, "")));
    expect(result).toEqual(refusedFor("documentHash"));
  });

  it.each<[string, (results: string) => string]>([
    ["a key twice", (results) => results.replace('"seed": 1,', '"seed": 77,\n  "seed": 1,')],
    ["infinity for null", (results) => results.replace(": null", ": 1e999")],
    [
      "brackets without end",
      (results) => results.replace(": null", `: ${"[".repeat(1e5)}${"]".repeat(1e5)}`),
    ],
    ["its end cut off", (results) => results.slice(0, -3)],
  ])("is refused with one problem for %s", (_, edit) => {
    expect(edit(text)).not.toBe(text);
    expect(issuesOf(edit(text))).toHaveLength(1);
  });

  it("of an older neardata is refused with one problem", () => {
    const { documentHash: _, files: _files, ...older } = document as Record<string, Json>;
    expect(() => parseSavedRun("results.json", JSON.stringify(older))).toThrow(
      rejection("bad-input", /^results\.json: .*older/),
    );
  });

  it("is taken with other white space and keys in another order", () => {
    const turned = (value: Json): Json => {
      if (Array.isArray(value)) return value.map(turned);
      if (!isGroup(value)) return value;
      const parts = Object.entries(value).map(([key, part]) => [key, turned(part)] as const);
      return Object.fromEntries(parts.reverse());
    };
    const again = JSON.stringify(turned(document), null, "\t");
    expect(again).not.toBe(text);
    expect(parseSavedRun("results.json", again).resultHash).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe("the files beside results.json", () => {
  it.each(["report.html", "timeline.json"])("a changed %s is refused by its name", async (name) => {
    await reported(text);
    const file = join(place, "changed", name);
    writeFileSync(file, readFileSync(file, "utf8").replace(/\d/, "7 "));
    expect(await cli("report", join(place, "changed"))).toEqual(rejectedAt(file));
  });

  it("one that is gone is said to be, and the results are shown", async () => {
    await reported(text);
    rmSync(join(place, "changed", "timeline.json"));
    const { code, stdout, stderr } = await cli("report", join(place, "changed"));
    expect(code).toBe(0);
    expect(stderr).toMatch(/^neardata: [^\n]*timeline\.json: [^\n]+\n$/);
    expect(stdout).toMatch(/every check holds/);
  });
});

it("the same configuration and seed give the same result hash in every directory, two at once", async () => {
  const again = ["a", "b"].map((name) => join(place, name, "elsewhere"));
  const file = join(place, "small.yaml");
  const codes = await Promise.all(again.map((out) => cli("run", file, "--out", out, "--json")));
  expect(codes.map(({ code }) => code)).toEqual([0, 0]);
  const written = [run, ...again].map(
    (path) => JSON.parse(readFileSync(join(path, "results.json"), "utf8")) as ResultDocument,
  );
  expect(new Set(written.map((one) => one.resultHash)).size).toBe(1);
  expect(new Set(written.map((one) => one.files["report.html"])).size).toBe(1);
  // Wall times are never the same.
  expect(new Set(written.map((one) => one.documentHash)).size).toBe(3);
});
