// SPDX-License-Identifier: Apache-2.0
// Choices of a real router: the file contains its loads, all faults are reported at once with their
// lines; `reproduce --trace` checks TriMoE's premises with them.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { decodeSteps, parseRoutes } from "../../../src/papers/trimoe/model/routes.ts";
import { loadShares } from "../../../src/papers/trimoe/model/shares.ts";
import { cli, inTemporary } from "../../helpers/cli.ts";
import { rejection } from "../../helpers/rejection.ts";
import { rejectedAt } from "../../helpers/rejected-at.ts";

const header = "window,layer,position,expert0,expert1";
const fixture = new URL("../../fixtures/trimoe/routes.csv", import.meta.url).pathname;

describe("routes", () => {
  const rows = ["0,0,1,2,0", "0,0,0,1,0", "2,0,0,3,1", "2,0,1,3,2"];

  it("stand in any order; a step has so many positions of every window", () => {
    const routes = parseRoutes("t", [header, ...rows, ""].join("\n"));
    expect(routes).toMatchObject({ experts: 4, perToken: 2, windows: 2, positions: 2 });
    const choices = routes.layers.get(0) ?? new Int32Array();
    expect([...choices]).toEqual([1, 0, 2, 0, 3, 1, 3, 2]);
    const steps = decodeSteps("t", routes, choices, 1);
    expect(steps.map((loads) => [...loads])).toEqual([
      [1, 2, 0, 1],
      [1, 0, 2, 1],
    ]);
    expect(() => decodeSteps("t", routes, choices, 2)).toThrow(rejection("bad-input", /^t: .* 4 /));
  });

  it.each([
    ["an empty file", "", [/window/, /layer/, /position/, /expert0/, /""/]],
    ["no row", `${header}\n`, [/no row/]],
    ["a gap in the experts", "window,layer,position,expert0,expert2\n", [/expert1/, /"expert2"/]],
    ["a column twice", `${header},layer\n`, [/layer twice/]],
    ["too few weights", `${header},weight0\n`, [/weight1/]],
    ["a short row", `${header}\n0,0,0,1\n`, [/^t:2: .* 4 cells/]],
    ["an expert that is no number", `${header}\n0,0,0,1,x\n`, [/^t:2: expert1/]],
    ["an expert beyond all", `${header}\n0,0,0,1,4096\n`, [/^t:2: expert1 .* 4095/]],
    ["an expert twice", `${header}\n0,0,0,1,1\n`, [/^t:2: expert 1 .*twice/]],
    ["a token twice", `${header}\n0,0,0,1,2\n0,0,0,1,3\n`, [/^t:3: .*twice/]],
    ["a weight above 1", `${header},weight0,weight1\n0,0,0,1,2,0.5,1.5\n`, [/^t:2: weight1/]],
    ["two faults", `${header}\n0,0,-1,1,2\n0,0,1,1\n`, [/^t:2: position/, /^t:3: .*cells/]],
    ["a layer without a token", `${header}\n0,0,0,1,2\n0,1,1,1,2\n`, [/layer 1, window 0/]],
    ["a layer without a window", `${header}\n0,0,0,1,2\n1,1,0,1,2\n`, [/layer 1 .*windows/]],
  ])("refuse %s", (_, text, rules) => {
    expect(() => parseRoutes("t", text)).toThrow(rejection("bad-input", ...rules));
  });

  it("of a balanced router are far from the paper's shares", () => {
    const routes = parseRoutes(fixture, readFileSync(fixture, "utf8"));
    expect(routes).toMatchObject({ experts: 32, perToken: 4, windows: 8, positions: 256 });
    for (const choices of routes.layers.values()) {
      const { rest70 } = loadShares(decodeSteps(fixture, routes, choices, 32));
      expect(rest70).toBeGreaterThan(0.4);
    }
  });
});

describe("`reproduce --trace`", () => {
  it("shows the premises beside the generator's trace, and the file's hash", () =>
    inTemporary(async (directory) => {
      const options = ["--only", "trimoe/router", "--trace", fixture, "--out", directory, "--json"];
      const { code, stdout } = await cli("reproduce", "trimoe", ...options);
      expect(code).toBe(0);
      const { trace, experiments } = JSON.parse(stdout) as {
        trace: string;
        experiments: { findings: { what: string; tried: { what: string; value: number }[] }[] }[];
      };
      expect(trace).toMatch(/^[0-9a-f]{64}$/);
      const findings = experiments.flatMap((e) => e.findings);
      expect(findings).not.toEqual([]);
      for (const { tried } of findings) {
        expect(tried.map(({ what }) => what)).toEqual(["layer 0", "layer 3", "generator"]);
        for (const { value } of tried) expect(Number.isFinite(value)).toBe(true);
      }
      const html = readFileSync(join(directory, "trimoe.html"), "utf8");
      expect(html).toContain(trace);
      // The one premise that a balanced router cannot bear out, and that the generator was made for.
      const cold = /most experts are cold[^]*?<\/tr>/.exec(html)?.[0] ?? "";
      expect([...cold.matchAll(/>(true|false|yes|no)</g)].map(([, word]) => word)).toEqual([
        "no",
        "yes",
      ]);
      for (const id of ["prediction", "text"]) expect(html).toContain(`id="router-${id}"`);
    }));

  it("says what is wrong with a file, and where choices are of no use", () =>
    inTemporary(async (directory) => {
      const bad = join(directory, "bad.csv");
      writeFileSync(bad, `${header}\n0,0,0,1,1\n0,0,1,1\n`);
      const broken = await cli("reproduce", "trimoe", "--only", "trimoe/router", "--trace", bad);
      expect(broken).toEqual(rejectedAt("bad.csv:2", "bad.csv:3"));
      const elsewhere = await cli("reproduce", "lia", "--trace", fixture);
      expect(elsewhere).toEqual(rejectedAt(/--trace: .*lia/));
    }));
});
