// SPDX-License-Identifier: Apache-2.0
// One yardstick for all systems: each is there for each model, with a rate or a reason; prices are those
// that are printed; lengths of requests of one's own replace the usual ones.

import { describe, expect, it } from "vitest";
import { rates } from "../../src/papers/yardstick/dense.ts";
import { hilosGain, hilosTimes } from "../../src/papers/yardstick/hilos.ts";
import { yardstickExperiment } from "../../src/papers/yardstick/yardstick.ts";
import { liaModel } from "../../src/papers/lia/model/shape.ts";
import { scale } from "../../src/base/units.ts";

const short = { prompts: [100, 200], outputs: [20, 40] };

describe("the yardstick", () => {
  const { rows = [], checks = [] } = yardstickExperiment(short).run();
  const systems = [
    ...["LIA", "FlexGen", "DeepSpeed", "FlexGen-SparQ", "InstI-Dense", "InstI-SparF", "HILOS"],
    ...["Klotski", "En-KTransformers", "MoNDE", "TriMoE", "LLMShare"],
  ];

  it.each(["opt-30b", "qwen3-235b-a22b"])(
    "has every system for %s, with a reason where not",
    (model) => {
      for (const system of systems) {
        const matchingRows = rows.filter(
          (row) => row["model"] === model && row["system"] === system,
        );
        expect(matchingRows, system).toHaveLength(1);
        const [{ tokensPerSecond, note } = {}] = matchingRows;
        if (tokensPerSecond === null) expect(note, system).toMatch(/^not comparable: ./);
        else expect(tokensPerSecond, system).toBeGreaterThan(0);
      }
      expect(checks.every(({ holds }) => holds)).toBe(true);
    },
  );

  it("has dollars of the printed prices alone, joules of design power", () => {
    const lia = rows.find((row) => row["system"] === "LIA");
    const rate = Number(lia?.["tokensPerSecond"]);
    expect(Number(lia?.["joulesPerToken"])).toBeCloseTo((500 + 250) / rate, 9);
    const aSecond = 22_000 / (3 * 365.25 * 86_400) + (0.75 * 0.1) / 3600;
    expect(Number(lia?.["dollarsPerMillion"])).toBeCloseTo((1e6 * aSecond) / rate, 9);
    for (const { system, dollarsPerMillion, note } of rows) {
      if (/drives|devices|SmartSSD|DIMM/.test(String(note))) {
        expect(dollarsPerMillion, String(system)).toBeNull();
      }
    }
  });

  it("serves longer outputs at more tokens a second, as prompts weigh less", () => {
    const longer = yardstickExperiment({ ...short, outputs: [200, 400] }).run().rows ?? [];
    const at = (list: typeof rows): number => Number(list[0]?.["tokensPerSecond"]);
    expect(at(longer)).toBeGreaterThan(at(rows));
  });
});

describe("HILOS", () => {
  const { shape, layers } = liaModel("opt-66b", "test");

  it("gains by its X-cache, the more so the faster the link", () => {
    const slow = hilosTimes(rates, shape, layers);
    expect(slow.together).toBeLessThan(Math.min(slow.storage, slow.cache));
    const twice = { ...rates, pcie: scale(rates.pcie, 2), gpuRate: scale(rates.gpuRate, 2) };
    const fast = hilosTimes(twice, shape, layers);
    expect(fast.storage).toBe(slow.storage);
    expect(fast.together).toBeLessThan(slow.together);
  });

  it("gains with the context, to what the two paths together carry", () => {
    const gain = (tokens: number): number =>
      hilosGain(rates, { model: "opt-66b", tokens, batch: 16, baseline: rates.pcie });
    expect(gain(1024)).toBeLessThan(gain(32_768));
    const bytes = 4 * shape.cacheWidth * layers;
    const limit = bytes / rates.pcie / hilosTimes(rates, shape, layers).together;
    expect(gain(1e7)).toBeLessThan(limit);
    expect(gain(1e7)).toBeGreaterThan(0.99 * limit);
  });
});
