// SPDX-License-Identifier: Apache-2.0

import { describe, expect, it } from "vitest";
import { parseYaml } from "../../src/config/yaml.ts";
import { NeardataError } from "../../src/errors.ts";

/** The one sentence with which a document is refused. */
function refusal(parse: () => unknown): string {
  try {
    parse();
  } catch (error) {
    if (error instanceof NeardataError && error.code === "bad-input") return error.message;
    throw error;
  }
  return "nothing was refused";
}

const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
/** Ten lists of ten aliases each of the list before. */
const bomb = Array.from({ length: 10 }, (_, i) =>
  i === 0
    ? "a0: &a0 [x]"
    : `a${i}: &a${i} [${Array(10)
        .fill(`*a${i - 1}`)
        .join(", ")}]`,
).join("\n");

describe("a YAML document is refused with", () => {
  it.each([
    ["an alias of nothing", "name: *x", /^s\.yaml: Unresolved alias .*: x\.$/],
    ["aliases that multiply", bomb, /^s\.yaml: Excessive alias count/],
    ["an alias of the list that it stands in", "a: &a [*a]", /^s\.yaml: /],
    ["an unknown tag", "a: !thing b", /^s\.yaml: Unresolved tag: !thing/],
    ["a tag of bytes", "a: !!binary aGVsbG8=", /^s\.yaml: Unresolved tag/],
    ["a key twice", "a: 1\na: 2", /^s\.yaml: Map keys must be unique/],
    ["a key that is a group", "? {a: b}\n: 1", /^s\.yaml: /],
    [
      "lists 101 deep",
      nested(101),
      "s.yaml: more than 100 lists and groups stand within each other.",
    ],
    ["lists 100,000 deep", nested(100_000), /^s\.yaml: more than 100/],
    ["lists of one line 101 deep", `${"- ".repeat(101)}a`, /^s\.yaml: more than 100/],
    ["two documents", "a: 1\n---\nb: 2\n", /^s\.yaml: Source contains multiple documents/],
  ])("%s", (_, text, message) => {
    const found = refusal(() => parseYaml("s.yaml", text));
    if (typeof message === "string") expect(found).toBe(message);
    else expect(found).toMatch(message);
    expect(found).not.toContain("\n");
  });

  it("nothing where lists are 100 deep and aliases few", () => {
    expect(() => parseYaml("s.yaml", nested(100))).not.toThrow();
    expect(parseYaml("s.yaml", "a: &a [1]\nb: *a")).toEqual({ a: [1], b: [1] });
  });
});
