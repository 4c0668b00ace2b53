// SPDX-License-Identifier: Apache-2.0
// Every function that an entry point of the package exports checks its arguments, and none writes to stderr. The list
// of entry points is that of package.json.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { describe, expect, it } from "vitest";

import { parametersOf, type Parameters } from "../../src/base/entry.ts";
import { NeardataError } from "../../src/base/errors.ts";
import { inRepository } from "../../src/base/paths.ts";
import { importsOf } from "../config/house-rules.js";

const manifest = JSON.parse(readFileSync(inRepository("package.json"), "utf8")) as {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
};

/** Sources of the entry points, from `src/` on, by their names in package.json. */
const sources = Object.entries(manifest.exports).flatMap(([name, target]) =>
  typeof target === "string"
    ? []
    : [[name, target.default.replace("./build/js/", "src/").replace(/\.js$/, ".ts")] as const],
);

type Exported = ((...given: readonly unknown[]) => unknown) & {
  readonly [parametersOf]?: Parameters;
};

const functions = (
  await Promise.all(
    sources.map(async ([entryPoint, source]) => {
      const all = (await import(inRepository(source))) as Readonly<Record<string, unknown>>;
      return Object.entries(all).flatMap(([name, value]) =>
        typeof value === "function" && value !== NeardataError
          ? [{ name: `${entryPoint} ${name}`, run: value as Exported }]
          : [],
      );
    }),
  )
).flat();

/** Every issue of a call that has to fail. */
async function issuesOfCall(run: Exported, given: readonly unknown[]): Promise<readonly string[]> {
  try {
    await run(...given);
  } catch (error) {
    if (error instanceof NeardataError && error.code === "bad-input") {
      return error.issues.map(({ where, message }) => `${where}: ${message}`);
    }
    throw error;
  }
  throw new Error("the call did not fail");
}

/** The keys of options; undefined of any other parameter. */
function optionKeys(schema: z.ZodType): readonly string[] | undefined {
  const inner: unknown = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  if (!(inner instanceof z.ZodObject) || !(inner.def.catchall instanceof z.ZodNever))
    return undefined;
  return Object.keys(z.looseObject({}).parse(inner.shape));
}

it("has the entry points of the documentation", () => {
  expect(sources.map(([name]) => name)).toEqual([
    ".",
    ...["./rtl", "./types", "./fast-check", "./vitest", "./golden"],
  ]);
  expect(functions.length).toBeGreaterThan(70);
});

describe.each(functions)("$name", ({ run }) => {
  const parameters = Object.entries(run[parametersOf] ?? {});

  it("has a schema for each parameter", () => {
    expect(Object.keys(run)).toEqual([]);
    expect(run[parametersOf], "it is no `entry` or `asyncEntry`").toBeDefined();
    expect(parameters.length).toBeGreaterThanOrEqual(run.length);
  });

  it("names each wrong argument", async () => {
    if (parameters.length === 0) return;
    const wrong = parameters.map(() => Symbol("wrong"));
    const found = await issuesOfCall(run, wrong);
    expect(found).toEqual(
      parameters.map(([parameter]): unknown =>
        expect.stringMatching(new RegExp(`^${run.name}: ${parameter}: `)),
      ),
    );
  });

  it("suggests the nearest name for an unknown option", async () => {
    for (const [i, [parameter, schema]] of parameters.entries()) {
      for (const key of optionKeys(schema) ?? []) {
        const given = parameters.map((_, at) => (at === i ? { [`${key}s`]: 1 } : undefined));
        const found = await issuesOfCall(run, given);
        expect(found.join("\n")).toContain(
          `${run.name}: ${parameter}.${key}s: there is no such setting. Did you mean "${key}"?`,
        );
      }
    }
  });
});

it("no module behind an entry point writes to stderr or to the console", () => {
  const imports = importsOf(inRepository());
  const reached = new Set(sources.map(([, source]) => source));
  for (const at of reached) for (const next of imports.get(at) ?? []) reached.add(next);
  expect(reached.size).toBeGreaterThan(100);
  const loud = [...reached].filter((path) =>
    /process\.stderr|\bconsole\./.test(readFileSync(inRepository(path), "utf8")),
  );
  // This module runs as a separate program, whose stderr is discarded if nobody listens.
  expect(loud).toEqual([join("src", "native", "compile", "addon-build.ts")]);
});
