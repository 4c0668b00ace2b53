// SPDX-License-Identifier: Apache-2.0
// The site that `make docs` built: every link of every page leads to a file and a heading of the site, every page is
// shown by a browser, and the search finds names of the field, of the papers and of the API.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { describe, expect, it } from "vitest";

import { inRepository } from "../../src/base/paths.ts";
import { needs } from "../helpers/needs.ts";
import { visitSite } from "../helpers/site.ts";

const site = inRepository("build", "site", "dist");

/** The pages of a site, as paths that begin with a slash; without lists of source files and the page of error 404. */
function pagesOf(directory: string): readonly string[] {
  return readdirSync(directory, { encoding: "utf8", recursive: true })
    .filter((name) => name.endsWith(".html") && name !== "404.html" && !name.startsWith("source"))
    .map((name) => `/${name}`)
    .sort();
}

/** Links that lead to no file of the site, or to no element of a page, each behind its page. */
function deadLinks(directory: string): readonly string[] {
  const text = (page: string): string => readFileSync(join(directory, page), "utf8");
  return pagesOf(directory).flatMap((page) =>
    [...text(page).matchAll(/<a\b[^>]*?\shref="([^"]*)"/g)]
      .map(([, link = ""]) => link.replaceAll("&amp;", "&"))
      .filter((link) => !/^[a-z]+:/.test(link))
      .filter((link) => {
        const [path = "", anchor] = link.split("#");
        const target = path === "" ? page : posix.join(posix.dirname(page), path);
        const absolute = path.startsWith("/") ? path : target;
        const file = absolute.endsWith("/") ? `${absolute}index.html` : absolute;
        if (!existsSync(join(directory, file))) return true;
        if (anchor === undefined || anchor === "" || !file.endsWith(".html")) return false;
        return !text(file).includes(`id="${decodeURIComponent(anchor)}"`);
      })
      .map((link) => `${page}: ${link}`),
  );
}

/** Calls `use` with a site of these files in a temporary directory, and then removes it. */
async function withSite<T>(
  files: Readonly<Record<string, string>>,
  use: (directory: string) => T | Promise<T>,
): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), "neardata-site-test-"));
  try {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(posix.dirname(join(directory, name)), { recursive: true });
      writeFileSync(join(directory, name), content);
    }
    return await use(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

it("a dead link and a dead anchor are found", async () => {
  const files = {
    "index.html":
      '<h1 id="a">A</h1><a href="b.html#there">b</a><a href="/b.html#gone">b</a><a href="c.html">c</a>',
    "b.html": '<h2 id="there">B</h2><a href="#there">b</a><a href="https://example.org">e</a>',
  };
  const dead = await withSite(files, deadLinks);
  expect(dead).toEqual(["/index.html: /b.html#gone", "/index.html: c.html"]);
});

describe("the site", needs("make docs"), () => {
  it("has no dead link", () => {
    expect(pagesOf(site).length).toBeGreaterThan(20);
    expect(deadLinks(site)).toEqual([]);
  });

  it("shows no comment of a source page", () => {
    const shown = pagesOf(site).filter((page) =>
      readFileSync(join(site, page), "utf8").includes("&lt;!--"),
    );
    expect(shown).toEqual([]);
  });

  it("lists the pages in the order of the README, which begins with the first run", () => {
    const readme = readFileSync(inRepository("README.md"), "utf8");
    const table = /^## Documentation$[^]*?^## /m.exec(readme)?.[0] ?? "";
    const wanted = [...table.matchAll(/\]\(docs\/([a-z/0-9-]+)\.md\)/g)].map(([, page]) => page);
    const start = readFileSync(join(site, "index.html"), "utf8");
    const sidebar = /id="VPSidebarNav"[^]*?<\/nav>/.exec(start)?.[0] ?? "";
    const links = [...sidebar.matchAll(/href="\/([a-z/0-9-]+)\.html"/g)].map(([, page]) => page);
    expect(wanted[0]).toBe("guides/first-run");
    expect(links.filter((page) => wanted.includes(page))).toEqual(wanted);
  });

  it("ends no line between a number and its unit", () => {
    const formats = readFileSync(join(site, "results", "formats.html"), "utf8");
    expect(formats).toContain("1\u00a0GHz");
    expect(formats).toContain("256\u00a0GFLOP/s");
    expect(formats).toContain("DDR5");
  });

  it("has a page for every page of docs and for every entry point of the package", () => {
    const pages = new Set(pagesOf(site));
    const sources = readdirSync(inRepository("docs"), { encoding: "utf8", recursive: true });
    const wanted = sources
      .filter((name) => name.endsWith(".md"))
      .map((name) => `/${name.replace(/md$/, "html")}`);
    const manifest = JSON.parse(readFileSync(inRepository("package.json"), "utf8")) as {
      exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
    };
    const api = Object.entries(manifest.exports)
      .filter(([, target]) => typeof target !== "string")
      .map(([name]) => name.replace(/^\./, "neardata"));
    expect(
      [...wanted, ...api.map((name) => `/reference/api/${name}.html`)].filter(
        (page) => !pages.has(page),
      ),
    ).toEqual([]);
  });
});

describe("in a browser", needs("chromium"), () => {
  it("a table that is wider than the text is complained about", async () => {
    const cells = "<th>key</th>" + '<th style="min-width:200px">x</th>'.repeat(9);
    const body = `<div class="vp-doc"><h1>A</h1><table style="display:block;width:600px;overflow:auto"><tr>${cells}</tr></table></div>`;
    const { complaints } = await withSite(
      { "index.html": `<div id="app"></div><script>app.__vue_app__ = {}</script>${body}` },
      (directory) => visitSite(directory, ["/index.html"], []),
    );
    expect(complaints).toEqual(["/index.html: wider than the text: the table of key"]);
  });

  it("a page that does not mount and a page without a heading are complained about", async () => {
    const { complaints, visited } = await withSite(
      { "index.html": '<div id="app"></div>' },
      (directory) => visitSite(directory, ["/index.html"], []),
    );
    expect(complaints).toEqual(["/index.html: not mounted", "/index.html: no heading"]);
    expect(visited).toEqual(["/index.html"]);
  });

  it("shows every page of the site and finds words", needs("chromium", "make docs"), async () => {
    const pages = pagesOf(site);
    const words = ["tRRD_L", "SparF", "openUnit"];
    const { complaints, visited, results } = await visitSite(site, pages, words);
    expect(complaints).toEqual([]);
    expect(visited).toEqual(pages);
    for (const word of words) {
      const [first = ""] = results[word] ?? [];
      const file = (first.split("#")[0] ?? "").replace(/\/$/, "/index.html");
      expect([
        word,
        first,
        existsSync(join(site, file)) && readFileSync(join(site, file), "utf8").includes(word),
      ]).toEqual([word, first, true]);
    }
  });
});
