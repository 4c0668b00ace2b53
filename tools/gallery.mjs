#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// Draws docs/results/gallery/*.svg. Each picture is a figure of the report of a run at cycle fidelity, or of a
// sweep of area, without the rest of the report.   node tools/gallery.mjs [DIRECTORY OF RUNS]

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const runs = process.argv[2] ?? mkdtempSync(join(tmpdir(), "neardata-gallery-"));
const folder = join(root, "docs", "results", "gallery");

const ofRun = (scenario) => ({
  page: join(scenario, "report.html"),
  args: (out) => [
    "run",
    join("scenarios", `${scenario}.yaml`),
    "--fidelity",
    "cycle",
    "--out",
    dirname(out),
  ],
});

/** Pages by name: where they lie under the directory, and what makes them. */
const pages = {
  "cold-expert": ofRun("cold-expert"),
  "attention-opt-13b": ofRun("attention-opt-13b"),
  "aligned-bits": {
    page: "aligned-bits.html",
    args: (out) => [
      "area",
      "ndp",
      "--sweep",
      "AlignedBits=12,14,16,18,20,22,24,28,32,44",
      "--out",
      out,
    ],
  },
  "query-sets": {
    page: "query-sets.html",
    args: (out) => [
      ...["area", "sparf", "--sweep", "Kernels=1,2", "--sweep", "QuerySets=1,2,4,8"],
      ...["--param", "RingLines=4096", "--param", "MaxKeys=65536", "--out", out],
    ],
  },
};

/** Pictures by name: the page and the figure of it. */
const pictures = {
  roofline: ["cold-expert", "roofline-plot"],
  bandwidth: ["cold-expert", "bandwidth-interleaved-1"],
  phases: ["cold-expert", "expert-phases"],
  machine: ["cold-expert", "machine-graph"],
  heads: ["attention-opt-13b", "pipeline-sparf-znand4k-1-16"],
  "precision-area": ["aligned-bits", "precision-area"],
  "precision-energy": ["aligned-bits", "precision-energy"],
  "query-sets": ["query-sets", "pareto"],
};

function pageOf(name) {
  const { page, args } = pages[name];
  const out = join(runs, page);
  if (!existsSync(out)) {
    execFileSync(process.execPath, [join("src", "cli", "neardata.js"), ...args(out)], {
      cwd: root,
    });
  }
  return readFileSync(out, "utf8");
}

mkdirSync(folder, { recursive: true });
for (const [name, [source, id]] of Object.entries(pictures)) {
  const page = pageOf(source);
  const [, figure] = page.split(`<figure id="${id}" class="drawn">`);
  const svg = figure?.match(/<svg[\s\S]*?<\/svg>/)?.[0];
  if (svg === undefined) {
    const known = [...page.matchAll(/<figure id="([^"]+)" class="drawn">/g)].map(([, one]) => one);
    throw new Error(`the page of ${source} has no figure ${id}, only ${known.join(", ")}`);
  }
  // Titles are for pointers.
  const plain = svg.replace(/<title>[\s\S]*?<\/title>/g, "");
  const drawn = plain.includes("xmlns=")
    ? plain
    : plain.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"');
  // Its ink is dark, and the page around it may be dark, too.
  const paper = '<rect width="100%" height="100%" fill="#fff"/>';
  const onPaper = drawn.replace(/<svg[^>]*>(?:\s*<style>[^]*?<\/style>)?/, `$&${paper}`);
  writeFileSync(
    join(folder, `${name}.svg`),
    `${onPaper.replace(/var\(--plot-background\)/g, "#fff")}\n`,
  );
}
