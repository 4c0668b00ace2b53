// SPDX-License-Identifier: Apache-2.0
// The tables of a sweep's results, and the hash of each of their rows. A point's hash covers its row,
// all its numbers and the sweep that it belongs to, so that a changed row, a row of another point and
// a row of another file are detected.

import { present } from "../base/present.ts";
import { hashOfValue } from "../base/hash.ts";
import type { PointResult } from "./point.ts";

/** Columns in order, with their types in DuckDB. */
const tables = {
  sweep: { name: "TEXT", hash: "TEXT", points: "INTEGER", versions: "JSON", row_hash: "TEXT" },
  points: {
    point: "INTEGER PRIMARY KEY",
    config_hash: "TEXT",
    seed: "INTEGER",
    settings: "JSON",
    outcome: "TEXT NOT NULL",
    reason: "TEXT NOT NULL",
    seconds: "DOUBLE NOT NULL",
    simulation_seconds: "DOUBLE NOT NULL",
    row_hash: "TEXT NOT NULL",
  },
  metrics: {
    point: "INTEGER NOT NULL",
    case: "TEXT NOT NULL",
    id: "TEXT NOT NULL",
    title: "TEXT NOT NULL",
    value: "DOUBLE",
    unit: "TEXT NOT NULL",
    source: "TEXT NOT NULL",
  },
} as const;

/** Makes the tables, all or none. */
export const makeTables: string = [
  "BEGIN;",
  ...Object.entries(tables).map(([name, columns]) => {
    const parts = Object.entries(columns).map(([column, type]) => `"${column}" ${type}`);
    return `CREATE TABLE ${name} (${parts.join(", ")});`;
  }),
  "COMMIT;",
].join("\n");

/** Query for the columns that `layoutProblem` checks. */
export const readLayout =
  "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE NOT internal ORDER BY table_name, column_index";

type Row = Readonly<Record<string, unknown>>;

/** The problem of the tables of a file, as the end of a sentence; null if there is none. */
export function layoutProblem(rows: readonly Row[]): string | null {
  const expected = Object.entries(tables).flatMap(([table, columns]) =>
    Object.entries(columns).map(([column, type]) => {
      const [plain = ""] = type.split(" ");
      return `${table}.${column} ${plain === "TEXT" ? "VARCHAR" : plain}`;
    }),
  );
  const there = rows.map((row) => {
    const [table, column, type] = [row["table_name"], row["column_name"], row["data_type"]];
    return `${String(table)}.${String(column)} ${String(type)}`;
  });
  if (there.length === 0) return null;
  if (!there.some((column) => column.startsWith("sweep."))) {
    return "is a database of something else than a sweep";
  }
  const missing = expected.filter((column) => !there.includes(column));
  const added = there.filter((column) => !expected.includes(column));
  if (missing.length === 0 && added.length === 0) return null;
  if (added.length === 0 && missing.every((column) => column.includes(".row_hash "))) {
    return "was written by an earlier version of neardata, whose rows have no hashes";
  }
  return `has other tables than a sweep of this version (${present([...missing, ...added][0])})`;
}

/** A point's row; names are those of the columns. */
interface PointRow extends Row {
  readonly point: number;
  readonly config_hash: string | null;
  readonly seed: number | null;
  readonly settings: string;
  readonly outcome: string;
  readonly reason: string;
  readonly seconds: number;
  readonly simulation_seconds: number;
}

/** A number's row; names are those of the columns. */
interface NumberRow extends Row {
  readonly point: number;
  readonly case: string;
  readonly id: string;
  readonly title: string;
  readonly value: number | null;
  readonly unit: string;
  readonly source: string;
}

/** Texts in DuckDB's format: Unicode without NUL. */
function storable(text: string): string {
  return text.replace(/\p{Cs}/gu, "\uFFFD").replaceAll("\0", "\uFFFD");
}

/** The hash of the row that identifies the sweep of a store. */
export function identityHash(row: Row): string {
  return hashOfValue(valuesOf("sweep", row));
}

/**
 * The hash of a point's row in the sweep of this hash; the order of the metrics does not matter.
 */
export function pointHash(sweep: string, row: Row, metrics: readonly Row[]): string {
  const numbers = metrics.map((metric) => JSON.stringify(valuesOf("metrics", metric))).sort();
  return hashOfValue([sweep, valuesOf("points", row), numbers]);
}

/** A row's values in the order of the columns, without its hash. */
function valuesOf(table: keyof typeof tables, row: Row): readonly unknown[] {
  return Object.keys(tables[table])
    .filter((column) => column !== "row_hash")
    .map((column) => row[column] ?? null);
}

/** A point as its row. */
export function rowOf(result: PointResult): PointRow {
  return {
    point: result.index,
    config_hash: result.configHash,
    seed: result.seed,
    settings: storable(JSON.stringify(result.settings)),
    outcome: result.outcome,
    reason: storable(result.reason),
    seconds: result.seconds,
    simulation_seconds: result.simulationSeconds,
  };
}

/** A number as a row; a number that is not finite has no value. */
export function numberOf(point: number, metric: PointResult["metrics"][number]): NumberRow {
  return {
    point,
    case: storable(metric.case),
    id: storable(metric.id),
    title: storable(metric.title),
    value: Number.isFinite(metric.value) ? metric.value : null,
    unit: storable(metric.unit),
    source: metric.source,
  };
}
