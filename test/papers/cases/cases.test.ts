// SPDX-License-Identifier: Apache-2.0
// `neardata policy solve`: results beside ids, all problems at once, nothing half written.

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cli, inTemporary, type CliResult } from "../../helpers/cli.ts";
import { rejectedAt } from "../../helpers/rejected-at.ts";

const average = { kind: "ema", alpha: 0.5, initial: [1, 3], loads: [[3, 3]] };
const averages = { oracle: "trimoe_schedule", version: 1, hardware: {} };

interface Solved extends CliResult {
  readonly files: readonly string[];
  readonly results: unknown;
}

function solve(document: unknown): Promise<Solved> {
  return inTemporary(async (directory) => {
    const path = join(directory, "cases.json");
    const out = join(directory, "out.json");
    writeFileSync(path, typeof document === "string" ? document : JSON.stringify(document));
    const result = await cli("policy", "solve", path, "--out", out);
    const results: unknown = existsSync(out) ? JSON.parse(readFileSync(out, "utf8")) : null;
    return { ...result, files: readdirSync(directory), results };
  });
}

describe("neardata policy solve", () => {
  it("writes a result for each case, whether or not values are expected", async () => {
    const cases = [
      { id: "a", ...average },
      { id: "b", ...average, expect: { final: [0, 0] } },
    ];
    const { code, results } = await solve({ ...averages, cases });
    const result = { final: [2, 3], after_each_step_sum: [5] };
    expect(code).toBe(0);
    expect(results).toEqual({
      cases: [
        { id: "a", result },
        { id: "b", result },
      ],
    });
  });

  it("tells every problem in a line of its own and writes nothing", async () => {
    const cases = [
      { id: "a", ...average, loads: [[1, 2, 3]] },
      { id: "a", ...average, kind: "emma" },
      { id: "c", ...average, alpha: 2 },
      { id: "d", kind: "schedule_layer", hardware: "x", W: 1, max_iterations: 1, experts: [] },
    ];
    const solved = await solve({ ...averages, cases });
    expect(solved).toMatchObject(
      rejectedAt(
        "cases.json: cases[0].loads[0]",
        "cases.json: cases[1].id",
        /cases\.json: cases\[1\]\.kind: .*"ema"/,
        "cases.json: cases[2].alpha",
        "cases.json: cases[3].experts",
      ),
    );
    expect(solved.files).toEqual(["cases.json"]);
  });

  it.each([
    ["no JSON", "{", /cases\.json: .*JSON/],
    ["an unknown model", { oracle: "lia", version: 1, cases: [] }, "cases.json: oracle"],
    ["another version", { ...averages, version: 2, cases: [] }, "cases.json: version"],
    ["no cases", { ...averages, cases: [] }, "cases.json: cases"],
    ["something else", [], /cases\.json: .*(oracle|kind)/],
  ])("refuses %s", async (_, document, where) => {
    const solved = await solve(document);
    expect(solved).toMatchObject(rejectedAt(where));
    expect(solved.files).toEqual(["cases.json"]);
  });

  it("says which published figure it has no rule for, and goes on", async () => {
    const one = { kind: "lia", where: "nowhere", what: "nothing", published: 3.25 };
    const cases = [
      { id: "a", ...one },
      { id: "b", ...one, inputs: { a: 6, b: 2 } },
    ];
    const { results } = await solve({ oracle: "paper_arithmetic", version: 1, cases });
    expect(results).toMatchObject({
      cases: [{ result: { value: null } }, { result: { value: 3 } }],
    });
  });
});
