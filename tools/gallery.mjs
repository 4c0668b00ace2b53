#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// The pictures of docs/gallery.md, from real runs: each is a figure of the page of a run at cycle fidelity,
// without its page.   node tools/gallery.mjs [DIRECTORY OF RUNS]

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const runs = process.argv[2] ?? mkdtempSync(join(tmpdir(), "neardata-gallery-"));
const folder = join(root, "docs", "gallery");

/** Pictures by name: the scenario and the figure of its page. */
const pictures = {
  roofline: ["cold-expert", "roofline-plot"],
  bandwidth: ["cold-expert", "bandwidth-interleaved-1"],
  phases: ["cold-expert", "expert-phases"],
  machine: ["cold-expert", "machine-graph"],
  heads: ["attention-opt-13b", "pipeline-sparf-znand4k-1-16"],
};

function pageOf(scenario) {
  const out = join(runs, scenario);
  if (!existsSync(out)) {
    const args = ["run", join("scenarios", `${scenario}.yaml`), "--fidelity", "cycle", "--out", out];
    execFileSync(process.execPath, [join("src", "cli", "neardata.js"), ...args], { cwd: root });
  }
  return readFileSync(join(out, "report.html"), "utf8");
}

mkdirSync(folder, { recursive: true });
for (const [name, [scenario, id]] of Object.entries(pictures)) {
  const page = pageOf(scenario);
  const [, figure] = page.split(`<figure id="${id}" class="drawn">`);
  const svg = figure?.match(/<svg[\s\S]*?<\/svg>/)?.[0];
  if (svg === undefined) {
    const known = [...page.matchAll(/<figure id="([^"]+)" class="drawn">/g)].map(([, one]) => one);
    throw new Error(`the page of ${scenario} has no figure ${id}, only ${known.join(", ")}`);
  }
  // Titles are for pointers.
  const plain = svg.replace(/<title>[\s\S]*?<\/title>/g, "");
  const drawn = plain.includes("xmlns=") ? plain : plain.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"');
  writeFileSync(join(folder, `${name}.svg`), `${drawn.replace(/var\(--plot-background\)/g, "#fff")}\n`);
}
