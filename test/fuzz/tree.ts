// SPDX-License-Identifier: Apache-2.0
// JSON and YAML documents as trees that can also hold what no parser gives back: a key twice, a
// number that JSON has no word for, lists nested thousands deep. Trees are values; a change makes a
// new one.

import { hostileTexts, hostileTokens, hostileTrees } from "./hostile-pieces.ts";

/** A scalar as it is written, a list, or an object whose keys may repeat. */
export type Tree =
  | { readonly kind: "scalar"; readonly token: string }
  | { readonly kind: "list"; readonly items: readonly Tree[] }
  | { readonly kind: "object"; readonly entries: readonly Entry[] };

type Entry = readonly [key: string, value: Tree];

export const scalar = (token: string): Tree => ({ kind: "scalar", token });

/** The tree of a value as `JSON.stringify` would write it. */
export function treeOf(value: unknown): Tree {
  if (Array.isArray(value)) return { kind: "list", items: value.map(treeOf) };
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
    return { kind: "object", entries: entries.map(([key, inner]) => [key, treeOf(inner)]) };
  }
  return scalar(JSON.stringify(value));
}

/** JSON text. */
export function jsonText(tree: Tree): string {
  switch (tree.kind) {
    case "scalar":
      return tree.token;
    case "list":
      return `[${tree.items.map(jsonText).join(", ")}]`;
    case "object":
      return `{${tree.entries.map(([k, v]) => `${JSON.stringify(k)}: ${jsonText(v)}`).join(", ")}}`;
  }
}

/** YAML text: a block for objects; lists and scalars inside as in JSON. */
export function yamlText(tree: Tree, indent = ""): string {
  if (tree.kind !== "object" || tree.entries.length === 0) return `${indent}${jsonText(tree)}\n`;
  return tree.entries
    .map(([key, value]) => {
      const name = /^[A-Za-z][\w.-]*$/.test(key) ? key : JSON.stringify(key);
      return value.kind === "object" && value.entries.length > 0
        ? `${indent}${name}:\n${yamlText(value, `${indent}  `)}`
        : `${indent}${name}: ${jsonText(value)}\n`;
    })
    .join("");
}

/** Nodes under a tree, itself included. */
function sizeOf(tree: Tree): number {
  switch (tree.kind) {
    case "scalar":
      return 1;
    case "list":
      return tree.items.reduce((sum, item) => sum + sizeOf(item), 1);
    case "object":
      return tree.entries.reduce((sum, [, value]) => sum + sizeOf(value), 1);
  }
}

/** The tree with its node `at`, counted in the order of the text, put through `change`. */
function replaceAt(tree: Tree, at: number, change: (node: Tree) => Tree): Tree {
  if (at === 0) return change(tree);
  let left = at - 1;
  const into = (node: Tree): Tree => {
    const size = left < 0 ? 0 : sizeOf(node);
    if (left < 0 || left >= size) {
      left -= size;
      return node;
    }
    const changed = replaceAt(node, left, change);
    left = -1;
    return changed;
  };
  switch (tree.kind) {
    case "scalar":
      return tree;
    case "list":
      return { kind: "list", items: tree.items.map(into) };
    case "object":
      return { kind: "object", entries: tree.entries.map(([key, value]) => [key, into(value)]) };
  }
}

function nodeAt(tree: Tree, at: number): Tree {
  let found = tree;
  replaceAt(tree, at, (node) => (found = node));
  return found;
}

const pick = <T>(from: readonly T[], at: number): T => from[at % from.length] as T;

/** A name similar to this one, or one that JavaScript objects have already. */
function otherName(key: string, by: number): string {
  const names = ["__proto__", "constructor", "toString", "", " ", `${key}s`, key.slice(1)];
  return pick([...names, key.toUpperCase(), `${key}\u0000`, key.repeat(40), "id", "kind"], by);
}

/** Changes the entries of an object or the items of a list at one place. */
function changeMember(node: Tree, by: number, also: number): Tree {
  if (node.kind === "scalar") return changeScalar(node.token, by, also);
  const [how, where] = [by % 6, Math.floor(by / 6)];
  if (node.kind === "list") {
    const at = node.items.length === 0 ? 0 : where % node.items.length;
    const [one = scalar("0")] = node.items.slice(at, at + 1);
    const [before, after] = [node.items.slice(0, at), node.items.slice(at + 1)];
    const items: readonly (readonly Tree[])[] = [
      [...before, ...after],
      [...before, one, one, ...after],
      [...before, scalar(pick(hostileTokens, also)), ...after],
      Array.from({ length: 300 }, () => one),
      [],
      [...after, one, ...before],
    ];
    return { kind: "list", items: items[how] ?? [] };
  }
  const at = node.entries.length === 0 ? 0 : where % node.entries.length;
  const [one = ["x", scalar("0")] as const] = node.entries.slice(at, at + 1);
  const [before, after] = [node.entries.slice(0, at), node.entries.slice(at + 1)];
  const other = pick([...node.entries, one], also);
  const entries: readonly (readonly Entry[])[] = [
    [...before, ...after],
    [...before, one, one, ...after],
    [...before, [otherName(one[0], also), one[1]], ...after],
    [...node.entries, [otherName(one[0], also), scalar(pick(hostileTokens, also))]],
    [...before, [one[0], other[1]], ...after],
    [...before, [one[0], scalar(pick(hostileTokens, also))], ...after],
  ];
  return { kind: "object", entries: entries[how] ?? [] };
}

/** Another scalar of the same kind, or of another. */
function changeScalar(token: string, by: number, also: number): Tree {
  const number = Number(token);
  const near = Number.isFinite(number)
    ? [-number, number + 1, number - 1, 2 * number, number / 3, 1e3 * number, 1e9 * number]
    : [0, 1, -1];
  const text = token.startsWith('"') ? token.slice(1, -1) : token;
  const options = [
    scalar(pick(hostileTokens, also)),
    scalar(pick(hostileTokens, also)),
    scalar(JSON.stringify(pick(hostileTexts, also))),
    scalar(String(pick(near, also))),
    scalar(JSON.stringify(text)),
    scalar(`"${text.slice(0, also % (text.length + 1))}"`),
    scalar(`"${pick(["-", " ", "1e999 ", "0"], also)}${text}"`),
  ];
  return pick(options, by);
}

/** One change of a tree, chosen by four numbers: kind, position, and two for the value. */
export function mutateTree(tree: Tree, kind: number, at: number, by: number, also: number): Tree {
  const size = sizeOf(tree);
  switch (kind % 8) {
    case 0:
      return replaceAt(tree, at % size, () => scalar(pick(hostileTokens, by)));
    case 1:
      return replaceAt(tree, at % size, () => scalar(pick(hostileTrees, by)));
    case 2:
      return replaceAt(tree, at % size, (node) => ({ kind: "list", items: [node] }));
    case 3:
      return replaceAt(tree, at % size, () => nodeAt(tree, also % size));
    default:
      return replaceAt(tree, at % size, (node) => changeMember(node, by, also));
  }
}
