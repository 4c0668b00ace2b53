// SPDX-License-Identifier: Apache-2.0
// The README names the versions that package.json and the Makefile need, and its tables agree with docs/results.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { inRepository } from "../../src/base/paths.ts";
import { standardNames } from "../../src/machine/dram/standards/standards.ts";
import { tools } from "../helpers/needs.ts";
import { repositoryText, tableRows } from "../helpers/pages.ts";

const readme = repositoryText("README.md");

describe("README.md", () => {
  it.each(["LIA", "TriMoE", "InstInfer", "FlexGen", "LLMShare"])(
    "has the counts of %s that docs/results/papers.md has",
    (paper) => {
      const countsOf = (page: string): readonly string[] =>
        tableRows(page).find(([name]) => name === paper) ?? [];
      const own = countsOf(readme);
      const counts = countsOf(repositoryText("docs", "results", "papers.md"));
      expect(counts.length).toBe(7);
      expect(own).toEqual(counts);
    },
  );

  it("denies no memory standard that neardata simulates", () => {
    const table = /\| tool \| does, and neardata does not \|[^]*?\n\n/.exec(readme)?.[0] ?? "";
    const cells = tableRows(table)
      .filter(([name = ""]) => name.startsWith("["))
      .map(([, missing = ""]) => missing);
    expect(cells.length).toBeGreaterThan(5);
    expect(
      standardNames.filter((name) => cells.some((cell) => cell.split(/\W+/).includes(name))),
    ).toEqual([]);
  });

  it("names papers as CITATION.cff does", () => {
    const titles = [...readme.matchAll(/^- \*\*(\w+)\*\*: ([^.]+)\./gm)].map(
      ([, name = "", title = ""]) => `title: "${name}: ${title}"`,
    );
    const citation = repositoryText("CITATION.cff");
    expect(titles.length).toBe(5);
    expect(titles.filter((title) => !citation.includes(title))).toEqual([]);
  });

  it("names the version of Node.js that package.json needs, as do the guide and .ci/tools", () => {
    const { engines } = JSON.parse(repositoryText("package.json")) as { engines: { node: string } };
    const [old = "", next = ""] = [...engines.node.matchAll(/\d+\.\d+/g)].map(
      ([version]) => version,
    );
    const text = `${old} or newer ${old.split(".")[0] ?? ""}.x, ${next} or newer`;
    expect(engines.node).toBe(`^${old}.0 || >=${next}.0`);
    expect(readme).toContain(text);
    expect(repositoryText("docs", "guides", "library.md")).toContain(text);
    expect(repositoryText(".ci", "tools")).toContain(`Node.js is needed, ${text} (`);
  });

  it.each([
    ["20.16.0", 3],
    ["20.17.0", 0],
    ["20.20.2", 0],
    ["21.7.3", 3],
    ["22.8.0", 3],
    ["22.9.0", 0],
    ["24.1.0", 0],
  ])("and .ci/tools decides on Node.js %s as package.json does: exit code %i", (version, code) => {
    const directory = mkdtempSync(join(tmpdir(), "neardata-node-"));
    try {
      for (const name of ["node", "npm"])
        writeFileSync(join(directory, name), `#!/bin/sh\necho v${version}\n`, { mode: 0o755 });
      const { status } = spawnSync(inRepository(".ci", "tools"), ["node"], {
        env: { ...process.env, PATH: `${directory}:${process.env["PATH"] ?? ""}` },
      });
      expect(status).toBe(code);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  // Debian has no package of OpenSTA, and every system has bash.
  it.each(Object.entries(tools).filter(([name]) => !["opensta", "bash"].includes(name)))(
    "a tool that tests use is installed by .ci/tools: %s",
    (_, [command]) => {
      expect(repositoryText(".ci", "tools")).toMatch(
        new RegExp(String.raw`\b(?:need|command -v) ${command.replaceAll("+", String.raw`\+`)} `),
      );
    },
  );

  it.each(["README.md", "docs/guides/library.md", "docs/reference/glossary.md"])(
    "and package.json have the same entry points: %s",
    (page) => {
      const { exports } = JSON.parse(repositoryText("package.json")) as { exports: object };
      const names = Object.keys(exports)
        .filter((name) => name !== "./package.json")
        .map((name) => name.replace(/^\./, "neardata"));
      const text = repositoryText(page);
      expect(names.length).toBe(6);
      expect(names.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
    },
  );

  it("shows the edit that the guide of property tests injects", () => {
    const edit = /sed -i 's\/(.*?)\/(.*?)\/'/.exec(readme);
    const guide = repositoryText("docs", "guides", "property-test.md");
    expect(guide).toContain(`\`${edit?.[1] ?? "no edit"}\` to \`${edit?.[2] ?? ""}\``);
  });
});
