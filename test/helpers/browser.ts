// SPDX-License-Identifier: Apache-2.0
// A report as a browser shows it: headless Chromium lays the page out, a script that is added to
// the copy under test measures it and leaves its findings in the document.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The command of an installed Chromium; undefined if there is none. */
export const chromium = ["chromium", "chromium-browser", "google-chrome"].find(
  (name) => spawnSync(name, ["--version"], { stdio: "ignore" }).status === 0,
);

/** Complaints about a page, one sentence each, and the visible elements. */
export interface Looked {
  readonly complaints: readonly string[];
  readonly plots: number;
  readonly tables: number;
}

/** Lays `html` out in a window so many pixels wide. */
export function lookAt(html: string, width: number): Looked {
  if (chromium === undefined) throw new Error("no Chromium is installed");
  const directory = mkdtempSync(join(tmpdir(), "neardata-page-"));
  try {
    const file = join(directory, "page.html");
    writeFileSync(file, html.replace("</body>", `<script>${probe}</script></body>`));
    const run = spawnSync(
      chromium,
      [
        ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
        ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
        ...["--enable-logging=stderr", "--v=0", `--user-data-dir=${directory}/profile`],
        ...[`--window-size=${String(width)},1200`, "--dump-dom", `file://${file}`],
      ],
      { encoding: "utf8", timeout: 120_000, maxBuffer: 1 << 28 },
    );
    const found = /<pre id="looked">(.*?)<\/pre>/s.exec(run.stdout)?.[1];
    if (found === undefined) throw new Error(`the page was not shown: ${run.stderr}`);
    const looked = JSON.parse(decodeURIComponent(found)) as Looked;
    const said = run.stderr.split("\n").filter((line) => line.includes("CONSOLE"));
    return { ...looked, complaints: [...looked.complaints, ...said] };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Runs in the page. A hair of a pixel is how fonts round. */
const probe = `
const hair = 1.5;
const complaints = [];
const root = document.documentElement;
if (root.scrollWidth > root.clientWidth + hair)
  complaints.push("the page is " + root.scrollWidth + " wide in a window of " + root.clientWidth);
// A box around tilted text is larger than the text.
const tilted = (text) => {
  const { b } = text.getScreenCTM();
  return Math.abs(b) > 1e-6;
};
// Lines of text may touch by the space above and below their letters.
function covers(one, other) {
  const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
  const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return wide > hair && high > 0.35 * Math.min(a.height, b.height);
}
// Words of at most 18 characters that are on two lines of a cell.
function broken(cell) {
  const found = [];
  const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  while (walker.nextNode())
    for (const { 0: word, index } of walker.currentNode.data.matchAll(/[^\\s\\/-]+/g)) {
      if (word.length > 18) continue;
      range.setStart(walker.currentNode, index);
      range.setEnd(walker.currentNode, index + word.length);
      if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) found.push(word);
    }
  return found;
}
const plots = [...document.querySelectorAll(".plot svg")];
for (const svg of plots) {
  const name = svg.closest("figure").id;
  const frame = svg.getBoundingClientRect();
  const marks = svg.querySelectorAll("path, rect, circle, line").length;
  if (frame.width < 100 || frame.height < 30 || marks === 0) complaints.push(name + ": not drawn");
  for (const text of svg.querySelectorAll("text")) {
    const box = text.getBoundingClientRect();
    if (box.width === 0) continue;
    if (box.left < frame.left - hair || box.right > frame.right + hair ||
        box.top < frame.top - hair || box.bottom > frame.bottom + hair)
      complaints.push(name + ": '" + text.textContent + "' is cut off");
  }
  const texts = [...svg.querySelectorAll("text")].filter((text) => !tilted(text));
  texts.forEach((text, i) => {
    for (const other of texts.slice(i + 1))
      if (covers(text, other))
        complaints.push(name + ": '" + text.textContent + "' and '" + other.textContent + "' overlap");
  });
  if (/NaN|Infinity|undefined/.test(svg.outerHTML)) complaints.push(name + ": a value is not a number");
}
for (const cell of document.querySelectorAll("td, th")) {
  if (/NaN|undefined|\\[object/.test(cell.textContent))
    complaints.push("a cell says " + cell.textContent);
  if (cell.checkVisibility())
    for (const word of broken(cell)) complaints.push("a cell breaks the word " + word);
}
// A wide table scrolls in a box that is not wider than the text.
const column = document.querySelector("main").getBoundingClientRect();
for (const table of document.querySelectorAll("main table")) {
  if (!table.checkVisibility()) continue;
  const box = (table.closest(".scroll") ?? table).getBoundingClientRect();
  if (box.left < column.left - hair || box.right > column.right + hair)
    complaints.push("a table has a box of " + box.width + " in a text of " + column.width);
}
const tables = document.querySelectorAll("table").length;
const pre = document.createElement("pre");
pre.id = "looked";
pre.textContent = encodeURIComponent(JSON.stringify({ complaints, plots: plots.length, tables }));
document.body.append(pre);
`;
