// SPDX-License-Identifier: Apache-2.0
// Set-up that is killed with everything that it started, part of `make crash`: npm's installation and
// the build of the addon. The next make does what is left, and the addon loads.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as after } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { inRepository } from "../../src/base/paths.ts";
import { inTemporary } from "../helpers/cli.ts";
import { crashSeed } from "../helpers/crash.ts";
import { randomStream } from "../../src/base/random.ts";
import { needs } from "../helpers/needs.ts";

const addon = "build/native/Release/neardata.node";
const packages = "node_modules/.package-lock.json";
const objects = "build/native/CMakeFiles/parts.dir";
/** So that a killed compiler has left something. */
const maxObjects = 8;

/** Copies the inputs of make for the addon, without built files. */
function checkout(directory: string): void {
  const parts = ["Makefile", ".ci", "native", "sim", "src", "package.json", "package-lock.json"];
  for (const name of parts) execFileSync("cp", ["-a", inRepository(name), directory]);
}

/** A make that is independent of the make that runs these tests. */
const alone: readonly string[] = ["-u", "MAKEFLAGS", "-u", "MAKELEVEL", "make"];

/** Kills make and all that it started once `reached`, or lets it end. */
async function killedMake(
  directory: string,
  goal: string,
  reached: () => boolean,
): Promise<"killed" | "ended"> {
  const child = spawn("env", [...alone, goal], { cwd: directory, stdio: "ignore", detached: true });
  const exit = once(child, "exit").then(() => "ended" as const);
  while ((await Promise.race([exit, after(10)])) !== "ended") {
    if (!reached()) continue;
    process.kill(-(child.pid ?? 0), "SIGKILL");
    await exit;
    return "killed";
  }
  return "ended";
}

function make(directory: string, goal: string): void {
  execFileSync("env", [...alone, goal], { cwd: directory, stdio: "pipe" });
}

describe(`set-up that is killed (seed ${crashSeed})`, needs("make crash"), () => {
  it("while npm installs: the next make installs all", () =>
    inTemporary(async (directory) => {
      checkout(directory);
      const some = (): boolean => existsSync(join(directory, "node_modules"));
      expect(await killedMake(directory, packages, some)).toBe("killed");
      make(directory, packages);
      const listed = execFileSync("npm", ["ls", "--all", "--json"], {
        cwd: directory,
        encoding: "utf8",
      });
      expect(JSON.parse(listed)).not.toHaveProperty("problems");
    }));

  it("while the addon is compiled: the next make makes one that loads", () =>
    inTemporary(async (directory) => {
      checkout(directory);
      symlinkSync(inRepository("node_modules"), join(directory, "node_modules"));
      const some = randomStream(crashSeed, "objects of the addon").bits(0) % maxObjects;
      const made = (): number =>
        existsSync(join(directory, objects))
          ? readdirSync(join(directory, objects), { recursive: true }).filter((name) =>
              String(name).endsWith(".o"),
            ).length
          : 0;
      expect(await killedMake(directory, addon, () => made() > some)).toBe("killed");
      expect(existsSync(join(directory, "build/native/.building"))).toBe(true);
      make(directory, addon);
      expect(existsSync(join(directory, "build/native/.building"))).toBe(false);
      const load = `console.log(typeof require(${JSON.stringify(join(directory, addon))}))`;
      expect(execFileSync(process.execPath, ["-e", load], { encoding: "utf8" })).toBe("object\n");
    }));
});
