// SPDX-License-Identifier: Apache-2.0
// The results of a sweep in one DuckDB file. A point is there with all its numbers or not at all:
// rows of points that end together are committed together, so a killed sweep loses only
// the points in progress and repeats nothing. Every row has its hash: a file that was damaged, changed or
// made by another version is refused before any of its numbers is used.

import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import { resolve } from "node:path";
import { inputError, NeardataError } from "../base/errors.ts";
import { reasonOf } from "../base/files/reason.ts";
import type { Metric } from "../results/metric.ts";
import type { PointResult } from "./point.ts";
import { identityHash, layoutProblem, makeTables, pointHash } from "./store-tables.ts";
import { numberOf, readLayout, rowOf } from "./store-tables.ts";

/** The identity of a store's sweep. */
export interface SweepIdentity {
  readonly name: string;
  readonly hash: string;
  readonly points: number;
  readonly versions: Readonly<Record<string, string>>;
}

/** A number of a point in the store. */
export interface StoredMetric {
  readonly point: number;
  readonly case: string;
  readonly id: string;
  readonly title: string;
  readonly value: number;
  readonly unit: string;
  readonly source: Metric["source"];
}

export class SweepStore {
  readonly #file: string;
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;
  /** Of the sweep that the rows belong to; empty where nothing has claimed the store. */
  #hash = "";

  private constructor(file: string, instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#file = file;
    this.#instance = instance;
    this.#connection = connection;
  }

  /**
   * Opens the store at `file`, or makes it there; looks at every row that it has.
   * @throws NeardataError `bad-input` when the file cannot be opened, is another's or was changed.
   */
  static async open(file: string): Promise<SweepStore> {
    try {
      // An absolute path, as DuckDB treats names such as ":memory:" specially.
      const instance = await DuckDBInstance.create(resolve(file));
      const store = new SweepStore(file, instance, await instance.connect());
      try {
        await store.#check();
        return store;
      } catch (error) {
        store.close();
        throw error;
      }
    } catch (cause) {
      if (cause instanceof NeardataError) throw cause;
      throw inputError(file, readingProblem(cause), cause);
    }
  }

  /**
   * Records the sweep of the store, or rejects a store of another sweep.
   * @returns the points that the store has
   */
  async claim(identity: SweepIdentity, resume: boolean): Promise<ReadonlySet<number>> {
    const [known] = await this.#rows("SELECT hash, versions FROM sweep");
    if (known === undefined) {
      const { name, hash, points } = identity;
      const row = { name, hash, points, versions: JSON.stringify(identity.versions) };
      const values = [name, hash, points, row.versions, identityHash(row)];
      await this.#explained(() =>
        this.#connection.run("INSERT INTO sweep VALUES ($1, $2, $3, $4, $5)", values),
      );
      this.#hash = hash;
    } else if (!resume) {
      const message = "the file holds a sweep already; go on with it (--resume) or name another.";
      throw inputError(this.#file, message);
    } else {
      const problem = strangeness(known, identity);
      if (problem !== null) throw inputError(this.#file, problem);
    }
    const done = await this.#rows("SELECT point FROM points");
    return new Set(done.map((row) => Number(row["point"])));
  }

  /** Adds points with all their numbers, in one transaction. */
  async add(results: readonly PointResult[]): Promise<void> {
    if (results.length > 0) await this.#explained(() => this.#append(results));
  }

  async #append(results: readonly PointResult[]): Promise<void> {
    await this.#connection.run("BEGIN");
    const points = await this.#connection.createAppender("points");
    const metrics = await this.#connection.createAppender("metrics");
    for (const result of results) {
      const row = rowOf(result);
      const numbers = result.metrics.map((metric) => numberOf(result.index, metric));
      points.appendInteger(row.point);
      if (row.config_hash === null) points.appendNull();
      else points.appendVarchar(row.config_hash);
      if (row.seed === null) points.appendNull();
      else points.appendInteger(row.seed);
      for (const text of [row.settings, row.outcome, row.reason]) points.appendVarchar(text);
      points.appendDouble(row.seconds);
      points.appendDouble(row.simulation_seconds);
      points.appendVarchar(pointHash(this.#hash, row, numbers));
      points.endRow();
      for (const m of numbers) {
        metrics.appendInteger(m.point);
        for (const text of [m.case, m.id, m.title]) metrics.appendVarchar(text);
        if (m.value === null) metrics.appendNull();
        else metrics.appendDouble(m.value);
        for (const text of [m.unit, m.source]) metrics.appendVarchar(text);
        metrics.endRow();
      }
    }
    points.closeSync();
    metrics.closeSync();
    await this.#connection.run("COMMIT");
  }

  /** How points ended, by outcome. */
  async outcomes(): Promise<Readonly<Record<string, number>>> {
    const rows = await this.#rows(
      "SELECT outcome, count(*)::INTEGER AS n FROM points GROUP BY outcome ORDER BY outcome",
    );
    return Object.fromEntries(rows.map((row) => [String(row["outcome"]), Number(row["n"])]));
  }

  /** Settings and outcome of every point, in order. */
  async points(): Promise<
    readonly { point: number; settings: Record<string, unknown>; outcome: string; reason: string }[]
  > {
    const rows = await this.#rows(
      "SELECT point, settings, outcome, reason FROM points ORDER BY point",
    );
    return rows.map((row) => ({
      point: Number(row["point"]),
      settings: JSON.parse(String(row["settings"])) as Record<string, unknown>,
      outcome: String(row["outcome"]),
      reason: String(row["reason"]),
    }));
  }

  /** Every number of every point. */
  async metrics(): Promise<readonly StoredMetric[]> {
    const rows = await this.#rows(
      'SELECT point, "case", id, title, value, unit, source FROM metrics WHERE value IS NOT NULL ORDER BY point',
    );
    return rows as unknown as readonly StoredMetric[];
  }

  /**
   * Writes one row per point, with a column for every setting and every number.
   * @throws errors of DuckDB if the file cannot be written
   */
  async export(file: string, format: "CSV" | "PARQUET"): Promise<void> {
    const settings = await this.#rows(
      "SELECT DISTINCT unnest(json_keys(settings)) AS name FROM points ORDER BY name",
    );
    const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`;
    const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
    const columns = settings.map((row) => {
      const name = String(row["name"]);
      return `settings->>${literal(`$."${name}"`)} AS ${quote(name)}`;
    });
    const wide = `PIVOT (SELECT point, "case" || '.' || id AS name, value FROM metrics)
      ON name USING any_value(value) GROUP BY point`;
    await this.#connection.run(
      `COPY (SELECT p.point, p.outcome, p.reason, p.config_hash, p.seed, p.seconds, p.simulation_seconds,
        ${[...columns, "m.* EXCLUDE (point)"].join(", ")}
        FROM points p LEFT JOIN (${wide}) m ON m.point = p.point ORDER BY p.point)
        TO ${literal(file)} (FORMAT ${format})`,
    );
  }

  close(): void {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }

  /** Creates the tables of a new file; checks each row of an existing one. */
  async #check(): Promise<void> {
    const layout = await this.#rows(readLayout);
    if (layout.length === 0) {
      await this.#explained(() => this.#connection.run(makeTables));
      return;
    }
    const problem = layoutProblem(layout);
    if (problem !== null) throw inputError(this.#file, `the file ${problem}; name another file.`);
    const sweeps = await this.#rows("SELECT * FROM sweep");
    const [sweep] = sweeps;
    if (sweeps.length > 1 || (sweep !== undefined && identityHash(sweep) !== sweep["row_hash"])) {
      throw inputError(this.#file, changed("the row of the sweep is"));
    }
    this.#hash = sweep === undefined ? "" : String(sweep["hash"]);
    const wrong = await this.#changedPoints();
    if (wrong.length === 0) return;
    const few = `${wrong.slice(0, 5).join(", ")}${wrong.length > 5 ? ", ..." : ""}`;
    const what = wrong.length === 1 ? `the row of point ${few} is` : `rows of points ${few} are`;
    throw inputError(this.#file, changed(what));
  }

  /** Points whose row or whose numbers do not have the hash that was written with them. */
  async #changedPoints(): Promise<readonly number[]> {
    const numbers = new Map<unknown, Record<string, unknown>[]>();
    for (const row of await this.#rows("SELECT * FROM metrics")) {
      const number = numbers.get(row["point"]);
      if (number === undefined) numbers.set(row["point"], [row]);
      else number.push(row);
    }
    const rows = await this.#rows("SELECT * FROM points");
    const wrong = rows.filter((row) => {
      const pointNumbers = numbers.get(row["point"]) ?? [];
      numbers.delete(row["point"]);
      return pointHash(this.#hash, row, pointNumbers) !== row["row_hash"];
    });
    return [...wrong.map((row) => row["point"]), ...numbers.keys()]
      .map(Number)
      .sort((a, b) => a - b);
  }

  async #rows(sql: string): Promise<readonly Record<string, unknown>[]> {
    try {
      return (await this.#connection.runAndReadAll(sql)).getRowObjectsJS();
    } catch (cause) {
      throw inputError(this.#file, readingProblem(cause), cause);
    }
  }

  /** An error of DuckDB means a full disk or a damaged file. */
  async #explained<T>(step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (cause) {
      throw inputError(this.#file, `the results cannot be stored: ${reasonOf(cause)}`, cause);
    }
  }
}

/** The reason why existing rows belong to another sweep; null if they do not. */
function strangeness(
  known: Readonly<Record<string, unknown>>,
  asked: SweepIdentity,
): string | null {
  if (known["hash"] !== asked.hash) {
    return "the file holds another sweep: its points or its scenario are not these.";
  }
  const { neardata } = asked.versions;
  const versions = JSON.parse(String(known["versions"])) as Readonly<Record<string, string>>;
  if (versions["neardata"] === neardata) return null;
  return `the file holds results of neardata ${String(versions["neardata"])}, this is ${String(neardata)}; name another file.`;
}

const again = "put back a copy of the file, or remove it and run again.";

function changed(what: string): string {
  return `${what} not as neardata wrote it: the hash does not fit; ${again}`;
}

/** The reason why DuckDB cannot read a file, and the remedy. */
function readingProblem(cause: unknown): string {
  const reason = reasonOf(cause);
  if (/set lock/.test(reason)) {
    const [, process = "another process"] = /\((PID \d+)\)/.exec(reason) ?? [];
    return `the file is in use by ${process}; wait until that ends, or name another file.`;
  }
  if (reason.includes("not a valid DuckDB database")) {
    return "the file is empty or no DuckDB database; remove it or name another file.";
  }
  return `the results cannot be read: ${reason}; ${again}`;
}
