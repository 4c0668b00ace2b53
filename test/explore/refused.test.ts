// SPDX-License-Identifier: Apache-2.0

import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cli, inTemporary } from "../helpers/cli.ts";
import { rejectedAt } from "../helpers/rejected-at.ts";

const good = "name: base\nexpert: { hidden: 64, intermediate: 64 }\n";

describe("a sweep is refused before a point runs or a store is made, with", () => {
  it.each([
    ["a list for a scenario", "- 1\n", "{ ndp.lanes: [8] }", /base\.yaml: a list /],
    ["an empty scenario", "", "{ ndp.lanes: [8] }", /base\.yaml: null /],
    [
      "another sweep for a scenario",
      "name: s\nscenario: x.yaml\n",
      "{ ndp.lanes: [8] }",
      /base\.yaml: scenario: /,
    ],
    [
      "a scenario that no setting mends",
      `${good}memory: { timing: { nRFC1: 1000000 } }\n`,
      "{ ndp.lanes: [4, 8] }",
      "base.yaml: memory.timing.nREFI",
    ],
    ["no setting of a scenario", good, "{ ndp.lanez: [8] }", /"ndp\.lanez".*"ndp\.lanes"/],
    ["a group", good, "{ ndp: [8] }", /"ndp" .*group/],
    ["a prototype", good, "{ __proto__.x: [8] }", /"__proto__\.x"/],
    ["no settings", good, "{}", "sweep.yaml: grid"],
  ])("%s", async (_, base, grid, where) => {
    await inTemporary(async (directory) => {
      writeFileSync(join(directory, "base.yaml"), base);
      const sweep = join(directory, "sweep.yaml");
      writeFileSync(sweep, `name: s\nscenario: base.yaml\ngrid: ${grid}\n`);
      const out = join(directory, "out.duckdb");
      expect(await cli("sweep", sweep, "--out", out)).toEqual(rejectedAt(where));
      expect(readdirSync(directory).toSorted()).toEqual(["base.yaml", "sweep.yaml"]);
    });
  });
});

describe("an exploration is refused before a design is built, with", () => {
  it.each([
    ["a list for a scenario", "- 1\n", "base.yaml"],
    [
      "a scenario that no design mends",
      `${good}memory: { timing: { nRFC1: 1000000 } }\n`,
      "base.yaml: memory.timing.nREFI",
    ],
    ["an unknown setting", `${good}tokns: [1]\n`, "base.yaml: tokns"],
  ])("%s", async (_, base, where) => {
    await inTemporary(async (directory) => {
      writeFileSync(join(directory, "base.yaml"), base);
      const spec = join(directory, "explore.yaml");
      const space = "space: { ndp.lanes: [4, 8] }";
      writeFileSync(spec, `name: e\nscenario: base.yaml\nunit: ndp\n${space}\n`);
      const refused = await cli("explore", spec, "--out", `${directory}/out.duckdb`);
      expect(refused).toEqual(rejectedAt(where));
      expect(readdirSync(directory).toSorted()).toEqual(["base.yaml", "explore.yaml"]);
    });
  });
});
