// SPDX-License-Identifier: Apache-2.0
// `neardata run` from the file to the run directory, on the small unit: RTL and cycle model behind
// DDR5.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { goldenExpert } from "../../src/golden/expert.ts";
import type { ResultDocument } from "../../src/report/saved/document.ts";
import { cli, inTemporary } from "../helpers/cli.ts";
import { rejectedAt } from "../helpers/rejected-at.ts";

const scenario = `
name: small
seed: 3
fidelity: rtl
expert: { hidden: 70, intermediate: 37 }
tokens: [1, 5]
layouts: [interleaved, row-major]
ndp:
  streams: 2
  multipliersPerStream: 4
  buffer: 16 KiB
  queueBursts: 8
  activationLanes: 32
  maxTokens: 8
`;

function scenarioIn(directory: string, text = scenario): string {
  const file = join(directory, "small.yaml");
  writeFileSync(file, text);
  return file;
}

const document = (text: string): ResultDocument => JSON.parse(text) as ResultDocument;

describe("neardata run", () => {
  it("leaves results, a report and a timeline of the RTL's run", () =>
    inTemporary(async (directory) => {
      const out = join(directory, "out");
      const { code, stdout, stderr } = await cli("run", scenarioIn(directory), "--out", out);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toMatch(/(?:outputs equal to the golden model +all +all +bits[^]*){2}/);
      expect(stdout).toMatch(/all \d+ checks passed/);
      expect(readdirSync(out).sort()).toEqual(["report.html", "results.json", "timeline.json"]);
      const results = document(readFileSync(join(out, "results.json"), "utf8"));
      expect(results).toMatchObject({ outcome: "completed", seed: 3, scenario: "small" });
      expect(results.configHash).toMatch(/^[0-9a-f]{64}$/);
      expect(readFileSync(join(out, "report.html"), "utf8")).toMatch(/^<!doctype html>/);
      const timeline = JSON.parse(readFileSync(join(out, "timeline.json"), "utf8")) as unknown;
      expect(timeline).toHaveProperty("traceEvents");
    }));

  it("gives equal results twice, and twice at once in one process", () =>
    inTemporary(async (directory) => {
      const file = scenarioIn(directory);
      const { parseScenario } = await import("../../src/scenario/parse.ts");
      const { resolveConfig } = await import("../../src/scenario/resolve.ts");
      const { runCases } = await import("../../src/kernels/ndp/cases.ts");
      const { openSession } = await import("../../src/native/session.ts");
      const { generateExpert } = await import("../../src/workload/generate.ts");
      const { hashOfValue } = await import("../../src/base/hash.ts");
      const config = resolveConfig(file, parseScenario(file, scenario));
      const once = async (): Promise<string> => {
        const request = {
          seed: 3,
          name: "e",
          format: "fp16",
          hidden: 70,
          intermediate: 37,
        } as const;
        const cases = await runCases(config, {
          open: openSession,
          weights: generateExpert(request),
          golden: goldenExpert,
          signal: new AbortController().signal,
          onCase: () => ({ update: () => undefined, end: () => undefined }),
          expected: { golden: new Map(), real: new Map(), inputs: new Map(), images: new Map() },
          waveDirectory: directory,
          waves: false,
        });
        return hashOfValue(cases.map(({ run, ...rest }) => [rest, { ...run, host: null }]));
      };
      const first = await once();
      expect(await once()).toBe(first);
      expect(await Promise.all([once(), once()])).toEqual([first, first]);
    }));

  it("prints results.json and its directory with --json; the cycle model takes the RTL's cycles", () =>
    inTemporary(async (directory) => {
      const file = scenarioIn(directory);
      const run = async (fidelity: string): Promise<ResultDocument> => {
        const out = join(directory, fidelity);
        const { code, stdout } = await cli(
          "run",
          file,
          "--fidelity",
          fidelity,
          "--out",
          out,
          "--json",
        );
        expect(code).toBe(0);
        const written = document(readFileSync(join(out, "results.json"), "utf8"));
        expect({ directory: out, ...written }).toEqual(document(stdout));
        return document(stdout);
      };
      const rtl = await run("rtl");
      const cycle = await run("cycle");
      const timing = ({ cases }: ResultDocument): unknown =>
        cases.map((c) => {
          const { cycles, time, unit, streams } = c as unknown as Record<string, unknown>;
          return { cycles, time, unit, streams };
        });
      expect(timing(cycle)).toEqual(timing(rtl));
      expect(cycle.configHash).not.toBe(rtl.configHash);
    }));

  it("computes gpt-oss's gate and biases: RTL and cycle model have equal cycles and checked outputs", () =>
    inTemporary(async (directory) => {
      const keys = "activation: quick-gelu, gateLimit: 1, upPlusOne: true, biases: true";
      const text = scenario.replace("intermediate: 37", `intermediate: 37, ${keys}`);
      const file = scenarioIn(directory, text);
      const of = async (fidelity: string): Promise<unknown> => {
        const more = ["--fidelity", fidelity, "--out", join(directory, fidelity), "--json"];
        const { code, stdout } = await cli("run", file, ...more);
        expect(code).toBe(0);
        return document(stdout).cases.map((c) => {
          const { cycles, outputHash } = c as unknown as Record<string, unknown>;
          return { cycles, outputHash };
        });
      };
      expect(await of("cycle")).toEqual(await of("rtl"));
    }));

  it("gives the same result checked, cycle by cycle, and checks nothing but RTL", () =>
    inTemporary(async (directory) => {
      const file = scenarioIn(directory, scenario.replace("[1, 5]", "[1]"));
      const run = async (out: string, ...more: readonly string[]): Promise<ResultDocument> => {
        const { code, stdout } = await cli(
          ...["run", file, "--json", "--out", join(directory, out), ...more],
        );
        expect(code).toBe(0);
        return document(stdout);
      };
      const plain = await run("plain");
      expect((await run("checked", "--checked")).resultHash).toBe(plain.resultHash);
      const refused = await cli("run", file, "--fidelity", "cycle", "--checked");
      expect(refused).toEqual(rejectedAt("--checked"));
    }));

  it("writes waveforms when told to", () =>
    inTemporary(async (directory) => {
      const out = join(directory, "out");
      const text = scenario
        .replace("[1, 5]", "[1]")
        .replace("[interleaved, row-major]", "[interleaved]");
      const { code } = await cli("run", scenarioIn(directory, text), "--out", out, "--waves");
      expect(code).toBe(0);
      expect(readFileSync(join(out, "interleaved-1.fst")).length).toBeGreaterThan(100);
    }));

  it("ends with exit code 1 when a check fails, and leaves the results", () =>
    inTemporary(async (directory) => {
      const asked = `${scenario}fidelity: cycle\nexpect: { boundShare: { interleaved: 1 } }\n`;
      const text = asked.replace("fidelity: rtl\n", "");
      const out = join(directory, "out");
      const { code, stdout } = await cli("run", scenarioIn(directory, text), "--out", out);
      expect(code).toBe(1);
      expect(stdout).toMatch(/FAILED: interleaved, 1 token: at least 100 % of the \w+ bound/);
      const results = document(readFileSync(join(out, "results.json"), "utf8"));
      expect(results.outcome).toBe("failed");
    }));

  it("refuses an output directory that exists, and touches nothing", () =>
    inTemporary(async (directory) => {
      const out = join(directory, "out");
      mkdirSync(out);
      const refused = await cli("run", scenarioIn(directory), "--out", out);
      expect(refused).toEqual(rejectedAt(/--out: .*out exists/));
      expect(readdirSync(out)).toEqual([]);
    }));

  it.each<[string, string, string | RegExp]>([
    ["an unknown key", `${scenario}tokns: [1]\n`, /small\.yaml: tokns: .*"tokens"/],
    ["a wrong unit", scenario.replace("16 KiB", "16 KHz"), /small\.yaml: ndp\.buffer: "16 KHz"/],
    [
      "impossible geometry",
      scenario.replace("streams: 2", "streams: 3"),
      "small.yaml: ndp.streams",
    ],
    [
      "an expert that no token of fits",
      scenario.replace("hidden: 70", "hidden: 9000"),
      /small\.yaml: ndp\.buffer: .* 9000 /,
    ],
    [
      "a missing checkpoint",
      scenario.replace("hidden: 70, intermediate: 37", "weights: no.safetensors"),
      "no.safetensors",
    ],
  ])("refuses %s with exit code 2 and leaves nothing", (_, text, where) =>
    inTemporary(async (directory) => {
      const out = join(directory, "out");
      const refused = await cli("run", scenarioIn(directory, text), "--out", out);
      expect(refused).toEqual(rejectedAt(where));
      expect(existsSync(out)).toBe(false);
      expect(readdirSync(directory)).toEqual(["small.yaml"]);
    }),
  );
});
