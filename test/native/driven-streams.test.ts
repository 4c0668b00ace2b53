// SPDX-License-Identifier: Apache-2.0
// Streams that are told, messages that end a run, and answers: what is wrong with them is said in a
// sentence. (test/rtl drives units with all three.)

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { openUnit, type Unit, type UnitOptions } from "../../src/rtl/index.ts";

const scalar: UnitOptions = { top: "sparf_attn_scalar", uses: ["sparf_attn_scalar.sv"] };
const open = async (streams: UnitOptions["streams"]): Promise<void> => {
  const unit = await openUnit({ ...scalar, ...(streams === undefined ? {} : { streams }) });
  unit.close();
};

describe("told streams", () => {
  it.each([
    ["a valid that is not there", { op: { valid: "strat_i" } }, /no port strat_i\..*start_i/],
    ["a ready of the same direction", { op: { valid: "start_i", ready: "root_i" } }, /is no ready/],
    [
      "a payload that goes the other way",
      { op: { valid: "start_i", payload: ["result_o"] } },
      /another direction/,
    ],
    ["a payload that is not there", { op: { valid: "start_i", payload: ["c_i"] } }, /no port c_i/],
    [
      "a port of two streams",
      { op: { valid: "start_i", payload: ["a_i"] }, other: { valid: "root_i", payload: ["a_i"] } },
      /goes with another stream already/,
    ],
    ["a stream without a valid", { op: {} }, /no port op_valid/],
  ] as const)("are refused with %s", async (_, streams, message) => {
    await expect(open(streams)).rejects.toMatchObject({ code: "bad-input" });
    await expect(open(streams)).rejects.toThrow(message);
  });

  it("are refused where two ports make one field", async () => {
    const unit = openUnit({
      ...{
        top: "ndp_gemv_unit",
        uses: ["common", "ndp"],
        parameters: { Streams: 2, Mults: 4, MaxTokens: 8 },
      },
      streams: { load: { payload: ["weights_i"] } },
    });
    await expect(unit).rejects.toThrow(/two of its ports make the field weights/);
  });
});

describe("answers and messages that end a run", () => {
  let unit: Unit;
  beforeAll(async () => {
    unit = await openUnit({
      ...{
        top: "sparf_argtopk",
        uses: [
          "sparf_topk_pkg",
          "sparf_topk_lanes",
          "sparf_topk_counts",
          "sparf_topk_queue",
          "sparf_argtopk",
        ].map((name) => `${name}.sv`),
      },
      parameters: { MaxKeys: 32_768, KeyBits: 32, KeysPerCycle: 8, Float: 0 },
    });
  });
  afterAll(() => {
    unit.close();
  });

  it("of a question that the list lacks end the run with a sentence", async () => {
    const { key, read, start } = unit.streams;
    if (key === undefined || read === undefined) throw new Error("no such stream");
    unit.reset();
    key.answer(read, new Uint32Array(8));
    start?.send([{ count: 9, take: 1, window: 0 }]);
    const run = unit.run({ until: { seen: { sel: { last: 1 } } } });
    await expect(run).rejects.toThrow(/asks for message 1, which its answers lack/);
  });

  it("that cannot be are refused", async () => {
    const { key, read, start } = unit.streams;
    if (key === undefined || read === undefined || start === undefined)
      throw new Error("no stream");
    unit.reset();
    expect(() => {
      key.answer(read, new Uint32Array(7));
    }).toThrow(/7 words are no messages of 8/);
    expect(() => {
      key.answer(read, [], { latency: 0 });
    }).toThrow(/no number of cycles/);
    expect(() => {
      key.answer(start, []);
    }).toThrow(/there is no output stream/);
    await expect(unit.run({ until: { seen: { start: {} } } })).rejects.toThrow(
      /no output stream start/,
    );
    await expect(unit.run({ until: { seen: { sel: { lst: 1 } } } })).rejects.toThrow(
      /no such port.*last/,
    );
  });
});
