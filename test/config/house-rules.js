// SPDX-License-Identifier: Apache-2.0
// What the house asks of imports in src, as rules of eslint. A room is a folder of src, or a file
// that lies in src itself. A room imports from its own layer and from those below it, and no import
// goes in a circle; types and imports at run time count like all others.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** From the bottom to the top. */
export const layers = [
  [
    "errors",
    "files",
    "golden",
    "json",
    "model",
    "nearest",
    "pareto",
    "shown",
    "stop-signal",
    "units",
  ],
  [
    ...["config", "dram", "driver", "flash", "host", "lm", "native", "policy", "results", "rtl"],
    ...["synth", "workload"],
  ],
  ["coverage", "prove", "report"],
  ["bench", "experiment", "explore", "serving"],
  // The command line, and the doors of the package.
  ["cli", "index", "session", "vitest"],
];

/** The room of a path that begins with `src/`, and its layer; -1 where no layer has the room. */
function layerOf(path) {
  const room = (path.split("/")[1] ?? "").replace(/\.ts$/, "");
  return { room, layer: layers.findIndex((rooms) => rooms.includes(room)) };
}

/** What is wrong with an import of `target` in `path`, both from `src/` on; null where nothing is. */
export function layerProblem(path, target) {
  const from = layerOf(path);
  const to = layerOf(target);
  if (from.layer < 0) return `src/${from.room} has no layer: test/config/house-rules.js lists them`;
  if (to.layer <= from.layer) return null;
  return `src/${from.room} lies below src/${to.room} and may not import from it`;
}

const importPattern =
  /(?:^|[\s;}])(?:import|export)\b[^"';]*?\bfrom\s+"(\.[^"]+)"|\bimport\(\s*"(\.[^"]+)"\s*\)|^import\s+"(\.[^"]+)"/gm;

/** Imports by file, of all TypeScript below `root`/src; paths begin with `src/`. */
export function importsOf(root) {
  const files = readdirSync(join(root, "src"), { recursive: true })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join("src", name));
  return new Map(
    files.map((path) => {
      const text = readFileSync(join(root, path), "utf8");
      const targets = [...text.matchAll(importPattern)].map((match) =>
        normalize(join(dirname(path), match[1] ?? match[2] ?? match[3])),
      );
      return [path, targets];
    }),
  );
}

/** The way from `target` back to `path`, both included; null where there is none. */
export function wayBack(imports, path, target) {
  const from = new Map([[target, null]]);
  const queue = [target];
  for (const at of queue) {
    if (at === path) {
      const way = [];
      for (let step = at; step !== null; step = from.get(step)) way.unshift(step);
      return way;
    }
    for (const next of imports.get(at) ?? []) {
      if (!from.has(next)) {
        from.set(next, at);
        queue.push(next);
      }
    }
  }
  return null;
}

let read;

/** A rule that looks at each import of a file of src: `problem(path, target)` says what is wrong. */
function importRule(problem) {
  return {
    meta: { type: "problem", schema: [] },
    create(context) {
      const root = context.cwd;
      const path = context.filename.slice(root.length + 1);
      if (!path.startsWith("src/")) return {};
      const look = (node) => {
        const name = node.source?.value;
        if (typeof name !== "string" || !name.startsWith(".")) return;
        const message = problem(root, path, normalize(join(dirname(path), name)));
        if (message !== null) context.report({ node, message });
      };
      return {
        ImportDeclaration: look,
        ExportNamedDeclaration: look,
        ExportAllDeclaration: look,
        ImportExpression: look,
      };
    },
  };
}

export default {
  rules: {
    layers: importRule((root, path, target) => layerProblem(path, target)),
    "no-circle": importRule((root, path, target) => {
      read ??= importsOf(root);
      const way = wayBack(read, path, target);
      return way === null ? null : `a circle of imports: ${[path, ...way].join(" -> ")}`;
    }),
  },
};
