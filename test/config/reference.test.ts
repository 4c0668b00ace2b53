// SPDX-License-Identifier: Apache-2.0
// docs/scenarios.md is what the schema says today.

import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { scenarioReference } from "../../src/config/reference.ts";
import { scenarioJsonSchema } from "../../src/config/schema.ts";

it("the reference is the schema's; if not: neardata schema --markdown > docs/scenarios.md", () => {
  expect(readFileSync("docs/scenarios.md", "utf8")).toBe(scenarioReference(scenarioJsonSchema()));
});

it("says what every key means", () => {
  const silent = scenarioReference(scenarioJsonSchema())
    .split("\n")
    .filter((line) => /^\| `/.test(line) && / \|\s*\|$/.test(line));
  expect(silent).toEqual([]);
});

it("names every key with its values, bounds and whether it is needed", () => {
  const text = scenarioReference({
    properties: {
      a: { type: "integer", minimum: 1, maximum: 9, description: "a number" },
      b: { anyOf: [{ const: "x" }, { type: "object", properties: { c: { type: "boolean" } } }] },
    },
    required: ["a"],
  });
  expect(text).toContain("| `a` | whole number from 1 to 9 | a number (needed) |");
  expect(text).toContain("| `b` | `x` or group |  |");
  expect(text).toContain("| `b.c` | `true`, `false` |  |");
});
