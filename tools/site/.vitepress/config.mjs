// SPDX-License-Identifier: Apache-2.0
// Layout, navigation and search of the site. `tools/site/build.mjs` writes the pages and says where they are.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const pages = process.env.NEARDATA_SITE_PAGES;
const sections = [
  ["guides", "Guides"],
  ["reference", "Reference"],
  ["explanation", "Explanation"],
  ["results", "Results"],
];

const titleOf = (file) =>
  /^# (.+)$/m.exec(readFileSync(join(pages, file), "utf8"))?.[1].replaceAll("`", "") ?? file;

/** The table of all pages on the start page. */
const start =
  /^## Documentation$[^]*?^## /m.exec(readFileSync(join(pages, "index.md"), "utf8"))?.[0] ?? "";

/** The position of a page in this table; pages that it does not name come last. */
const rankOf = ({ link }) => {
  const at = link === undefined ? -1 : start.indexOf(`](.${link}.md)`);
  return at < 0 ? start.length : at;
};

/** The pages of a directory, in the order of this table; a directory below it is one group of links. */
function itemsOf(directory) {
  return readdirSync(join(pages, directory), { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) {
        const items = itemsOf(path);
        const named = existsSync(join(pages, path, "index.md"));
        return named ? [{ text: titleOf(join(path, "index.md")), collapsed: true, items }] : items;
      }
      return entry.name.endsWith(".md")
        ? [{ text: titleOf(path), link: `/${path.replace(/\.md$/, "")}` }]
        : [];
    })
    .sort((a, b) => rankOf(a) - rankOf(b) || (a.text < b.text ? -1 : 1));
}

/** The anchor that GitHub gives a heading, so that links work in both. */
const anchorOf = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");

/** A unit behind a number; a line must not end between them. */
const unit =
  "(?:%|x(?! \\d)|[fpnum]?s|[KMG]?Hz|[KMGT]i?B(?:/s)?|B/s|[munk]?m2|[fpnum]?J|GFLOPS?(?:/s)?|TFLOPS|MT/s|kGE|bits?|tokens?/s|V|C|\\+-)(?![\\w-])";

/** Joins numbers and units of running text with spaces that do not break. */
function joinUnits(markdown) {
  const joined = (text) =>
    text
      .replace(new RegExp(`(\\d) (?=${unit})`, "g"), "$1\u00a0")
      .replace(/\+- (?=\d)/g, "+-\u00a0");
  markdown.core.ruler.push("join-units", ({ tokens }) => {
    for (const token of tokens)
      for (const child of token.children ?? [])
        if (child.type === "text") child.content = joined(child.content);
  });
}

export default {
  title: "neardata",
  description: "Co-simulation of near-data LLM inference",
  lang: "en",
  srcDir: pages,
  cleanUrls: false,
  appearance: true,
  // Links to files that are copied as they are.
  ignoreDeadLinks: [/^\/source\//],
  markdown: {
    html: false,
    linkify: false,
    anchor: { slugify: anchorOf },
    // Indented code looks like fenced code: it scrolls and has a button to copy it.
    config: (markdown) => {
      joinUnits(markdown);
      const { rules } = markdown.renderer;
      rules.code_block = (tokens, index, ...rest) => {
        tokens[index].info = "";
        return rules.fence(tokens, index, ...rest);
      };
      // The path of a key or of a file may break between its parts.
      const inline = rules.code_inline;
      rules.code_inline = (...token) =>
        inline(...token).replace(/>[^<]+</, (text) => text.replace(/\w[./](?=\w{3})/g, "$&<wbr>"));
    },
  },
  vite: {
    publicDir: join(pages, "public"),
    logLevel: "warn",
    build: { chunkSizeWarningLimit: 4096 },
  },
  themeConfig: {
    search: {
      provider: "local",
      options: { miniSearch: { options: { tokenize: (text) => text.split(/[^\p{L}\p{N}_]+/u) } } },
    },
    outline: [2, 3],
    nav: [
      ...sections.map(([directory, text]) => ({
        text,
        link: itemsOf(directory).find(({ link }) => link)?.link,
        activeMatch: `^/${directory}/`,
      })),
      { text: process.env.NEARDATA_SITE_VERSION, link: "/changelog" },
    ],
    sidebar: [
      { text: "neardata", link: "/" },
      ...sections.map(([directory, text]) => ({
        text,
        collapsed: false,
        items: itemsOf(directory),
      })),
      {
        text: "Project",
        items: [
          { text: "Contributing", link: "/contributing" },
          { text: "Changes", link: "/changelog" },
        ],
      },
    ],
  },
};
