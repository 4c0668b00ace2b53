// SPDX-License-Identifier: Apache-2.0
// A page as a reader gets it: self-contained, escaped, every number with its unit, data as CSV.

import { describe, expect, it } from "vitest";
import { csvOf, formatCell, renderPage } from "../../src/report/html.ts";
import type { Figure, Page, Table } from "../../src/report/page.ts";

const table: Table = {
  kind: "table",
  id: "rates",
  caption: "Rates <measured>",
  columns: [
    { key: "name", title: "name" },
    { key: "rate", title: "rate", unit: "GB/s", source: "measured" },
  ],
  rows: [
    { name: 'a "quoted", name', rate: 141.97 },
    { name: "none", rate: null },
    { name: "bound", rate: "memory" },
  ],
};

const page: Page = {
  title: "A & B",
  lead: "lead",
  provenance: [["config hash", "abc"]],
  sections: [
    {
      id: "one",
      title: "One",
      blocks: [
        table,
        { kind: "prose", text: "<script>" },
        { kind: "verdict", name: "rule", pass: false, detail: "7 of 9" },
      ],
    },
  ],
};

describe("a page", () => {
  it("places neighbouring small figures in one grid, and others below each other", () => {
    const figure = (id: string, small: boolean): Figure => ({
      kind: "figure",
      id,
      caption: id,
      svg: "<svg></svg>",
      small,
      data: { columns: [], rows: [] },
    });
    const blocks = [figure("a", true), figure("b", true), figure("c", false), figure("d", true)];
    const html = renderPage({ ...page, sections: [{ id: "s", title: "S", blocks }] });
    const marks = html.matchAll(/<div class="multiples">|<figure id="(\w)"|<\/figure>\n<\/div>/g);
    expect([...marks].map(([mark, id]) => id ?? (mark.startsWith("<div") ? "(" : ")"))).toEqual([
      "(",
      "a",
      "b",
      ")",
      "c",
      "(",
      "d",
      ")",
    ]);
  });

  const html = renderPage(page);

  it("shows the rows of a folded table when they are asked for, and a table of many columns beside the text", () => {
    const drawn = (change: Partial<Table>): string =>
      renderPage({
        ...page,
        sections: [{ id: "s", title: "S", blocks: [{ ...table, ...change }] }],
      });
    expect(drawn({})).toMatch(/<figure id="rates"><figcaption>[^]*<\/figcaption><div/);
    expect(drawn({ folded: true })).toMatch(
      /<figcaption>Rates [^]*CSV<\/a><\/figcaption><details class="folded"><summary>3 rows<\/summary><div[^]*<td>bound/,
    );
    expect(drawn({ folded: true, rows: table.rows.slice(1, 2) })).toContain("<summary>1 row<");
    const many = Array.from({ length: 8 }, (_, i) => ({ key: `k${i}`, title: `k${i}` }));
    expect(drawn({ columns: many })).toContain('<figure id="rates" class="wide">');
    expect(drawn({ columns: many.slice(1) })).toContain('<figure id="rates">');
  });

  it("leaves out a column without a value, and shows no unit for a number without one", () => {
    const ratios: Table = {
      ...table,
      columns: [
        { key: "name", title: "name" },
        { key: "ratio", title: "ratio", unit: "1", source: "derived" },
        { key: "unit", title: "unit" },
        { key: "note", title: "note" },
        { key: "from", title: "from" },
      ],
      rows: [{ name: "gain", ratio: 2, unit: "1", note: "", from: null }],
    };
    const drawn = renderPage({ ...page, sections: [{ id: "s", title: "S", blocks: [ratios] }] });
    const heads = [...drawn.matchAll(/<th(?: class="n")?>(.*?)<\/th>/g)].map(([, head]) => head);
    expect(heads).toEqual(["name", "ratio <small>derived</small>", "unit"]);
    expect(drawn).toContain('<td class="u">-</td>');
    expect(drawn).toContain(encodeURIComponent("ratio [1],unit,note,from"));
  });

  it("lets the path of a register break between its parts, in a sentence, too", () => {
    const path = "u_drain.u_chunks.rows_left_q";
    const long = `${"word ".repeat(12)}${path}`;
    const rows = [path, long, "short_name"].map((name) => ({ name, rate: 1 }));
    const blocks = [{ ...table, rows }];
    const drawn = renderPage({ ...page, sections: [{ id: "s", title: "S", blocks }] });
    const broken = "u_<wbr>drain.<wbr>u_<wbr>chunks.<wbr>rows_<wbr>left_<wbr>q";
    expect(drawn).toContain(`<td class="l">${broken}</td>`);
    expect(drawn).toContain(`<td class="t l">${"word ".repeat(12)}${broken}</td>`);
    expect(drawn).toContain("<td>short_name</td>");
  });

  it("shows text between backquotes as code", () => {
    const blocks = [{ kind: "prose", text: "run `a <b>` or `c`" }] as const;
    const drawn = renderPage({ ...page, sections: [{ id: "s", title: "S", blocks }] });
    expect(drawn).toContain("<p>run <code>a &lt;b&gt;</code> or <code>c</code></p>");
  });

  it("escapes what it is told", () => {
    expect(html).toContain("A &amp; B");
    expect(html).toContain("&lt;script&gt;");
    // The page's own script is the only one, and is at its end.
    expect(html.split("<script")).toHaveLength(2);
    expect(html.indexOf("<script")).toBeGreaterThan(html.indexOf("</footer>"));
  });

  it("needs nothing from outside", () => {
    expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
  });

  it("links what lies beside it, and has small files in itself", () => {
    const beside = [
      { file: "a b.fst", what: "a waveform" },
      { file: "timeline.json", what: "times", content: "H4s=" },
    ];
    const linked = renderPage({ ...page, beside });
    expect(linked).toContain('<a href="a%20b.fst">a b.fst</a> a waveform');
    expect(linked).toContain(
      '<a download="timeline.json.gz" href="data:application/gzip;base64,H4s=">in this page</a>',
    );
    expect(html).not.toContain("Beside this page");
  });

  it("shows unit and source in the head of a column, the outcome of a check, and the provenance", () => {
    expect(html).toContain("rate <em>GB/s</em> <small>measured</small>");
    expect(html).toContain('class="verdict fail"');
    expect(html).toContain("<dt>config hash</dt><dd>abc</dd>");
    expect(html).toContain('<p class="hash">config hash <code>abc</code></p>');
  });

  it("sets words among numbers as these are set", () => {
    expect(html).toContain('<td class="n">142</td>');
    expect(html).toContain('<td class="w">memory</td>');
    expect(html).toContain("<td>bound</td>");
  });

  it("offers the data as CSV with units in the header", () => {
    const csv = csvOf(table);
    expect(csv).toBe(
      'name,rate [GB/s]\r\n"a ""quoted"", name",141.97\r\nnone,\r\nbound,memory\r\n',
    );
    expect(html).toContain(encodeURIComponent(csv));
  });
});

describe("a cell", () => {
  const column = { key: "x", title: "x" };
  it.each([
    [335567, "335,567"],
    [141.97123, "142"],
    [0.000496, "4.960e-4"],
    [0, "0"],
    [null, "-"],
    [true, "yes"],
    ["text", "text"],
  ])("%s reads %s", (value, text) => {
    expect(formatCell(value, column)).toBe(text);
  });
});
