// SPDX-License-Identifier: Apache-2.0

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cycleLimit, layOutExpert } from "../../src/workload/ndp/layout.ts";
import type { ExpertLayout, ExpertShape } from "../../src/workload/ndp/layout.ts";
import type { Arrangement } from "../../src/machine/arrangement.ts";
import { packExpert, resultRange, unpackOutputs } from "../../src/workload/ndp/pack.ts";
import type { WeightImages } from "../../src/workload/ndp/pack.ts";
import { generateExpert, generateInputs } from "../../src/workload/generate.ts";
import { hbm3 } from "../../src/machine/dram/standards/hbm3.ts";
import { channelMemory, paperMachine } from "../../src/machine/resolve/systems.ts";
import { cycles, hertz } from "../../src/base/units.ts";
import { paperUnit, smallUnit } from "../helpers/machines.ts";
import { readExpertJob } from "../helpers/descriptor.ts";
import { activationFunctions, gateOf } from "../../src/golden/names.ts";
import { rejection } from "../helpers/rejection.ts";
import { runs } from "../helpers/tier.ts";

const shapes = fc.record({
  hidden: fc.integer({ min: 1, max: 150 }),
  intermediate: fc.integer({ min: 1, max: 100 }),
  tokens: fc.integer({ min: 1, max: 20 }),
  format: fc.constantFrom("fp16" as const, "bf16" as const),
  activation: fc.oneof(
    fc.constantFrom(...activationFunctions),
    fc.record(
      {
        name: fc.constantFrom(...activationFunctions),
        limit: fc.constantFrom(2 ** -9, 7, 10),
        upPlusOne: fc.constant(true as const),
      },
      { requiredKeys: ["name"] },
    ),
  ),
});
const units = fc.constantFrom(smallUnit, paperUnit);
const arrangements = fc.constantFrom<Arrangement[]>("interleaved", "row-major");

const deepseek: ExpertShape = {
  hidden: 5120,
  intermediate: 1536,
  tokens: 1,
  format: "fp16",
  activation: "silu",
};

describe("the layout of an expert", () => {
  it("can be read back through its descriptor alone", () => {
    fc.assert(
      fc.property(shapes, units, arrangements, (shape, unit, arrangement) => {
        const layout = layOutExpert(unit, shape, arrangement);
        const weights = generateExpert({ seed: 1, name: "e", ...shape });
        const inputs = generateInputs(1, shape.format, shape.tokens, shape.hidden);
        const images: WeightImages = new Map();
        packExpert(layout, weights, inputs, images);
        // Reads the job from the new images.
        const streams = packExpert(layout, weights, inputs, images);
        expect(images.size).toBe(1);
        const seen = readExpertJob(unit, layout.descriptor, streams);
        expect(seen).toMatchObject({
          tokens: shape.tokens,
          gate: weights.gate,
          up: weights.up,
          down: weights.down,
          inputs,
          format: shape.format,
        });
        expect(seen.activation).toEqual(gateOf(shape.activation));
      }),
      { numRuns: runs(8, 30) },
    );
  });

  it("keeps its regions apart and inside the buffer", () => {
    fc.assert(
      fc.property(shapes, units, arrangements, (shape, unit, arrangement) => {
        const layout = layOutExpert(unit, shape, arrangement);
        const used = new Map<number, string>();
        const claim = (
          what: string,
          base: number,
          stride: number,
          count: number,
          length: number,
        ): void => {
          for (let i = 0; i < count; i += 1) {
            for (let b = 0; b < length; b += 1) {
              const burst = base + i * stride + b;
              expect(used.get(burst), `${what} at burst ${burst}`).toBeUndefined();
              used.set(burst, what);
            }
          }
        };
        for (const matrix of ["gate", "up", "down"] as const) {
          const { base, stride, rows, rowBursts } = layout[matrix];
          claim(matrix, base, stride, Math.ceil(rows / unit.streams), rowBursts);
        }
        for (const vector of ["input", "output"] as const) {
          const { base, stride } = layout[vector];
          claim(vector, base, stride, shape.tokens, stride);
        }
        expect(Math.max(...used.keys())).toBeLessThan(layout.bursts);
        expect(layout.tokensPerPass).toBeLessThanOrEqual(unit.maxTokens);
        const chunkWord = layout.descriptor[17] ?? 0;
        const chunks = layout.tokensPerPass * ((4 * unit.activationLanes) / 32);
        expect((chunkWord + chunks) * 64).toBeLessThanOrEqual(unit.bufferBytes);
      }),
      { numRuns: runs(15, 60) },
    );
  });

  it("finds the outputs where the unit leaves them", () => {
    fc.assert(
      fc.property(shapes, units, (shape, unit) => {
        const layout = layOutExpert(unit, shape, "interleaved");
        const outputs = generateInputs(2, shape.format, shape.tokens, shape.hidden);
        expect(unpackOutputs(layout, writeOutputs(layout, outputs))).toEqual(outputs);
      }),
      { numRuns: runs(10, 40) },
    );
  });

  it("reads each byte of a DeepSeek-V2 expert once a pass and no padding", () => {
    const layout = layOutExpert(paperUnit, deepseek, "interleaved");
    expect(layout.passBursts * 64 * paperUnit.streams).toBe(47_185_920);
    // Row groups in the order in which the unit reads them: one unbroken stream.
    expect(layout.up.base).toBe(layout.gate.rowBursts);
    expect(layout.gate.stride).toBe(2 * layout.gate.rowBursts);
    expect(layout.down.stride).toBe(layout.down.rowBursts);
  });

  it.each([
    [1, 1],
    [17, 17],
    [18, 9],
    [64, 16],
  ])(
    "cuts %i tokens of it into passes of %i: 240 buffer words a token, 4096 in all",
    (tokens, pass) => {
      expect(layOutExpert(paperUnit, { ...deepseek, tokens }, "interleaved").tokensPerPass).toBe(
        pass,
      );
    },
  );

  it("refuses what a unit cannot hold", () => {
    const wide = { ...deepseek, hidden: 200_000 };
    expect(() => layOutExpert(paperUnit, wide, "interleaved")).toThrow(
      rejection("bad-input", /^ndp\.buffer: .* 200000 .* 405504 .* 262144/),
    );
  });

  it.each([0, 65536])("refuses %i tokens", (tokens) => {
    expect(() => layOutExpert(paperUnit, { ...deepseek, tokens }, "interleaved")).toThrow(
      rejection("bad-input", new RegExp(`^tokens: .*65535 .* ${tokens} `)),
    );
  });

  it("gives a run time enough for every burst and slot", () => {
    const layout = layOutExpert(paperUnit, { ...deepseek, tokens: 8 }, "interleaved");
    const machine = { ...paperMachine(), unit: paperUnit };
    expect(cycleLimit(machine, layout)).toBeGreaterThan(1_474_560);
    const timing = { ...machine.memory.timing, nCL: cycles(1_000_000) };
    const slow = { ...machine, memory: { ...machine.memory, timing } };
    // 2.4 cycles of the memory to one of the unit, and every burst alone.
    expect(cycleLimit(slow, layout)).toBeGreaterThan((layout.passBursts * 1_000_000) / 2.4);
    const fast = { ...machine, clock: hertz(1e12) };
    expect(cycleLimit(fast, layout)).toBeGreaterThan((layout.passBursts * 8 * 1e12) / 2.4e9);
  });

  it("gives a run time enough for an RFM after every access", () => {
    const layout = layOutExpert(paperUnit, { ...deepseek, tokens: 1 }, "interleaved");
    const memory = channelMemory(hbm3, "HBM3-6400", 32, "a test");
    const refreshManagement = { initial: 1, maximum: 3, perRefresh: 1 };
    const machine = {
      ...paperMachine(),
      unit: paperUnit,
      memory: { ...memory, mapping: "RoBaRaCoCh" as const, refreshManagement },
    };
    // Two accesses of 32 bytes to a burst, each with an RFM of 350 ns.
    expect(cycleLimit(machine, layout)).toBeGreaterThan(2 * 350 * layout.passBursts);
  });
});

/** Outputs as the unit writes them: burst q of a token to stream q mod Streams. */
function writeOutputs(layout: ExpertLayout, outputs: Uint16Array): Uint8Array[] {
  const { bursts } = resultRange(layout);
  const images = Array.from({ length: layout.streams }, () => new Uint16Array(bursts * 32));
  const { hidden, tokens } = layout.shape;
  for (let token = 0; token < tokens; token += 1) {
    for (let i = 0; i < hidden; i += 1) {
      const q = Math.floor(i / 32);
      const burst = token * layout.output.stride + Math.floor(q / layout.streams);
      const image = images[q % layout.streams];
      if (image !== undefined) image[burst * 32 + (i % 32)] = outputs[token * hidden + i] ?? 0;
    }
  }
  return images.map((image) => new Uint8Array(image.buffer));
}
