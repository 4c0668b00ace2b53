// SPDX-License-Identifier: Apache-2.0
// Pages and .ci/package change lines of the RTL: each line is there once, and the new line names signals of its file only.

import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, it } from "vitest";

import { inRepository } from "../../src/base/paths.ts";

const readText = (path: string): string => readFileSync(inRepository(...path.split("/")), "utf8");
const signals = (line: string): readonly string[] => line.match(/\b[a-z]\w*_[qoi]\b/g) ?? [];

const sources = readdirSync(inRepository("rtl"), { recursive: true, encoding: "utf8" }).filter(
  (path) => path.endsWith(".sv"),
);

interface Edit {
  /** The name of the changed file of the RTL. */
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

/** The edits of RTL in a text: `sed -i 's/OLD/NEW/' FILE.sv`, or "in `FILE.sv`, change `OLD` to `NEW`". */
function edits(path: string): readonly Edit[] {
  const text = readText(path);
  const matches = [
    ...text.matchAll(/sed -i 's\/(?<before>.*?)\/(?<after>.*?)\/' (?<file>\S+\.sv)$/gm),
    ...text.matchAll(/in `(?<file>[^`]+\.sv)`, change `(?<before>[^`]*)` to\s`(?<after>[^`]*)`/g),
  ];
  return matches.map(({ groups: { file = "", before = "", after = "" } = {} }) => ({
    file: basename(file),
    before,
    after,
  }));
}

/** The text of the one file of this name in `rtl`. */
function sourceOf(file: string): string {
  const paths = sources.filter((path) => basename(path) === file);
  expect(paths, file).toHaveLength(1);
  return readText(`rtl/${String(paths[0])}`);
}

const guide = "docs/guides/property-test.md";

describe.each(["README.md", guide, ".ci/package"])("%s", (path) => {
  const listed = edits(path);

  it("changes a file of the RTL, and every edit is read", () => {
    const named = readText(path).match(/sed -i [^\n]*\.sv|, change `/g) ?? [];
    expect(listed.length).toBeGreaterThan(0);
    expect(listed).toHaveLength(named.length);
  });

  it.each(listed)("replaces a line of $file: $before", ({ file, before, after }) => {
    const source = sourceOf(file);
    expect(source.split(before)).toHaveLength(2);
    expect(signals(after).filter((name) => !source.includes(` ${name}`))).toEqual([]);
  });
});

it(".ci/package makes the edits of the guide", () => {
  expect(edits(".ci/package")).toEqual(edits(guide));
});
