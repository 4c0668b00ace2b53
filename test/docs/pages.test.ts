// SPDX-License-Identifier: Apache-2.0
// Pages are found from the README, their links lead somewhere, and prose uses the words of the glossary.

import type { Command } from "commander";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";

import { buildProgram } from "../../src/cli/main.ts";
import { inRepository } from "../../src/native/paths.ts";

const pages = [
  "README.md",
  "CONTRIBUTING.md",
  ...readdirSync(inRepository("docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name)),
];

function read(page: string): string {
  return readFileSync(inRepository(page), "utf8");
}

/** Files that a page links to, from the root of the repository. */
function linksOf(page: string): readonly string[] {
  return [...read(page).matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)]
    .map(([, link = ""]) => link)
    .filter((link) => !/^[a-z]+:/.test(link))
    .map((link) => join(dirname(page), link));
}

/** Homemade words, and what the field says. */
const homemade: readonly (readonly [RegExp, string])[] = [
  [/\b(?:what|that|they|it) came\b/, "arrived, resulted, was read"],
  [/\bcame (?:of|out|after|before|by)\b/, "resulted from, followed, preceded"],
  [/\bwhoever\b/, "a noun"],
  [/\bwho (?:shows|asks|does|chooses|runs)\b/, "a noun: renderer, caller, executor"],
  [/\bdoes (?:the rest|all of it)\b/, "what it does"],
  [/\bheld against\b/, "compared with"],
  [/\bas without it\b/, "accepted for symmetry"],
  [/\bfills? itself\b/, "is filled by"],
];

function wordsIn(text: string): readonly string[] {
  return homemade.flatMap(([word, instead]) => {
    const found = word.exec(text);
    return found === null ? [] : [`"${found[0]}": ${instead}`];
  });
}

/** The sentences of a command's help and of all commands below it, with the command's name. */
function helpOf(command: Command): readonly (readonly [string, string])[] {
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

  it.each(pages)("%s links to what is there", (page) => {
    expect(linksOf(page).filter((path) => !existsSync(inRepository(path)))).toEqual([]);
  });

  it.each(pages)("%s uses the field's words", (page) => {
    const prose = read(page)
      .replace(/^(```|~~~)[^]*?^\1/gm, "")
      .replace(/`[^`\n]*`/g, "");
    expect(wordsIn(prose)).toEqual([]);
  });
});

/** Proofs state properties of requesters, for which no noun is shorter. */
const sources = readdirSync(inRepository("src"), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
  .map((entry) => relative(inRepository(), join(entry.parentPath, entry.name)))
  .filter((path) => !path.startsWith(join("src", "prove")));

it("comments and messages of src use the field's words", () => {
  expect(sources.length).toBeGreaterThan(400);
  expect(sources.flatMap((path) => wordsIn(read(path)).map((w) => `${path}: ${w}`))).toEqual([]);
});

describe("help texts", () => {
  const texts = helpOf(buildProgram());

  it("use the field's words", () => {
    expect(texts.length).toBeGreaterThan(100);
    expect(texts.flatMap(([name, text]) => wordsIn(text).map((w) => `${name}: ${w}`))).toEqual([]);
  });

  it("say something of every option", () => {
    expect(texts.filter(([, text]) => text.trim() === "").map(([name]) => name)).toEqual([]);
  });
});

it("a homemade word is found", () => {
  expect(wordsIn("pages that came out, whoever waits")).toHaveLength(3);
});
