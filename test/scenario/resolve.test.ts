// SPDX-License-Identifier: Apache-2.0

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseScenario } from "../../src/scenario/parse.ts";
import { resolveConfig } from "../../src/scenario/resolve.ts";
import type { ResolvedConfig } from "../../src/scenario/resolve.ts";
import { scenarioJsonSchema } from "../../src/scenario/schema.ts";
import { inRepository } from "../../src/base/paths.ts";
import { rejection } from "../helpers/rejection.ts";

const resolveText = (text: string): ResolvedConfig =>
  resolveConfig("s.yaml", parseScenario("s.yaml", text));

const least = "name: s\nexpert: { model: deepseek-v2 }\n";

describe("a resolved scenario", () => {
  it("has the paper's system where the file says nothing", () => {
    const { scenario } = resolveText(least);
    expect(scenario).toMatchObject({
      fidelity: "rtl",
      seed: 1,
      tokens: [1],
      layouts: ["interleaved"],
      clock: 1e9,
      unit: { streams: 8, multipliersPerStream: 32, lanes: 8, bufferBytes: 262144 },
      memory: { clock: 2.4e9, bankGroups: 8, banksPerGroup: 4, refresh: "AllBank" },
      expert: { source: { kind: "generated", hidden: 5120, intermediate: 1536, format: "fp16" } },
    });
    // TriMoE, Table 1.
    expect(scenario.memory.timing).toMatchObject({ nBL: 8, nCL: 40, nRP: 34, nCCDL: 12, nFAW: 32 });
  });

  it("takes what the file says", () => {
    const { scenario } = resolveText(
      `${least}ndp: { clock: 1.2 GHz, buffer: 512 KiB, queueBursts: 128 }\n` +
        "memory: { preset: DDR5-6400AN, refresh: None, timing: { nCL: 50 } }\n",
    );
    expect(scenario.clock).toBe(1.2e9);
    expect(scenario.unit).toMatchObject({ bufferBytes: 524288, queueBursts: 128, lanes: 8 });
    expect(scenario.memory).toMatchObject({ clock: 3.2e9, refresh: "None" });
    expect(scenario.memory.timing).toMatchObject({ nCL: 50, nRCD: 46 });
  });

  it("has the currents of the scenario or of the preset", () => {
    const currents = "vdd: 1.1, idd0: 60, idd2n: 30, idd3n: 40, idd4r: 240, idd4w: 220, idd5b: 150";
    const given = resolveText(
      `${least}memory: { standard: HBM3, currents: { ${currents}, source: a sheet } }\n`,
    );
    expect(given.scenario.memory.currents).toMatchObject({
      ...{ source: "a sheet", rate: 6400, idd4r: 240, rowOpen: 90 / 3.2, rowClosed: 52 / 3.2 },
    });
    const preset = resolveText(`${least}memory: { standard: DDR4, preset: DDR4-2400R }\n`);
    expect(preset.scenario.memory).toMatchObject({ deviceBits: 8, currents: { rate: 2400 } });
    const none = resolveText(`${least}memory: { standard: DDR4 }\n`);
    expect(none.scenario.memory).not.toHaveProperty("currents");
    expect(none.scenario.memory).not.toHaveProperty("deviceBits");
  });

  it("divides the intervals between refreshes by the refresh rate", () => {
    const ddr5 = resolveText(`${least}memory: { refreshRate: 2 }\n`);
    expect(ddr5.scenario.memory.timing).toMatchObject({ nREFI: 4673, nRFC1: 708 });
    const hbm3 = resolveText(`${least}memory: { standard: HBM3, refreshRate: 0.5 }\n`);
    expect(hbm3.scenario.memory.timing).toMatchObject({ nREFI: 24_960, nREFIpb: 780, nCL: 40 });
  });

  it("has refresh management with the defaults of a replay config, and none without the key", () => {
    const managed = (memory: string): unknown =>
      resolveText(`${least}memory: { ${memory} }\n`).scenario.memory.refreshManagement;
    const usual = "refreshManagement: { raaimt: 33 }";
    const least3 = { initial: 33, maximum: 99, perRefresh: 33 };
    expect(managed(usual)).toEqual(least3);
    expect(managed(`refresh: SameBank, ${usual}`)).toEqual(least3);
    expect(managed(`standard: HBM3, ${usual}`)).toEqual(least3);
    expect(managed(`standard: HBM3, preset: HBM3-4800, refresh: PerBank, ${usual}`)).toEqual(
      least3,
    );
    const all = "refreshManagement: { raaimt: 33, raammt: 40, raadec: 0.5 }";
    expect(managed(all)).toEqual({ initial: 33, maximum: 40, perRefresh: 16 });
    expect(resolveText(least).scenario.memory).not.toHaveProperty("refreshManagement");
    const plain = resolveText(`${least}memory: { standard: HBM3 }\n`);
    expect(plain.scenario.memory).not.toHaveProperty("refreshManagement");
  });

  it("has a memory of another standard, without a host", () => {
    const { scenario } = resolveText(
      `${least}memory: { standard: HBM3, refresh: PerBank, refreshStart: 0.5 }\n`,
    );
    expect(scenario.host).toBeNull();
    expect(scenario.memory).toMatchObject({
      standard: "HBM3",
      clock: 6.4e9 / 2,
      accessBytes: 32,
      pins: 32,
      logicalRanks: 2,
      pseudoChannels: 2,
      bankGroups: 4,
      banksPerGroup: 4,
      refresh: "PerBank",
      refreshStart: 0.5,
      timing: { nCL: 40, nRCDRD: 62 },
    });
    const ddr4 = resolveText(`${least}memory: { standard: DDR4, preset: DDR4-2400R }\n`);
    expect(ddr4.scenario.memory).toMatchObject({ clock: 1.2e9, refresh: "AllBank" });
    expect(ddr4.scenario.memory).not.toHaveProperty("accessBytes");
  });

  it("is the same with and without the name DDR5", () => {
    const named = resolveText(`${least}memory: { standard: DDR5 }\n`);
    expect(named.configHash).toBe(resolveText(least).configHash);
  });

  it("may have any shape, or a checkpoint", () => {
    const shape = resolveText("name: s\nexpert: { hidden: 7, intermediate: 3, format: bf16 }\n");
    expect(shape.scenario.expert?.source).toMatchObject({
      hidden: 7,
      intermediate: 3,
      format: "bf16",
    });
    const file = resolveText("name: s\nexpert: { weights: w.safetensors, name: e }\n");
    expect(file.scenario.expert).toMatchObject({
      name: "e",
      source: { kind: "checkpoint", path: "w.safetensors", format: null, allowNonfinite: false },
    });
  });

  it.each<[string, string, unknown]>([
    ["silu", "model: deepseek-v2", "silu"],
    ["another function", "hidden: 8, intermediate: 4, activation: relu2", "relu2"],
    [
      "a limit and an increment",
      "hidden: 8, intermediate: 4, activation: quick-gelu, gateLimit: 5, upPlusOne: true",
      { name: "quick-gelu", limit: 5, upPlusOne: true },
    ],
    ["a limit alone", "hidden: 8, intermediate: 4, gateLimit: 10", { name: "silu", limit: 10 }],
    ["that of the model", "model: gpt-oss-20b", { name: "quick-gelu", limit: 7, upPlusOne: true }],
    [
      "that of the model with another limit",
      "model: gpt-oss-20b, gateLimit: 3, upPlusOne: false",
      { name: "quick-gelu", limit: 3 },
    ],
    ["a function in place of the model's", "model: gpt-oss-120b, activation: silu", "silu"],
  ])("has the gate function: %s", (_, keys, gate) => {
    const { scenario } = resolveText(`name: s\nexpert: { ${keys} }\n`);
    expect(scenario.expert?.activation).toEqual(gate);
  });

  it("has generated biases where a key or the model says so", () => {
    const biasesOf = (keys: string): unknown => {
      const source = resolveText(`name: s\nexpert: { ${keys} }\n`).scenario.expert?.source;
      return source?.kind === "generated" ? source.biases : undefined;
    };
    expect(biasesOf("model: gpt-oss-20b")).toBe(true);
    expect(biasesOf("model: gpt-oss-20b, biases: false")).toBeUndefined();
    expect(biasesOf("hidden: 8, intermediate: 4, biases: true")).toBe(true);
    expect(biasesOf("hidden: 8, intermediate: 4")).toBeUndefined();
  });

  it("is refused with a limit that the inputs' format lacks", () => {
    expect(() =>
      resolveText("name: s\nexpert: { hidden: 8, intermediate: 4, gateLimit: 0.3 }\n"),
    ).toThrow(rejection("bad-input", /the limit 0\.3 is not a positive FP16 number/));
  });

  it("cannot be changed", () => {
    const { scenario } = resolveText(least);
    expect(Object.isFrozen(scenario)).toBe(true);
    expect(Object.isFrozen(scenario.memory.timing)).toBe(true);
  });

  it("has a hash of what it means, not of how it is written", () => {
    const { configHash } = resolveText(least);
    expect(configHash).toMatch(/^[0-9a-f]{64}$/);
    const sameMeaning =
      "# a remark\nexpert: {model: deepseek-v2}\nseed: 1\nname: s\nndp: {lanes: 8}\n";
    expect(resolveText(sameMeaning).configHash).toBe(configHash);
    expect(resolveText(`${least}seed: 2\n`).configHash).not.toBe(configHash);
    const cycle = resolveConfig("s", parseScenario("s", least), { fidelity: "cycle" });
    expect(cycle.configHash).not.toBe(configHash);
  });

  it("is what the main scenario of the repository says", () => {
    const text = readFileSync(inRepository("scenarios", "cold-expert.yaml"), "utf8");
    const { scenario } = resolveText(text);
    expect(scenario.tokens).toEqual([1, 2, 8]);
    expect(scenario.layouts).toEqual(["interleaved", "row-major"]);
    expect(scenario.fidelity).toBe("rtl");
  });
});

describe("a scenario is refused with", () => {
  const withExpert = (more: string): string => `${least}${more}\n`;

  /** A place is a key of `s.yaml`. */
  const expectRefused = (text: string, ...keys: readonly (string | RegExp)[]): void => {
    const places = keys.map((key) => (typeof key === "string" ? `s.yaml: ${key}` : key));
    expect(() => resolveText(text)).toThrow(rejection("bad-input", ...places));
  };

  it.each<[string, string, string | RegExp]>([
    ["an unknown key", withExpert("tokns: [1]"), /: tokns: .*"tokens"/],
    ["an unknown inner key", withExpert("ndp: { clok: 1 GHz }"), /: ndp\.clok: .*"clock"/],
    ["an unknown timing", withExpert("memory: { timing: { nCl: 3 } }"), /\.nCl: .*"nCL"/],
    ["a key like no other", withExpert("memory: { xyzzy: 3 }"), /: memory\.xyzzy: .* timing\.$/],
    [
      "refreshes that the backend does not have",
      withExpert("memory: { backend: ramulator2, refresh: SameBank }"),
      "memory.refresh",
    ],
    [
      "refreshes of banks that follow too closely",
      withExpert("memory: { refresh: SameBank, timing: { nREFI: 1000 } }"),
      /: memory\.timing\.nREFI: .*nRFCsb.* 2776/,
    ],
    [
      "semantics that the backend does not have",
      withExpert("memory: { backend: ramulator2, semantics: jedec }"),
      "memory.semantics",
    ],
    [
      "an unknown memory standard",
      withExpert("memory: { standard: HBM4 }"),
      /memory\.standard: .*HBM3/,
    ],
    [
      "currents below their background",
      withExpert(
        "memory: { currents: { vdd: 1.1, idd0: 60, idd2n: 30, idd3n: 40, idd4r: 39, idd4w: 50, idd5b: 60 } }",
      ),
      /memory\.currents\.idd4r.*is 39, less than the 40 of idd3n/,
    ],
    [
      "currents without VDD",
      withExpert(
        "memory: { currents: { idd0: 60, idd2n: 30, idd3n: 40, idd4r: 90, idd4w: 90, idd5b: 60 } }",
      ),
      "memory.currents.vdd",
    ],
    ["a refresh of one bank of DDR5", withExpert("memory: { refresh: PerBank }"), "memory.refresh"],
    [
      "refresh management of a standard without RFMs",
      withExpert("memory: { standard: DDR4, refreshManagement: { raaimt: 32 } }"),
      /: memory\.refreshManagement: the model of DDR4 has no RFM for the refresh AllBank\./,
    ],
    [
      "refresh management without refresh",
      withExpert("memory: { refresh: None, refreshManagement: { raaimt: 32 } }"),
      /: memory\.refreshManagement: a memory without refresh has none\./,
    ],
    [
      "refresh management with the semantics of a simulator",
      withExpert("memory: { semantics: ramulator-2.0, refreshManagement: { raaimt: 32 } }"),
      /: memory\.refreshManagement: the RFMs of ramulator-2\.0 are not known\./,
    ],
    [
      "refresh management on another backend",
      withExpert("memory: { backend: ramulator2, refreshManagement: { raaimt: 32 } }"),
      /: memory\.refreshManagement: the RFMs of ramulator-2\.0 are not known\./,
    ],
    [
      "refresh management without RAAIMT",
      withExpert("memory: { refreshManagement: { raammt: 32 } }"),
      "memory.refreshManagement.raaimt",
    ],
    [
      "RAAMMT below RAAIMT",
      withExpert("memory: { standard: HBM3, refreshManagement: { raaimt: 32, raammt: 31 } }"),
      /: memory\.refreshManagement\.raammt: is 31, less than the 32 of raaimt\./,
    ],
    [
      "another part of RAAIMT for a refresh",
      withExpert("memory: { refreshManagement: { raaimt: 32, raadec: 0.25 } }"),
      "memory.refreshManagement.raadec",
    ],
    [
      "a preset of another standard",
      withExpert("memory: { standard: HBM3, preset: DDR4-3200AA }"),
      /: memory\.preset: .*HBM3-6400/,
    ],
    ["a wrong choice", withExpert("fidelity: cylce"), /: fidelity: .*"cycle"/],
    ["a wrong choice in a list", withExpert("layouts: [interleaved, 3]"), "layouts[1]"],
    ["a quantity without unit", withExpert("ndp: { clock: 1 }"), /: ndp\.clock: 1 .*GHz/],
    ["a wrong unit", withExpert("ndp: { buffer: 256 GHz }"), /: ndp\.buffer: "256 GHz" .*KiB/],
    ["half a byte", withExpert("ndp: { buffer: 0.5 B }"), /: ndp\.buffer: .*whole/],
    ["a clock that stands", withExpert("ndp: { clock: 0 Hz }"), /: ndp\.clock: .*1 MHz to 1 THz/],
    ["a missing name", "expert: { model: deepseek-v2 }\n", /: name: .*missing/],
    ["a bad name", "name: A B\nexpert: { model: deepseek-v2 }\n", /: name: .*lower-case/],
    ["no tokens", withExpert("tokens: []"), "tokens"],
    ["no layouts", withExpert("layouts: []"), "layouts"],
    ["equal tokens", withExpert("tokens: [1, 2, 1]"), "tokens[2]"],
    [
      "equal runs of attention",
      withExpert("attention: { model: opt-13b, inFlight: [1, 2, 2] }"),
      "attention.inFlight[2]",
    ],
    [
      "a shape of heads that a file has",
      withExpert("attention: { headWidth: 64, source: { q: q.npy, k: k.npy, v: v.npy } }"),
      "attention.headWidth",
    ],
    [
      "a shape of heads that a model has",
      withExpert("attention: { model: opt-13b, headWidth: 64 }"),
      "attention.headWidth",
    ],
    ["a number that is text", withExpert("seed: many"), "seed"],
    ["an unknown model", "name: s\nexpert: { model: deepseek }\n", /\.model: .*"deepseek-v2"/],
    ["a model without experts", "name: s\nexpert: { model: opt-13b }\n", /\.model: OPT-13B/],
    ["two sources", "name: s\nexpert: { model: deepseek-v2, hidden: 3 }\n", "expert"],
    ["half a shape", "name: s\nexpert: { hidden: 3 }\n", "expert.intermediate"],
    [
      "an unknown memory",
      withExpert("memory: { preset: DDR5-4800AM }"),
      /: memory\.preset: .*"DDR5-4800AN"/,
    ],
    ["text that is no YAML", "name: [", /^s\.yaml: Flow sequence/],
    ["a list", "- 1\n", /^s\.yaml: a list /],
    ["nothing at all", "", /^s\.yaml: null /],
  ])("%s", (_, text, where) => {
    expectRefused(text, where);
  });

  it.each<[string, string, ...(string | RegExp)[]]>([
    ["streams", "streams: 3", "ndp.streams"],
    ["ranks", "ranks: 3", /: ndp\.ranks: 3 /],
    ["ranks and streams", "ranks: 2, streams: 8", /: ndp\.ranks: .*streams/],
    ["links to a unit of fewer ranks", "ranks: 2, links: 3", "ndp.links"],
    ["multipliers", "multipliersPerStream: 64", "ndp.multipliersPerStream"],
    ["lanes", "lanes: 16", "ndp.lanes"],
    ["bits", "bitsPerCycle: 4", "ndp.bitsPerCycle"],
    ["a short slot", "bitsPerCycle: 2, multipliersPerStream: 16", / 8 cycles .* 16 /],
    ["a small block", "multipliersPerStream: 4, lanes: 2", / 16 bytes .* 64/],
    ["the queue", "queueBursts: 48", "ndp.queueBursts"],
    ["the activation lanes", "activationLanes: 16", "ndp.activationLanes"],
    ["the buffer", "buffer: 4 MiB", "ndp.buffer"],
    ["the tokens of a pass", "maxTokens: 1", "ndp.maxTokens"],
    ["too many descriptors at work", "descriptors: 5", "ndp.descriptors"],
    ["too few bits of a product", "alignedBits: 11", "ndp.alignedBits"],
    ["too many bits of a product", "alignedBits: 45", "ndp.alignedBits"],
  ])("impossible geometry: %s", (_, setting, ...where) => {
    expectRefused(withExpert(`ndp: { ${setting} }`), ...where);
  });

  it.each([
    [1, 2],
    [2, 4],
    [4, 8],
  ])("%i ranks are %i streams", (ranks, streams) => {
    const { unit } = resolveText(withExpert(`ndp: { ranks: ${ranks} }`)).scenario;
    expect(unit.streams).toBe(streams);
  });

  it("every key that a memory of another standard does not have", () => {
    const memory =
      "memory: { standard: DDR4, preset: x, refresh: PerBank, timing: { nCL: 40 }, commandBus: shared, " +
      "backend: native, semantics: jedec, eccDevices: true, powerDown: true }\n";
    const machine = "host: { jobs: brought, command: 50 ns, poll: 1 us }\nndp: { links: 3 }\n";
    const keys = ["timing", "backend", "semantics", "commandBus", "eccDevices", "powerDown"];
    expectRefused(
      least + memory + machine,
      ...[...keys, "refresh", "preset"].map((key) => `memory.${key}`),
      ...["host.jobs", "host.command", "host.poll", "ndp.links"],
    );
  });

  it("every problem at once", () => {
    const twice = withExpert("tokns: [1]\nfidelity: none\nndp: { clock: 1 }");
    expectRefused(twice, "fidelity", "ndp.clock", "tokns");
    const rules = withExpert("ndp: { streams: 3, queueBursts: 5 }\nmemory: { preset: x }");
    expectRefused(rules, "ndp.streams", "ndp.queueBursts", "memory.preset");
    const management = "memory: { refreshManagement: { raaimt: 32, raammt: 31, raadec: 0.25 } }";
    expectRefused(
      withExpert(management),
      ...["raadec", "raammt"].map((key) => `memory.refreshManagement.${key}`),
    );
    expectRefused(withExpert("memory: { refreshManagement: [] }"), "memory.refreshManagement");
  });
});

describe("the JSON Schema of scenarios", () => {
  it("names every setting and forbids others", () => {
    expect(scenarioJsonSchema()).toMatchObject({
      type: "object",
      additionalProperties: false,
      required: ["name"],
      properties: { ndp: { properties: { clock: { type: "string" } } }, tokens: { type: "array" } },
    });
  });
});
