// SPDX-License-Identifier: Apache-2.0
// What a program may give as a scenario: texts with units and plain numbers in base units, by type and at run time.

import { describe, expect, it } from "vitest";

import { checkScenario, resolveConfig, scenarioContent } from "../../src/scenario/resolve.ts";
import type { ScenarioInput } from "../../src/scenario/schema.ts";
import { rejection } from "../helpers/rejection.ts";

const written: ScenarioInput = {
  name: "mine",
  fidelity: "cycle",
  expert: { model: "deepseek-v2" },
  tokens: [1, 2],
  ndp: { clock: "1 GHz", buffer: "256 KiB" },
  host: { command: "50 ns" },
  attention: {
    model: "opt-13b",
    sharedLink: "32 GB/s",
    ratio: "1/8",
    link: { latency: "270 ns", payload: "256 B" },
    controller: { transposition: "64 KiB", ecc: { rate: "1.4 GB/s" } },
    nand: { senseByPageType: ["40 us", "60 us"], package: { current: "200 mA" } },
  },
};

const plain: ScenarioInput = {
  name: "mine",
  fidelity: "cycle",
  expert: { model: "deepseek-v2" },
  tokens: [1, 2],
  ndp: { clock: 1e9, buffer: 262_144 },
  host: { command: 50e-9 },
  attention: {
    model: "opt-13b",
    sharedLink: 32e9,
    ratio: 0.125,
    link: { latency: 270e-9, payload: 256 },
    controller: { transposition: 65_536, ecc: { rate: 1.4e9 } },
    nand: { senseByPageType: [40e-6, 60e-6], package: { current: 0.2 } },
  },
};

describe("a scenario of a program", () => {
  /** To twelve digits: 50 ns is fifty billionths to sixteen. */
  const rounded = (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(value, (_, one: unknown) =>
        typeof one === "number" ? Number(one.toPrecision(12)) : one,
      ),
    );
  const resolved = (input: ScenarioInput): unknown =>
    rounded(resolveConfig("mine", scenarioContent("mine", input)).scenario);

  it("is the same with units and in base units", () => {
    expect(resolved(plain)).toEqual(resolved(written));
  });

  it("has bounds, whole hertz and whole bytes in base units too", () => {
    const wrong: ScenarioInput = {
      ...plain,
      ndp: { clock: 1, buffer: 0.5 },
      host: { command: -1 },
    };
    expect(() => scenarioContent("mine", wrong)).toThrow(
      rejection(
        "bad-input",
        /^mine: ndp\.clock: 1 is not from 1 MHz to 1 THz\.$/,
        /^mine: ndp\.buffer: a size is a whole number of bytes\.$/,
        /^mine: host\.command: -1 is not from 1 fs to 10\^9 s\.$/,
      ),
    );
  });
});

describe("a scenario of a file", () => {
  it("names the unit of every quantity", () => {
    const nand = { senseByPageType: ["40 us", 60], bitErrorRate: 1e-4 };
    const wrong = {
      name: "mine",
      seed: "x",
      ndp: { clock: 1e9 },
      attention: { model: "opt-13b", nand, controller: { ecc: { rate: 1 } } },
    };
    expect(() => checkScenario("s.yaml", wrong)).toThrow(
      rejection(
        "bad-input",
        /^s\.yaml: seed: "x" is not of the kind/,
        /^s\.yaml: attention\.controller\.ecc\.rate: 1 is not a rate; write a number and one of MB\/s/,
        /^s\.yaml: attention\.nand\.senseByPageType\[1\]: 60 is not a time; write a number and one of ns/,
        /^s\.yaml: ndp\.clock: 1000000000 is not a frequency; write .* GHz, such as "1 GHz"\.$/,
      ),
    );
  });

  it("has what it has in a program, with units", () => {
    expect(checkScenario("mine", written)).toEqual(scenarioContent("mine", written));
  });
});
