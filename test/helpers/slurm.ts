// SPDX-License-Identifier: Apache-2.0
// A Slurm cluster of one node: munged, slurmctld and slurmd of the packages slurm-wlm and munge, in
// a directory of their own, on free ports. Its tests need "root", as slurmd does, "slurm" and "munge".

import { execFileSync, spawn, spawnSync, type ChildProcess } from "node:child_process";
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { randomBytes } from "node:crypto";
import { createServer, type AddressInfo } from "node:net";
import { availableParallelism, hostname } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";

export interface Cluster {
  /** A command of Slurm on this cluster; its output. */
  readonly slurm: (command: string, ...args: readonly string[]) => string;
  /** The power of the node fails while it runs a task: slurmd and all that it started end. */
  readonly crashNode: () => Promise<void>;
  readonly startNode: () => void;
  /** Jobs that the cluster still has. */
  readonly jobs: () => number;
}

/** Runs `work` on a fresh cluster in `directory`; the environment names it meanwhile. */
export async function withCluster<T>(
  directory: string,
  settings: readonly string[],
  work: (cluster: Cluster) => Promise<T>,
): Promise<T> {
  const at = (...parts: readonly string[]): string => join(directory, ...parts);
  for (const name of ["state", "spool", "log"]) mkdirSync(at(name), { recursive: true });
  const children: ChildProcess[] = [];
  const start = (command: string, ...args: readonly string[]): ChildProcess => {
    const child = spawn(command, args, { stdio: "ignore" });
    children.push(child);
    return child;
  };
  const conf = at("slurm.conf");
  const before = process.env["SLURM_CONF"];
  process.env["SLURM_CONF"] = conf;
  const slurm = (command: string, ...args: readonly string[]): string =>
    execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const [controller, node] = [await freePort(), await freePort()];
  writeFileSync(conf, [...configuration(directory, controller, node), ...settings, ""].join("\n"));
  let slurmd: ChildProcess | null = null;
  const cluster: Cluster = {
    slurm,
    startNode: () => {
      slurmd = start("slurmd", "-D", "-f", conf);
    },
    crashNode: async () => {
      await until("the node stands still in a task", () => {
        const { all, tasks } = standStill(slurmd, conf);
        for (const pid of all) signal(pid, tasks.length > 0 ? "SIGKILL" : "SIGCONT");
        return tasks.length > 0;
      });
    },
    jobs: () => slurm("squeue", "-h", "-r").split("\n").filter(Boolean).length,
  };
  try {
    await startMunge(directory, start);
    start("slurmctld", "-D", "-f", conf);
    cluster.startNode();
    await until("the node is idle", () => /idle/.test(slurm("sinfo", "-h", "-o", "%T")));
    return await work(cluster);
  } finally {
    for (const pid of standStill(slurmd, conf).all) signal(pid, "SIGKILL");
    for (const child of children) child.kill("SIGKILL");
    if (before === undefined) delete process.env["SLURM_CONF"];
    else process.env["SLURM_CONF"] = before;
  }
}

/** Waits until `holds` does, without errors. The limit only ends a test that hangs. */
export async function until(what: string, holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 3000; tries += 1) {
    try {
      if (holds()) return;
    } catch {
      // not there yet
    }
    await delay(100);
  }
  throw new Error(`waited in vain until ${what}`);
}

function configuration(directory: string, controller: number, node: number): readonly string[] {
  const name = hostname().split(".")[0] ?? "localhost";
  const at = (part: string): string => join(directory, part);
  return [
    "ClusterName=neardata",
    `SlurmctldHost=${name}(127.0.0.1)`,
    "SlurmUser=root",
    "SlurmdUser=root",
    "AuthType=auth/munge",
    `AuthInfo=socket=${at("munge/socket")}`,
    `SlurmctldPort=${String(controller)}`,
    `SlurmdPort=${String(node)}`,
    `StateSaveLocation=${at("state")}`,
    `SlurmdSpoolDir=${at("spool")}`,
    `SlurmctldPidFile=${at("slurmctld.pid")}`,
    `SlurmdPidFile=${at("slurmd.pid")}`,
    `SlurmctldLogFile=${at("log/slurmctld")}`,
    `SlurmdLogFile=${at("log/slurmd")}`,
    "ProctrackType=proctrack/linuxproc",
    "TaskPlugin=task/none",
    "SelectType=select/cons_tres",
    "SelectTypeParameters=CR_Core",
    "ReturnToService=2",
    "MpiDefault=none",
    "JobAcctGatherType=jobacct_gather/none",
    "SlurmdTimeout=5",
    "MinJobAge=3600",
    `NodeName=${name} NodeAddr=127.0.0.1 CPUs=${String(availableParallelism())} State=UNKNOWN`,
    "PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP",
  ];
}

/** munged as the user of its package, with a separate key and socket. */
async function startMunge(
  directory: string,
  start: (command: string, ...args: readonly string[]) => ChildProcess,
): Promise<void> {
  const place = join(directory, "munge");
  const [uid, gid] = ["-u", "-g"].map((flag) =>
    Number(spawnSync("id", [flag, "munge"], { encoding: "utf8" }).stdout),
  ) as [number, number];
  mkdirSync(place, { mode: 0o711 });
  const file = (name: string): string => join(place, name);
  writeFileSync(file("key"), randomBytes(128), { mode: 0o400 });
  for (const path of [place, file("key")]) chownSync(path, uid, gid);
  start(
    ...(["setpriv", `--reuid=${String(uid)}`, `--regid=${String(gid)}`, "--clear-groups"] as const),
    ...["munged", "--foreground", `--key-file=${file("key")}`, `--socket=${file("socket")}`],
    ...[`--pid-file=${file("pid")}`, `--log-file=${file("log")}`, `--seed-file=${file("seed")}`],
  );
  await until("munged listens", () => existsSync(file("socket")));
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

interface ProcessLine {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

function processes(): readonly ProcessLine[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name): ProcessLine[] => {
      try {
        const status = readFileSync(`/proc/${name}/stat`, "utf8");
        const [state, parent] = status.slice(status.lastIndexOf(")") + 2).split(" ");
        if (state === "Z") return []; // ended, but not reaped by its parent
        const command = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ");
        const environment = readFileSync(`/proc/${name}/environ`, "utf8");
        return [
          { pid: Number(name), parent: Number(parent), command: `${command} ${environment}` },
        ];
      } catch {
        return []; // it has just ended
      }
    });
}

/** A process and all below it. */
function descendants(root: number, all: readonly ProcessLine[]): readonly number[] {
  if (root === 0) return [];
  const children = all.filter((p) => p.parent === root);
  return [root, ...children.flatMap((p) => descendants(p.pid, all))];
}

/** Processes of a stopped node, which cannot report its end to the controller. */
interface Stopped {
  readonly all: readonly number[];
  /** Child processes of the steps, whose end the steps have not observed. */
  readonly tasks: readonly number[];
}

/** Stops slurmd and its steps, which leave its tree, with all below them. */
function standStill(slurmd: ChildProcess | null, conf: string): Stopped {
  for (let stopped = new Set<number>(); ;) {
    const now = processes();
    const steps = now.filter((p) => p.command.startsWith("slurmstepd") && p.command.includes(conf));
    const below = steps.map(({ pid }) => descendants(pid, now));
    const all = [...descendants(slurmd?.pid ?? 0, now), ...below.flat()];
    for (const pid of all) signal(pid, "SIGSTOP");
    // One may have started another before it stopped.
    if (all.every((pid) => stopped.has(pid))) {
      return { all, tasks: below.flatMap(([, ...started]) => started) };
    }
    stopped = new Set(all);
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // it has just ended
  }
}
