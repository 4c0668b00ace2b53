// SPDX-License-Identifier: Apache-2.0
// Decode steps of a whole model as a case of a run: complete, with energy, waits, time by layer and other
// machines, on a page and on a timeline; a scenario says what it wants of them, or hears why not.

import { beforeAll, describe, expect, it } from "vitest";

import { parse } from "yaml";
import { runScenario } from "../../src/run/session/scenario.ts";
import type { ScenarioInput } from "../../src/scenario/schema.ts";
import { loadToken, runToken } from "../../src/run/token.ts";
import { parseScenario } from "../../src/scenario/parse.ts";
import { resolveConfig, type Scenario } from "../../src/scenario/resolve.ts";
import type { TokenScenario } from "../../src/scenario/token.ts";
import { readMoeModel } from "../../src/lm/moe/model.ts";
import { openCsdSession } from "../../src/native/csd/csd-session.ts";
import { openSession } from "../../src/native/session.ts";
import { renderPage } from "../../src/report/html.ts";
import { tokens } from "../../src/run/kernels/tokens.ts";
import { runPage } from "../../src/report/run.ts";
import { runTimeline } from "../../src/report/run-timeline.ts";
import { tokenSections } from "../../src/report/token.ts";
import { withQuantityChecks } from "../../src/report/quantities.ts";
import { resultContent } from "../../src/report/saved/document.ts";
import { terminalTable } from "../../src/report/terminal.ts";
import type { Check } from "../../src/results/metric.ts";
import { tokenChecks } from "../../src/lm/token/token-metrics.ts";
import type { RunResult } from "../../src/report/run-result.ts";
import type { TokenCase } from "../../src/lm/token/token-case.ts";
import { rejection } from "../helpers/rejection.ts";
import { faultySessions, type Fault } from "../lm/faulty-sessions.ts";
import { checkpointOf, settings, tensorsOf, text } from "../lm/moe-checkpoint.ts";

const scenarioOf = (yaml: string, fidelity?: "analytic" | "cycle"): Scenario =>
  resolveConfig("s.yaml", parseScenario("s.yaml", `name: s\n${yaml}\n`), { fidelity }).scenario;
const tokenOf = (yaml: string): TokenScenario => {
  const { token } = scenarioOf(`fidelity: cycle\ntoken: ${yaml}`);
  if (token === undefined) throw new RangeError("no token");
  return token;
};
const model = readMoeModel(checkpointOf(tensorsOf("deepseek-moe")), settings);
const sessions = { openNdp: openSession, openCsd: openCsdSession };
const resultOf = (cases: readonly TokenCase[]): RunResult => ({
  scenario: "s",
  title: "A token",
  configHash: "0",
  seed: 1,
  versions: {},
  host: { node: "24" },
  outcome: "completed",
  kernels: [tokens.result(cases)],
});
const sum = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0);

describe("a token of a scenario", () => {
  const shares: number[] = [];
  let tokenCase: TokenCase;
  beforeAll(async () => {
    const asked = tokenOf("{ windows: [0, 2], steps: 2, ratio: 1/2, dimms: 2, devices: 2 }");
    const onProgress = (done: number): void => {
      shares.push(done);
    };
    tokenCase = await runToken(asked, { model, text }, { ...sessions, onProgress });
  });

  it("has every expert and every group of heads on hardware, and says how far it is", () => {
    expect(tokenCase.checks.map(({ id, pass }) => [id, pass])).toEqual([
      ["attention", true],
      ["experts", true],
      ["whole", true],
      ["chain", true],
    ]);
    // Of two layers one has routed experts, two of them a token; each has two groups.
    expect(tokenCase.checks[2]?.detail).toBe("8 of 8 experts, 16 of 16 groups of heads");
    expect(shares.at(-1)).toBe(1);
    const missing = tokenChecks(
      { experts: 7, heads: 16 },
      { experts: 8, heads: 16 },
      tokenCase.report,
      "rtl",
    );
    expect(missing.find(({ id }) => id === "whole")?.pass).toBe(false);
  });

  it("says where the time of a token went, layer by layer", () => {
    const whole = sum(tokenCase.layers.flatMap(({ us }) => Object.values(us)));
    expect(whole).toBeCloseTo(tokenCase.report.tokenUs, 9);
    expect(tokenCase.layers).toHaveLength(3);
    expect(tokenCase.layers[0]?.us.attention).toBeGreaterThan(0);
  });

  it("says how another machine does; the machine as it is takes the same time", () => {
    const of = (changed: string, to: string): number =>
      tokenCase.sensitivity.find((row) => row.changed === changed && row.to === to)?.relative ??
      NaN;
    expect(of("DIMMs", "2")).toBe(1);
    expect(of("storage devices", "2")).toBe(1);
    expect(of("ratio", "1/2")).toBe(1);
    expect(of("storage devices", "1")).toBeGreaterThan(1);
    expect(of("link of the host", "1/4x")).toBeGreaterThan(of("link of the host", "4x"));
    expect(of("ratio", "dense")).toBeGreaterThan(0);
  });

  it("takes energy for as long as it lasts, from named sources", () => {
    const { energy } = tokenCase;
    const joules = (part: string): number =>
      energy?.parts.find((one) => one.part === part)?.joules ?? 0;
    expect(energy?.joules).toBeCloseTo(sum(energy?.parts.map((part) => part.joules) ?? []), 12);
    expect(energy?.parts.every(({ how }) => how !== "")).toBe(true);
    // 350 W at work, 30 % of it else, over both sequences.
    const { busy, timeUs } = tokenCase.report;
    const host = busy["host"] ?? 0;
    const watts = 350 * host + 52.5 * (1 - host);
    expect(joules("host at work") + joules("host waiting")).toBeCloseTo(
      (watts * timeUs * 1e-6) / 4,
      12,
    );
    expect(joules("DIMMs: products")).toBeGreaterThan(0);
    expect(joules("DIMMs: standby")).toBeGreaterThan(joules("DIMMs: DRAM read"));
    expect(joules("storage: controller DRAM")).toBeGreaterThan(0);
  });

  it("stands in results, on the terminal, on a page and on a timeline", async () => {
    const result = withQuantityChecks(resultOf([tokenCase]), null);
    expect(result.outcome).toBe("completed");
    const content = resultContent(result);
    expect(content.cases).toHaveLength(1);
    expect(content.checks).toHaveLength(tokenCase.checks.length + 1);
    expect(terminalTable(result)).toContain("time of a decode step");
    const html = renderPage(await runPage(result, content));
    expect(html).toContain("A whole token");
    expect(html).toContain("Each resource over a mean step");
    expect(html).not.toContain("NaN");
    expect(runTimeline(result)).toContain("shared expert");
    const [section] = tokenSections([tokenCase]);
    const layers = section?.blocks.find((block) => "id" in block && block.id === "token-layers");
    const rows = layers?.kind === "figure" ? layers.data.rows : [];
    const shares = rows.map(({ share }) => Number(share));
    expect(shares.reduce((a, b) => a + b, 0)).toBeCloseTo(100, 9);
  });
});

describe("audits of a token", () => {
  /** The cycle models instead of the RTL, with a fault in one percent of their operations. */
  const auditOf = async (share: string, fault: Partial<Fault> = {}): Promise<TokenCase> => {
    const yaml = `{ windows: [0], steps: 2, ratio: 1/2, devices: 2, audit: ${share} }`;
    const auditOn = { engine: "cycle", ...faultySessions(fault) } as const;
    return runToken(tokenOf(yaml), { model, text }, sessions, {
      sensitivity: false,
      auditOn,
      seed: 3,
    });
  };
  const auditCheck = ({ checks }: TokenCase): Check | undefined =>
    checks.find(({ id }) => id === "audit");

  it("run all again, or a share that the seed draws, and find no difference", async () => {
    const all = await auditOf("1");
    expect(all.audit).toEqual({
      share: 1,
      seed: 3,
      experts: { audited: 4, of: 4, different: 0 },
      heads: { audited: 8, of: 8, different: 0 },
    });
    expect(auditCheck(all)?.pass).toBe(true);
    const half = await auditOf("1/2");
    const { experts, heads } = half.audit ?? { experts: { audited: 0 }, heads: { audited: 0 } };
    expect(experts.audited + heads.audited).toBeGreaterThan(0);
    expect(experts.audited + heads.audited).toBeLessThan(12);
    expect((await auditOf("1/2")).audit).toEqual(half.audit);
    const html = renderPage(await runPage(resultOf([all]), resultContent(resultOf([all]))));
    expect(html).toContain("4 of 4 experts and 8 of 8 groups of heads audited, none differ");
  });

  it.each([
    ["a bit of an expert's output", { output: 2 }, { experts: 1, heads: 0 }],
    ["a cycle of an expert", { expertCycles: 3 }, { experts: 1, heads: 0 }],
    ["a value of a head", { head: 1 }, { experts: 0, heads: 1 }],
    // A step's groups are in one time.
    ["a cycle of a step", { headTime: 2 }, { experts: 0, heads: 2 }],
  ])("find %s that differs", async (_, fault, different) => {
    const audit = await auditOf("1", fault);
    expect(auditCheck(audit)?.pass).toBe(false);
    expect(auditCheck(audit)?.detail).toMatch(/[12] differs?$/);
    expect(audit.audit?.experts.different).toBe(different.experts);
    expect(audit.audit?.heads.different).toBe(different.heads);
    // The results of the run are unchanged.
    expect(audit.checks.filter(({ pass }) => !pass).map(({ id }) => id)).toEqual(["audit"]);
  });

  it("are not sampled if everything is RTL, and accept a share", () => {
    expect(scenarioOf("token: { audit: 1/2 }").token?.audit).toBe(null);
    expect(() => tokenOf("{ audit: 0 }")).toThrow(rejection("bad-input", /: token\.audit: /));
  });
});

describe("a token whose experts change their DIMM", () => {
  it("says how many did, what one takes, and what a token takes where all stay", async () => {
    const of = async (relayout: boolean, storage = ""): Promise<TokenCase> => {
      const own = `{ windows: [0, 2], steps: 8, attention: dense, dimms: 4, devices: 1, relayout: ${String(relayout)}${storage} }`;
      return runToken(tokenOf(own), { model, text }, sessions, { sensitivity: false });
    };
    const [stays, moves] = [await of(false), await of(true)];
    expect(stays.relayout).toBe(null);
    expect(moves.relayout?.moves).toBeGreaterThan(0);
    expect(moves.relayout?.moveUs).toBeGreaterThan(0);
    expect(moves.relayout?.withoutUs).toBe(stays.report.tokenUs);
    expect(moves.result).toEqual(stays.result);
    const partsOf = ({ energy }: TokenCase): readonly string[] =>
      energy?.parts.map(({ part }) => part) ?? [];
    expect(partsOf(moves)).toContain("DIMMs: DIMM-Link");
    expect(partsOf(stays)).not.toContain("DIMMs: DIMM-Link");
    const result = resultOf([moves]);
    const html = renderPage(await runPage(result, resultContent(result)));
    expect(html).toContain("experts changed the DIMM between steps");
    // Fewer bits are sooner moved.
    const few = await of(true, ", storage: mxfp4");
    expect(few.relayout?.moveUs).toBeLessThan(moves.relayout?.moveUs ?? 0);
  });
});

describe("a token with experts of fewer bits", () => {
  it("has other bits, from a unit that computes in that width, with its energy", async () => {
    const of = async (storage: string): Promise<TokenCase> => {
      const asked = tokenOf(`{ windows: [0], steps: 1, attention: dense, devices: 2${storage} }`);
      return runToken(asked, { model, text }, sessions, { sensitivity: false });
    };
    const [whole, few] = [await of(""), await of(", storage: mxfp4")];
    expect(few.checks.map(({ pass }) => pass)).toEqual([true, true, true, true]);
    expect(few.result.bitsPerByte).not.toBe(whole.result.bitsPerByte);
    expect(few.result.bitsPerByte).toBeCloseTo(whole.result.bitsPerByte, 0);
    expect(few.title).toBe("a token, dense, mxfp4 experts");
    expect(whole.energy).not.toBe(null);
    const products = ({ energy }: TokenCase): number =>
      energy?.parts.find(({ part }) => part === "DIMMs: products")?.joules ?? NaN;
    // As many, of two bits per cycle of the input and one significant bit of a weight.
    expect(products(few)).toBeGreaterThan(0);
    expect(products(few)).toBeLessThan(products(whole));
  });
});

describe("a scenario's token", () => {
  it("stays as it was where there is none", () => {
    expect("token" in scenarioOf("attention: { model: opt-13b }")).toBe(false);
  });

  it("is left out of closed forms, which it has not, and refused where it is alone", () => {
    const both = "attention: { model: opt-13b }\ntoken: {}";
    expect("token" in scenarioOf(both, "cycle")).toBe(true);
    expect("token" in scenarioOf(both, "analytic")).toBe(false);
    expect(() => scenarioOf("token: {}", "analytic")).toThrow(rejection("bad-input", /: token: /));
  });

  it.each([
    ["token: {}", /^token: skipped /],
    ["expect: { boundShare: { interleaved: 1 } }", /^expect\.boundShare: not checked /],
  ])("and limits that closed forms leave out are remarks of the run: %s", async (key, remark) => {
    const file = "name: s\nexpert: { hidden: 70, intermediate: 37 }\n";
    const unusedAt = (fidelity: "analytic" | "cycle"): readonly string[] =>
      resolveConfig("s.yaml", parseScenario("s.yaml", file + key), { fidelity }).unused;
    expect(unusedAt("cycle")).toEqual([]);
    expect(unusedAt("analytic")).toEqual([expect.stringMatching(remark)]);
    const input = parse(file + key) as ScenarioInput;
    const remarks: string[] = [];
    const onRemark = (text: string): void => void remarks.push(text);
    const { passed } = await runScenario({ ...input, fidelity: "analytic" }, { onRemark });
    expect(passed).toBe(true);
    expect(remarks).toEqual(unusedAt("analytic"));
  });

  it.each([
    ["{ attention: dense, ratio: 1/8 }", /: token\.ratio: .*dense/],
    ["{ windows: [1, 1] }", /: token\.windows\[1\]: /],
    ["{ host: abacus }", /: token\.host: /],
    ["{ steps: 0 }", /: token\.steps: /],
    ["{ ratio: 2 }", /: token\.ratio: /],
  ])("%s is refused", (yaml, where) => {
    expect(() => tokenOf(yaml)).toThrow(rejection("bad-input", where));
  });

  it("names the file that is not there", () => {
    const asked = tokenOf("{ model: nothing.safetensors }");
    expect(() => loadToken(asked, "/nowhere")).toThrow(
      rejection("bad-input", "/nowhere/nothing.safetensors"),
    );
  });
});
