// SPDX-License-Identifier: Apache-2.0
// docs/reference/scenarios.md is generated from the schemas, and its defaults are the defaults of the program.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { parseYaml } from "../../src/base/yaml.ts";
import { fileKinds } from "../../src/cli/reference-kinds.ts";
import { applySettings } from "../../src/explore/point.ts";
import type { Setting } from "../../src/explore/spec.ts";
import { firstScenario } from "../../src/scenario/first-scenario.ts";
import { describedSchema } from "../../src/base/json-schema.ts";
import {
  defaultOf,
  exampleOf,
  keysOf,
  objectsOf,
  referencePage,
  type Schema,
} from "../../src/scenario/reference/page.ts";
import { scenarioSchema } from "../../src/scenario/schema.ts";
import { checkScenario, resolveConfig } from "../../src/scenario/resolve.ts";

it("the reference is generated from the schemas; if not: neardata schema --markdown > docs/reference/scenarios.md", () => {
  expect(readFileSync("docs/reference/scenarios.md", "utf8")).toBe(referencePage(fileKinds()));
});

describe.each(fileKinds())("$title", ({ schema }) => {
  const keys = keysOf("", describedSchema(schema) as Schema);
  const paths = (some: typeof keys): readonly string[] => some.map(({ path }) => path);

  it("give every key a meaning", () => {
    expect(keys.length).toBeGreaterThan(5);
    expect(paths(keys.filter(({ part }) => (part.meaning ?? "") === ""))).toEqual([]);
  });

  it("begin every meaning with a noun or a condition, not in the middle of a phrase", () => {
    const fragment = /^(?:of|to|from|in|under|that|which|whose|what|where|how|the same|as) /;
    expect(paths(keys.filter(({ part }) => fragment.test(part.meaning ?? "")))).toEqual([]);
  });

  it("say for every key that it is required, or its default", () => {
    const silent = keys.filter(({ part, needed }) => !needed && defaultOf(part) === undefined);
    expect(paths(silent)).toEqual([]);
    expect(
      paths(keys.filter(({ part, needed }) => needed && defaultOf(part) !== undefined)),
    ).toEqual([]);
  });

  it("have an example of every key, which its part of the schema takes", () => {
    const wrong = keys.filter(({ part }) => {
      const example = exampleOf(part);
      return example === undefined ? objectsOf(part).length === 0 : !takes(part, parse(example));
    });
    expect(paths(wrong)).toEqual([]);
  });
});

describe("a default that is a value", () => {
  const scenarioDefaults = keysOf("", describedSchema(scenarioSchema) as Schema).flatMap(
    ({ path, part }) => (part.default === undefined ? [] : [[path, part.default] as const]),
  );
  /** To twelve digits: 20 us is twenty millionths to sixteen. */
  const becomes = (input: unknown): string =>
    JSON.stringify(resolveConfig("s.yaml", checkScenario("s.yaml", input)).scenario, (_, value) =>
      typeof value === "number" ? Number(value.toPrecision(12)) : (value as unknown),
    );
  const expert = { model: "deepseek-v2" };
  const attention = { model: "opt-13b" };
  /** Heads of a text have no shape settings. */
  const text = { source: { weights: "w.safetensors", text: "t.txt" } };
  const budget = { nand: { package: { current: "200 mA" } } };
  const managed = { memory: { refreshManagement: { raaimt: 32 } } };
  it.each(scenarioDefaults)("of %s is what a scenario without it has: %j", (path, value) => {
    const base = {
      name: "s",
      expert,
      token: {},
      ...(path.startsWith("memory.refreshManagement.") ? managed : {}),
      attention: {
        ...(path === "attention.source.window" ? text : attention),
        ...(path.startsWith("attention.nand.package.") ? budget : {}),
      },
    };
    expect(becomes(withKey(base, path.split("."), value))).toBe(becomes(base));
  });

  function withKey(
    to: object,
    [first = "", ...rest]: readonly string[],
    value: unknown,
  ): Readonly<Record<string, unknown>> {
    const old: unknown = Reflect.get(to, first);
    const below = typeof old === "object" && old !== null ? old : started(first);
    return { ...to, [first]: rest.length === 0 ? value : withKey(below, rest, value) };
  }
  const started = (key: string): object => (key === "source" ? { generator: "hta1" } : {});
});

/** Whether a part of the schema accepts a value. */
function takes(part: Schema, value: unknown): boolean {
  const choices = part.anyOf ?? part.oneOf;
  if (choices !== undefined) return choices.some((one) => takes(one, value));
  if (part.const !== undefined) return part.const === value;
  if (part.enum !== undefined) return part.enum.includes(value as string);
  if (part.items !== undefined) {
    const { items } = part;
    return Array.isArray(value) && value.every((one) => takes(items, one));
  }
  if (part.type === "integer" || part.type === "number") {
    const { minimum = -Infinity, maximum = Infinity, type } = part;
    const fits = typeof value === "number" && value >= minimum && value <= maximum;
    return fits && (type === "number" || Number.isInteger(value));
  }
  // A pair.
  if (part.type === "array") return Array.isArray(value);
  if (part.type === "boolean") return typeof value === "boolean";
  if (part.type === undefined) return value !== undefined;
  if (part.type === "object") return typeof value === "object" && value !== null;
  return typeof value === "string" && new RegExp(part.pattern ?? "").test(value);
}

it("names every key with its values, bounds, default and whether it is required", () => {
  const yes = z.boolean().optional();
  const schema = z.strictObject({
    a: z.int().min(1).max(9).meta({ meaning: "a number" }),
    b: z.union([z.literal("x"), z.strictObject({ c: yes })]).optional(),
    seed: z.int().default(1),
    size: z.string().optional().meta({ otherwise: "by `a`", example: "1 B" }),
    own: z.record(z.string(), z.strictObject({ d: yes })).optional(),
  });
  const text = referencePage([{ title: "Files", text: "Of a test.", schema }]);
  expect(text).toContain("# Files\n\nOf a test.\n");
  expect(text).toContain("| `a` | whole number from 1 to 9 | required | a number |");
  expect(text).toContain("| `b` | `x` or group |  |  | `b: x` |");
  expect(text).toContain("| `b.c` | `true`, `false` |  |  | `c: true` |");
  expect(text).toContain("| `seed` | whole number from -9007199254740991 | `1` |  | `seed: 1` |");
  expect(text).toContain("| `size` | text | by `a` |  | `size: 1 B` |");
  expect(text).toContain("| `own.KEY.d` | `true`, `false` |  |  | `d: true` |");
});

describe("the scenario that `neardata init` writes", () => {
  const text = firstScenario("mine");
  const content = parseYaml("mine.yaml", text);
  const others = [...text.matchAll(/^# {3}([\w.]+): (.*?) {2}\(/gm)];

  it("is a scenario", () => {
    expect(checkScenario("mine.yaml", content)).toMatchObject({ name: "mine" });
    expect(others.length).toBe(5);
  });

  it.each(others.map(([, path = "", value = ""]) => ({ path, value })))(
    "names a key that the schema accepts: $path",
    ({ path, value }) => {
      const example = (parseYaml("example", `value: ${value}`) as { value: Setting }).value;
      expect(() =>
        checkScenario("mine.yaml", applySettings(content, { [path]: example })),
      ).not.toThrow();
      expect(() =>
        checkScenario("mine.yaml", applySettings(content, { [`${path}Not`]: example })),
      ).toThrow();
    },
  );
});
