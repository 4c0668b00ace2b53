// SPDX-License-Identifier: Apache-2.0
// The data of a Liberty file for the flow: areas of cells, the flip-flops, a buffer that drives
// inputs, cells that are constant, the NAND2 that is one gate equivalent, the unit of time.

import { present } from "../../../base/present.ts";
import { inputError, NeardataError, type Issue } from "../../../base/errors.ts";
import { readMaybeGzip } from "../../../base/files/input.ts";
import { inRepository } from "../../../base/paths.ts";
import { checkLiberty } from "./liberty-syntax.ts";

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

/** neardata's library: the class of 7 nm, with the sources of its numbers. */
export function builtInLibrary(): string {
  return inRepository("synth", "gates7.lib");
}

/**
 * Reads a Liberty file, also one compressed with gzip.
 * @throws NeardataError `bad-input` if it cannot be read, is not Liberty, has cells of an invalid
 * area, or lacks a NAND2, a buffer, a flip-flop or constants.
 */
export function readLibrary(path: string): Library {
  const text = readMaybeGzip(path);
  checkLiberty(path, text);
  const matches = [...text.matchAll(/^[ \t]*cell\s*\(\s*"?(\w+)"?\s*\)\s*\{/gm)];
  const bodies = matches.map((match, i): readonly [string, string] => [
    match[1] ?? "",
    text.slice(match.index, matches[i + 1]?.index),
  ]);
  const issues = cellIssues(path, bodies);
  if (issues.length > 0) throw new NeardataError("bad-input", issues);
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
    timeUnit: timeUnitOf(path, text),
  };
}

function cellOf(name: string, body: string): LibraryCell {
  return { name, area: Number(areaOf(body) ?? 0), flipFlop: /^\s*ff\s*\(/m.test(body) };
}

/** The area as it is written; a cell of no area may leave it out. */
function areaOf(body: string): string | undefined {
  return /^\s*area\s*:\s*"?([^\s;"]+)/m.exec(body)?.[1];
}

/** Limit of reported cells. */
const maxIssues = 20;

/** Cells that occur twice, or have an invalid area. */
function cellIssues(path: string, bodies: Bodies): readonly Issue[] {
  const seen = new Set<string>();
  const issues = bodies.flatMap(([name, body]): readonly Issue[] => {
    const area = areaOf(body) ?? "0";
    const isArea = Number(area) >= 0 && Number(area) <= largestArea;
    const isTwice = seen.has(name);
    seen.add(name);
    return [
      ...(isTwice ? [{ where: path, message: `cell ${name} occurs twice.` }] : []),
      ...(isArea
        ? []
        : [
            {
              where: path,
              message: `cell ${name} has the area ${area.slice(0, 20)}, which is no number from 0 to 1e9 um2.`,
            },
          ]),
    ];
  });
  return issues.slice(0, maxIssues);
}

/** um2; a whole wafer has 7e10. */
const largestArea = 1e9;

type Bodies = readonly (readonly [name: string, body: string])[];

function smallest(
  bodies: Bodies,
  cells: ReadonlyMap<string, LibraryCell>,
  fits: (name: string, body: string) => boolean,
): LibraryCell | undefined {
  return bodies
    .filter(([name, body]) => fits(name, body))
    .flatMap(([name]) => cells.get(name) ?? [])
    .filter(({ area }) => area > 0)
    .sort((a, b) => a.area - b.area)[0];
}

/** The function of the only output, without blanks and parentheses. */
function functionOf(body: string): string | null {
  const functions = [...body.matchAll(/[^_]function\s*:\s*"([^"]*)"/g)].map((m) => m[1] ?? "");
  return functions.length === 1 ? present(functions[0]).replaceAll(/[\s()]/g, "") : null;
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

/** By its function if that can be recognised without parentheses, otherwise by its name. */
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

function timeUnitOf(path: string, text: string): number {
  const given = /^\s*time_unit\s*:\s*"?([^\s;"]*)/m.exec(text)?.[1] ?? "1ns";
  const [, count, unit] = /^(10{0,2})(ps|ns)$/.exec(given) ?? [];
  if (count !== undefined) return Number(count) * (unit === "ps" ? 1 : 1000);
  const message = `the time_unit ${given.slice(0, 20)} is none of 1, 10 and 100 ps or ns.`;
  throw inputError(path, message);
}
