// SPDX-License-Identifier: Apache-2.0
// Reports in a browser, in a window and on a phone: no console error, every plot complete, no text cut off or over other
// text, no word broken, nothing wider than the page, no table wider than the text. Injected faults are reported.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { renderPage } from "../../src/report/html.ts";
import type { Page } from "../../src/report/page.ts";
import { legend } from "../../src/report/plot-text.ts";
import { lookAt } from "../helpers/browser.ts";
import { cli, inTemporary } from "../helpers/cli.ts";
import { needs } from "../helpers/needs.ts";
import { full } from "../helpers/tier.ts";

const scenario = "scenarios/cold-expert.yaml";
const widths = full ? [390, 1000] : [390];

describe("in a browser", needs("chromium"), () => {
  it(
    "shows a run and a comparison of runs whole",
    () =>
      inTemporary(async (directory) => {
        const out = ["cycle", "analytic"].map((fidelity) => join(directory, fidelity));
        for (const path of out) {
          const fidelity = path.endsWith("cycle") ? "cycle" : "analytic";
          const { code } = await cli("run", scenario, "--fidelity", fidelity, "--out", path);
          expect(code).toBe(0);
        }
        const compared = join(directory, "compare.html");
        expect((await cli("report", ...out, "--out", compared)).code).toBe(0);
        const run = readFileSync(join(out[0] ?? "", "report.html"), "utf8");
        for (const width of widths) {
          expect(lookAt(run, width)).toMatchObject({ complaints: [] });
          expect(lookAt(readFileSync(compared, "utf8"), width)).toMatchObject({
            complaints: [],
            plots: 1,
          });
        }
      }),
    240_000,
  );

  it("has no table wider than the text", () => {
    const keys = [...Array(14).keys()].map((i) => `x${String(i)}`);
    const columns = keys.map((key) => ({ key, title: `quantity ${key}`, unit: "GB/s" }));
    const row = Object.fromEntries(keys.map((key, i) => [key, 123_456.78 * (i + 1)]));
    const page = renderPage({
      title: "wide",
      lead: "A text that is as wide as the column.",
      provenance: [],
      sections: [
        {
          id: "s",
          title: "s",
          blocks: [{ kind: "table", id: "t", caption: "t", columns, rows: [row, row] }],
        },
      ],
    });
    for (const width of [700, 1400]) expect(lookAt(page, width).complaints).toEqual([]);
    const unboxed = page.replace("</style>", ".scroll { margin-right: -9rem } </style>");
    expect(lookAt(unboxed, 1400).complaints.join()).toMatch(/a table has a box of/);
  }, 60_000);

  it("sorts a table by the column that is clicked, and zooms a plot", () => {
    const page = renderPage({
      title: "script",
      lead: "",
      provenance: [],
      sections: [
        {
          id: "s",
          title: "s",
          blocks: [
            {
              kind: "table",
              id: "t",
              caption: "t",
              columns: [{ key: "x", title: "x" }],
              rows: [{ x: 1000 }, { x: 9 }, { x: "word" }, { x: 0.5 }],
            },
            {
              kind: "figure",
              id: "f",
              caption: "f",
              data: { columns: [], rows: [] },
              svg: '<svg width="300" height="60" viewBox="0 0 300 60"><line x2="9" y2="9" stroke="black"/></svg>',
            },
          ],
        },
      ],
    });
    const checks = `
      const cells = () => [...document.querySelectorAll("#t td")].map((c) => c.textContent).join(" ");
      const is = (found, wanted) => { if (found !== wanted) throw new Error(found + " is not " + wanted); };
      const head = document.querySelector("#t th");
      for (const wanted of ["0.5 9 1,000 word", "word 1,000 9 0.5", "1,000 9 word 0.5"]) {
        head.click();
        is(cells(), wanted);
      }
      const svg = document.querySelector("#f svg");
      const [closer, further] = document.querySelectorAll("#f .zoom button");
      closer.click();
      is(svg.getAttribute("viewBox"), "75 15 150 30");
      further.click();
      is(svg.getAttribute("viewBox"), "0 0 300 60");`;
    const tried = page.replace("</body>", `<script>${checks}</script></body>`);
    expect(lookAt(tried, 1000).complaints).toEqual([]);
    const wrong = page.replace(
      "</body>",
      `<script>${checks.replace("0.5 9", "9 0.5")}</script></body>`,
    );
    expect(lookAt(wrong, 1000).complaints.join()).toMatch(/is not 9 0.5/);
  }, 60_000);

  it("prints the rows of a folded table, and the colours of a legend", () => {
    const rows = [{ x: "folded" }];
    const columns = [{ key: "x", title: "x" }];
    const svg = `${legend(["a", "b"])}<svg width="300" height="60"><line x2="9" y2="9" stroke="black"/></svg>`;
    const page = renderPage({
      title: "print",
      lead: "",
      provenance: [],
      sections: [
        {
          id: "s",
          title: "s",
          blocks: [
            { kind: "table", id: "t", caption: "t", columns, rows, folded: true },
            { kind: "figure", id: "f", caption: "f", data: { columns, rows }, svg },
          ],
        },
      ],
    });
    const checks = `
      const is = (found, wanted) => { if (found !== wanted) throw new Error(found + " is not " + wanted); };
      const shown = (selector) => document.querySelector(selector).checkVisibility();
      is(shown("#t td"), true);
      is(shown("#f td"), false);
      is(shown("#t summary"), false);
      is(getComputedStyle(document.querySelector(".key i")).printColorAdjust, "exact");`;
    const tried = (print: string): string =>
      print.replace("</body>", `<script>${checks}</script></body>`);
    const print = page
      .replaceAll("@media screen", "@media not all")
      .replaceAll("@media print", "@media all");
    expect(lookAt(tried(print), 700).complaints).toEqual([]);
    expect(lookAt(tried(page), 700).complaints.join()).toMatch(/false is not true/);
  }, 60_000);

  it("complains about an empty plot, cut text, a wide page, a missing value and a script's error", () => {
    const figure = (id: string, svg: string): Page["sections"][number]["blocks"][number] => ({
      kind: "figure",
      id,
      caption: id,
      svg: `<svg width="300" height="60" style="overflow: hidden">${svg}</svg>`,
      data: { columns: [{ key: "x", title: "x" }], rows: [{ x: "undefined" }] },
    });
    const line = '<line x1="0" y1="0" x2="9" y2="9" stroke="black"/>';
    const page = renderPage({
      title: "faults",
      lead: "",
      provenance: [],
      sections: [
        {
          id: "s",
          title: "s",
          blocks: [
            figure("empty", ""),
            figure("cut", `${line}<text x="280" y="20">a long text that ends outside</text>`),
            figure("nan", '<path d="M0,0L1,NaN"/>'),
            figure("two", `${line}<text x="20" y="20">one</text><text x="25" y="24">other</text>`),
            {
              kind: "table",
              id: "narrow",
              caption: "narrow",
              columns: [{ key: "x", title: "x" }],
              rows: [{ x: "breakable" }],
            },
          ],
        },
      ],
    })
      .replace(
        "</style>",
        "#narrow td { word-break: break-all; width: 3rem; min-width: 0 !important; max-width: 3rem }</style>",
      )
      .replace("<main>", '<main><div style="width:3000px">wide</div><script>nothing()</script>');
    const { complaints } = lookAt(page, 1000);
    for (const pattern of [
      /empty: not drawn/,
      /cut: 'a long text that ends outside' is cut off/,
      /nan: a value is not a number/,
      /3000|wide in a window/,
      /two: 'one' and 'other' overlap/,
      /a cell breaks the word breakable/,
      /a cell says undefined/,
      /CONSOLE.*nothing is not defined/,
    ]) {
      expect(complaints.some((c) => pattern.test(c))).toBe(true);
    }
  }, 60_000);
});
