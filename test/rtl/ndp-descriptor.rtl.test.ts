// SPDX-License-Identifier: Apache-2.0
// Descriptors that the NDP unit refuses: they end at once with the field, and nothing starts.

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { openUnit, type Unit } from "../../src/rtl/index.ts";
import { constantsOf } from "../../tools/ports/declarations.ts";
import { dimmNdp } from "../../tools/ports/dimm-ndp.ts";

interface Descriptors {
  parameters: "Streams" | "MaxTokens";
  streams: {
    desc: { direction: "in"; message: bigint };
    done: { direction: "out"; message: { field: number } };
  };
  inputs: { done_i: number };
  outputs: { start_o: number };
}

let unit: Unit<Descriptors>;
beforeAll(async () => {
  unit = await openUnit<Descriptors>({
    top: "ndp_descriptor",
    parameters: { Streams: 2, MaxTokens: 8 },
    uses: [
      ...["ndp/ndp_pkg.sv", "ndp/dimm_ndp_pkg.sv"],
      ...["common/priority_encoder.sv", "ndp/ndp_descriptor_check.sv", "ndp/ndp_descriptor.sv"],
    ],
  });
});
afterAll(() => {
  unit.close();
});

/** A matrix of two rows times eight vectors of a block, but for some words. */
function job(changed: Readonly<Record<number, number>> = {}): bigint {
  const words = [0, 8, 8, 1, 0, 0, 2, 0, 1, 0, 0, 0, 100, 1, 200, 1, 8, 512, 0, 0];
  const bits = words.map((word, at) => BigInt(changed[at] ?? word) << BigInt(32 * at));
  return bits.reduce((all, word) => all | word, 0n);
}

describe("ndp_descriptor", () => {
  it("refuses what asks for nothing or is unknown, with the field", async () => {
    const cases: readonly (readonly [field: number, Readonly<Record<number, number>>])[] = [
      [1, { 0: 3 }],
      [1, { 0: 15 }],
      [8, { 0: 7 << 4 }],
      [8, { 0: 1 << 9 }],
      [2, { 0: 1 << 12 }],
      [3, { 1: 0 }],
      [3, { 1: 0x10000 }],
      [4, { 2: 0 }],
      [4, { 2: 9 }],
      [5, { 3: 0 }],
      [5, { 3: 0x10001 }],
      [6, { 6: 0 }],
      [7, { 0: 1, 4: 0, 5: 1 }],
      [9, { 0: 1, 4: 1, 5: 513 }],
      [11, { 8: 2 ** 31 }],
      [19, { 0: 1, 4: 1, 5: 1, 16: 63 }],
      [20, { 17: 63 }],
      [20, { 17: 4096 }],
    ];
    unit.reset();
    unit.set({ done_i: 0 });
    unit.streams.desc.send(cases.map(([, changed]) => job(changed)));
    await unit.run({ until: { moved: { done: cases.length }, rest: 4 }, limit: 1000 });
    expect(unit.streams.done.taken().map(({ field }) => field)).toEqual(
      cases.map(([field]) => field),
    );
  });

  it("keeps the legal values of docs/reference/ports.md at their edges", async () => {
    const words = constantsOf("dimm_ndp_pkg", "Desc");
    const numbers = constantsOf("dimm_ndp_pkg", "Field");
    const linear = job();
    const gated = job({ 0: 1, 4: 32, 5: 1, 16: 64 });
    const cases = (dimmNdp.descriptor?.fields ?? []).flatMap((row) => {
      if (row.refusedWith === undefined) return [];
      const [, low] = row.bits ?? [31, 0];
      const at = BigInt(32 * (words.get(row.word) ?? NaN) + low);
      const mask = (1n << BigInt((row.bits?.[0] ?? 31) - low + 1)) - 1n;
      const base = row.of === undefined ? linear : gated;
      const of = (value: number | string): bigint => {
        const field = value === "MaxTokens" ? 8 : value === "MaxTokens+1" ? 9 : Number(value);
        return (base & ~(mask << at)) | (BigInt(field) << at);
      };
      const { taken, refused } = row.legal.edges;
      const number = numbers.get(row.refusedWith) ?? NaN;
      // For an operation or a large value, other words of the descriptor would have to change too.
      const fits = taken.filter((value) => value === "MaxTokens" || Number(value) <= 1);
      return [
        ...(row.word === "DescMode" && low === 0 ? [] : fits).map(
          (value) => [of(value), 0] as const,
        ),
        ...refused.map((value) => [of(value), number] as const),
      ];
    });
    expect(cases.length).toBeGreaterThan(20);
    unit.reset();
    unit.set({ done_i: 1 });
    unit.streams.desc.send(cases.map(([bits]) => bits));
    await unit.run({ until: { moved: { done: cases.length }, rest: 4 }, limit: 1000 });
    expect(unit.streams.done.taken().map(({ field }) => field)).toEqual(
      cases.map(([, field]) => field),
    );
  });

  it("does not end one that it takes before its work is done", async () => {
    unit.reset();
    unit.set({ done_i: 0 });
    unit.streams.desc.send([job()]);
    await unit.run({ cycles: 50 });
    expect(unit.streams.done.taken()).toEqual([]);
    unit.set({ done_i: 1 });
    await unit.run({ until: { moved: { done: 1 }, rest: 4 }, limit: 100 });
    expect(unit.streams.done.taken()).toEqual([{ field: 0 }]);
  });
});
