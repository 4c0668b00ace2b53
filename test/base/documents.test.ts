// SPDX-License-Identifier: Apache-2.0

import { describe, expect, it } from "vitest";
import { parseYaml } from "../../src/base/yaml.ts";
import { rejection } from "../helpers/rejection.ts";

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
    ["an alias of nothing", "name: *x", /^s\.yaml: .*alias.* x\./],
    ["aliases that multiply", bomb, /^s\.yaml: .*alias count/],
    ["an alias of the list that it stands in", "a: &a [*a]", "s.yaml"],
    ["an unknown tag", "a: !thing b", /^s\.yaml: .*!thing/],
    ["a tag of bytes", "a: !!binary aGVsbG8=", /^s\.yaml: .*tag/],
    ["a key twice", "a: 1\na: 2", /^s\.yaml: .*unique/],
    ["a key that is a group", "? {a: b}\n: 1", "s.yaml"],
    ["lists 101 deep", nested(101), /^s\.yaml: .* 100 /],
    ["lists 100,000 deep", nested(100_000), /^s\.yaml: .* 100 /],
    ["lists of one line 101 deep", `${"- ".repeat(101)}a`, /^s\.yaml: .* 100 /],
    ["two documents", "a: 1\n---\nb: 2\n", /^s\.yaml: .*multiple documents/],
  ])("%s", (_, text, where) => {
    const parse = (): unknown => parseYaml("s.yaml", text);
    expect(parse).toThrow(rejection("bad-input", where));
    const message: unknown = expect.not.stringContaining("\n");
    expect(parse).toThrow(expect.objectContaining({ message }));
  });

  it("nothing where lists are 100 deep and aliases few", () => {
    expect(() => parseYaml("s.yaml", nested(100))).not.toThrow();
    expect(parseYaml("s.yaml", "a: &a [1]\nb: *a")).toEqual({ a: [1], b: [1] });
  });
});
