// SPDX-License-Identifier: Apache-2.0
// The index of a paper names the file of every figure, table and section that is redone, and files that exist.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { inRepository } from "../../src/base/paths.ts";
import { indexes, papers } from "../../src/papers/reproduction/registry.ts";

/** Folders of a paper; a paper without a part has no folder for it. */
const parts = ["constants", "figures", "files", "model", "policy"];

describe.each(papers)("the folder of %s", (paper) => {
  const folder = inRepository("src", "papers", paper);
  const { experiments, places } = indexes[paper];
  const files = places.map(([, file]) => file);

  it("has its index and named parts alone", () => {
    const found = readdirSync(folder).filter((name) => !parts.includes(name));
    expect(found).toEqual(["index.ts"]);
  });

  it("has every file that the index names, each once", () => {
    expect(files.length).toBeGreaterThan(10);
    expect(files.filter((file) => !existsSync(join(folder, file)))).toEqual([]);
    expect(new Set(files).size).toBe(files.length);
  });

  it("names the file of each experiment", () => {
    const text = files.map((file) => readFileSync(join(folder, file), "utf8")).join("");
    const ids = experiments.map(({ id }) => id).filter((id) => !id.endsWith("/constants"));
    const missing = ids.filter((id) => !text.includes(`"${id}"`));
    expect(missing).toEqual([]);
  });
});
