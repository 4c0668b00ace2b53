// SPDX-License-Identifier: Apache-2.0
// Results of a sweep that are read again: whatever was cut, changed or made by another version is
// refused in one sentence that names the file, and nothing of it is used.

import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PointResult } from "../../src/explore/point.ts";
import { SweepStore } from "../../src/explore/store.ts";
import { cli, inTemporary } from "../helpers/cli.ts";

const identity = { name: "s", hash: "h", points: 4, versions: { neardata: "1.2.3" } };

function result(index: number, more: Partial<PointResult> = {}): PointResult {
  const metric = { case: "a", title: "time", unit: "us", source: "measured" } as const;
  return {
    ...{ index, settings: { a: index }, outcome: "completed", reason: "", configHash: "c" },
    ...{ seed: 2 ** 31 - 1, seconds: 0.1 + 0.2, simulationSeconds: 1e-9, expectedSeconds: 0 },
    metrics: [
      { ...metric, id: "time", value: 1 / 3 },
      { ...metric, id: "none", value: Number.NaN },
    ],
    ...more,
  };
}

/** A store of three points at `file`. */
async function fill(file: string, points: readonly PointResult[]): Promise<void> {
  const store = await SweepStore.open(file);
  await store.claim(identity, false);
  await store.add(points);
  store.close();
}

const three = [
  result(0),
  result(1, { configHash: null, seed: null, metrics: [], outcome: "error", reason: "\ud800 \0" }),
  result(2, { seconds: -0, metrics: [{ ...result(2).metrics[0], value: -0 } as never] }),
];

/** Changes a store past the program. */
async function change(file: string, ...commands: readonly string[]): Promise<void> {
  const instance = await DuckDBInstance.create(file);
  const connection = await instance.connect();
  for (const sql of commands) await connection.run(sql);
  connection.closeSync();
  instance.closeSync();
}

/** What opening and claiming a store says. */
async function said(file: string): Promise<string> {
  try {
    const store = await SweepStore.open(file);
    try {
      return `points ${[...(await store.claim(identity, true))].join(", ")}`;
    } finally {
      store.close();
    }
  } catch (error) {
    expect(error).toMatchObject({ code: "bad-input" });
    return error instanceof Error ? error.message : String(error);
  }
}

describe("a sweep's results", () => {
  it("are read again as they were written", () =>
    inTemporary(async (directory) => {
      const file = join(directory, "a.duckdb");
      await fill(file, three);
      expect(await said(file)).toBe("points 0, 1, 2");
      // DuckDB writes a table anew after many changes; nothing depends on the order of rows.
      await change(
        file,
        "CREATE TABLE kept AS FROM metrics",
        "DELETE FROM metrics",
        "INSERT INTO metrics FROM kept ORDER BY id",
        "DROP TABLE kept",
      );
      expect(await said(file)).toBe("points 0, 1, 2");
    }));

  it.each([
    ["UPDATE metrics SET value = 2 WHERE point = 0 AND id = 'time'", "the row of point 0 is"],
    ["UPDATE metrics SET value = NULL WHERE point = 2", "the row of point 2 is"],
    ["UPDATE metrics SET point = 1 WHERE point = 2", "rows of points 1, 2 are"],
    ["UPDATE metrics SET unit = 'ms'", "rows of points 0, 2 are"],
    ["DELETE FROM metrics WHERE id = 'none'", "the row of point 0 is"],
    ["INSERT INTO metrics VALUES (1, 'a', 'time', 't', 1, 'us', 'measured')", "the row of point 1"],
    ["INSERT INTO metrics VALUES (3, 'a', 'time', 't', 1, 'us', 'measured')", "the row of point 3"],
    ["DELETE FROM points WHERE point = 0", "the row of point 0 is"],
    ["UPDATE points SET outcome = 'completed', reason = ''", "the row of point 1 is"],
    ["UPDATE points SET settings = '{\"a\":5}' WHERE point = 2", "the row of point 2 is"],
    ["UPDATE points SET seed = 1", "rows of points 0, 1, 2 are"],
    ["UPDATE points SET point = 3 WHERE point = 1", "the row of point 3 is"],
    ["UPDATE points SET row_hash = 'x' WHERE point = 1", "the row of point 1 is"],
    ["UPDATE sweep SET hash = 'other'", "the row of the sweep is"],
    ['UPDATE sweep SET versions = \'{"neardata":"1.2.4"}\'', "the row of the sweep is"],
    ["INSERT INTO sweep FROM sweep", "the row of the sweep is"],
    ["DELETE FROM sweep", "rows of points 0, 1, 2 are"],
  ])("are refused after %s", (sql, what) =>
    inTemporary(async (directory) => {
      const file = join(directory, "a.duckdb");
      await fill(file, three);
      await change(file, sql);
      const text = await said(file);
      expect(text.startsWith(`${file}: ${what}`)).toBe(true);
      expect(text).toMatch(/not as neardata wrote it: the hash does not fit; put back a copy/);
    }),
  );

  it("are refused where rows come from another sweep", () =>
    inTemporary(async (directory) => {
      const [file, other] = [join(directory, "a.duckdb"), join(directory, "b.duckdb")];
      await fill(file, three.slice(0, 2));
      const store = await SweepStore.open(other);
      await store.claim({ ...identity, hash: "another" }, false);
      await store.add(three.slice(2));
      store.close();
      await change(
        file,
        `ATTACH '${other}' AS other`,
        "INSERT INTO points FROM other.points",
        "INSERT INTO metrics FROM other.metrics",
      );
      expect(await said(file)).toMatch(/the row of point 2 is not as neardata wrote it/);
    }));

  it.each([
    [["ALTER TABLE points DROP row_hash", "ALTER TABLE sweep DROP row_hash"], /an earlier version/],
    [["ALTER TABLE points DROP row_hash"], /an earlier version of neardata, whose rows have no ha/],
    [["DROP TABLE metrics"], /has other tables than a sweep of this version \(metrics\.point INT/],
    [["ALTER TABLE metrics ALTER value TYPE TEXT"], /has other tables .*\(metrics\.value DOUBLE\)/],
    [["ALTER TABLE sweep ADD COLUMN more TEXT"], /has other tables .*\(sweep\.more VARCHAR\)/],
    [["CREATE TABLE mine (a INTEGER)"], /has other tables .*\(mine\.a INTEGER\)/],
    [["DROP TABLE sweep"], /is a database of something else than a sweep; name another file/],
  ])("are refused in other tables: %j", (commands, text) =>
    inTemporary(async (directory) => {
      const file = join(directory, "a.duckdb");
      await fill(file, three);
      await change(file, ...commands);
      expect(await said(file)).toMatch(text);
    }),
  );

  it("are refused of another version, of another sweep, and while another process has them", () =>
    inTemporary(async (directory) => {
      const file = join(directory, "a.duckdb");
      const asked = { ...identity, versions: { neardata: "1.2.2" } };
      const store = await SweepStore.open(file);
      await store.claim(asked, false);
      store.close();
      expect(await said(file)).toBe(
        `${file}: the file holds results of neardata 1.2.2, this is 1.2.3; name another file.`,
      );
      const again = await SweepStore.open(file);
      await expect(again.claim({ ...asked, hash: "x" }, true)).rejects.toThrow("another sweep");
      again.close();
    }));

  it("are refused wherever the file was cut or a byte of it changed, or read as they were", () =>
    inTemporary(async (directory) => {
      const [good, bad] = [join(directory, "good.duckdb"), join(directory, "bad.duckdb")];
      await fill(good, three);
      const { size } = statSync(good);
      const whole = readFileSync(good);
      const place = fc.oneof(
        fc.nat(size - 1),
        // Headers, and blocks in so far as something stands in them.
        fc.nat(3 * 4096 - 1),
        fc.constantFrom(...[...whole.keys()].filter((at) => whole[at] !== 0).slice(0, 4000)),
      );
      const verdict = async (bytes: Uint8Array, what: string): Promise<void> => {
        writeFileSync(bad, bytes);
        const text = await said(bad);
        if (text === "points 0, 1, 2") return; // nothing of the results stood there
        expect(text.startsWith(`${bad}: `), `${what}: ${text}`).toBe(true);
        expect(text, what).toMatch(/(name another file|run again)\.$/);
        expect(text.split("\n"), what).toHaveLength(1);
      };
      await fc.assert(
        fc.asyncProperty(place, fc.integer({ min: 1, max: 255 }), async (at, bits) => {
          const bytes = Uint8Array.from(whole);
          bytes[at] = (bytes[at] ?? 0) ^ bits;
          await verdict(bytes, `byte ${String(at)} ^ ${String(bits)}`);
          await verdict(whole.subarray(0, at), `cut at ${String(at)}`);
        }),
        { numRuns: 40, seed: 3 },
      );
    }));
});

describe("neardata sweep --resume", () => {
  it("ends with exit code 2 and one sentence for a file that holds no results of its sweep", () =>
    inTemporary(async (directory) => {
      const at = (name: string): string => join(directory, name);
      writeFileSync(at("base.yaml"), "name: base\nexpert: { hidden: 64, intermediate: 32 }\n");
      const spec =
        "name: s\nscenario: base.yaml\nfidelity: analytic\ngrid: { tokens: [[1], [2], [3]] }\n";
      writeFileSync(at("s.yaml"), spec);
      const run = (out: string): ReturnType<typeof cli> =>
        cli("sweep", at("s.yaml"), "--out", at(out), "--resume", "--export", at("rows.csv"));
      expect(await run("good.duckdb")).toMatchObject({ code: 0, stderr: "" });
      const rows = readFileSync(at("rows.csv"), "utf8");
      writeFileSync(at("empty.duckdb"), "");
      writeFileSync(at("text.duckdb"), "no database\n".repeat(1000));
      mkdirSync(at("directory.duckdb"));
      copyFileSync(at("good.duckdb"), at("cut.duckdb"));
      writeFileSync(at("cut.duckdb"), readFileSync(at("good.duckdb")).subarray(0, 300_000));
      copyFileSync(at("good.duckdb"), at("changed.duckdb"));
      await change(at("changed.duckdb"), "UPDATE metrics SET value = 0 WHERE point = 1");
      for (const [name, text] of [
        ["empty", /is empty or no DuckDB database; remove it or name another file/],
        ["text", /is empty or no DuckDB database/],
        ["directory", /directory/],
        ["cut", /the results cannot be read: .*; put back a copy of the file, or remove it/],
        ["changed", /the row of point 1 is not as neardata wrote it/],
      ] as const) {
        const { code, stdout, stderr } = await run(`${name}.duckdb`);
        expect({ code, stdout }, name).toEqual({ code: 2, stdout: "" });
        expect(stderr, name).toMatch(text);
        expect(stderr, name).toContain(`${name}.duckdb`);
        expect(stderr.trim().split("\n"), name).toHaveLength(1);
        expect(existsSync(at(`${name}.html`)), name).toBe(false);
      }
      expect(readFileSync(at("rows.csv"), "utf8")).toBe(rows);
    }));

  it("knows before any point which objectives no point can have", () =>
    inTemporary(async (directory) => {
      const at = (name: string): string => join(directory, name);
      writeFileSync(at("base.yaml"), "name: base\nexpert: { hidden: 64, intermediate: 32 }\n");
      writeFileSync(
        at("s.yaml"),
        "name: s\nscenario: base.yaml\nfidelity: analytic\ngrid: { tokens: [[1]] }\n" +
          "objectives: [{ metric: tmie }, { metric: time }, { metric: a.b }]\n",
      );
      const out = at("s.duckdb");
      const { code, stderr } = await cli("sweep", at("s.yaml"), "--out", out);
      expect(code).toBe(2);
      expect(stderr).toMatch(/s\.yaml: objectives: no point has a metric "tmie"\. Did you mean/);
      expect(stderr).toMatch(/no point has a metric "a\.b"\./);
      expect(existsSync(out)).toBe(false);
    }));
});
