// SPDX-License-Identifier: Apache-2.0
// Sweeps on a real Slurm cluster of one node: its power fails in the middle, the sweep is killed,
// the sweep is cancelled; in the end every point is there once, with the numbers of a local sweep,
// and no job is left.

import { spawn, type ChildProcess } from "node:child_process";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describe, expect, it } from "vitest";
import { inRepository } from "../../src/base/paths.ts";
import { cli, inTemporary } from "../helpers/cli.ts";
import { needs } from "../helpers/needs.ts";
import { until, withCluster, type Cluster } from "../helpers/slurm.ts";

const count = 36;

/**
 * A point runs longer than the scheduling interval of the cluster, so the test can interrupt it.
 */
const scenario =
  "name: base\nexpert: { hidden: 256, intermediate: 256 }\nndp: { streams: 2, " +
  "multipliersPerStream: 4, buffer: 16 KiB, queueBursts: 8, activationLanes: 32, maxTokens: 8 }\n";
const sweep =
  `name: some\nscenario: base.yaml\nfidelity: cycle\nrandom:\n  count: ${String(count)}\n  seed: 5\n` +
  "  of: { expert.hidden: { from: 200, to: 300 }, tokens: [[1], [8]] }\n";

interface Sweep {
  readonly spec: string;
  readonly out: string;
  readonly csv: string;
  /** The options of a run on the cluster. */
  readonly args: readonly string[];
}

/** A sweep's files and a cluster whose arrays have at most six tasks. */
function onCluster(work: (cluster: Cluster, sweep: Sweep) => Promise<void>): Promise<void> {
  return inTemporary((directory) => {
    chmodSync(directory, 0o755); // munged is another user
    const spec = join(directory, "sweep.yaml");
    writeFileSync(join(directory, "base.yaml"), scenario);
    writeFileSync(spec, sweep);
    const out = join(directory, "out.duckdb");
    const csv = join(directory, "out.csv");
    const args = ["sweep", spec, "--out", out, "--executor", "slurm", "--points-per-task", "3"];
    const cluster = join(directory, "cluster");
    return withCluster(cluster, ["MaxArraySize=6"], (c) => work(c, { spec, out, csv, args }));
  });
}

function start({ args }: Sweep): ChildProcess {
  const main = inRepository("src", "cli", "neardata.js");
  return spawn(process.execPath, [main, ...args, "--resume"], { stdio: "ignore" });
}

function end(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once("exit", resolve));
}

/** Rows without the columns of run times. */
function rows(file: string): readonly string[] {
  const lines = readFileSync(file, "utf8").trim().split("\n").slice(1);
  return lines.map((row) => row.replace(/,\d+\.\d+(?:e-\d+)?,\d+\.\d+(?:e-\d+)?(?=,)/, ",-"));
}

/** The rows of the same sweep on this machine's cores. */
async function calmRows({ spec, csv }: Sweep): Promise<readonly string[]> {
  const [out, file] = [`${csv}.calm.duckdb`, `${csv}.calm.csv`];
  expect(await cli("sweep", spec, "--out", out, "--export", file)).toMatchObject({ code: 0 });
  return rows(file);
}

const states = ({ slurm }: Cluster): readonly string[] =>
  slurm("squeue", "-h", "-r", "-t", "all", "-o", "%T").split("\n").filter(Boolean);

describe("a sweep on a Slurm cluster", needs("root", "slurm", "munge"), () => {
  it("loses nothing when slurmd and its jobs are killed in the middle", () =>
    onCluster(async (cluster, sweep) => {
      const running = cli(...sweep.args, "--export", sweep.csv);
      await until("a task is done", () => states(cluster).includes("COMPLETED"));
      await cluster.crashNode();
      await until("it is missed", () => /down/.test(cluster.slurm("sinfo", "-h", "-o", "%T")));
      cluster.startNode();
      expect(await running).toMatchObject({ code: 0, stderr: "" });
      expect(states(cluster)).toContain("NODE_FAIL");
      // An array has at most as many tasks as the cluster accepts, so the sweep needs several.
      const arrays = cluster.slurm("squeue", "-h", "-t", "all", "-r", "-o", "%F").split("\n");
      expect(new Set(arrays.filter(Boolean)).size).toBeGreaterThanOrEqual(count / 3 / 6);
      expect(rows(sweep.csv)).toHaveLength(count);
      expect(rows(sweep.csv)).toEqual(await calmRows(sweep));
      expect(existsSync(sweep.out.replace("duckdb", "slurm"))).toBe(false);
    }));

  it("continues after a kill with the results of the cluster, and repeats none of them", () =>
    onCluster(async (cluster, sweep) => {
      const child = start(sweep);
      await until("a task runs", () => states(cluster).includes("RUNNING"));
      child.kill("SIGKILL");
      await end(child);
      const before = states(cluster).length;
      expect(before).toBeGreaterThan(0);
      await until("the cluster is done", () => cluster.jobs() === 0);
      const result = await cli(...sweep.args, "--resume", "--export", sweep.csv);
      expect(result).toMatchObject({ code: 0, stderr: "" });
      expect(rows(sweep.csv)).toEqual(await calmRows(sweep));
      // Every task ran once: those of the killed process were not submitted again.
      expect(states(cluster)).toHaveLength(count / 3);
    }));

  it("cancelled leaves no job behind, and can go on here", () =>
    onCluster(async (cluster, sweep) => {
      const child = start(sweep);
      await until("a task runs", () => states(cluster).includes("RUNNING"));
      const ended = end(child);
      child.kill("SIGINT");
      expect(await ended).toBe(130);
      await until("no job is left", () => cluster.jobs() === 0);
      expect(states(cluster)).toContain("CANCELLED");
      const { spec, out, csv } = sweep;
      await cli("sweep", spec, "--out", out, "--resume", "--export", csv);
      expect(rows(csv)).toEqual(await calmRows(sweep));
    }));
});
