// SPDX-License-Identifier: Apache-2.0
// A sweep that is killed again and again ends as if nothing had been: every point once, the same
// numbers. A worker that dies costs its point, which says so. Failures are rows with reasons.

import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { localExecutor } from "../../src/explore/local.ts";
import type { PointResult } from "../../src/explore/point.ts";
import { SweepStore } from "../../src/explore/store.ts";
import { inRepository } from "../../src/base/paths.ts";
import { lookAt } from "../helpers/browser.ts";
import { crashes } from "../helpers/crash.ts";
import { cli, inTemporary } from "../helpers/cli.ts";
import { has } from "../helpers/needs.ts";
import { full, runs } from "../helpers/tier.ts";

const unit =
  "{ streams: 2, multipliersPerStream: 4, buffer: 16 KiB, queueBursts: 8, activationLanes: 32, maxTokens: 8 }";

function files(directory: string, sweep: string): string {
  writeFileSync(
    join(directory, "base.yaml"),
    `name: base\nexpert: { hidden: 70, intermediate: 37 }\nndp: ${unit}\n`,
  );
  const file = join(directory, "sweep.yaml");
  writeFileSync(file, sweep);
  return file;
}

const kills = crashes(runs(1, 4), 10);
const count = crashes(runs(12, 60), 200);

/**
 * A point runs for tens of milliseconds, so the test can kill the sweep between and within points.
 */
const hundreds = `
name: hundreds
scenario: base.yaml
fidelity: cycle
random:
  count: ${String(count)}
  seed: 5
  of: { expert.hidden: { from: 200, to: 400 }, expert.intermediate: { from: 200, to: 400 }, tokens: [[1], [3]] }
`;

/** Waits until a process has committed points to a store: until its log has grown. */
async function grown(log: string, child: ChildProcess): Promise<void> {
  const size = (): number => (existsSync(log) ? statSync(log).size : 0);
  let least = size();
  while (child.exitCode === null && size() <= least + 2000) {
    least = Math.min(least, size());
    await setTimeout(5);
  }
}

/** Rows of a store that nobody has open. */
async function rowsIn(file: string): Promise<number> {
  const store = await SweepStore.open(file);
  try {
    return (await store.points()).length;
  } finally {
    store.close();
  }
}

/**
 * The rows of an exported file as DuckDB reads them, every value as text; CSV does not distinguish
 * an empty text from a missing one.
 */
async function rowsOf(
  reader: "read_csv" | "read_parquet",
  file: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  const options = reader === "read_csv" ? ", all_varchar = true" : "";
  const read = await connection.runAndReadAll(
    `SELECT coalesce(COLUMNS(*)::VARCHAR, '') FROM ${reader}('${file}'${options})`,
  );
  connection.closeSync();
  return read.getRowObjectsJS();
}

/** The exported rows without the columns of run times. */
function exported(file: string): readonly string[] {
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((row) => row.replace(/,\d+\.\d+(?:e-\d+)?,\d+\.\d+(?:e-\d+)?(?=,)/, ",-"));
}

describe("neardata sweep", () => {
  it(`killed ${String(kills)} times ends with every point once, equal to the undisturbed one`, () =>
    inTemporary(async (directory) => {
      const spec = files(directory, hundreds);
      const file = (name: string): string => join(directory, name);
      const args = (name: string): readonly string[] => ["sweep", spec, "--out", file(name)];
      const calm = await cli(...args("calm.duckdb"), "--export", file("calm.csv"));
      expect(calm).toMatchObject({ code: 0, stderr: "" });

      const killed = file("killed.duckdb");
      const progress: number[] = [];
      const main = inRepository("src/cli/neardata.js");
      const resumed = [main, ...args("killed.duckdb"), "--resume", "--workers", "1"];
      const draws = { numRuns: kills, seed: 11 };
      for (const wait of fc.sample(fc.integer({ min: 0, max: 200 }), draws)) {
        const child = spawn(process.execPath, resumed, { stdio: "ignore" });
        const ended = new Promise((resolve) => child.once("exit", resolve));
        // At any moment from the first commit of this process on, or in the middle of its start.
        if (wait % 4 !== 0) await grown(`${killed}.wal`, child);
        await Promise.race([ended, setTimeout(wait, undefined, { ref: false })]);
        child.kill("SIGKILL");
        await ended;
        progress.push(await rowsIn(killed));
      }
      // No kill loses committed points.
      expect(progress).toEqual(progress.toSorted((a, b) => a - b));
      expect(progress.at(-1)).toBeGreaterThan(0);
      const last = await cli(...args("killed.duckdb"), "--resume", "--export", file("killed.csv"));
      expect(last.code).toBe(0);
      const rows = exported(file("killed.csv"));
      expect(rows.slice(1).map((row) => row.split(",")[0])).toEqual(
        Array.from({ length: count }, (_, i) => String(i)),
      );
      expect(exported(file("killed.csv"))).toEqual(exported(file("calm.csv")));
    }));

  it("keeps failures as rows with their reason and draws its page", () =>
    inTemporary(async (directory) => {
      const spec = files(
        directory,
        "name: some\nscenario: base.yaml\nfidelity: cycle\n" +
          "grid: { ndp.queueBursts: [3, 8, 16], tokens: [[1], [2]] }\n" +
          "objectives: [{ metric: time }, { metric: bandwidth, largest: true }]\n",
      );
      const csv = join(directory, "rows.csv");
      const parquet = join(directory, "rows.parquet");
      const { code, stdout } = await cli(
        ...["sweep", spec, "--out", join(directory, "some.duckdb")],
        ...["--export", csv, "--export", parquet],
      );
      expect(code).toBe(1);
      expect(stdout).toMatch(/some: 2 bad input, 4 completed/);
      expect(readFileSync(csv, "utf8")).toMatch(/\n0,bad input,.*ndp\.queueBursts/);
      expect(await rowsOf("read_parquet", parquet)).toEqual(await rowsOf("read_csv", csv));
      const completed = (await rowsOf("read_parquet", parquet)).filter((r) => r["seed"] !== "");
      // The simulation is a part of the time of a point.
      expect(completed.every((r) => Number(r["simulation_seconds"]) > 0)).toBe(true);
      expect(completed.every((r) => Number(r["simulation_seconds"]) < Number(r["seconds"]))).toBe(
        true,
      );
      expect(stdout).toMatch(/points in .* of the processes' time \d+\.\d % in the simulation/);
      const page = readFileSync(join(directory, "some.html"), "utf8");
      expect(page).toContain("Main effects");
      if (full && has("chromium")) expect(lookAt(page, 1000)).toMatchObject({ complaints: [] });
    }));

  it("draws other objectives of points that are there, and refuses one that none has", () =>
    inTemporary(async (directory) => {
      const asked = (metric: string): string =>
        files(
          directory,
          `${hundreds.replace(String(count), "2")}objectives: [{ metric: ${metric} }]\n`,
        );
      const out = join(directory, "a.duckdb");
      // Only sparse attention has a speedup.
      const wrong = await cli("sweep", asked("speedup"), "--out", out);
      expect(wrong).toMatchObject({ code: 2 });
      expect(wrong.stderr).toMatch(/no point has a metric "speedup"\./);
      expect(existsSync(join(directory, "a.html"))).toBe(false);
      const right = await cli("sweep", asked("time"), "--out", out, "--resume", "--json");
      expect(JSON.parse(right.stdout)).toMatchObject({ outcomes: { completed: 2 }, ran: 0 });
      expect(readFileSync(join(directory, "a.html"), "utf8")).toContain("Main effects");
    }));

  it("refuses results of another sweep, results that are there, and bad options", () =>
    inTemporary(async (directory) => {
      const spec = files(directory, hundreds.replace(String(count), "2"));
      const out = join(directory, "a.duckdb");
      expect((await cli("sweep", spec, "--out", out)).code).toBe(0);
      expect((await cli("sweep", spec, "--out", out)).stderr).toMatch(/go on with it/);
      files(directory, hundreds.replace(String(count), "3"));
      const other = await cli("sweep", spec, "--out", out, "--resume");
      expect(other).toMatchObject({ code: 2 });
      expect(other.stderr).toMatch(/holds another sweep/);
      const text = join(directory, "text.duckdb");
      writeFileSync(text, "no database");
      expect((await cli("sweep", spec, "--out", text)).code).toBe(2);
      expect((await cli("sweep", spec, "--workers", "0")).code).toBe(2);
      const odd = await cli(
        "sweep",
        spec,
        "--out",
        join(directory, "b.duckdb"),
        "--export",
        "x.txt",
      );
      expect(odd.stderr).toMatch(/neither in \.csv nor in \.parquet/);
      expect(existsSync(join(directory, "b.duckdb"))).toBe(false);
    }));
});

it.each([
  ["do not even begin", "process.exit(1);"],
  ["are of another build", `console.log('{"ready":true}'); process.stdin.resume();`],
])("workers that %s end the sweep, not its points", (_, program) =>
  inTemporary(async (directory) => {
    const main = join(directory, "worker.mjs");
    writeFileSync(main, program);
    const run = localExecutor(main, 2).run(
      [{ index: 0, settings: {} }],
      { file: "", scenario: {}, fidelity: null },
      () => undefined,
      new AbortController().signal,
    );
    await expect(run).rejects.toMatchObject({ code: "not-built" });
  }),
);

it("a worker that dies costs the point it was at, and nothing else", () =>
  inTemporary(async (directory) => {
    const main = join(directory, "worker.mjs");
    // Answers as a worker does, but dies of point 2.
    writeFileSync(
      main,
      `import { createInterface } from "node:readline";
       import { createHash } from "node:crypto";
       const say = (line) => {
         const text = JSON.stringify(line).slice(0, -1);
         const hash = createHash("sha256").update(text).digest("hex");
         console.log(text + ',"hash":"' + hash + '"}');
       };
       let first = true;
       for await (const line of createInterface(process.stdin)) {
         if (first) { first = false; say({ ready: true }); continue; }
         const point = JSON.parse(line);
         if (point.index === 2) process.kill(process.pid, "SIGKILL");
         if (point.index === 6) { console.log('{"index":6}'); continue; }
         say({ ...point, outcome: "completed", reason: "", seconds: 0, simulationSeconds: 0, expectedSeconds: 0, metrics: [] });
       }`,
    );
    const points = Array.from({ length: 9 }, (_, index) => ({ index, settings: {} }));
    const results: PointResult[] = [];
    await localExecutor(main, 2).run(
      points,
      { file: "", scenario: {}, fidelity: null },
      (result) => results.push(result),
      new AbortController().signal,
    );
    const sorted = results.sort((a, b) => a.index - b.index);
    expect(sorted.map((r) => r.index)).toEqual(points.map((p) => p.index));
    expect(sorted.filter((r) => r.outcome !== "completed")).toMatchObject([
      { index: 2, reason: "the process that ran it ended (SIGKILL)." },
      { index: 6, reason: "the process that ran it ended (SIGKILL)." },
    ]);
  }));
