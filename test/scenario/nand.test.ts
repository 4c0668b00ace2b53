// SPDX-License-Identifier: Apache-2.0
// What a scenario may say of its flash: planes, suspensions and the current of packages.

import { describe, expect, it } from "vitest";

import type { NandChoice } from "../../src/machine/resolve/nand.ts";
import { checkScenario, resolveConfig } from "../../src/scenario/resolve.ts";
import { attentionMachine } from "../../src/kernels/csd/attention/attention-machine.ts";
import { nativeCsdConfig } from "../../src/native/csd/csd-machine.ts";
import { rejection } from "../helpers/rejection.ts";

type Given = Readonly<Record<string, unknown>>;

const scenario = (nand: unknown, attention: Given = {}, fidelity = "cycle"): unknown => ({
  name: "s",
  fidelity,
  attention: { heads: 2, headWidth: 64, length: 512, nand, ...attention },
});

function resolved(nand: unknown, attention: Given = {}): NandChoice {
  const given = checkScenario("", scenario(nand, attention));
  const { scenario: found } = resolveConfig("", given);
  if (found.attention === null) throw new Error("no attention");
  return found.attention.nand;
}

function expectRefused(
  nand: unknown,
  attention: Given,
  ...places: readonly (string | RegExp)[]
): void {
  expect(() => resolved(nand, attention)).toThrow(rejection("bad-input", ...places));
}

const supply = { current: "100 mA" };

describe("the flash of a scenario", () => {
  it.each([
    [undefined, "none"],
    [false, "none"],
    [true, "reads"],
    ["none", "none"],
    ["reads", "reads"],
    ["all", "all"],
  ])("has planes that are independent: %s", (independentPlanes, wanted) => {
    expect(resolved({ independentPlanes }).independentPlanes).toBe(wanted);
  });

  it("has no limit of suspensions and no budget of current unless it says so", () => {
    expect(resolved({})).toMatchObject({ mostSuspends: null, package: null });
    expect(resolved({ suspend: true, mostSuspends: 4 })).toMatchObject({ mostSuspends: 4 });
  });

  it("has currents of 25 mA a die, and packages of all dies of a channel", () => {
    expect(resolved({ package: supply }).package).toEqual({
      dies: null,
      current: 0.1,
      read: 0.025,
      program: 0.025,
      erase: 0.025,
    });
    const own = { ...supply, dies: 2, read: "20 mA", program: "0.1 A", erase: "500 uA" };
    expect(resolved({ package: own }).package).toEqual({
      dies: 2,
      current: 0.1,
      read: 0.02,
      program: 0.1,
      erase: 0.0005,
    });
  });

  it("reaches the simulated device in microamperes", () => {
    const of = checkScenario("", scenario({ package: { ...supply, program: "60 mA" } }));
    const { attention } = resolveConfig("", of).scenario;
    if (attention === null) throw new Error("no attention");
    const machine = attentionMachine(attention, { width: 64, length: 512 }, "znand4k", 1);
    expect(nativeCsdConfig(machine, undefined).flash.features).toMatchObject({
      package: { dies: 4, most: 100_000, read: 25_000, program: 60_000, erase: 25_000 },
    });
  });
});

describe("the flash of a scenario is refused with", () => {
  const where = "attention.nand";
  it("a word that is none of the planes'", () => {
    expectRefused({ independentPlanes: "some" }, {}, `${where}.independentPlanes`);
  });

  it("a limit of suspensions without any, and with none", () => {
    expectRefused({ mostSuspends: 4 }, {}, `${where}.mostSuspends`);
    expectRefused({ suspend: true, mostSuspends: 0 }, {}, `${where}.mostSuspends`);
  });

  it("a package without its current, or in another unit", () => {
    expectRefused({ package: {} }, {}, `${where}.package.current`);
    expectRefused({ package: { current: "1 W" } }, {}, `${where}.package.current`);
    expectRefused({ package: { current: 100 } }, {}, `${where}.package.current`);
  });

  it("a die that draws more than its package supplies, each of its operations", () => {
    const few = { current: "20 mA", program: "10 mA" };
    expectRefused({ package: few }, {}, `${where}.package.read`, `${where}.package.erase`);
  });

  it("packages that do not make up a channel, of every part", () => {
    expectRefused({ package: { ...supply, dies: 3 } }, {}, `${where}.package.dies`);
    expectRefused({ package: { ...supply, dies: 8 } }, {}, `${where}.package.dies`);
    expect(resolved({ package: { ...supply, dies: 8 } }, { diesPerChannel: 16 })).toBeDefined();
    const both = { flash: ["znand4k", "daisyplus"] };
    expectRefused({ package: { ...supply, dies: 8 } }, both, /of 4\.$/);
  });

  it("bit errors without a code", () => {
    const controller = { ecc: "none" };
    expectRefused({ bitErrorRate: 1e-4 }, { controller }, `${where}.bitErrorRate`);
    expect(resolved({ bitErrorRate: 0 }, { controller })).toBeDefined();
  });

  it("a budget where closed forms are asked for", () => {
    const given = checkScenario("", scenario({ package: supply }, {}, "analytic"));
    const wanted = rejection("bad-input", `${where}.package`);
    expect(() => resolveConfig("", given)).toThrow(wanted);
  });
});
