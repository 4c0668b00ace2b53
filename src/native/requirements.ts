// SPDX-License-Identifier: Apache-2.0
// Required and optional tools of the program on this machine, each with the found version and the
// command that installs it.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import process from "node:process";

import { compiler } from "./compile/compiler.ts";
import { inRepository, isInstalled } from "../base/paths.ts";
import { namedAddon } from "./addon.ts";
import { ramulatorMissing, ramulatorStatus, ramulatorVersion } from "./ramulator.ts";

/** A tool or library that the program needs or can use. */
export interface Requirement {
  readonly name: string;
  readonly needed: boolean;
  /** The installed version, or null. */
  readonly status: string | null;
  /** Whether the installed version is new enough. */
  readonly fits: boolean;
  readonly purpose: string;
  readonly howToGet: string;
}

interface Tool {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly floor: readonly [number, number];
  readonly needed: boolean;
  readonly purpose: string;
  readonly howToGet: string;
}

const tools: readonly Tool[] = [
  {
    name: "verilator",
    command: ["verilator", "--version"],
    floor: [5, 6],
    needed: true,
    purpose: "turns the SystemVerilog units into models",
    howToGet: "sudo apt install verilator (Debian 12 or newer, Ubuntu 24.04 or newer)",
  },
  {
    name: "g++",
    command: [...compiler(), "-dumpfullversion"],
    floor: [12, 0],
    needed: true,
    purpose: "compiles the simulator and the Verilated units (C++23)",
    howToGet: "sudo apt install g++ (or set CXX to a GCC of at least 12)",
  },
  {
    name: "cmake",
    command: ["cmake", "--version"],
    floor: [3, 18],
    needed: true,
    purpose: "builds the native addon",
    howToGet: "sudo apt install cmake",
  },
  {
    name: "make",
    command: ["make", "--version"],
    floor: [4, 0],
    needed: true,
    purpose: "builds the native addon and the units",
    howToGet: "sudo apt install make",
  },
  {
    name: "perl",
    command: ["perl", "--version"],
    floor: [5, 0],
    needed: true,
    purpose: "runs the command verilator",
    howToGet: "sudo apt install perl",
  },
  {
    name: "clang-format",
    command: ["clang-format", "--version"],
    floor: [14, 0],
    needed: false,
    purpose: "`make lint` checks the layout of C++ with it",
    howToGet: "sudo apt install clang-format",
  },
  {
    name: "yosys",
    command: ["yosys", "-V"],
    floor: [0, 23],
    needed: false,
    purpose: "`neardata area` synthesizes with it, `neardata prove` reads the RTL with it",
    howToGet: "sudo apt install yosys",
  },
  {
    name: "z3",
    command: ["z3", "--version"],
    floor: [4, 8],
    needed: false,
    purpose: "`neardata prove` proves with it",
    howToGet: "sudo apt install z3",
  },
  {
    name: "cvc5",
    command: ["cvc5", "--version"],
    floor: [1, 0],
    needed: false,
    purpose: "`neardata prove` proves with it, too",
    howToGet: "sudo apt install cvc5",
  },
  {
    name: "iverilog",
    command: ["iverilog", "-V"],
    floor: [11, 0],
    needed: false,
    purpose: "`make test-full` simulates the RTL with four states in it",
    howToGet: "sudo apt install iverilog",
  },
  {
    name: "slurm",
    command: ["scontrol", "--version"],
    floor: [0, 0],
    needed: false,
    purpose: "`--executor slurm` of sweeps and explorations submits jobs with it",
    howToGet: "sudo apt install slurm-client",
  },
];

/** Looks at the machine. */
export function examine(): readonly Requirement[] {
  return [
    nodeFinding(),
    ...tools.map(toolFinding),
    zlibFinding(),
    addonFinding(),
    ramulatorFinding(),
  ];
}

/** One line for people, with the cure where one is needed. */
export function describe(finding: Requirement): string {
  const mark = finding.fits ? "ok     " : finding.needed ? "MISSING" : "absent ";
  const status = finding.status ?? "not found";
  const cure = finding.fits ? "" : `\n          ${finding.purpose}; ${finding.howToGet}`;
  return `${mark} ${finding.name.padEnd(13)} ${status}${cure}`;
}

/** The first `major.minor` in a version text, or null. */
export function parseVersion(text: string): readonly [number, number] | null {
  const match = /(\d+)\.(\d+)/.exec(text);
  return match === null ? null : [Number(match[1]), Number(match[2])];
}

/** True when version `a` is at least `floor`. */
export function atLeast(a: readonly [number, number], floor: readonly [number, number]): boolean {
  return a[0] > floor[0] || (a[0] === floor[0] && a[1] >= floor[1]);
}

function toolFinding(tool: Tool): Requirement {
  const [command, ...args] = tool.command;
  const run = spawnSync(command, args, { encoding: "utf8" });
  const version = run.error === undefined && run.status === 0 ? parseVersion(run.stdout) : null;
  const { name, needed, purpose } = tool;
  const floor = tool.floor.join(".");
  return {
    name,
    needed,
    purpose,
    status: version === null ? null : (/\d+\.\d+(\.\d+)?/.exec(run.stdout)?.[0] ?? null),
    fits: version !== null && atLeast(version, tool.floor),
    howToGet: `at least ${floor}: ${tool.howToGet}`,
  };
}

function nodeFinding(): Requirement {
  const { node } = process.versions;
  return {
    name: "node",
    needed: true,
    status: node,
    fits: nodeFits(parseVersion(node) ?? [0, 0]),
    purpose: "runs the program",
    howToGet:
      "20.17 or a later 20, or at least 22.9: sudo apt install nodejs, or https://nodejs.org",
  };
}

/** The range of `engines` in package.json. */
export function nodeFits(version: readonly [number, number]): boolean {
  return (version[0] === 20 && version[1] >= 17) || atLeast(version, [22, 9]);
}

function zlibFinding(): Requirement {
  const header = ["/usr/include/zlib.h", "/usr/local/include/zlib.h"].find((p) => existsSync(p));
  return {
    name: "zlib",
    needed: true,
    status: header ?? null,
    fits: header !== undefined,
    purpose: "compresses FST waveforms",
    howToGet: "sudo apt install zlib1g-dev",
  };
}

const addon = {
  name: "native addon",
  needed: true,
  purpose: "holds the simulator",
} as const;

function addonFinding(): Requirement {
  const named = namedAddon();
  if (named === null && isInstalled())
    return { ...addon, status: "compiled at first use", fits: true, howToGet: "" };
  const there = existsSync(named ?? inRepository("build", "native", "Release", "neardata.node"));
  const howToGet = named === null ? "make build" : "unset NEARDATA_ADDON";
  return { ...addon, status: there ? "built" : null, fits: there, howToGet };
}

/** The page that explains how to build Ramulator and the addon for it. */
const ramulatorGuide = "docs/guides/ramulator2.md";

function ramulatorFinding(): Requirement {
  const missing = ramulatorMissing();
  return {
    name: `Ramulator ${ramulatorVersion() ?? "2.0 or 2.1"}`,
    needed: false,
    status: missing === undefined ? ramulatorStatus() : null,
    fits: missing === undefined,
    purpose: "replays traces and runs machines on its DDR5 channels beside ours",
    howToGet: missing === undefined ? "" : `${missing}; see ${ramulatorGuide}`,
  };
}
