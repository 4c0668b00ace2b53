// SPDX-License-Identifier: Apache-2.0
// Commands to begin with.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseScenario } from "../../src/scenario/parse.ts";
import { resolveConfig } from "../../src/scenario/resolve.ts";
import { resolved } from "../helpers/resolved.ts";
import { inRepository } from "../../src/base/paths.ts";
import { changeLines, type WatchedRun } from "../../src/report/change-lines.ts";
import { systemError } from "../../src/cli/terminal/system-errors.ts";
import { cli, inTemporary } from "../helpers/cli.ts";
import { rejection } from "../helpers/rejection.ts";
import { rejectedAt } from "../helpers/rejected-at.ts";

describe("init", () => {
  it("writes a scenario that is one, and no second time", () =>
    inTemporary(async (directory) => {
      const file = join(directory, "mine.yaml");
      expect((await cli("init", file)).code).toBe(0);
      const { scenario } = resolveConfig(file, parseScenario(file, readFileSync(file, "utf8")));
      expect(scenario).toMatchObject({ name: "mine", fidelity: "cycle" });
      expect(await cli("init", file)).toMatchObject({ code: 2 });
      const ran = await cli(
        "run",
        file,
        "--engine",
        "analytic",
        "--out",
        join(directory, "r"),
        "--json",
      );
      expect(JSON.parse(ran.stdout)).toMatchObject({
        outcome: "completed",
        directory: join(directory, "r"),
      });
    }));
});

describe("list", () => {
  it("knows names of every kind", async () => {
    const { stdout } = await cli("list", "--json");
    const all = JSON.parse(stdout) as Readonly<Record<string, readonly { name: string }[]>>;
    const has = (kind: string, name: string): boolean =>
      all[kind]?.some((one) => one.name === name) ?? false;
    for (const [kind, name] of [
      ["models", "deepseek-v2"],
      ["presets", "znand4k"],
      ["devices", "h100-80"],
      ["experiments", "trimoe/figure-6"],
      ["units", "sparf"],
      ["scenarios", "main"],
    ] as const) {
      expect([kind, name, has(kind, name)]).toEqual([kind, name, true]);
    }
  });
});

describe("types", () => {
  it("writes the ports of a unit, and says when nothing changed", () =>
    inTemporary(async (directory) => {
      const out = join(directory, "filter.ts");
      const args = [
        "types",
        "--uses",
        "sparf/flash/sparf_nfc_filter.sv",
        "--top",
        "sparf_nfc_filter",
        "--out",
        out,
      ];
      expect((await cli(...args)).stdout).toBe(`SparfNfcFilter: ${out}\n`);
      expect(readFileSync(out, "utf8")).toMatch(/row_last: number;/);
      expect((await cli(...args)).stdout).toMatch(/is as it was/);
      expect(await cli("types", "--top", "absent")).toEqual(rejectedAt("sources"));
    }));
});

describe("a package that was left out", () => {
  it("is named with what brings it, and is no bug", () => {
    const absent = "@neardata-test/absent-package";
    const message = `Cannot find package '${absent}' imported from /x/y.js`;
    const error = Object.assign(new Error(message), { code: "ERR_MODULE_NOT_FOUND" });
    const neardataError = systemError(error);
    expect(neardataError).toMatchObject({ code: "tool-missing" });
    expect(neardataError?.message).toContain(`npm install ${absent}`);
    const own = Object.assign(new Error("Cannot find module '/x/z.js' imported from /x/y.js"), {
      code: "ERR_MODULE_NOT_FOUND",
    });
    expect(systemError(own)).toBeNull();
  });
});

describe("a folder of changed RTL", () => {
  it("takes the place of files of the same names, and is part of the hash", () =>
    inTemporary((directory) => {
      const file = join(directory, "s.yaml");
      const input = {
        name: "s",
        expert: { model: "deepseek-v2" },
        attention: { model: "opt-13b", length: 256 },
      };
      const plain = resolved(file, input);
      const source = inRepository("rtl", "sparf", "flash", "sparf_nfc_filter.sv");
      writeFileSync(join(directory, "sparf_nfc_filter.sv"), readFileSync(source));
      const changed = resolved(file, { ...input, rtl: "." });
      expect(changed.ownUnit).toBeNull();
      expect(changed.ownEngine).toMatchObject({ top: "sparf_engine", directory });
      expect(changed.configHash).not.toBe(plain.configHash);
      expect(() => resolved(file, { ...input, rtl: ".", fidelity: "cycle" })).toThrow(
        rejection("bad-input", `${file}: fidelity`),
      );
      expect(() => resolved(file, { ...input, rtl: "absent" })).toThrow(
        rejection("bad-input", `${file}: rtl`),
      );
      return Promise.resolve();
    }));
});

describe("what moved", () => {
  const run = (hash: string, value: number, pass: boolean): WatchedRun => ({
    resultHash: hash,
    checks: [{ case: "a", id: "golden", title: "bits", pass, detail: "0 differ" }],
    metrics: [{ case: "a", id: "cycles", title: "unit cycles", value, unit: "cycles" }],
  });
  it("is said in lines", () => {
    expect(changeLines(null, run("1", 100, true))).toEqual(["1 check passed"]);
    expect(changeLines(run("1", 100, true), run("1", 100, true))).toEqual([
      "1 check passed, nothing moved",
    ]);
    const none = { ...run("1", 100, true), checks: [], metrics: [] };
    expect(changeLines(none, run("2", 100, true))).toEqual(["1 check passed"]);
    expect(changeLines(run("1", 100, false), run("2", 100, true))).toEqual([
      "1 check passed",
      "a: bits holds again: 0 differ",
    ]);
    expect(changeLines(run("1", 100, true), run("2", 110, false))).toEqual([
      "1 of 1 check failed",
      "a: bits FAILS: 0 differ",
      "a: unit cycles: 100 -> 110 cycles (+10.0 %)",
    ]);
  });
});
