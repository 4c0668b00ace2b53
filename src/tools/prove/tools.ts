// SPDX-License-Identifier: Apache-2.0
// The solvers of this machine: Yosys and its ABC, which a proof needs, and z3 and cvc5, which have to
// agree with it and with each other.

import { spawnSync } from "node:child_process";

import { NeardataError } from "../../base/errors.ts";
import type { Workers } from "./workers.ts";

/** Versions of all tools used in a proof. */
export interface Tools {
  readonly yosys: string;
  readonly z3: string;
  readonly cvc5: string;
}

/** The tools and workers of proofs. */
export interface Prover {
  readonly tools: Tools;
  readonly workers: Workers;
}

const commands = {
  yosys: ["yosys", "-V"],
  abc: ["yosys-abc", "-c", "version"],
  z3: ["z3", "--version"],
  cvc5: ["cvc5", "--version"],
} as const;

/** The missing tools, by the names of their packages. */
export function missingTools(): readonly string[] {
  return Object.entries(commands)
    .filter(([, command]) => versionOf(command) === null)
    .map(([name]) => (name === "abc" ? "yosys" : name))
    .filter((name, i, all) => all.indexOf(name) === i);
}

/** @throws NeardataError `tool-missing` with all that are. */
export function findTools(): Tools {
  const missing = missingTools();
  if (missing.length > 0) {
    const message =
      `neardata prove needs ${missing.join(" and ")}: ` +
      `install with \`apt-get install ${missing.join(" ")}\``;
    throw new NeardataError("tool-missing", message);
  }
  const version = (command: readonly string[]): string => versionOf(command) ?? "";
  return {
    yosys: version(commands.yosys),
    z3: version(commands.z3),
    cvc5: version(commands.cvc5),
  };
}

function versionOf([command = "", ...args]: readonly string[]): string | null {
  const outcome = spawnSync(command, args, { encoding: "utf8" });
  if (outcome.error !== undefined || outcome.status !== 0) return null;
  return outcome.stdout.split("\n")[0]?.trim() ?? "";
}
