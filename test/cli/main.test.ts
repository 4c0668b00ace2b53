// SPDX-License-Identifier: Apache-2.0

import { spawnSync } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { inRepository } from "../../src/base/paths.ts";
import { cli } from "../helpers/cli.ts";
import { rejection } from "../helpers/rejection.ts";
import { rejectedAt } from "../helpers/rejected-at.ts";
import { needs } from "../helpers/needs.ts";

describe("the command line", () => {
  it("answers help and version with exit code 0", async () => {
    expect(await cli("--help")).toMatchObject({ code: 0, stderr: "" });
    expect((await cli("--version")).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it.each([
    ["an unknown command", ["rnu"], /unknown.*'rnu'.*--help/],
    ["an unknown option", ["doctor", "--jsn"], /unknown.*'--jsn'.*--help/],
    ["a missing option", ["ndp", "eval"], /required.*'--expert <name>'.*--help/],
    ["a wrong choice", ["run", "--fidelity", "rlt"], /rtl, cycle, analytic.*--help/],
  ])("refuses %s with exit code 2", async (_, args, message) => {
    expect(await cli(...args)).toEqual(rejectedAt(message));
    const json = await cli(...args, "--json");
    expect(JSON.parse(json.stdout)).toMatchObject({ outcome: "error", code: "bad-input" });
  });

  it("refuses a command line without a command", async () => {
    for (const args of [[], ["policy"]]) {
      expect(await cli(...args)).toEqual(rejectedAt(/no command.*--help/));
    }
  });

  it("says what is wrong with a file in one line, and as JSON when asked", async () => {
    expect(await cli("run", "no-such.yaml")).toEqual(rejectedAt("no-such.yaml"));
    const json = await cli("run", "no-such.yaml", "--json");
    expect(json.code).toBe(2);
    const document: unknown = JSON.parse(json.stdout);
    expect(document).toEqual({ outcome: "error", code: "bad-input", issues: [expect.anything()] });
    expect(document).toEqual(rejection("bad-input", "no-such.yaml"));
  });

  it("prints the schema of scenarios as one JSON document", async () => {
    const { code, stdout } = await cli("schema");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ type: "object", required: ["name"] });
  });

  it("says when its answer cannot be written", needs("/dev/full"), () => {
    const full = openSync("/dev/full", "w");
    const launcher = inRepository("src", "cli", "neardata.js");
    const args = [launcher, "policy", "plan", inRepository("scenarios", "plan-opt-175b.yaml")];
    const stdio = ["ignore", full, "pipe"] as const;
    const planned = spawnSync(process.execPath, args, { stdio: [...stdio], encoding: "utf8" });
    expect(planned.stderr).toMatch(/^neardata: standard output: [^\n]*no space[^\n]*\n$/);
    expect(planned.status).toBe(2);
    const lost = spawnSync(process.execPath, [launcher, "run", "absent"], {
      stdio: ["ignore", full, full],
    });
    expect(lost).toMatchObject({ status: 2, signal: null });
    closeSync(full);
  });

  it("loads no large package before a command needs it", () => {
    expect([...packagesOf(inRepository("src", "cli", "main.ts"))].sort()).toEqual(["commander"]);
  });
});

/** The packages that `file` and its imports load at start; imports of types are not loaded. */
function packagesOf(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return new Set();
  seen.add(file);
  const imports = readFileSync(file, "utf8").matchAll(
    /^(?:import|export)\s+(?!type\b)(?:[^;]*?\sfrom\s+)?"([^"]+)";/gm,
  );
  return new Set(
    [...imports].flatMap(([, name = ""]) => {
      if (name.startsWith("node:")) return [];
      return name.startsWith(".") ? [...packagesOf(resolve(dirname(file), name), seen)] : [name];
    }),
  );
}
