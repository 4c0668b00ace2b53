// SPDX-License-Identifier: Apache-2.0
// Routes as lines: CSV with a header, or JSON lines with the same names as keys. Three sets of columns:
// step, layer, expert and tokens; layer, expert and count, the sum over a recording (SGLang's CSV); layer
// and expert, a line for each choice of a token.

import { present } from "../../../../base/present.ts";
import { cellsOf } from "../../../../base/files/cells.ts";
import { formatValue } from "../../../../base/format-value.ts";
import {
  isWholeNumber,
  maxNumber,
  withoutSteps,
  type RouteProblem,
  type RouteRow,
  type Routes,
} from "./row.ts";

const columns = ["step", "layer", "expert", "tokens"] as const;
type Column = (typeof columns)[number];

/** Other names of the columns, in files that others write. */
const synonyms: Readonly<Record<string, Column>> = {
  layer_id: "layer",
  expert_id: "expert",
  count: "tokens",
};

/** Valid sets of columns. */
const sets: readonly (readonly Column[])[] = [
  ["step", "layer", "expert", "tokens"],
  ["layer", "expert", "tokens"],
  ["layer", "expert"],
];
export const routeHeaders =
  "step,layer,expert,tokens or layer_id,expert_id,count or layer,expert (a line for each choice)";

interface Line {
  readonly text: string;
  readonly number: number;
}

/** Routes of a text of lines. */
export function routesOfLines(text: string): Routes {
  const lines = filledLines(text);
  const [first] = lines;
  if (first === undefined) return { rows: [], problems: [], notes: [] };
  return first.text.startsWith("{") ? jsonRoutes(lines) : csvRoutes(first, lines.slice(1));
}

function filledLines(text: string): readonly Line[] {
  return text
    .split("\n")
    .map((line, i) => ({ text: line.trim(), number: i + 1 }))
    .filter((line) => line.text !== "");
}

function csvRoutes(header: Line, lines: readonly Line[]): Routes {
  const names = cellsOf(header.text).map((name) => name.toLowerCase());
  const problem = headerProblem(names);
  if (problem !== null) {
    return { rows: [], problems: [{ where: `:${header.number}`, message: problem }], notes: [] };
  }
  const headerColumns = names.map((name) => columnOf(name));
  return collected(
    lines.map(({ number, text }) => {
      const cells = cellsOf(text);
      if (cells.length !== names.length) {
        const message = `here are ${cells.length} cells, and the header names ${names.length} columns.`;
        // A cell that is missing is named where it is the only one.
        const lacks =
          cells.length < names.length ? `${names.slice(cells.length).join(", ")}: ` : "";
        return { where: `:${number}`, message: lacks + message };
      }
      const values = headerColumns.map(
        (column, i) => [column, numberOf(present(cells[i]))] as const,
      );
      return { number, names, values: new Map(values) };
    }),
    headerColumns,
  );
}

function jsonRoutes(lines: readonly Line[]): Routes {
  const parsed = lines.map(jsonRow);
  const first = parsed.find((one) => "values" in one);
  const set = first === undefined ? [] : [...first.values.keys()];
  const same = parsed.map((one): Parsed | RouteProblem => {
    if (!("values" in one) || one.values.size === set.length) return one;
    return { where: `:${one.number}`, message: "this row has other columns than the first one." };
  });
  return collected(same, set);
}

function jsonRow({ number, text }: Line): Parsed | RouteProblem {
  const where = `:${number}`;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { where, message: `this is not a row of ${routeHeaders}, as JSON.` };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { where, message: `this is not a row of ${routeHeaders}.` };
  }
  const names = Object.keys(value);
  const problem = headerProblem(names);
  if (problem !== null) return { where, message: problem };
  const numbers = Object.values(value).map((one: unknown) => (isWholeNumber(one) ? one : null));
  const values = names.map((name, i) => [columnOf(name), numbers[i] ?? null] as const);
  return { number, names, values: new Map(values) };
}

interface Parsed {
  readonly number: number;
  readonly names: readonly string[];
  readonly values: ReadonlyMap<Column | undefined, number | null>;
}

function collected(
  lines: readonly (Parsed | RouteProblem)[],
  set: readonly (Column | undefined)[],
): Routes {
  const problems: RouteProblem[] = [];
  const rows: RouteRow[] = [];
  const counted = set.includes("tokens");
  for (const line of lines) {
    if ("message" in line) {
      problems.push(line);
      continue;
    }
    const where = `:${line.number}`;
    const bad = [...line.values].find(([, value]) => value === null);
    if (bad !== undefined) {
      const name = line.names.find((one) => columnOf(one) === bad[0]) ?? "";
      const message = `${name} here is not a whole number from 0 to ${maxNumber}.`;
      problems.push({ where, message });
      continue;
    }
    const of = (column: Column, absent: number): number => line.values.get(column) ?? absent;
    const place = { step: of("step", 0), layer: of("layer", 0), expert: of("expert", 0) };
    rows.push({ ...place, tokens: of("tokens", 1), where });
  }
  const stepped = set.includes("step");
  return {
    rows: counted ? rows : choices(rows),
    problems,
    notes: stepped || rows.length === 0 ? [] : [withoutSteps],
  };
}

/** Lines that each are a choice, counted. */
function choices(rows: readonly RouteRow[]): readonly RouteRow[] {
  const counts = new Map<string, RouteRow>();
  for (const row of rows) {
    const key = `${row.layer} ${row.expert}`;
    const before = counts.get(key);
    counts.set(key, before === undefined ? row : { ...before, tokens: before.tokens + 1 });
  }
  return [...counts.values()];
}

function headerProblem(names: readonly string[]): string | null {
  const headerColumns = names.map((name) => columnOf(name));
  const unknown = names.find((_, i) => headerColumns[i] === undefined);
  if (unknown !== undefined) {
    return `${formatValue(unknown)} is no column of a trace of routes: ${routeHeaders}.`;
  }
  const twice = headerColumns.find((column, i) => headerColumns.indexOf(column) !== i);
  if (twice !== undefined) return `the column ${twice} is there twice.`;
  const fits = sets.some(
    (set) => set.length === headerColumns.length && set.every((c) => headerColumns.includes(c)),
  );
  if (fits) return null;
  const missing = headerColumns.filter((column) => !headerColumns.includes(column));
  return `the columns are neither of ${routeHeaders}: here is no ${missing.join(", ")}.`;
}

function columnOf(name: string): Column | undefined {
  return columns.find((column) => column === name) ?? synonyms[name];
}

function numberOf(text: string): number | null {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : NaN;
  return isWholeNumber(value) ? value : null;
}
