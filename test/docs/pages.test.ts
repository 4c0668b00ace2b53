// SPDX-License-Identifier: Apache-2.0
// The README links to every page, links lead to files that exist, and every command and option has help.

import type { Command } from "commander";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";

import { buildProgram } from "../../src/cli/main.ts";
import { inRepository } from "../../src/base/paths.ts";

const pages = [
  "README.md",
  "CONTRIBUTING.md",
  ...readdirSync(inRepository("docs"), { encoding: "utf8", recursive: true })
    .filter((name) => name.endsWith(".md") && !name.includes("node_modules"))
    .map((name) => join("docs", name)),
];

/** Files that a page links to, from the root of the repository. */
function linksOf(page: string): readonly string[] {
  const text = readFileSync(inRepository(page), "utf8");
  return [...text.matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)]
    .map(([, link = ""]) => link)
    .filter((link) => !/^[a-z]+:/.test(link))
    .map((link) => join(dirname(page), link));
}

/** The help of a command, of its options and arguments, and of all commands below it, by name. */
function helpOf(command: Command): readonly (readonly [name: string, text: string])[] {
  const texts = [
    command.description(),
    ...command.options.map(({ description }) => description),
    ...command.registeredArguments.map(({ description }) => description),
  ];
  const own = texts.map((text) => [command.name(), text] as const);
  return [...own, ...command.commands.flatMap(helpOf)];
}

describe("pages", () => {
  it("are linked from the README, all of docs", () => {
    const linked = new Set(linksOf("README.md"));
    const below = pages.filter((page) => page.startsWith("docs"));
    expect(below.filter((page) => !linked.has(page))).toEqual([]);
  });

  it.each(pages)("%s links to files that exist", (page) => {
    expect(linksOf(page).filter((path) => !existsSync(inRepository(path)))).toEqual([]);
  });
});

it("every command, option and argument has help", () => {
  const silent = helpOf(buildProgram()).filter(([, text]) => text.trim() === "");
  expect(silent.map(([name]) => name)).toEqual([]);
});
