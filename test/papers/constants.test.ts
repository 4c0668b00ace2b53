// SPDX-License-Identifier: Apache-2.0
// The charts of constants: each end of a range is a run of the model, the largest swing is the first, every
// range contains its constant and names its source.

import { describe, expect, it } from "vitest";
import { flexGenConstants } from "../../src/papers/flexgen/figures/constants.ts";
import { swingsOf, type Constant } from "../../src/papers/experiment/headline.ts";
import { instInferConstants } from "../../src/papers/instinfer/figures/constants.ts";
import { liaConstants } from "../../src/papers/lia/figures/constants.ts";
import { switchOf } from "../../src/papers/lia/figures/policies.ts";
import { machine } from "../../src/papers/lia/figures/run.ts";
import { bytesPerSecond } from "../../src/base/units.ts";

const times = (name: string, factor: number): Constant => ({
  name,
  unit: "1",
  value: 1,
  range: [0.5, 2],
  source: "assumed",
  run: (x) => 10 + factor * (x - 1) ** 2,
});

describe("a chart of constants", () => {
  it("orders by how far the number moves from ours, also where both ends move it one way", () => {
    const headline = {
      id: "t",
      what: "t",
      unit: "1",
      published: 10,
      ours: 10,
      constants: [times("small", 1), times("large", 2), times("none", 0)],
    };
    const swings = swingsOf(headline);
    expect(swings.map(({ constant, swing }) => [constant, swing])).toEqual([
      ["large", 2],
      ["small", 1],
      ["none", 0],
    ]);
    expect(swings[0]).toMatchObject({ atLow: 10.5, atHigh: 12 });
  });

  it.each([liaConstants, flexGenConstants, instInferConstants])("of $id runs the model", (one) => {
    const { rows = [], checks = [], blocks } = one.run();
    expect(rows.length).toBeGreaterThan(5);
    expect(blocks.every((block) => block.kind === "figure")).toBe(true);
    for (const check of checks) expect(check.holds, check.what).toBe(true);
    for (const { constant, low, value, high, source, swing } of rows) {
      expect(Number(low), String(constant)).toBeLessThanOrEqual(Number(value) * (1 + 1e-9));
      expect(Number(high), String(constant)).toBeGreaterThanOrEqual(Number(value) * (1 - 1e-9));
      expect(source).not.toBe("");
      expect(Number.isFinite(swing)).toBe(true);
    }
  });

  it("of LIA has at an end what the figure has with that link", () => {
    const link = liaConstants.run().rows?.find(({ constant }) => constant === "PCIe 4.0");
    const slow = { ...machine("spr-a100"), pcie: bytesPerSecond(14e9) };
    expect(link?.["atLow"]).toBe(switchOf(slow, "decode", 128));
  });
});
