// SPDX-License-Identifier: Apache-2.0
// Rules of eslint for src: the direction of imports, and indices that must be within their list. A room is a folder of src. A room imports from itself and from the rooms below it.
// Imports have no cycles, between files or between the folders of a room; types and imports at run time count like
// all others.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** From the bottom to the top. */
export const rooms = [
  ...["base", "golden", "machine", "workload", "native", "rtl", "results", "scenario"],
  ...["kernels", "lm", "report", "explore", "tools", "papers", "run", "cli"],
];

/** The room of a path that begins with `src/`, and its layer; -1 where it is not in the list. */
function layerOf(path) {
  const room = path.split("/")[1] ?? "";
  return { room, layer: rooms.indexOf(room) };
}

/** The rule that an import of `target` in `path` breaks, both from `src/` on; null where it breaks none. */
export function layerProblem(path, target) {
  const from = layerOf(path);
  const to = layerOf(target);
  if (from.layer < 0) return `src/${from.room} has no layer: test/config/house-rules.js lists them`;
  if (to.layer >= 0 && to.layer <= from.layer) return null;
  return `src/${from.room} lies below src/${to.room} and may not import from it`;
}

/** A folder of a room, with all folders below it, or a file in the room itself. */
function partOf(path) {
  return path.split("/").slice(0, 3).join("/");
}

/** Imports between the parts of rooms: each part with those of the same room from which its files import. */
export function partImports(imports) {
  const parts = new Map();
  for (const [path, targets] of imports) {
    const from = partOf(path);
    const to = parts.get(from) ?? new Set();
    parts.set(from, to);
    for (const target of targets.map(partOf)) {
      if (target !== from && layerOf(target).room === layerOf(from).room) to.add(target);
    }
  }
  return parts;
}

/** The way from the part of `target` back to that of `path`; null without one, and between two files of a room. */
export function partWayBack(parts, path, target) {
  const [from, to] = [partOf(path), partOf(target)];
  const isWithin = from === to || !parts.get(from)?.has(to);
  const areFiles = from === path && to === target;
  return isWithin || areFiles ? null : wayBack(parts, from, to);
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
let parts;

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

/**
 * Whether values of this type are lists: arrays, tuples and typed arrays. A record is none: its keys may be absent, as
 * may the groups of a match.
 */
function isList(checker, type) {
  if (type.isUnion()) return type.types.some((one) => isList(checker, one));
  const name = type.getSymbol()?.getName() ?? "";
  if (/^RegExp/.test(name)) return false;
  return checker.isArrayType(type) || checker.isTupleType(type) || /^\w*Array(?:Like)?$/.test(name);
}

/** The element that an expression reads, `rows[i]?.[k]` among them; null for all else, such as `list?.[i]`. */
function elementOf(expression) {
  const isChain = expression.type === "ChainExpression";
  const node = isChain ? expression.expression : expression;
  if (node.type !== "MemberExpression" || !node.computed) return null;
  const { object, optional } = node;
  const isElement = object.type === "MemberExpression" && object.computed;
  return isChain && !(optional && isElement) ? null : node;
}

/** Zero, NaN and the empty text: defaults that hide a missing value in a computation or a sentence. */
function isEmptyDefault({ type, value, name }) {
  return type === "Literal"
    ? value === 0 || value === 0n || value === ""
    : type === "Identifier" && name === "NaN";
}

/** `list[i] ?? 0` computes on where an index is wrong; `list.at(i) ?? ""` is for lists that may be short. */
const noIndexDefault = {
  meta: { type: "problem", schema: [] },
  create(context) {
    const { parserServices } = context.sourceCode;
    return {
      "LogicalExpression[operator='??']"(node) {
        const element = isEmptyDefault(node.right) ? elementOf(node.left) : null;
        if (element === null) return;
        const type = parserServices.getTypeAtLocation(element.object);
        if (!isList(parserServices.program.getTypeChecker(), type)) return;
        const message = "an index outside its list is a fault: present(list[i]) throws";
        context.report({ node, message });
      },
    };
  },
};

export default {
  rules: {
    "no-index-default": noIndexDefault,
    layers: importRule((root, path, target) => layerProblem(path, target)),
    "no-circle": importRule((root, path, target) => {
      read ??= importsOf(root);
      const way = wayBack(read, path, target);
      return way === null ? null : `a circle of imports: ${[path, ...way].join(" -> ")}`;
    }),
    "no-folder-circle": importRule((root, path, target) => {
      read ??= importsOf(root);
      parts ??= partImports(read);
      const way = partWayBack(parts, path, target);
      return way === null ? null : `a circle of folders: ${[partOf(path), ...way].join(" -> ")}`;
    }),
  },
};
