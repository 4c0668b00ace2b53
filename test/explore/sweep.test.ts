// SPDX-License-Identifier: Apache-2.0
// A sweep that is killed again and again ends as if nothing had been: every point once, the same
// numbers. A worker that dies costs its point, which says so. Failures are rows with reasons.

import { spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { localExecutor } from "../../src/explore/local.ts";
import type { PointResult } from "../../src/explore/point.ts";
import { inRepository } from "../../src/native/paths.ts";
import { haveBrowser, lookAt } from "../helpers/browser.ts";
import { cli, inTemporary } from "../helpers/cli.ts";

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

const hundreds = `
name: hundreds
scenario: base.yaml
fidelity: analytic
random:
  count: 200
  seed: 5
  of: { expert.hidden: { from: 1, to: 90 }, expert.intermediate: { from: 1, to: 90 }, tokens: [[1], [3]] }
`;

/** Rows as exported, without how long each took. */
function exported(file: string): readonly string[] {
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((row) => row.replace(/,\d+\.\d+(?:e-\d+)?(?=,)/, ",-"));
}

describe("neardata sweep", () => {
  it("killed ten times ends with every point once, equal to the undisturbed one", () =>
    inTemporary(async (directory) => {
      const spec = files(directory, hundreds);
      const calm = join(directory, "calm.csv");
      const all = await cli(
        "sweep",
        spec,
        "--out",
        join(directory, "calm.duckdb"),
        "--export",
        calm,
      );
      expect(all).toMatchObject({ code: 0, stderr: "" });

      const out = join(directory, "killed.duckdb");
      const waits = fc.sample(fc.integer({ min: 300, max: 2500 }), { numRuns: 10, seed: 11 });
      for (const wait of waits) {
        const child = spawn(
          process.execPath,
          [inRepository("src/cli/neardata.js"), "sweep", spec, "--out", out, "--resume"],
          { stdio: "ignore" },
        );
        const ended = new Promise((resolve) => child.once("exit", resolve));
        await Promise.race([setTimeout(wait), ended]);
        child.kill("SIGKILL");
        await ended;
      }
      const csv = join(directory, "killed.csv");
      const last = await cli("sweep", spec, "--out", out, "--resume", "--export", csv);
      expect(last.code).toBe(0);
      expect(exported(csv)).toHaveLength(201);
      expect(exported(csv)).toEqual(exported(calm));
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
      const { code, stdout } = await cli(
        ...["sweep", spec, "--out", join(directory, "some.duckdb"), "--export", csv],
      );
      expect(code).toBe(1);
      expect(stdout).toMatch(/some: 2 bad input, 4 completed/);
      expect(readFileSync(csv, "utf8")).toMatch(/\n0,bad input,.*ndp\.queueBursts/);
      const page = readFileSync(join(directory, "some.html"), "utf8");
      expect(page).toContain("Main effects");
      if (haveBrowser) expect(lookAt(page, 1000)).toMatchObject({ complaints: [] });
    }));

  it("refuses results of another sweep, results that are there, and bad options", () =>
    inTemporary(async (directory) => {
      const spec = files(directory, hundreds.replace("200", "2"));
      const out = join(directory, "a.duckdb");
      expect((await cli("sweep", spec, "--out", out)).code).toBe(0);
      expect((await cli("sweep", spec, "--out", out)).stderr).toMatch(/go on with it/);
      files(directory, hundreds.replace("200", "3"));
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

it("workers that do not even begin end the sweep, not its points", () =>
  inTemporary(async (directory) => {
    const main = join(directory, "worker.mjs");
    writeFileSync(main, "process.exit(1);");
    const run = localExecutor(main, 2).run(
      [{ index: 0, settings: {} }],
      { file: "", scenario: {}, fidelity: null },
      () => undefined,
      new AbortController().signal,
    );
    await expect(run).rejects.toMatchObject({ code: "not-built" });
  }));

it("a worker that dies costs the point it was at, and nothing else", () =>
  inTemporary(async (directory) => {
    const main = join(directory, "worker.mjs");
    // Answers as a worker does, but dies of point 2.
    writeFileSync(
      main,
      `import { createInterface } from "node:readline";
       let first = true;
       for await (const line of createInterface(process.stdin)) {
         if (first) { first = false; console.log('{"ready":true}'); continue; }
         const point = JSON.parse(line);
         if (point.index === 2) process.kill(process.pid, "SIGKILL");
         console.log(JSON.stringify({ ...point, outcome: "completed", reason: "", seconds: 0, metrics: [] }));
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
    ]);
  }));
