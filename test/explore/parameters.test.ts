// SPDX-License-Identifier: Apache-2.0
// Each parameter that an exploration may vary reaches the hardware: at cycle fidelity a point with
// another value takes another time, with the golden model's values.

import { describe, expect, it } from "vitest";
import { runSweepScenario } from "../../src/cli/explore/sweep-point.ts";
import { applySettings } from "../../src/explore/point.ts";
import type { Setting } from "../../src/explore/spec.ts";

const expert = {
  name: "e",
  fidelity: "cycle",
  tokens: [5],
  expert: { hidden: 512, intermediate: 256 },
  ndp: { multipliersPerStream: 8, buffer: "16 KiB", queueBursts: 16, activationLanes: 64 },
};
/** The unit supports weights of fewer bits. */
const lowBit = {
  name: "e",
  fidelity: "cycle",
  tokens: [5],
  expert: { hidden: 512, intermediate: 256, storage: "fp8" },
  ndp: { lowBitWeights: true },
};
const attention = {
  name: "a",
  fidelity: "cycle",
  // The heads occupy the engine while pages arrive.
  attention: {
    heads: 24,
    headWidth: 64,
    length: 512,
    engine: { slots: 2 },
    methods: ["sparf"],
    r: 8,
    k: 64,
  },
};

/** More heads in flight than small rings have room for. */
const deep = { ...attention, attention: { ...attention.attention, engine: { slots: 8 }, r: 4 } };

/** Microseconds of all that a point does. */
async function timeOf(scenario: object, name: string, value: Setting): Promise<number> {
  const content = applySettings(scenario, { [name]: value });
  const { failed, metrics } = await runSweepScenario("s.yaml", content, null);
  expect(failed).toEqual([]);
  const times = metrics.filter(({ id }) => id === "time" || id === "arrival");
  expect(times.length).toBeGreaterThan(0);
  return times.reduce((sum, metric) => sum + metric.value, 0);
}

describe("a parameter that may be explored", () => {
  it.each<[string, Setting, Setting, object]>([
    ["ndp.ranks", 1, 4, expert],
    ["ndp.streams", 1, 8, expert],
    ["ndp.multipliersPerStream", 8, 32, expert],
    ["ndp.lanes", 4, 8, expert],
    ["ndp.buffer", "8 KiB", "16 KiB", expert],
    ["ndp.queueBursts", 8, 32, expert],
    ["ndp.activationLanes", 32, 128, expert],
    ["ndp.links", 1, 6, expert],
    ["ndp.bitsPerCycle", 1, 2, lowBit],
    ["expert.storage", "format", "mxfp4", { ...lowBit, tokens: [1] }],
    ["attention.channels", 4, 8, attention],
    ["attention.diesPerChannel", 1, 4, attention],
    ["attention.engine.kernels", 1, 2, attention],
    ["attention.engine.ringLines", 256, 4096, deep],
    ["attention.r", 4, 16, attention],
    ["attention.k", 16, 128, attention],
    ["attention.dimsPerPage", 1, 4, attention],
  ])("%s", async (name, one, other, scenario) => {
    expect(await timeOf(scenario, name, one)).not.toBe(await timeOf(scenario, name, other));
  });
});
