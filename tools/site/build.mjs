#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Builds the documentation site into build/site/dist: the pages of docs, README, CHANGELOG and CONTRIBUTING, and the
// API of every entry point in package.json.   node tools/site/build.mjs
// A link to a file outside docs becomes a link to a copy of the file: source/PATH.txt; a directory becomes a list.

import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, extname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Application } from "typedoc";
import { build } from "vitepress";

const site = fileURLToPath(new URL(".", import.meta.url));
const root = process.env.NEARDATA_ROOT ?? resolve(site, "..", "..");
const built = join(root, "build", "site");
const pages = join(site, "pages");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** Pages outside docs, by their place on the site. */
const outside = { "README.md": "index.md", "CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md" };
const linked = new Set();

/** The place on the site of a file of the repository. */
function placeOf(path) {
  if (path in outside) return outside[path];
  if (path.startsWith("docs/")) return path.slice("docs/".length);
  linked.add(path);
  return statSync(join(root, path)).isDirectory() ? `source/${path}/index.html` : `source/${path}.txt`;
}

/** Links of a page, relative to its file, become links of the site. VitePress would show a comment as text. */
function withLinks(text, path) {
  const page = placeOf(path);
  return text.replace(/^<!--.*-->\n/gm, "").replace(/\]\(([^)\s#]+)(#[^)]*)?\)/g, (whole, link, anchor = "") => {
    if (/^[a-z]+:/.test(link)) return whole;
    const place = placeOf(join(dirname(path), link).replace(/\/$/, ""));
    // VitePress serves files of `public` as they are; it resolves links to pages and pictures itself.
    if (place.startsWith("source/")) return `](/${place}){target="_self"}`;
    const to = relative(dirname(page), place);
    return `](${to.startsWith(".") ? to : `./${to}`}${anchor})`;
  });
}

/** The files that pages link to, as text; directories as lists of their files. */
function writeSources() {
  for (const path of linked) {
    const from = join(root, path);
    const to = join(pages, "public", placeOf(path));
    mkdirSync(dirname(to), { recursive: true });
    if (!statSync(from).isDirectory()) {
      copyFileSync(from, to);
      continue;
    }
    const items = readdirSync(from, { withFileTypes: true }).map((entry) => {
      const file = join(path, entry.name);
      if (!entry.isDirectory()) copyText(file);
      return `<li>${entry.isDirectory() ? `${entry.name}/` : `<a href="/source/${file}.txt">${entry.name}</a>`}</li>`;
    });
    const title = `<title>${path}</title><h1>${path}</h1>`;
    writeFileSync(to, `<!doctype html><meta charset="utf-8">${title}<ul>${items.join("")}</ul>\n`);
  }
}

function copyText(file) {
  const to = join(pages, "public", "source", `${file}.txt`);
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(join(root, file), to);
}

/** The source of each entry point that package.json exports, by its name for an importer. */
function entryPoints() {
  return Object.entries(manifest.exports).flatMap(([name, target]) =>
    target.types === undefined
      ? []
      : [
          {
            name: name.replace(/^\./, manifest.name),
            source: join(root, target.types.replace(/^\.\/build\/js\//, "src/").replace(/\.d\.ts$/, ".ts")),
          },
        ],
  );
}

async function writeApi() {
  const entries = entryPoints();
  const app = await Application.bootstrapWithPlugins({
    entryPoints: entries.map(({ source }) => source),
    tsconfig: join(root, "tsconfig.json"),
    plugin: ["typedoc-plugin-markdown"],
    out: join(pages, "reference", "api"),
    // `make lint` checks the types.
    skipErrorChecking: true,
    readme: "none",
    disableSources: true,
    excludeInternal: true,
    router: "module",
    hidePageHeader: true,
    hideBreadcrumbs: true,
    useCodeBlocks: true,
    entryFileName: "index",
    name: "TypeScript API",
    logLevel: "Error",
    validation: false,
  });
  const project = await app.convert();
  if (project === undefined) throw new Error("TypeDoc found no API");
  // TypeDoc names a module by its directory below `src`, and sorts the modules.
  for (const module of project.children ?? []) {
    const entry = entries.find(({ source }) => relative(join(root, "src"), dirname(source)) === module.name);
    if (entry === undefined) throw new Error(`no export of package.json is the module ${module.name}`);
    module.name = entry.name;
  }
  await app.generateOutputs(project);
  for (const name of readdirSync(join(pages, "reference", "api"), { recursive: true })) {
    const page = join(pages, "reference", "api", name);
    if (extname(page) === ".md") writeFileSync(page, withKnownAnchors(readFileSync(page, "utf8")));
  }
}

/** TypeDoc numbers an anchor also where only one heading has the name: such links lose the number. */
function withKnownAnchors(text) {
  const headings = [...text.matchAll(/^#+ ([A-Za-z_$]+)\??$/gm)].map(([, heading]) => heading.toLowerCase());
  return text.replace(/\]\(#([a-z_$]+)-(\d+)\)/g, (whole, name, number) =>
    headings.filter((heading) => heading === name).length > Number(number) ? whole : `](#${name})`,
  );
}

for (const old of [built, pages]) rmSync(old, { recursive: true, force: true });
for (const path of [...Object.keys(outside), ...readdirSync(join(root, "docs"), { recursive: true }).map((name) => join("docs", name))]) {
  const to = join(pages, placeOf(path));
  if (statSync(join(root, path)).isDirectory()) continue;
  mkdirSync(dirname(to), { recursive: true });
  if (extname(path) === ".md") writeFileSync(to, withLinks(readFileSync(join(root, path), "utf8"), path));
  else copyFileSync(join(root, path), to);
}
writeSources();
await writeApi();
process.env.NEARDATA_SITE_PAGES = pages;
process.env.NEARDATA_SITE_VERSION = manifest.version;
await build(site, { outDir: join(built, "dist") });
console.log(`site: ${relative(process.cwd(), join(built, "dist"))}`);
