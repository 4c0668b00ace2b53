// SPDX-License-Identifier: Apache-2.0
// What the flow needs to know of a Liberty file: areas of cells, which are flip-flops, a buffer to
// drive inputs with, cells that are constant, the NAND2 that is one gate equivalent, the unit of time.

import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

import { inputError } from "../errors.ts";
import { inRepository } from "../native/paths.ts";

export interface LibraryCell {
  readonly name: string;
  /** um2 */
  readonly area: number;
  readonly flipFlop: boolean;
}

export interface Library {
  readonly path: string;
  readonly name: string;
  /** The Liberty text, uncompressed. */
  readonly text: string;
  readonly cells: ReadonlyMap<string, LibraryCell>;
  /** The smallest two-input NAND: one gate equivalent. */
  readonly nand2: LibraryCell;
  readonly buffer: string;
  /** Cell and pin of a constant one and of a constant zero. */
  readonly high: readonly [cell: string, pin: string];
  readonly low: readonly [cell: string, pin: string];
  /** Picoseconds in one unit of time. */
  readonly timeUnit: number;
}

/** The project's own library: the class of 7 nm, with the sources of its numbers. */
export function ownLibrary(): string {
  return inRepository("synth", "gates7.lib");
}

/**
 * Reads a Liberty file, also one compressed with gzip.
 * @throws NeardataError `bad-input` when it lacks a NAND2, a buffer, a flip-flop or constants.
 */
export function readLibrary(path: string): Library {
  const bytes = readFileSync(path);
  const text = (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString();
  const found = [...text.matchAll(/^[ \t]*cell\s*\(\s*"?(\w+)"?\s*\)\s*\{/gm)];
  const bodies = found.map((match, i): readonly [string, string] => [
    match[1] ?? "",
    text.slice(match.index, found[i + 1]?.index),
  ]);
  const cells = new Map(bodies.map(([name, body]) => [name, cellOf(name, body)]));
  const nand2 = smallest(bodies, cells, isNand2);
  const buffer = smallest(bodies, cells, isBuffer);
  const high = constant(bodies, "1");
  const low = constant(bodies, "0");
  if (nand2 === undefined || buffer === undefined || high === undefined || low === undefined) {
    throw inputError(path, "a library needs a NAND2, a buffer and cells for constant 1 and 0.");
  }
  if (![...cells.values()].some((c) => c.flipFlop)) {
    throw inputError(path, "the library has no flip-flop.");
  }
  return {
    path,
    name: /library\s*\(\s*"?([\w.-]+)/.exec(text)?.[1] ?? path,
    text,
    cells,
    nand2,
    buffer: buffer.name,
    high,
    low,
    timeUnit: timeUnitOf(text),
  };
}

function cellOf(name: string, body: string): LibraryCell {
  const area = Number(/\barea\s*:\s*([\d.eE+-]+)/.exec(body)?.[1] ?? 0);
  return { name, area, flipFlop: /^\s*ff\s*\(/m.test(body) };
}

type Bodies = readonly (readonly [name: string, body: string])[];

function smallest(
  bodies: Bodies,
  cells: ReadonlyMap<string, LibraryCell>,
  fits: (name: string, body: string) => boolean,
): LibraryCell | undefined {
  return bodies
    .filter(([name, body]) => fits(name, body))
    .flatMap(([name]) => cells.get(name) ?? [])
    .sort((a, b) => a.area - b.area)[0];
}

/** The function of the only output, without blanks and parentheses. */
function functionOf(body: string): string | null {
  const functions = [...body.matchAll(/[^_]function\s*:\s*"([^"]*)"/g)].map((m) => m[1] ?? "");
  return functions.length === 1 ? (functions[0] ?? "").replaceAll(/[\s()]/g, "") : null;
}

function inputsOf(body: string): readonly string[] {
  return [...body.matchAll(/^\s*pin\s*\(\s*"?(\w+)"?\s*\)[\s\S]*?direction\s*:\s*"?(\w+)/gm)]
    .filter((m) => m[2] === "input")
    .map((m) => m[1] ?? "");
}

function isBuffer(_name: string, body: string): boolean {
  const [input, ...more] = inputsOf(body);
  return more.length === 0 && functionOf(body) === input;
}

/** By its function where that can be told without parentheses, otherwise by its name. */
function isNand2(name: string, body: string): boolean {
  const [a = "", b = "", ...more] = inputsOf(body);
  if (b === "" || more.length > 0) return false;
  return [`!${a}+!${b}`, `!${b}+!${a}`].includes(functionOf(body) ?? "") || /na?nd2/i.test(name);
}

function constant(bodies: Bodies, value: string): readonly [string, string] | undefined {
  for (const [name, body] of bodies) {
    if (functionOf(body) !== value) continue;
    const pin = /^\s*pin\s*\(\s*"?(\w+)"?\s*\)/m.exec(body)?.[1];
    if (pin !== undefined) return [name, pin];
  }
  return undefined;
}

function timeUnitOf(text: string): number {
  const [, count = "1", unit = "ns"] = /time_unit\s*:\s*"?(\d+)(ps|ns)/.exec(text) ?? [];
  return Number(count) * (unit === "ps" ? 1 : 1000);
}
