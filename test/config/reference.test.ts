// SPDX-License-Identifier: Apache-2.0
// docs/scenarios.md is what the schema says today.

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { parse } from "yaml";
import {
  exampleOf,
  objectsOf,
  scenarioReference,
  type Schema,
} from "../../src/config/reference.ts";
import { scenarioJsonSchema } from "../../src/config/schema.ts";

it("the reference is the schema's; if not: neardata schema --markdown > docs/scenarios.md", () => {
  expect(readFileSync("docs/scenarios.md", "utf8")).toBe(scenarioReference(scenarioJsonSchema()));
});

it("says what every key means", () => {
  const silent = scenarioReference(scenarioJsonSchema())
    .split("\n")
    .filter((line) => /^\| `/.test(line))
    .filter((line) => ["", "(needed)"].includes(line.split(" | ")[2] ?? ""));
  expect(silent).toEqual([]);
});

it("has an example of every key, which its part of the schema takes", () => {
  const wrong: string[] = [];
  const look = (prefix: string, schema: Schema): void => {
    for (const [name, part] of Object.entries(schema.properties ?? {})) {
      const path = `${prefix}${name}`;
      const example = exampleOf(path, part);
      const groups = objectsOf(part);
      if (example === undefined ? groups.length === 0 : !takes(part, parse(example))) {
        wrong.push(`${path}: ${example ?? "none"}`);
      }
      for (const group of groups) look(`${path}.`, group);
    }
  };
  look("", scenarioJsonSchema() as Schema);
  expect(wrong).toEqual([]);
});

/** Whether a part of the schema takes a value. */
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
  if (part.type === "boolean") return typeof value === "boolean";
  if (part.type === "object") return typeof value === "object" && value !== null;
  return typeof value === "string" && new RegExp(part.pattern ?? "").test(value);
}

it("names every key with its values, bounds and whether it is needed", () => {
  const text = scenarioReference({
    properties: {
      a: { type: "integer", minimum: 1, maximum: 9, description: "a number" },
      b: { anyOf: [{ const: "x" }, { type: "object", properties: { c: { type: "boolean" } } }] },
    },
    required: ["a"],
  });
  expect(text).toContain("| `a` | whole number from 1 to 9 | a number (needed) |");
  expect(text).toContain("| `b` | `x` or group |  | `b: x` |");
  expect(text).toContain("| `b.c` | `true`, `false` |  | `c: true` |");
});
