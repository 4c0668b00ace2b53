// SPDX-License-Identifier: Apache-2.0
// What every command does the same way: help, names of options, flags that would be ignored, errors as
// JSON, colour.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import type { Command } from "commander";
import { afterEach, describe, expect, it, vi } from "vitest";
import { buildProgram, reportError } from "../../src/cli/main.ts";
import { inputPath } from "../../src/cli/options/options.ts";
import { failed } from "../../src/cli/terminal/paint.ts";
import { inputError } from "../../src/base/errors.ts";
import { repositoryRoot } from "../../src/base/paths.ts";
import { cli, inTemporary } from "../helpers/cli.ts";
import { rejectedAt } from "../helpers/rejected-at.ts";

/** Every command with its words. */
function commandsOf(
  command: Command,
  words: readonly string[] = [],
): (readonly [string, Command])[] {
  const below = command.commands.flatMap((one) => commandsOf(one, [...words, one.name()]));
  return [[words.join(" "), command], ...below];
}
const all = commandsOf(await buildProgram());

describe("help", () => {
  it.each(all)("of %j has no empty default and no path of this machine", async (words) => {
    const { stdout, code } = await cli(...words.split(" ").filter(Boolean), "--help");
    expect(code).toBe(0);
    expect(stdout).not.toMatch(/default:\s+(?:\[\]|false)/);
    expect(stdout).not.toContain(repositoryRoot());
  });

  it("names neardata's own files, and every variable", async () => {
    expect((await cli("run", "--help")).stdout).toMatch(/neardata's\s+scenarios\/main\.yaml/);
    const { stdout } = await cli("--help");
    for (const variable of [
      "NEARDATA_CACHE",
      "NEARDATA_ADDON",
      "CXX",
      "RAMULATOR2_DIR",
      "NO_COLOR",
    ])
      expect(stdout).toContain(`\n  ${variable} `);
  });
});

describe("one name for one thing, the older one as an alias", () => {
  const options = all.flatMap(([words, command]) => command.options.map((one) => ({ words, one })));
  it.each([
    ["--fidelity", "--engine"],
    ["--memory-backend", "--backend"],
  ])("%s, %s", (name, alias) => {
    const matchingOptions = options.filter(({ one }) => one.long === name);
    expect(matchingOptions.length).toBeGreaterThan(1);
    for (const { words, one } of matchingOptions) {
      expect([words, one.long, one.short]).toEqual([words, name, alias]);
      expect(one.flags).toMatch(new RegExp(`^${name}, ${alias} <name>$`));
    }
    // The option of `prove` means provers, not engines of storage devices.
    const stray = options.filter(({ words, one }) => one.long === alias && words !== "prove");
    expect(stray).toEqual([]);
  });

  it("both are read", async () => {
    for (const flag of ["--fidelity", "--engine"]) {
      const refused = await cli("reproduce", flag, "cycle", "--trace", "x.csv");
      expect(refused).toEqual(rejectedAt(/--trace: .*analytic.*cycle/));
    }
    const twice = await cli("run", "--engine", "rtl", "--fidelity", "cycle");
    expect(twice).toEqual(rejectedAt(/--fidelity: .*twice/));
  });
});

describe("flags that nobody would read are refused", () => {
  const attention = "name: a\nattention: { model: opt-13b, length: 256 }\nfidelity: cycle\n";
  it.each([
    ["--out", ["report", "DIR", "--out", "x.html"]],
    ["--out", ["report", "DIR", "DIR", "--json", "--out", "x.html"]],
    ["--out", ["coverage", "DIR", "--json", "--out", "x.html"]],
    ["--out", ["prove", "--list", "--out", "x.html"]],
    ["--inject", ["prove", "--list", "--inject"]],
    ["--waves", ["run", "DIR/a.yaml", "--waves"]],
    ["--checked", ["run", "DIR/a.yaml", "--checked"]],
    ["--memory-backend", ["run", "DIR/a.yaml", "--backend", "native"]],
    ["--threads", ["run", "DIR/a.yaml", "--fidelity", "analytic", "--threads", "2"]],
    ["--seeds", ["reproduce", "lia", "--seeds", "3"]],
    ["--steps", ["reproduce", "trimoe", "--fidelity", "cycle", "--steps", "3"]],
    ["--requests", ["reproduce", "lia", "--requests", "DIR/a.yaml"]],
    ["--requests", ["reproduce", "--fidelity", "cycle", "--requests", "DIR/a.yaml"]],
    ["--fidelity", ["reproduce", "lia", "--fidelity", "cycle"]],
    ["--record", ["area", "ndp", "--record", "--param", "Lanes=2"]],
  ] as const)("%s of %j", (option, args) =>
    inTemporary(async (directory) => {
      writeFileSync(join(directory, "a.yaml"), attention);
      mkdirSync(join(directory, "runs"));
      const result = await cli(...args.map((a) => a.replace("DIR", directory)));
      const { code, stderr } = rejectedAt(option);
      const json = args.some((arg) => arg === "--json");
      expect(result).toMatchObject(json ? { code, stderr } : rejectedAt(option));
      expect(existsSync("x.html")).toBe(false);
    }),
  );

  it.each([
    [["run", "--build-only", "--out", "x"]],
    [["run", "--build-only", "--waves"]],
    [["schema", "--markdown", "--json"]],
    [["schema", "--markdown", "--unit"]],
    [["area", "ndp", "--record", "--sweep", "Lanes=2,4"]],
    [["area", "ndp", "--record", "--liberty", "x.lib"]],
    [["area", "ndp", "--record", "--target", "xc7"]],
  ])("%j", async (args) => {
    const { code, stderr } = rejectedAt(/'--.*cannot.*'--.*--help/);
    expect(await cli(...args)).toMatchObject({ code, stderr });
  });
});

describe("errors under --json", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });
  const documentOf = (error: unknown): unknown => {
    const written: string[] = [];
    const write = (text: unknown): boolean => {
      written.push(String(text));
      return true;
    };
    vi.spyOn(process.stdout, "write").mockImplementation(write);
    vi.spyOn(process.stderr, "write").mockReturnValue(true);
    reportError(error, true);
    return JSON.parse(written.join(""));
  };

  it("are one document: what is typed wrong", async () => {
    const { stdout, code } = await cli("reproduce", "nobody", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ outcome: "error", code: "bad-input" });
    expect(code).toBe(2);
  });
  it("are one document: what is refused", () => {
    const issues = [{ where: "--x", message: "no." }];
    expect(documentOf(inputError("--x", "no."))).toEqual({
      outcome: "error",
      code: "bad-input",
      issues,
    });
  });
  it("are one document: bugs", () => {
    const issues = [{ where: "", message: "x is undefined" }];
    expect(documentOf(new TypeError("x is undefined"))).toEqual({
      outcome: "error",
      code: "bug",
      issues,
    });
  });
});

describe("colour", () => {
  const red = "\u001b[31mFAILS\u001b[39m";
  it("is for what failed, on a terminal alone, and never where NO_COLOR is set", () => {
    const stream = (isTTY: boolean): { readonly isTTY: boolean } => ({ isTTY });
    const before = process.env["NO_COLOR"];
    try {
      delete process.env["NO_COLOR"];
      expect(failed("FAILS", stream(true))).toBe(red);
      expect(failed("FAILS", stream(false))).toBe("FAILS");
      process.env["NO_COLOR"] = "";
      expect(failed("FAILS", stream(true))).toBe(red);
      process.env["NO_COLOR"] = "1";
      expect(failed("FAILS", stream(true))).toBe("FAILS");
    } finally {
      if (before === undefined) delete process.env["NO_COLOR"];
      else process.env["NO_COLOR"] = before;
    }
  });
});

describe("the compiler", () => {
  it("that doctor looks at is the one of the cache", () =>
    inTemporary(async (directory) => {
      const path = join(directory, "c++");
      const script =
        "#!/bin/sh\ncase $* in *-dumpfullversion*) echo 98.7.6 ;; *) echo mine ;; esac\n";
      writeFileSync(path, script, { mode: 0o755 });
      const modules = ["native/requirements.ts", "native/compile/compiler.ts"].map(
        (file) => `${repositoryRoot()}/build/js/${file.replace(/ts$/, "js")}`,
      );
      if (!modules.every((file) => existsSync(file))) return;
      const [doctor = "", compiler = ""] = modules.map((file) => JSON.stringify(file));
      const text = `const { examine } = await import(${doctor});
        const { askCompiler } = await import(${compiler});
        console.log(examine().find((one) => one.name === "g++").status, await askCompiler(["--version"]));`;
      const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", text], {
        env: { ...process.env, CXX: `env ${path}` },
        encoding: "utf8",
      });
      expect(stdout).toBe("98.7.6 mine\n\n");
      await Promise.resolve();
    }));
});

describe("an input that begins with data/, examples/ or scenarios/", () => {
  it("is neardata's own where there is none at hand", () =>
    inTemporary(async (directory) => {
      const inside = join(directory, "scenarios", "small.yaml");
      mkdirSync(join(directory, "scenarios"));
      writeFileSync(inside, "name: small\n");
      const before = process.cwd();
      try {
        process.chdir(directory);
        expect(inputPath("scenarios/small.yaml")).toBe("scenarios/small.yaml");
        expect(inputPath("scenarios/main.yaml")).toBe(`${repositoryRoot()}/scenarios/main.yaml`);
        expect(inputPath("scenarios/absent.yaml")).toBe("scenarios/absent.yaml");
        expect(inputPath("src/run/index.ts")).toBe("src/run/index.ts");
        const { code, stdout } = await cli("machine", "scenarios/cold-expert.yaml", "--json");
        expect(code).toBe(0);
        expect(JSON.parse(stdout)).toMatchObject({ scenario: "cold-expert" });
      } finally {
        process.chdir(before);
      }
    }));
});
