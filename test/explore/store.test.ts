// SPDX-License-Identifier: Apache-2.0
// Results of a sweep that are read again: whatever was cut, changed or made by another version is
// refused in one line that names the file, and nothing of it is used.

import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PointResult } from "../../src/explore/point.ts";
import { SweepStore } from "../../src/explore/store.ts";
import { cli, inTemporary } from "../helpers/cli.ts";
import { rejection } from "../helpers/rejection.ts";
import { rejectedAt } from "../helpers/rejected-at.ts";
import { runs } from "../helpers/tier.ts";

const identity = { name: "s", hash: "h", points: 4, versions: { neardata: "1.2.3" } };

function result(index: number, more: Partial<PointResult> = {}): PointResult {
  const metric = { case: "a", title: "time", unit: "us", source: "measured" } as const;
  return {
    index,
    settings: { a: index },
    outcome: "completed",
    reason: "",
    configHash: "c",
    seed: 2 ** 31 - 1,
    seconds: 0.1 + 0.2,
    simulationSeconds: 1e-9,
    expectedSeconds: 0,
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

/** The message of opening and claiming a store. */
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
  const folder = mkdtempSync(join(tmpdir(), "neardata-store-"));
  const filled = join(folder, "filled.duckdb");
  beforeAll(async () => fill(filled, three));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

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
    ["UPDATE metrics SET value = 2 WHERE point = 0 AND id = 'time'", "point 0"],
    ["UPDATE metrics SET value = NULL WHERE point = 2", "point 2"],
    ["UPDATE metrics SET point = 1 WHERE point = 2", "points 1, 2"],
    ["UPDATE metrics SET unit = 'ms'", "points 0, 2"],
    ["DELETE FROM metrics WHERE id = 'none'", "point 0"],
    ["INSERT INTO metrics VALUES (1, 'a', 'time', 't', 1, 'us', 'measured')", "point 1"],
    ["INSERT INTO metrics VALUES (3, 'a', 'time', 't', 1, 'us', 'measured')", "point 3"],
    ["DELETE FROM points WHERE point = 0", "point 0"],
    ["UPDATE points SET outcome = 'completed', reason = ''", "point 1"],
    ["UPDATE points SET settings = '{\"a\":5}' WHERE point = 2", "point 2"],
    ["UPDATE points SET seed = 1", "points 0, 1, 2"],
    ["UPDATE points SET point = 3 WHERE point = 1", "point 3"],
    ["UPDATE points SET row_hash = 'x' WHERE point = 1", "point 1"],
    ["UPDATE sweep SET hash = 'other'", "the sweep"],
    ['UPDATE sweep SET versions = \'{"neardata":"1.2.4"}\'', "the sweep"],
    ["INSERT INTO sweep FROM sweep", "the sweep"],
    ["DELETE FROM sweep", "points 0, 1, 2"],
  ])("are refused after %s", (sql, rows) =>
    inTemporary(async (directory) => {
      const file = join(directory, "a.duckdb");
      copyFileSync(filled, file);
      await change(file, sql);
      expect(await said(file)).toMatch(new RegExp(`^${file}: .* of ${rows} (is|are) .*hash`));
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
      expect(await said(file)).toMatch(new RegExp(`^${file}: .* of point 2 is .*hash`));
    }));

  it.each([
    [["ALTER TABLE points DROP row_hash", "ALTER TABLE sweep DROP row_hash"], /earlier version/],
    [["ALTER TABLE points DROP row_hash"], /earlier version/],
    [["DROP TABLE metrics"], /\(metrics\.point INT/],
    [["ALTER TABLE metrics ALTER value TYPE TEXT"], /\(metrics\.value DOUBLE\)/],
    [["ALTER TABLE sweep ADD COLUMN more TEXT"], /\(sweep\.more VARCHAR\)/],
    [["CREATE TABLE mine (a INTEGER)"], /\(mine\.a INTEGER\)/],
    [["DROP TABLE sweep"], /something else/],
  ])("are refused in other tables: %j", (commands, text) =>
    inTemporary(async (directory) => {
      const file = join(directory, "a.duckdb");
      copyFileSync(filled, file);
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
      expect(await said(file)).toMatch(new RegExp(`^${file}: .* 1\\.2\\.2, .* 1\\.2\\.3`));
      const again = await SweepStore.open(file);
      const other = again.claim({ ...asked, hash: "x" }, true);
      await expect(other).rejects.toThrow(rejection("bad-input", /another sweep/));
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
        // Positions of the headers, and of the non-zero bytes of blocks.
        fc.nat(3 * 4096 - 1),
        fc.constantFrom(...[...whole.keys()].filter((at) => whole[at] !== 0).slice(0, 4000)),
      );
      const verdict = async (bytes: Uint8Array, what: string): Promise<void> => {
        writeFileSync(bad, bytes);
        const text = await said(bad);
        if (text === "points 0, 1, 2") return; // the byte was not part of the results
        expect(text.startsWith(`${bad}: `), `${what}: ${text}`).toBe(true);
        expect(text.split("\n"), what).toHaveLength(1);
      };
      await fc.assert(
        fc.asyncProperty(place, fc.integer({ min: 1, max: 255 }), async (at, bits) => {
          const bytes = Uint8Array.from(whole);
          bytes[at] = (bytes[at] ?? 0) ^ bits;
          await verdict(bytes, `byte ${String(at)} ^ ${String(bits)}`);
          await verdict(whole.subarray(0, at), `cut at ${String(at)}`);
        }),
        { numRuns: runs(8, 40), seed: 3 },
      );
    }));
});

describe("neardata sweep --resume", () => {
  it("ends with exit code 2 and one line for a file that holds no results of its sweep", () =>
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
      for (const [name, where] of [
        ["empty", /\/empty\.duckdb.* empty /],
        ["text", /\/text\.duckdb.* no DuckDB database/],
        ["directory", /\/directory\.duckdb is a directory/],
        ["cut", /\/cut\.duckdb: .*cannot be read/],
        ["changed", /\/changed\.duckdb: .* of point 1 /],
      ] as const) {
        expect(await run(`${name}.duckdb`), name).toEqual(rejectedAt(where));
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
      const refused = await cli("sweep", at("s.yaml"), "--out", out);
      expect(refused).toEqual(
        rejectedAt(/s\.yaml: objectives: .*"tmie".*"time"/, /s\.yaml: objectives: .*"a\.b"/),
      );
      expect(existsSync(out)).toBe(false);
    }));
});
