// SPDX-License-Identifier: Apache-2.0
// The results of a sweep in one DuckDB file. A point is there with all its numbers or not at all:
// rows of points that end together are committed together, so a killed sweep loses no more than
// what was under way and repeats nothing.

import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import { resolve } from "node:path";
import { inputError, NeardataError } from "../errors.ts";
import { reasonOf } from "../files/reason.ts";
import type { Metric } from "../results/types.ts";
import type { PointResult } from "./point.ts";

const tables = `
CREATE TABLE IF NOT EXISTS sweep (name TEXT, hash TEXT, points INTEGER, versions JSON);
CREATE TABLE IF NOT EXISTS points (
  point INTEGER PRIMARY KEY, config_hash TEXT, seed INTEGER, settings JSON, outcome TEXT NOT NULL,
  reason TEXT NOT NULL, seconds DOUBLE NOT NULL, simulation_seconds DOUBLE NOT NULL);
CREATE TABLE IF NOT EXISTS metrics (
  point INTEGER NOT NULL, "case" TEXT NOT NULL, id TEXT NOT NULL, title TEXT NOT NULL,
  value DOUBLE, unit TEXT NOT NULL, source TEXT NOT NULL);
`;

/** What a store is for. */
export interface SweepIdentity {
  readonly name: string;
  readonly hash: string;
  readonly points: number;
  readonly versions: Readonly<Record<string, string>>;
}

/** A number of a point as the store gives it back. */
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

  private constructor(file: string, instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#file = file;
    this.#instance = instance;
    this.#connection = connection;
  }

  /**
   * Opens the store at `file`, or makes it there.
   * @throws NeardataError `bad-input` when the file cannot be opened or is another's.
   */
  static async open(file: string): Promise<SweepStore> {
    try {
      // Absolute, as DuckDB takes names such as ":memory:" for something else than a file.
      const instance = await DuckDBInstance.create(resolve(file));
      const store = new SweepStore(file, instance, await instance.connect());
      const known = await store.#rows("SELECT table_name AS name FROM duckdb_tables()");
      if (known.length > 0 && !known.some(({ name }) => name === "sweep")) {
        store.close();
        throw inputError(file, "the file is a database of something else than a sweep.");
      }
      await store.#run(tables);
      return store;
    } catch (cause) {
      if (cause instanceof NeardataError) throw cause;
      throw inputError(file, `the results cannot be opened: ${reasonOf(cause)}`, cause);
    }
  }

  /**
   * Says what the store is for, or that it is for something else.
   * @returns the points it has already.
   */
  async claim(identity: SweepIdentity, resume: boolean): Promise<ReadonlySet<number>> {
    const [known] = await this.#rows("SELECT hash FROM sweep");
    if (known === undefined) {
      const { name, hash, points, versions } = identity;
      await this.#explained(() =>
        this.#connection.run("INSERT INTO sweep VALUES ($1, $2, $3, $4)", [
          name,
          hash,
          points,
          JSON.stringify(versions),
        ]),
      );
    } else if (!resume) {
      const message = "the file holds a sweep already; go on with it (--resume) or name another.";
      throw inputError(this.#file, message);
    } else if (known["hash"] !== identity.hash) {
      const message = "the file holds another sweep: its points or its scenario are not these.";
      throw inputError(this.#file, message);
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
    for (const r of results) {
      points.appendInteger(r.index);
      if (r.configHash === null) points.appendNull();
      else points.appendVarchar(r.configHash);
      if (r.seed === null) points.appendNull();
      else points.appendInteger(r.seed);
      points.appendVarchar(JSON.stringify(r.settings));
      points.appendVarchar(r.outcome);
      points.appendVarchar(r.reason);
      points.appendDouble(r.seconds);
      points.appendDouble(r.simulationSeconds);
      points.endRow();
      for (const m of r.metrics) {
        metrics.appendInteger(r.index);
        for (const text of [m.case, m.id, m.title]) metrics.appendVarchar(text);
        if (Number.isFinite(m.value)) metrics.appendDouble(m.value);
        else metrics.appendNull();
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
   * Writes a row a point, with a column for every setting and every number.
   * @throws what DuckDB throws when the file cannot be written.
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

  async #run(sql: string): Promise<void> {
    await this.#explained(() => this.#connection.run(sql));
  }

  async #rows(sql: string): Promise<readonly Record<string, unknown>[]> {
    const reader = await this.#explained(() => this.#connection.runAndReadAll(sql));
    return reader.getRowObjectsJS();
  }

  /** What goes wrong inside DuckDB is a full disk or a damaged file. */
  async #explained<T>(step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (cause) {
      throw inputError(this.#file, `the results cannot be kept: ${reasonOf(cause)}`, cause);
    }
  }
}
