// SPDX-License-Identifier: Apache-2.0

import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { inRepository } from "../../src/base/paths.ts";
import {
  atLeast,
  describe as describeFinding,
  nodeFits,
  parseVersion,
} from "../../src/native/requirements.ts";
import { cli } from "../helpers/cli.ts";

const missing = {
  name: "verilator",
  needed: true,
  status: null,
  fits: false,
  purpose: "turns the units into models",
  howToGet: "sudo apt install verilator",
};

describe("the doctor", () => {
  it("finds Node, which runs it, and says so in JSON", async () => {
    const { stdout } = await cli("doctor", "--json");
    const { optionalDependencies } = JSON.parse(
      readFileSync(inRepository("package.json"), "utf8"),
    ) as { readonly optionalDependencies: Readonly<Record<string, string>> };
    const { findings } = JSON.parse(stdout) as { findings: { name: string; fits: boolean }[] };
    expect(findings).toContainEqual(expect.objectContaining({ name: "node", fits: true }));
    expect(findings.map((f) => f.name)).toEqual(
      expect.arrayContaining([
        ...["verilator", "g++", "cmake", "perl", "zlib", "native addon", "slurm"],
        ...Object.keys(optionalDependencies),
      ]),
    );
  });

  it("says how to get what is missing", () => {
    expect(describeFinding(missing)).toMatch(
      /^MISSING verilator .*not found\n.*sudo apt install verilator$/,
    );
    expect(describeFinding({ ...missing, needed: false })).toMatch(/^absent /);
    expect(describeFinding({ ...missing, status: "5.6", fits: true })).toMatch(
      /^ok +verilator +5\.6$/,
    );
  });

  it("names the guide to Ramulator where there is no Ramulator", async () => {
    vi.stubEnv("RAMULATOR2_DIR", "");
    const { stdout } = await cli("doctor");
    const [, line = ""] = /^absent +Ramulator.*\n(.*)$/m.exec(stdout) ?? [];
    const [, page = ""] = /; see (\S+\.md)$/.exec(line) ?? [];
    expect(page).toBe("docs/guides/ramulator2.md");
    expect(existsSync(inRepository(page))).toBe(true);
    vi.unstubAllEnvs();
  });

  it("takes the Node that package.json takes", () => {
    const text = readFileSync(inRepository("package.json"), "utf8");
    expect(text).toContain('"node": "^20.17.0 || >=22.9.0"');
    expect([nodeFits([20, 17]), nodeFits([22, 9]), nodeFits([24, 0])]).toEqual([true, true, true]);
    expect([nodeFits([20, 16]), nodeFits([21, 7]), nodeFits([22, 8])]).toEqual([
      false,
      false,
      false,
    ]);
  });

  it("reads versions", () => {
    expect(parseVersion("Verilator 5.006 2023-01-22")).toEqual([5, 6]);
    expect(parseVersion("no number")).toBeNull();
    expect(atLeast([5, 6], [5, 6])).toBe(true);
    expect(atLeast([5, 5], [5, 6])).toBe(false);
    expect(atLeast([4, 228], [5, 6])).toBe(false);
    expect(atLeast([6, 0], [5, 6])).toBe(true);
  });
});
