// SPDX-License-Identifier: Apache-2.0
// What tests need that a machine may lack: optional tools, reference data, rights. A test declares it
// here and nowhere else: `it("name", needs("yosys"), () => ...)`, or the same with `describe`. Without it the test is
// skipped, and the summary of the run (test/config/summary.ts) counts it under the name of what is absent.

import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";

import type { SuiteOptions } from "vitest";

import { cocotbPeer, mqsimPeer, peerPath } from "../../src/tools/bench/peer.ts";
import { ramulatorVersion } from "../../src/native/ramulator.ts";
import { inRepository } from "../../src/base/paths.ts";
import { manyCrashes } from "./crash.ts";
import { oraclePath } from "./oracle.ts";
import { full } from "./tier.ts";

declare module "vitest" {
  interface TaskMeta {
    /** Requirements of a test, and those of them that this machine lacks. */
    needs?: readonly string[];
    absent?: readonly string[];
  }
}

/** Commands by the name of the tool; any one of them will do. */
export const tools = {
  yosys: ["yosys"],
  z3: ["z3"],
  cvc5: ["cvc5"],
  chromium: ["chromium", "chromium-browser", "google-chrome"],
  zsh: ["zsh"],
  fish: ["fish"],
  munge: ["munged"],
  bash: ["bash"],
  clang: ["clang++"],
  iverilog: ["iverilog"],
  opensta: ["sta"],
} as const;

/** Yosys as an npm package, which is not a dependency. */
const npmYosys = "@yowasp/yosys";

/** Packages, rights, builds and settings, by name. */
const conditions = {
  slurm: () => ["slurmctld", "slurmd", "sbatch", "setpriv"].every(inSystem),
  "yosys (apt or npm)": () => has("yosys") || has(npmYosys),
  [npmYosys]: () => import.meta.resolve(npmYosys) !== "",
  "Ramulator 2.0": () => ramulatorVersion() === "2.0",
  "Ramulator 2.1": () => ramulatorVersion() === "2.1",
  MQSim: () => peerPath(mqsimPeer) !== "",
  cocotb: () => peerPath(cocotbPeer) !== "",
  "make build": () => existsSync(inRepository("build", "js", "cli", "main.js")),
  "make docs": () => existsSync(inRepository("build", "site", "dist", "index.html")),
  "make test-full": () => full,
  "make crash": () => manyCrashes,
  "make token": () => process.env["NEARDATA_TOKEN"] !== undefined,
  "no sanitizer": () => !/[at]san/.test(process.env["LD_PRELOAD"] ?? ""),
  "/dev/full": () => existsSync("/dev/full"),
  root: () => process.getuid?.() === 0,
  mount: canMount,
} as const;

/**
 * Reference data outside the repository, only for the full set: `oracle/dram` is its directory
 * `dram`.
 */
type ReferenceData = `oracle/${string}`;
export type Requirement = keyof typeof tools | keyof typeof conditions | ReferenceData;

const known = new Map<Requirement, boolean>();

/** Whether this machine has it. */
export function has(requirement: Requirement): boolean {
  const before = known.get(requirement);
  if (before !== undefined) return before;
  const found = look(requirement);
  known.set(requirement, found);
  return found;
}

/** Options of a test or a suite. If a requirement is absent, the test is skipped with its name. */
export function needs(...requirements: readonly Requirement[]): SuiteOptions {
  const absent = requirements
    .filter((requirement) => !has(requirement))
    .map((requirement) =>
      !full && requirement.startsWith("oracle/") ? "make test-full" : requirement,
    );
  return { skip: absent.length > 0, meta: { needs: requirements, absent } };
}

/** Options of a test or a suite that only the full set runs. */
export const inFull: SuiteOptions = needs("make test-full");

function look(requirement: Requirement): boolean {
  if (requirement in tools) return tools[requirement as keyof typeof tools].some(onPath);
  if (requirement in conditions) return holds(requirement as keyof typeof conditions);
  return full && existsSync(oraclePath(...requirement.split("/").slice(1)));
}

function holds(condition: keyof typeof conditions): boolean {
  try {
    return conditions[condition]();
  } catch {
    return false;
  }
}

/** Whether a command of this name can be started. */
function onPath(command: string): boolean {
  return isIn((process.env["PATH"] ?? "").split(delimiter), command);
}

/** Whether a daemon or its client is installed; a user's PATH does not have all of their directories. */
function inSystem(command: string): boolean {
  return onPath(command) || isIn(["/usr/sbin", "/sbin"], command);
}

function isIn(directories: readonly string[], command: string): boolean {
  return directories.some((directory) => {
    try {
      accessSync(join(directory, command), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function canMount(): boolean {
  const directory = mkdtempSync(join(tmpdir(), "neardata-disk-"));
  const options = { stdio: "ignore" } as const;
  const mounted = spawnSync("mount", ["-t", "tmpfs", "neardata-test", directory], options);
  if (mounted.status === 0) spawnSync("umount", ["-l", directory], options);
  rmSync(directory, { recursive: true, force: true });
  return mounted.status === 0;
}
