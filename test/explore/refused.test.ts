// SPDX-License-Identifier: Apache-2.0

import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cli, inTemporary } from "../helpers/cli.ts";

const good = "name: base\nexpert: { hidden: 64, intermediate: 64 }\n";

describe("a sweep is refused before a point runs or a store is made, with", () => {
  it.each([
    [
      "a list for a scenario",
      "- 1\n",
      "{ ndp.lanes: [8] }",
      "base.yaml: a list is not of the kind",
    ],
    ["an empty scenario", "", "{ ndp.lanes: [8] }", "base.yaml: null is not of the kind object."],
    [
      "another sweep for a scenario",
      "name: s\nscenario: x.yaml\n",
      "{ ndp.lanes: [8] }",
      "base.yaml: scenario: there is no such setting.",
    ],
    [
      "a scenario that no setting mends",
      `${good}memory: { timing: { nRFC1: 1000000 } }\n`,
      "{ ndp.lanes: [4, 8] }",
      "base.yaml: memory.timing.nREFI: 9347 is less",
    ],
    [
      "no setting of a scenario",
      good,
      "{ ndp.lanez: [8] }",
      'no setting "ndp.lanez". Did you mean',
    ],
    ["a group", good, "{ ndp: [8] }", '"ndp" is a group of settings, not one.'],
    ["a prototype", good, "{ __proto__.x: [8] }", 'a scenario has no setting "__proto__.x".'],
    ["no settings", good, "{}", "sweep.yaml: grid: at least one setting is needed."],
  ])("%s", async (_, base, grid, message) => {
    await inTemporary(async (directory) => {
      writeFileSync(join(directory, "base.yaml"), base);
      const sweep = join(directory, "sweep.yaml");
      writeFileSync(sweep, `name: s\nscenario: base.yaml\ngrid: ${grid}\n`);
      const out = join(directory, "out.duckdb");
      const { code, stdout, stderr } = await cli("sweep", sweep, "--out", out);
      expect(stderr).toContain(message);
      expect(stdout).toBe("");
      expect(code).toBe(2);
      expect(readdirSync(directory).toSorted()).toEqual(["base.yaml", "sweep.yaml"]);
    });
  });
});

describe("an exploration is refused before a design is built, with", () => {
  it.each([
    ["a list for a scenario", "- 1\n", "base.yaml: a list is not of the kind"],
    [
      "a scenario that no design mends",
      `${good}memory: { timing: { nRFC1: 1000000 } }\n`,
      "base.yaml: memory.timing.nREFI: 9347 is less",
    ],
    ["an unknown setting", `${good}tokns: [1]\n`, "base.yaml: tokns: there is no such setting."],
  ])("%s", async (_, base, message) => {
    await inTemporary(async (directory) => {
      writeFileSync(join(directory, "base.yaml"), base);
      const spec = join(directory, "explore.yaml");
      const space = "space: { ndp.lanes: [4, 8] }";
      writeFileSync(spec, `name: e\nscenario: base.yaml\nunit: ndp\n${space}\n`);
      const { code, stdout, stderr } = await cli(
        "explore",
        spec,
        "--out",
        `${directory}/out.duckdb`,
      );
      expect(stderr).toContain(message);
      expect(stdout).toBe("");
      expect(stderr).not.toContain("designs can be built");
      expect(code).toBe(2);
      expect(readdirSync(directory).toSorted()).toEqual(["base.yaml", "explore.yaml"]);
    });
  });
});
