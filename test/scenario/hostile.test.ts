// SPDX-License-Identifier: Apache-2.0
// A scenario of any contents is resolved, or refused with a sentence per problem: which file, where in
// it, which rule; and all problems at once. NEARDATA_SCENARIOS is how many are tried.

import fc from "fast-check";
import process from "node:process";
import { describe, expect, it } from "vitest";
import { parseScenario } from "../../src/scenario/parse.ts";
import { resolveConfig, type Scenario } from "../../src/scenario/resolve.ts";
import { NeardataError } from "../../src/base/errors.ts";
import { feed, type HostileFile } from "../helpers/hostile.ts";
import { almostScenarios, somePaths, wrongAt } from "../helpers/scenario-changes.ts";
import { runs } from "../helpers/tier.ts";

const tried = Number(process.env["NEARDATA_SCENARIOS"] ?? runs(75, 300));

/** Texts in a message that describe the program instead of the file. */
const forbidden =
  /\[object |undefined|Invalid |Maximum call stack|\bExpected|expected |Too (big|small)|bug of neardata/;
/** NaN that is not in the file. */
const ownNaN = /NaN(?! is )/;
const longest = 400;

function expectSentences(stderr: string, file: string): void {
  const lines = stderr.trimEnd().split("\n");
  expect(new Set(lines).size).toBe(lines.length);
  for (const line of lines) {
    if (/^neardata: \d+ problems more\.$/.test(line)) continue;
    expect(line.startsWith(`neardata: ${file}: `), line).toBe(true);
    const sentence = line.slice(`neardata: ${file}: `.length);
    expect(sentence).not.toMatch(forbidden);
    if (!sentence.includes('"')) expect(sentence).not.toMatch(ownNaN);
    expect(sentence).toMatch(/^\S.*[.?]$/);
    expect(sentence.length).toBeLessThan(longest);
  }
}

/** The scenario of a text, or its issues as the command line prints them. */
function resolved(text: string): Scenario | string {
  try {
    return resolveConfig("s.yaml", parseScenario("s.yaml", text)).scenario;
  } catch (error) {
    if (!(error instanceof NeardataError) || error.code !== "bad-input") throw error;
    return error.issues.map(({ where, message }) => `neardata: ${where}: ${message}`).join("\n");
  }
}

/** Small enough to be computed here by the equations of its models. */
function quick({ expert, attention, tokens }: Scenario): boolean {
  const { source } = expert ?? {};
  const { hidden = 0, intermediate = 0 } = source?.kind === "generated" ? source : {};
  const heads = attention?.source.kind === "hta1" ? attention.source.heads : 0;
  const asked = (attention?.length ?? 0) * heads * (attention?.inFlight.length ?? 0);
  return hidden * intermediate < 2 ** 16 && tokens.length < 8 && asked < 2 ** 12;
}

describe("a scenario of any contents", () => {
  it("is resolved or refused in sentences", () => {
    const verdicts = { taken: 0, refused: 0 };
    fc.assert(
      fc.property(almostScenarios, (text) => {
        const scenario = resolved(text);
        if (typeof scenario === "string") expectSentences(scenario, "s.yaml");
        verdicts[typeof scenario === "string" ? "refused" : "taken"] += 1;
      }),
      { numRuns: tried },
    );
    // Changes that are all refused, or none, would try little.
    expect(verdicts.taken).toBeGreaterThan(tried / 20);
    expect(verdicts.refused).toBeGreaterThan(tried / 4);
  });

  it("runs by its equations, or ends with 2 and sentences", async () => {
    const file: HostileFile = {
      name: "s.yaml",
      args: (path, directory) => [
        "run",
        path,
        "--fidelity",
        "analytic",
        "--out",
        `${directory}/out`,
      ],
    };
    await fc.assert(
      fc.asyncProperty(almostScenarios, async (text) => {
        const scenario = resolved(text);
        if (typeof scenario !== "string" && !quick(scenario)) return;
        const { code, stderr } = await feed(file, text);
        if (typeof scenario === "string") expect(code).toBe(2);
        if (code === 2) expectSentences(stderr.replaceAll(/\S*(?=s\.yaml: )/g, ""), "s.yaml");
        else expect([0, 1]).toContain(code);
      }),
      { numRuns: Math.ceil(tried / 5) },
    );
  });

  it("has all of its problems told", () => {
    fc.assert(
      fc.property(fc.subarray([...somePaths], { minLength: 1 }), (paths) => {
        const said = resolved(wrongAt(paths));
        for (const path of paths) expect(said).toContain(`s.yaml: ${path}`);
      }),
      { numRuns: 30 },
    );
  });
});
