// SPDX-License-Identifier: Apache-2.0
// Recorded choices of a router: rows of window, layer, position, expert0 to the last, and perhaps as many
// weights, as CSV. A window is one text; its positions are its tokens in order.

import { csvParseRows } from "d3-dsv";
import { inputError, NeardataError, type Issue } from "../../../base/errors.ts";
import { formatValue } from "../../../base/format-value.ts";
import { present } from "../../../base/present.ts";

/** The choices of a router, by layer. */
export interface Routes {
  /** One more than the highest expert that occurs. */
  readonly experts: number;
  readonly perToken: number;
  /** Texts; all have the same positions in every layer. */
  readonly windows: number;
  readonly positions: number;
  /** By layer: experts of window 0, position 0, then position 1, the windows one after the other. */
  readonly layers: ReadonlyMap<number, Int32Array>;
}

const maxExperts = 4096;
const maxNumber = 2 ** 31 - 1;
/** Limit of reported problems. */
const maxIssues = 20;

interface Header {
  readonly columns: readonly string[];
  readonly perToken: number;
}

/**
 * Reads a router's choices.
 * @throws NeardataError `bad-input` with the first problems, each with its line.
 */
export function parseRoutes(file: string, text: string): Routes {
  const lines = csvParseRows(text);
  const header = headerOf(file, lines[0] ?? [""]);
  const issues: Issue[] = [];
  const layers = new Map<number, Map<number, Map<number, readonly number[]>>>();
  for (let i = 1; i < lines.length && issues.length < maxIssues; i += 1) {
    const cells = lines[i] ?? [];
    if (isBlank(cells)) continue;
    const where = `${file}:${i + 1}`;
    const row = rowOf(cells, header);
    if (typeof row === "string") {
      issues.push({ where, message: row });
      continue;
    }
    const { window, layer, position, experts } = row;
    const windows = layers.get(layer) ?? new Map<number, Map<number, readonly number[]>>();
    layers.set(layer, windows);
    const positions = windows.get(window) ?? new Map<number, readonly number[]>();
    windows.set(window, positions);
    if (positions.has(position)) {
      const message = `window ${window}, layer ${layer}, position ${position} occurs twice.`;
      issues.push({ where, message });
    }
    positions.set(position, experts);
  }
  if (layers.size === 0 && issues.length === 0) {
    issues.push({ where: file, message: "there is no row after the header." });
  }
  if (issues.length === 0) issues.push(...unlike(file, layers));
  if (issues.length > 0) throw new NeardataError("bad-input", issues.slice(0, maxIssues));
  return collect(layers, header.perToken);
}

/** A line without anything. */
function isBlank(cells: readonly string[]): boolean {
  return cells.length === 0 || (cells.length === 1 && cells[0] === "");
}

function headerOf(file: string, cells: readonly string[]): Header {
  const columns = cells.map((name) => name.trim().toLowerCase());
  const where = `${file}:1`;
  const issues: Issue[] = [];
  const count = (name: string): number =>
    columns.filter((column) => new RegExp(`^${name}\\d+$`).test(column)).length;
  const perToken = count("expert");
  const numbered = (name: string, n: number): readonly string[] =>
    Array.from({ length: n }, (_, i) => `${name}${i}`);
  const wanted = ["window", "layer", "position", ...numbered("expert", Math.max(1, perToken))];
  const weights = numbered("weight", count("weight") === 0 ? 0 : perToken);
  for (const name of [...wanted, ...weights]) {
    const times = columns.filter((column) => column === name).length;
    if (times === 1) continue;
    const message =
      times === 0 ? `the header does not name ${name}.` : `the header names ${name} twice.`;
    issues.push({ where, message });
  }
  for (const name of new Set(columns)) {
    if (wanted.includes(name) || weights.includes(name)) continue;
    const message = `the header names ${formatValue(name)}; columns are window, layer, position, expert0 and so on, weight0 and so on.`;
    issues.push({ where, message });
  }
  if (issues.length > 0) throw new NeardataError("bad-input", issues.slice(0, maxIssues));
  return { columns, perToken };
}

interface Row {
  readonly window: number;
  readonly layer: number;
  readonly position: number;
  readonly experts: readonly number[];
}

/** The row of a line's cells, or its problem. */
function rowOf(cells: readonly string[], { columns, perToken }: Header): Row | string {
  if (cells.length !== columns.length) {
    return `there are ${cells.length} cells here; the header has ${columns.length}.`;
  }
  const values: Record<string, number> = {};
  for (const [i, name] of columns.entries()) {
    const cell = present(cells[i]).trim();
    if (name.startsWith("weight")) {
      const share = /^[\d.]+$/.test(cell) ? Number(cell) : NaN;
      if (!(share >= 0 && share <= 1)) return `${name} here is not a number from 0 to 1.`;
      continue;
    }
    const most = name.startsWith("expert") ? maxExperts - 1 : maxNumber;
    const value = /^\d+$/.test(cell) ? Number(cell) : NaN;
    if (!(value <= most)) return `${name} here is not a whole number from 0 to ${most}.`;
    values[name] = value;
  }
  const experts = Array.from({ length: perToken }, (_, k) => present(values[`expert${k}`]));
  const twice = experts.find((e, k) => experts.indexOf(e) !== k);
  if (twice !== undefined) return `expert ${twice} is chosen twice here.`;
  const { window = NaN, layer = NaN, position = NaN } = values;
  return { window, layer, position, experts };
}

type Choices = ReadonlyMap<number, ReadonlyMap<number, ReadonlyMap<number, readonly number[]>>>;

/** Layers and windows that have other tokens than the first. */
function unlike(file: string, layers: Choices): readonly Issue[] {
  const [first] = layers.values();
  const [text] = first?.values() ?? [];
  if (first === undefined || text === undefined) return [];
  return [...layers].flatMap(([layer, windows]): readonly Issue[] => {
    const missing = [...first.keys()].find((window) => !windows.has(window));
    if (missing !== undefined || windows.size !== first.size) {
      const message = `layer ${layer} has other windows than the first layer.`;
      return [{ where: file, message }];
    }
    return [...windows].flatMap(([window, positions]): readonly Issue[] => {
      const same = positions.size === text.size && [...text.keys()].every((p) => positions.has(p));
      const message = `layer ${layer}, window ${window} has other positions than the first window.`;
      return same ? [] : [{ where: file, message }];
    });
  });
}

function collect(layers: Choices, perToken: number): Routes {
  const ascending = <V>(map: ReadonlyMap<number, V>): readonly V[] =>
    [...map].toSorted(([a], [b]) => a - b).map(([, value]) => value);
  const ids = [...layers.keys()].toSorted((a, b) => a - b);
  const flat = ascending(layers).map((windows) =>
    Int32Array.from(ascending(windows).flatMap((positions) => ascending(positions).flat())),
  );
  const [first] = layers.values();
  const [text] = first?.values() ?? [];
  const experts = 1 + flat.reduce((most, list) => list.reduce((a, b) => Math.max(a, b), most), 0);
  return {
    experts,
    perToken,
    windows: first?.size ?? 0,
    positions: text?.size ?? 0,
    layers: new Map(ids.map((id, i) => [id, flat[i] ?? new Int32Array()])),
  };
}

/**
 * Loads of decode steps of one layer: every window generates `together` tokens per step, as in a batch of `together`
 * times the windows that is composed of several.
 * @throws NeardataError `bad-input` when the windows are too short for two steps.
 */
export function decodeSteps(
  file: string,
  { experts, perToken, windows, positions }: Routes,
  choices: Int32Array,
  together: number,
): readonly Int32Array[] {
  const count = Math.floor(positions / together);
  if (count < 2) {
    const message = `${positions} positions of ${windows} windows make no two steps of ${together * windows} tokens.`;
    throw inputError(file, message);
  }
  return Array.from({ length: count }, (_, step) => {
    const loads = new Int32Array(experts);
    for (let window = 0; window < windows; window += 1) {
      const begin = (window * positions + step * together) * perToken;
      for (let i = begin; i < begin + together * perToken; i += 1) {
        const e = present(choices[i]);
        loads[e] = present(loads[e]) + 1;
      }
    }
    return loads;
  });
}
