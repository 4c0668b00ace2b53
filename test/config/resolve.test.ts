// SPDX-License-Identifier: Apache-2.0

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseScenario } from "../../src/config/parse.ts";
import { resolveConfig } from "../../src/config/resolve.ts";
import type { ResolvedConfig } from "../../src/config/resolve.ts";
import { scenarioJsonSchema } from "../../src/config/schema.ts";
import { inRepository } from "../../src/native/paths.ts";

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

  it.each<[string, string, string]>([
    [
      "an unknown key",
      withExpert("tokns: [1]"),
      's.yaml: tokns: there is no such setting. Did you mean "tokens"?',
    ],
    [
      "an unknown inner key",
      withExpert("ndp: { clok: 1 GHz }"),
      's.yaml: ndp.clok: there is no such setting. Did you mean "clock"?',
    ],
    [
      "an unknown timing",
      withExpert("memory: { timing: { nCl: 3 } }"),
      's.yaml: memory.timing.nCl: there is no such setting. Did you mean "nCL"?',
    ],
    [
      "a key like no other",
      withExpert("memory: { xyzzy: 3 }"),
      "s.yaml: memory.xyzzy: there is no such setting. Known are preset, refresh, refreshPhase, " +
        "refreshStart, refreshStarts, backend, semantics, queueEntries, timing.",
    ],
    [
      "refreshes that the backend does not have",
      withExpert("memory: { backend: ramulator2, refresh: SameBank }"),
      "s.yaml: memory.refresh: the backend ramulator2 refreshes ranks whole, together and from the beginning.",
    ],
    [
      "refreshes of banks that follow too closely",
      withExpert("memory: { refresh: SameBank, timing: { nREFI: 1000 } }"),
      "s.yaml: memory.timing.nREFI: 1000 is less than 8 times nRFCsb + nRP + 1, 2776: nothing but refreshes would happen.",
    ],
    [
      "semantics that the backend does not have",
      withExpert("memory: { backend: ramulator2, semantics: jedec }"),
      "s.yaml: memory.semantics: the backend ramulator2 has the semantics ramulator-2.0, not jedec.",
    ],
    [
      "a wrong choice",
      withExpert("fidelity: cylce"),
      's.yaml: fidelity: "cylce" is not one of rtl, cycle, analytic. Did you mean "cycle"?',
    ],
    [
      "a wrong choice in a list",
      withExpert("layouts: [interleaved, 3]"),
      "s.yaml: layouts[1]: 3 is not one of interleaved, bank-interleaved, row-major.",
    ],
    [
      "a quantity without unit",
      withExpert("ndp: { clock: 1 }"),
      's.yaml: ndp.clock: 1 is not a frequency; write a number and one of Hz, kHz, MHz, GHz, such as "1 GHz".',
    ],
    [
      "a wrong unit",
      withExpert("ndp: { buffer: 256 GHz }"),
      's.yaml: ndp.buffer: "256 GHz" is not a size; write a number and one of B, KiB, MiB, GiB, kB, MB, GB, such as "256 KiB".',
    ],
    [
      "half a byte",
      withExpert("ndp: { buffer: 0.5 B }"),
      "s.yaml: ndp.buffer: a size is a whole number of bytes.",
    ],
    [
      "a clock that stands",
      withExpert("ndp: { clock: 0 Hz }"),
      's.yaml: ndp.clock: "0 Hz" is not from 1 MHz to 1 THz.',
    ],
    [
      "a missing name",
      "expert: { model: deepseek-v2 }\n",
      "s.yaml: name: this is missing (string).",
    ],
    [
      "a bad name",
      "name: A B\nexpert: { model: deepseek-v2 }\n",
      "s.yaml: name: a name is made of lower-case letters, digits and hyphens.",
    ],
    [
      "no tokens",
      withExpert("tokens: []"),
      "s.yaml: tokens: at least one number of tokens is needed.",
    ],
    ["no layouts", withExpert("layouts: []"), "s.yaml: layouts: at least one layout is needed."],
    ["equal tokens", withExpert("tokens: [1, 2, 1]"), "s.yaml: tokens[2]: 1 stands there twice."],
    [
      "equal runs of attention",
      withExpert("attention: { model: opt-13b, inFlight: [1, 2, 2] }"),
      "s.yaml: attention.inFlight[2]: 2 stands there twice.",
    ],
    [
      "a number that is text",
      withExpert("seed: many"),
      's.yaml: seed: "many" is not of the kind number.',
    ],
    ["an unknown model", "name: s\nexpert: { model: deepseek }\n", 'Did you mean "deepseek-v2"?'],
    [
      "a model without experts",
      "name: s\nexpert: { model: opt-13b }\n",
      "s.yaml: expert.model: OPT-13B has no experts.",
    ],
    [
      "two sources",
      "name: s\nexpert: { model: deepseek-v2, hidden: 3 }\n",
      "s.yaml: expert: an expert has exactly one of",
    ],
    [
      "half a shape",
      "name: s\nexpert: { hidden: 3 }\n",
      "s.yaml: expert.intermediate: this is missing (a number).",
    ],
    [
      "an unknown memory",
      withExpert("memory: { preset: DDR5-4800AM }"),
      'Did you mean "DDR5-4800AN"?',
    ],
    ["text that is no YAML", "name: [", "s.yaml: Flow sequence"],
    ["a list", "- 1\n", "s.yaml: a list is not of the kind object."],
    ["nothing at all", "", "s.yaml: null is not of the kind object."],
  ])("%s", (_, text, message) => {
    expect(() => resolveText(text)).toThrow(message);
  });

  it.each<[string, string, string | RegExp]>([
    ["streams", "streams: 3", "ndp.streams: 3 is not one of 1, 2, 4, 8."],
    ["ranks", "ranks: 3", /^s\.yaml: ndp\.ranks: 3 is not one of 1, 2, 4\.$/],
    [
      "ranks and streams",
      "ranks: 2, streams: 8",
      /^s\.yaml: ndp\.ranks: streams are given too, and follow from ranks: leave one out\.$/,
    ],
    [
      "links to a unit of fewer ranks",
      "ranks: 2, links: 3",
      "ndp.links: an expert that is brought lies in all ranks of a DIMM, 8 streams; the unit has 4.",
    ],
    [
      "multipliers",
      "multipliersPerStream: 64",
      "ndp.multipliersPerStream: 64 is not one of 4, 8, 16, 32.",
    ],
    ["lanes", "lanes: 16", "ndp.lanes: 16 is not one of 2, 4, 8."],
    ["bits", "bitsPerCycle: 4", "ndp.bitsPerCycle: 4 is not one of 1, 2."],
    [
      "a short slot",
      "bitsPerCycle: 2, multipliersPerStream: 16",
      "a slot of 8 cycles is shorter than the 16 that 8 lanes of 16 multipliers need.",
    ],
    [
      "a small block",
      "multipliersPerStream: 4, lanes: 2",
      "a block of 16 bytes is less than a burst of 64.",
    ],
    [
      "the queue",
      "queueBursts: 48",
      "ndp.queueBursts: 48 is not a power of two of at least two blocks (16 bursts).",
    ],
    [
      "the activation lanes",
      "activationLanes: 16",
      "ndp.activationLanes: 16 is not a power of two of at least 32.",
    ],
    [
      "the buffer",
      "buffer: 4 MiB",
      "ndp.buffer: 4194304 bytes are not a power of two from 512 to 2097152.",
    ],
    ["the tokens of a pass", "maxTokens: 1", "ndp.maxTokens: 1 is not from 2 to 1024."],
    ["too few bits of a product", "alignedBits: 11", "ndp.alignedBits: 11 is not from 12 to 44."],
    ["too many bits of a product", "alignedBits: 45", "ndp.alignedBits: 45 is not from 12 to 44."],
  ])("impossible geometry: %s", (_, setting, message) => {
    expect(() => resolveText(withExpert(`ndp: { ${setting} }`))).toThrow(message);
  });

  it.each([
    [1, 2],
    [2, 4],
    [4, 8],
  ])("%i ranks are %i streams", (ranks, streams) => {
    const { unit } = resolveText(withExpert(`ndp: { ranks: ${ranks} }`)).scenario;
    expect(unit.streams).toBe(streams);
  });

  it("every problem at once", () => {
    const twice = withExpert("tokns: [1]\nfidelity: none\nndp: { clock: 1 }");
    expect(() => resolveText(twice)).toThrow(/fidelity.*\n.*ndp\.clock.*\n.*tokns/);
    const rules = withExpert("ndp: { streams: 3, queueBursts: 5 }\nmemory: { preset: x }");
    const lines = /ndp\.streams.*\n.*ndp\.queueBursts.*\n.*memory\.preset/;
    expect(() => resolveText(rules)).toThrow(lines);
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
