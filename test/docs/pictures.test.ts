// SPDX-License-Identifier: Apache-2.0
// Pictures of the pages: legible on a light and on a dark page, and not so wide that a page shrinks their text.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { inRepository } from "../../src/base/paths.ts";

const pictures = readdirSync(inRepository("docs"), { encoding: "utf8", recursive: true })
  .filter((name) => name.endsWith(".svg"))
  .sort();

/** Whether the first rectangle covers the whole picture with white. */
function hasPaper(svg: string): boolean {
  const [, width = "", height = ""] = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(svg) ?? [];
  const rect = /<rect [^>]*>/.exec(svg)?.[0] ?? "";
  const back = /\.(?:[\w-]+ \.)?back \{ fill: #fff; \}/.test(svg) && rect.includes('class="back"');
  const white = back || /fill[=:]"?(?:#fff(?:fff)?|white)\b/.test(rect);
  const whole =
    (rect.includes('width="100%"') && rect.includes('height="100%"')) ||
    (rect.includes(`width="${width}"`) && rect.includes(`height="${height}"`));
  return white && whole;
}

const contributing = readFileSync(inRepository("CONTRIBUTING.md"), "utf8");
const sources = [
  ...contributing.matchAll(/`((?:explanation|reference|results)\/[^`]*\.svg)`/g),
].map(([, path = ""]) => path);

/** Text of diagrams of at most this width is legible in the text column of a page. */
const widest = 1000;

/** Whether a path in which `*` is any text is that of the picture. */
function matchesGlob(path: string, name: string): boolean {
  const [first = "", last] = path.split("*");
  return last === undefined ? name === path : name.startsWith(first) && name.endsWith(last);
}

describe("a picture of docs", () => {
  it("is recognised if its paper is missing, transparent or small", () => {
    const svg = (rect: string): string => `<svg viewBox="0 0 20 10">${rect}<g></g></svg>`;
    expect(hasPaper(svg('<rect width="100%" height="100%" fill="#fff"/>'))).toBe(true);
    expect(hasPaper(svg('<rect width="20" height="10" fill="#ffffff"/>'))).toBe(true);
    expect(hasPaper(svg('<rect width="20" height="9" fill="#fff"/>'))).toBe(false);
    expect(hasPaper(svg('<rect width="20" height="10" fill="none"/>'))).toBe(false);
    expect(hasPaper(svg(""))).toBe(false);
  });

  it.each(pictures)("%s has white paper", (name) => {
    expect(hasPaper(readFileSync(inRepository("docs", name), "utf8"))).toBe(true);
  });

  it("has its command, or is written by hand, in CONTRIBUTING.md", () => {
    const ofPicture = (name: string): readonly string[] =>
      sources.filter((path) => matchesGlob(path, name));
    expect(pictures.filter((name) => ofPicture(name).length !== 1)).toEqual([]);
    expect(sources.filter((path) => !pictures.some((name) => matchesGlob(path, name)))).toEqual([]);
  });

  // The site shows timing diagrams in their original size.
  it.each(pictures.filter((name) => !/(?:^|\/)waves-/.test(name)))("%s fits a page", (name) => {
    const svg = readFileSync(inRepository(join("docs", name)), "utf8");
    const [, width] = /viewBox="0 0 ([\d.]+) /.exec(svg) ?? [];
    expect(Number(width)).toBeLessThanOrEqual(widest);
  });
});
