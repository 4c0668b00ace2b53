// SPDX-License-Identifier: Apache-2.0
// Renders a page as one self-contained HTML document, whole without its script and with no external
// file; light and dark, print and phone by style sheet; every table and figure's data downloads as CSV.

import type { Block, Cell, Column, Figure, Headline, Page, Section, Table } from "./page.ts";
import { escapeHtml } from "../base/escape.ts";
import { readable } from "../base/readable.ts";
import { script } from "./script.ts";
import { stylesheet } from "./style.ts";

/** The whole document. */
export function renderPage(page: Page): string {
  const contents = page.sections
    .map((s) => `<a href="#${s.id}">${escapeHtml(s.title)}</a>`)
    .join("");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(page.title)}</title>
<link rel="icon" href="data:,">
<style>${stylesheet}</style>
</head>
<body>
<header>
<h1>${escapeHtml(page.title)}</h1>
<p class="lead">${escapeHtml(page.lead)}</p>${hashLine(page)}
${summaryBlock(page)}${besideLine(page)}
</header>
<nav aria-label="Contents">${contents}</nav>
<main>
${page.sections.map(renderSection).join("\n")}
</main>
<footer>
<h2>Provenance</h2>
<dl>${page.provenance
    .map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`)
    .join("")}</dl>
</footer>
<script>${script}</script>
</body>
</html>
`;
}

/** The headline figures as cards. */
function summaryBlock({ summary = [] }: Page): string {
  if (summary.length === 0) return "";
  return `<dl class="summary">${summary.map(renderHeadline).join("")}</dl>`;
}

function renderHeadline({ what, value, sentence, pass }: Headline): string {
  const state = pass === undefined ? "" : pass ? ' class="pass"' : ' class="fail"';
  return `<div${state}><dt>${escapeHtml(what)}</dt><dd><b>${escapeHtml(value)}</b> ${escapeHtml(sentence)}</dd></div>`;
}

/** The first digits of the config hashes, which identify a printed or copied page. */
function hashLine({ provenance }: Page): string {
  const hashes = provenance
    .filter(([name]) => name.endsWith("config hash"))
    .map(([name, hash]) => `${escapeHtml(name)} <code>${escapeHtml(hash.slice(0, 12))}</code>`);
  return hashes.length === 0 ? "" : `\n<p class="hash">${hashes.join(" &middot; ")}</p>`;
}

/** Links to the files in the directory of the page, and to the files inside the page. */
function besideLine({ beside = [] }: Page): string {
  if (beside.length === 0) return "";
  const links = beside.map(({ file, what, content }) => {
    const name = escapeHtml(file);
    const tag =
      content === undefined
        ? ""
        : ` (<a download="${name}.gz" href="data:application/gzip;base64,${content}">in this page</a>)`;
    return `<a href="${encodeURI(file)}">${name}</a>${tag} ${escapeHtml(what)}`;
  });
  return `\n<p class="beside">Beside this page: ${links.join(" &middot; ")}</p>`;
}

function renderSection(section: Section): string {
  return `<section id="${section.id}">
<details open><summary><h2>${escapeHtml(section.title)}</h2></summary>
${renderBlocks(section.blocks)}
</details>
</section>`;
}

/** Blocks in order; neighbouring small figures share a grid. */
function renderBlocks(blocks: readonly Block[]): string {
  const small = (block: Block | undefined): boolean =>
    block?.kind === "figure" && block.small === true;
  return blocks
    .map((block, i) => {
      const open = small(block) && !small(blocks[i - 1]) ? '<div class="multiples">\n' : "";
      const close = small(block) && !small(blocks[i + 1]) ? "\n</div>" : "";
      return `${open}${renderBlock(block)}${close}`;
    })
    .join("\n");
}

function renderBlock(block: Block): string {
  switch (block.kind) {
    case "prose":
      return `<p>${withCode(escapeHtml(block.text))}</p>`;
    case "verdict":
      return `<p class="verdict ${block.pass ? "pass" : "fail"}"><b>${
        block.pass ? "holds" : "FAILS"
      }</b> <span>${escapeHtml(block.name)}</span> <small>${escapeHtml(block.detail)}</small></p>`;
    case "table":
      return renderCaptioned(block);
    case "figure":
      return renderFigure(block);
  }
}

/** Text between backquotes is code. */
function withCode(html: string): string {
  return html.replace(/`([^`]+)`/g, "<code>$1</code>");
}

/** Tables with at least this number of columns have smaller text; a table wider than the page's text scrolls in its box. */
const wideFrom = 8;

function renderCaptioned(table: Table): string {
  const wide = table.columns.length >= wideFrom ? ' class="wide"' : "";
  const rows = renderTable(table);
  const shown =
    table.folded === true
      ? `<details class="folded"><summary>${rowCount(table)}</summary>${rows}</details>`
      : rows;
  return `<figure id="${table.id}"${wide}><figcaption>${escapeHtml(table.caption)} ${download(
    table.id,
    table,
  )}</figcaption>${shown}</figure>`;
}

function renderFigure(figure: Figure): string {
  return `<figure id="${figure.id}" class="drawn">
<div class="plot" role="img" aria-label="${escapeHtml(figure.caption)}">${typeof figure.svg === "string" ? figure.svg : figure.svg()}</div>
<figcaption>${escapeHtml(figure.caption)}</figcaption>
<details class="data"><summary>data (${rowCount(figure.data)})</summary>${download(
    figure.id,
    figure.data,
  )}${renderTable(figure.data)}</details>
</figure>`;
}

function rowCount({ rows }: TableData): string {
  return rows.length === 1 ? "1 row" : `${rows.length} rows`;
}

type TableData = Pick<Table, "columns" | "rows">;

/** A column without a value in any row is left out; the CSV has it. */
function renderTable(table: TableData): string {
  const filled = table.columns.filter(
    ({ key }) => table.rows.length === 0 || table.rows.some((row) => (row[key] ?? "") !== ""),
  );
  const columns = filled.map((column) => {
    const numeric = table.rows.some((row) => typeof row[column.key] === "number");
    return { column, align: numeric ? ' class="n"' : "" };
  });
  const head = columns
    .map(({ column, align }) => `<th${align}>${escapeHtml(column.title)}${unitOf(column)}</th>`)
    .join("");
  const body = table.rows
    .map((row) => {
      const cells = columns.map(({ column, align }) => {
        const value = row[column.key] ?? null;
        const text = breakable(escapeHtml(formatCell(value, column)), value);
        return `<td${alignment(column, value, align)}>${text}</td>`;
      });
      return `<tr>${cells.join("")}</tr>`;
    })
    .join("\n");
  return `<div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
}

/** A word of more characters, such as the path of a register, may break anywhere. */
const longWord = 18;

/** Columns of a few words, which never break, unless a cell of theirs is longer than these characters. */
const short: ReadonlySet<string> = new Set(["unit", "source", "rule", "item", "date"]);
const shortText = 14;

/** Length from which a cell is a sentence, whose column needs a minimum width. */
const sentence = 60;

/** Words among numbers are aligned like the numbers. */
function alignment({ key }: Column, value: Cell, numeric: string): string {
  const { length } = String(value ?? "");
  if (short.has(key) && length <= shortText) return ' class="u"';
  const classes = [...(length > sentence ? ["t"] : []), ...(hasLongWord(value) ? ["l"] : [])];
  if (classes.length > 0) return ` class="${classes.join(" ")}"`;
  return typeof value === "string" && numeric !== "" ? ' class="w"' : numeric;
}

function hasLongWord(value: Cell): boolean {
  return typeof value === "string" && value.split(/[\s-]/).some(({ length }) => length > longWord);
}

/** A path breaks between its parts where it breaks. */
function breakable(html: string, value: Cell): string {
  return hasLongWord(value) ? html.replace(/[./_](?=\w)/g, "$&<wbr>") : html;
}

function unitOf(column: Column): string {
  const unit =
    column.unit === undefined || column.unit === noUnit
      ? ""
      : ` <em>${escapeHtml(column.unit)}</em>`;
  const source = column.source === undefined ? "" : ` <small>${column.source}</small>`;
  return unit + source;
}

/** The unit of a number without one, in the data of a page. */
const noUnit = "1";

/** A cell as a person reads it: integers whole with thin groups, others to the column's digits. */
export function formatCell(value: Cell, column: Column): string {
  if (value === null) return "-";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") return column.key === "unit" && value === noUnit ? "-" : value;
  if (Number.isInteger(value)) return readable(value);
  const digits = column.digits ?? 4;
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e7)) return value.toExponential(digits - 1);
  return readable(value, digits);
}

/** RFC 4180 text of a table; the header carries the units. */
export function csvOf(table: TableData): string {
  const quote = (text: string): string =>
    /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  const header = table.columns.map((c) =>
    quote(c.unit === undefined ? c.title : `${c.title} [${c.unit}]`),
  );
  const rows = table.rows.map((row) => table.columns.map((c) => quote(String(row[c.key] ?? ""))));
  return [header, ...rows].map((fields) => fields.join(",")).join("\r\n") + "\r\n";
}

function download(id: string, table: TableData): string {
  const data = encodeURIComponent(csvOf(table));
  return `<a class="csv" download="${id}.csv" href="data:text/csv;charset=utf-8,${data}">CSV</a>`;
}
