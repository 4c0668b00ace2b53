// SPDX-License-Identifier: Apache-2.0
// Given streams, messages that end a run, and answers: mistakes in them are refused with their
// place. (test/rtl drives units with all three.)

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { openUnit, type Unit, type UnitOptions } from "../../src/rtl/index.ts";
import { rejection } from "../helpers/rejection.ts";

const scalar: UnitOptions = { top: "sparf_attn_scalar", uses: ["sparf_attn_scalar.sv"] };
const open = async (streams: UnitOptions["streams"]): Promise<void> => {
  const unit = await openUnit({ ...scalar, ...(streams === undefined ? {} : { streams }) });
  unit.close();
};

describe("told streams", () => {
  it.each([
    [
      "a valid that is not there",
      { op: { valid: "strat_i" } },
      /streams\.op: .*strat_i.*"start_i"/,
    ],
    [
      "a ready of the same direction",
      { op: { valid: "start_i", ready: "root_i" } },
      /streams\.op: root_i .*ready/,
    ],
    [
      "a payload that goes the other way",
      { op: { valid: "start_i", payload: ["result_o"] } },
      /streams\.op: result_o .*direction/,
    ],
    [
      "a payload that is not there",
      { op: { valid: "start_i", payload: ["c_i"] } },
      /streams\.op: .*c_i/,
    ],
    [
      "a port of two streams",
      { op: { valid: "start_i", payload: ["a_i"] }, other: { valid: "root_i", payload: ["a_i"] } },
      /streams\.other: a_i .*another stream/,
    ],
    ["a stream without a valid", { op: {} }, /streams\.op: .*op_valid/],
  ] as const)("are refused with %s", async (_, streams, rule) => {
    await expect(open(streams)).rejects.toThrow(rejection("bad-input", rule));
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
    await expect(unit).rejects.toThrow(rejection("bad-input", /^stream load: .*weights/));
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

  it("of a question that the list lacks end the run", async () => {
    const { key, read, start } = unit.streams;
    if (key === undefined || read === undefined) throw new Error("no such stream");
    unit.reset();
    key.answer(read, new Uint32Array(8));
    start?.send([{ count: 9, take: 1, window: 0 }]);
    const run = unit.run({ until: { seen: { sel: { last: 1 } } } });
    await expect(run).rejects.toThrow(rejection("bad-input", /message 1\b/));
  });

  it("that cannot be are refused", async () => {
    const { key, read, start } = unit.streams;
    if (key === undefined || read === undefined || start === undefined)
      throw new Error("no stream");
    unit.reset();
    expect(() => {
      key.answer(read, new Uint32Array(7));
    }).toThrow(rejection("bad-input", /^sparf_argtopk\.key: 7 words .* 8 /));
    expect(() => {
      key.answer(read, [], { latency: 0 });
    }).toThrow(rejection("bad-input", /^sparf_argtopk\.key: 0 .*cycles/));
    expect(() => {
      key.answer(start, []);
    }).toThrow(rejection("bad-input", /^sparf_argtopk\.key: .*sparf_argtopk\.start/));
    await expect(unit.run({ until: { seen: { start: {} } } })).rejects.toThrow(
      rejection("bad-input", "sparf_argtopk.run: until.seen"),
    );
    await expect(unit.run({ until: { seen: { sel: { lst: 1 } } } })).rejects.toThrow(
      rejection("bad-input", /^sparf_argtopk\.sel\.lst: .*"last"/),
    );
  });
});
