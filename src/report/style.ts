// SPDX-License-Identifier: Apache-2.0
// The one style sheet of every report.

export const stylesheet = `
:root { --ink: #1b1f24; --soft: #5b6470; --line: #d9dee4; --paper: #ffffff; --wash: #f5f7f9;
  --good: #1a7f4b; --bad: #b3261e; --link: #0b5cad; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ed; --soft: #9aa5b1; --line: #323a44;
  --paper: #14181d; --wash: #1b2027; --good: #5fd39a; --bad: #ff8a80; --link: #7db7ff;
  --series-1: #2f95d8; --series-3: #16b58a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem 1rem 4rem; color: var(--ink);
  background: var(--paper); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .3rem; }
h2 { font-size: 1.2rem; margin: 2.2rem 0 .6rem; padding-top: .4rem; border-top: 1px solid var(--line); }
.lead { color: var(--soft); max-width: 46rem; margin: 0 0 1rem; }
.hash { color: var(--soft); font-size: .85rem; margin: -.6rem 0 1rem; }
code { font-family: ui-monospace, monospace; }
nav { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; font-size: .9rem; position: sticky; top: 0; z-index: 2;
  background: var(--paper); border-bottom: 1px solid var(--line); padding: .5rem 0; margin-top: 1rem; }
nav { flex-wrap: nowrap; overflow-x: auto; white-space: nowrap; } section { scroll-margin-top: 3.5rem; }
@media screen and (min-width: 84rem) { nav { position: fixed; top: 1.5rem; left: 1rem; width: calc(50vw - 32.5rem);
  max-height: calc(100vh - 3rem); overflow: auto; white-space: normal; flex-flow: column; gap: .5rem; border: 0;
  margin: 0; padding: 0; }
  section { scroll-margin-top: 1rem; } }
.summary { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: .8rem; margin: 1rem 0 0; }
.summary div { background: var(--wash); border: 1px solid var(--line); border-radius: .4rem; padding: .6rem .8rem; }
.summary dt { color: var(--soft); font-size: .85rem; } .summary dd { margin: 0; font-size: .9rem; }
.summary b { display: block; font-size: 1.35rem; font-variant-numeric: tabular-nums; line-height: 1.35; }
.summary .pass b { color: var(--good); } .summary .fail b { color: var(--bad); }
section > details > summary { list-style-position: inside; color: var(--ink); margin-top: 2.2rem;
  border-top: 1px solid var(--line); padding-top: .4rem; }
section > details > summary h2 { display: inline; border: 0; padding: 0; margin: 0; }
a { color: var(--link); text-decoration: none; } a:hover { text-decoration: underline; }
figure { margin: 1rem 0 1.6rem; } figcaption { color: var(--soft); font-size: .9rem; margin: .3rem 0; }
.multiples { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 0 1.5rem; }
.multiples figure { min-width: 0; margin-bottom: 1rem; }
.plot { color: var(--ink); } .plot svg { max-width: 100%; height: auto; overflow: visible;
  background: transparent; --plot-background: var(--paper); }
.plot svg.zoomed { overflow: hidden; cursor: grab; touch-action: none; }
.zoom { display: flex; gap: .2rem; } .zoom button { font: inherit; font-size: .75rem; color: var(--soft);
  background: none; border: 1px solid var(--line); border-radius: .3rem; padding: 0 .4rem; cursor: pointer; }
.beside { color: var(--soft); font-size: .85rem; margin: .6rem 0 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .88rem; font-variant-numeric: tabular-nums; }
@media screen and (min-width: 48.01rem) { .wide table { font-size: .78rem; } .wide th, .wide td { padding-left: .5rem; }
  .wide th:first-child, .wide td:first-child { padding-left: 0; } }
th, td { padding: .3rem 0 .3rem .8rem; text-align: left; border-bottom: 1px solid var(--line);
  vertical-align: bottom; } td { vertical-align: top; } .n, .w { text-align: right; } td.n { white-space: nowrap; }
th { font-weight: 600; } th em, th small { display: block; font-weight: 400; font-style: normal;
  color: var(--soft); font-size: .78rem; }
th.sorts { cursor: pointer; } th[aria-sort]::after { content: " \\2191"; }
th[aria-sort="descending"]::after { content: " \\2193"; }
td.u { white-space: nowrap; } td { overflow-wrap: break-word; } th { min-width: 2.6rem; }
td.t { min-width: 9rem; }
th:first-child, td:first-child { padding-left: 0; } td:first-child:not(.n) { min-width: 10rem; }
tbody tr:hover { background: var(--wash); }
.data, .folded { font-size: .9rem; } summary { cursor: pointer; color: var(--soft); }
.csv { font-size: .8rem; border: 1px solid var(--line); border-radius: .3rem; padding: 0 .4rem; }
td.l { overflow-wrap: anywhere; } td.l:not(.t) { min-width: 6rem; }
.key { font-size: .85rem; margin-right: 1rem; white-space: nowrap; }
.key i { display: inline-block; width: .8em; height: .8em; margin-right: .4em; border-radius: 2px;
  -webkit-print-color-adjust: exact; print-color-adjust: exact; }
.verdict { margin: .25rem 0; } .verdict b { display: inline-block; min-width: 3.6rem; }
.verdict.pass b { color: var(--good); } .verdict.fail b { color: var(--bad); }
.verdict small { color: var(--soft); }
footer dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; font-size: .85rem; }
footer dt { color: var(--soft); } footer dd { margin: 0; overflow-wrap: anywhere;
  font-family: ui-monospace, monospace; }
@media screen and (max-width: 48rem) { table { font-size: .74rem; } th, td { padding-left: .35rem; }
  th em, th small { font-size: .68rem; } td:first-child:not(.n) { min-width: 5rem; }
  td.t { min-width: 6.5rem; } th { min-width: 2.2rem; font-size: .68rem; } }
@media (max-width: 40rem) { .plot { overflow-x: auto; } .plot svg { max-width: none; width: 44rem; }
  .multiples .plot svg { max-width: 100%; width: 100%; }
  th:first-child, td:first-child { position: sticky; left: 0; background: var(--paper);
    padding-right: .4rem; box-shadow: inset 0 -1px var(--line); } td:first-child:not(.n) { min-width: 7rem; }
  th { min-width: 4rem; } }
@media print { @page { margin: 14mm; } body { max-width: none; padding: 0; font-size: 11pt; }
  nav, .csv, .zoom, .beside, .data, .folded > summary { display: none; }
  section > details > summary { list-style: none; display: block; break-after: avoid; break-inside: avoid; }
  details:not(.data)::details-content { content-visibility: visible; block-size: auto; }
  .multiples { grid-template-columns: 1fr 1fr; }
  .summary div, figcaption { break-inside: avoid; } h2, figcaption { break-after: avoid; }
  .drawn, tr { break-inside: avoid; } .drawn figcaption { break-after: auto; }
  .scroll { overflow: visible; } table { font-size: 7.5pt; }
  th, td { padding-left: .4rem; } th em, th small { font-size: 7pt; }
  td:first-child:not(.n) { min-width: 6rem; } }
`;
