// SPDX-License-Identifier: Apache-2.0
// An installation without the optional packages: entry points load, a run has all but its page, and whatever needs a package
// says which, what for and how to get it.

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { inRepository } from "../../src/base/paths.ts";
import { needs } from "../helpers/needs.ts";
import { full } from "../helpers/tier.ts";

interface Manifest {
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

const manifest = JSON.parse(readFileSync(inRepository("package.json"), "utf8")) as Manifest;
const optional = Object.keys(manifest.optionalDependencies).sort();

describe("neardata without its optional packages", needs("make build"), () => {
  let root: string;

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), "neardata-test-"));
    for (const name of ["data", "examples", "scenarios", "rtl", "synth", "package.json"]) {
      symlinkSync(inRepository(name), join(root, name));
    }
    mkdirSync(join(root, "src", "cli"), { recursive: true });
    cpSync(inRepository("src", "cli", "neardata.js"), join(root, "src", "cli", "neardata.js"));
    cpSync(inRepository("build", "js"), join(root, "build", "js"), { recursive: true });
    const names = readdirSync(inRepository("node_modules")).flatMap((name) =>
      name.startsWith("@")
        ? readdirSync(inRepository("node_modules", name)).map((own) => `${name}/${own}`)
        : [name],
    );
    for (const name of names.filter((one) => !optional.includes(one) && !one.startsWith("."))) {
      const to = join(root, "node_modules", name);
      mkdirSync(join(to, ".."), { recursive: true });
      symlinkSync(inRepository("node_modules", name), to);
    }
  });
  afterAll(() => {
    rmSync(root, { recursive: true, force: true });
  });

  const run = (
    ...args: readonly string[]
  ): { code: number | null; stdout: string; stderr: string } => {
    const launcher = join(root, "src", "cli", "neardata.js");
    const { status, stdout, stderr } = spawnSync(process.execPath, [launcher, ...args], {
      cwd: root,
      encoding: "utf8",
    });
    return { code: status, stdout, stderr };
  };

  it("imports its entry points", () => {
    const paths = ["run/index.js", "rtl/index.js", "rtl/declare/index.js", "golden/index.js"].map(
      (name) => join(root, "build", "js", name),
    );
    const text = `Promise.all(${JSON.stringify(paths)}.map((path) => import(path)))
      .then((modules) => console.log(...modules.map((entry) => Object.keys(entry).length > 1)))`;
    const said = execFileSync(process.execPath, ["-e", text], { encoding: "utf8" });
    expect(said).toBe("true true true true\n");
  });

  it("runs a scenario, and says why there is no page", () => {
    const out = join(root, "out");
    const file = join(root, "scenarios", "cold-expert.yaml");
    const { code, stdout, stderr } = run("run", file, "--fidelity", "analytic", "--out", out);
    expect(code).toBe(0);
    // Of a closed form, which has no utilisation; nothing about packages.
    expect(stderr).toMatch(/^neardata: expect\.boundShare: .*\n$/);
    expect(stdout).toMatch(
      /results: out\/results\.json\nno report: .*npm install @observablehq\/plot@\d/,
    );
    expect(readdirSync(out).sort()).toEqual(["results.json", "timeline.json"]);
  });

  it.each([
    ["list", ["list"], /trimoe\/figure-6/],
    ["compares with a paper", ["reproduce", "--only", "lia/arithmetic"], /published/],
  ] as const)("%s", (_, args, text) => {
    const { code, stdout, stderr } = run(...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(text);
  });

  const cases = (file: string): readonly string[] => {
    const path = join(root, file);
    writeFileSync(
      path,
      JSON.stringify({
        cases: [],
      }),
    );
    return ["policy", "solve", path, "--out", join(root, "solved.json")];
  };
  const pageOfArea = [
    "@observablehq/plot",
    () => ["area", "fp_narrow", "--out", join(root, "area.html")],
  ] as const;
  it.each([
    ["highs", () => cases("cases.json")],
    ["@observablehq/plot", () => ["reproduce", "lia", "--out", join(root, "pages")]],
    ...(full ? [pageOfArea] : []),
    ["@duckdb/node-api", () => ["sweep", sweep(root)]],
    ["@jax-js/jax", () => ["explore", join(root, "scenarios", "explore-ndp.yaml")]],
  ] as const)("says that %s lacks, with exit code 3", (name, args) => {
    const { code, stderr } = run(...args());
    expect(stderr).toContain(`npm install ${name}@${manifest.optionalDependencies[name] ?? ""}\n`);
    expect(code).toBe(3);
  });
});

function sweep(folder: string): string {
  const scenario = join(folder, "scenarios", "cold-expert.yaml");
  const path = join(folder, "sweep.yaml");
  writeFileSync(
    path,
    `name: s\nscenario: ${scenario}\nfidelity: analytic\ngrid: { seed: [1, 2] }\n`,
  );
  return path;
}
