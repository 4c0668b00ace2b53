// SPDX-License-Identifier: Apache-2.0
// Runs Yosys: the one of the system, otherwise the npm package @yowasp/yosys where the user has
// installed it. It works in a directory of its own, in which it finds and leaves its files.

import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

import { NeardataError } from "../../base/errors.ts";
import { runTool } from "../../native/compile/process.ts";

export interface Yosys {
  readonly version: string;
  /**
   * Runs `script` (one command per line) in `directory`, which must contain all files that it
   * reads.
   */
  readonly run: (script: string, directory: string) => Promise<void>;
}

/**
 * The Yosys of this machine.
 * @throws NeardataError `tool-missing` if it is not installed.
 */
export async function findYosys(): Promise<Yosys> {
  const yosys = systemYosys() ?? (await npmYosys());
  if (yosys !== null) return yosys;
  throw new NeardataError(
    "tool-missing",
    "neardata area needs Yosys: install it with `apt-get install yosys` (0.23 or newer) or with " +
      "`npm install --no-save @yowasp/yosys@0.55`",
  );
}

/** The Yosys in the PATH of the system. */
export function systemYosys(): Yosys | null {
  const outcome = spawnSync("yosys", ["-V"], { encoding: "utf8" });
  if (outcome.error !== undefined || outcome.status !== 0) return null;
  return { version: outcome.stdout.trim(), run: runInstalled };
}

async function runInstalled(script: string, directory: string): Promise<void> {
  writeFileSync(join(directory, "script.ys"), script);
  await runTool("yosys", ["-q", "-l", "yosys.log", "script.ys"], { cwd: directory });
}

/** Files and directories in the format of the package. */
interface Tree {
  readonly [name: string]: Tree | Uint8Array | string;
}

interface YowaspYosys {
  readonly version: string;
  readonly runYosys: (args: readonly string[], files: Tree, options: object) => Promise<Tree>;
}

/** The npm package: WebAssembly, in this process. */
export async function npmYosys(): Promise<Yosys | null> {
  const name = "@yowasp/yosys";
  let yowasp: YowaspYosys;
  try {
    yowasp = (await import(name)) as YowaspYosys;
  } catch {
    return null;
  }
  return {
    version: `@yowasp/yosys ${yowasp.version}`,
    run: async (script, directory) => {
      const files = { ...treeOf(directory), "script.ys": script };
      const silent = { stdout: null, stderr: null };
      const args = ["-q", "-l", "yosys.log", "script.ys"];
      try {
        writeTree(directory, await yowasp.runYosys(args, files, silent));
      } catch (cause) {
        throw new NeardataError("build-failed", "Yosys (npm package) failed", { cause });
      }
    },
  };
}

function treeOf(directory: string): Tree {
  const paths = readdirSync(directory).map((name) => join(directory, name));
  const files = paths.filter((path) => statSync(path).isFile());
  return Object.fromEntries(files.map((p) => [relative(directory, p), readFileSync(p)]));
}

function writeTree(directory: string, tree: Tree): void {
  for (const [name, entry] of Object.entries(tree)) {
    if (typeof entry === "string" || entry instanceof Uint8Array) {
      const path = join(directory, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, entry);
    }
  }
}
