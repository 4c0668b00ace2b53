// SPDX-License-Identifier: Apache-2.0
// In which cycles a driven unit's lanes offer their messages and take those of the unit, and which: counted
// here from pauses and latencies alone, for a unit that passes on all in the same cycle
// (fixtures/unit/lanes.sv).

import { join } from "node:path";

import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { openUnit, type Unit } from "../../src/rtl/index.ts";
import { rejection } from "../helpers/rejection.ts";

interface Word {
  readonly data: bigint;
}
interface Marked extends Word {
  readonly mark: number;
}
interface Numbered {
  readonly number: number;
}
interface Lanes {
  readonly parameters: never;
  readonly streams: {
    readonly put: { readonly direction: "in"; readonly message: Marked };
    readonly got: { readonly direction: "out"; readonly message: Marked };
    readonly wish: { readonly direction: "in"; readonly message: Numbered };
    readonly ask: { readonly direction: "out"; readonly message: Numbered };
    readonly reply: { readonly direction: "in"; readonly message: Word };
    readonly heard: { readonly direction: "out"; readonly message: Word };
  };
  readonly inputs: object;
  readonly outputs: object;
}

let unit: Unit<Lanes>;
beforeAll(async () => {
  unit = await openUnit<Lanes>({
    top: "lanes",
    from: import.meta.dirname,
    sources: [join("fixtures", "unit", "lanes.sv")],
  });
});
beforeEach(() => {
  unit.reset();
});
afterAll(() => {
  unit.close();
});

/** Short pauses, pauses near the lookahead of a schedule, and long ones. */
const pause = fc.oneof(
  { weight: 4, arbitrary: fc.nat(3) },
  { weight: 2, arbitrary: fc.integer({ min: 60, max: 67 }) },
  { weight: 1, arbitrary: fc.integer({ min: 120, max: 700 }) },
);
const message = fc.record({
  data: fc.bigInt({ min: 0n, max: (1n << 40n) - 1n }),
  mark: fc.nat(3),
  pause,
});

describe("messages into a unit", () => {
  it("are offered when their pauses are over, in runs of any length", async () => {
    const lanes = fc.tuple(
      ...Array.from({ length: 3 }, () => fc.array(message, { maxLength: 40 })),
    );
    await fc.assert(
      fc.asyncProperty(lanes, fc.array(fc.integer({ min: 1, max: 200 })), async (sent, limits) => {
        unit.reset();
        for (const [lane, messages] of sent.entries()) {
          // Two batches of a lane are as one.
          for (const part of [messages.slice(0, 7), messages.slice(7)]) {
            unit.streams.put.send(
              part.map(({ data, mark }) => ({ data, mark })),
              { lane, pauses: part.map((one) => one.pause) },
            );
          }
        }
        for (const limit of limits) await unit.run({ cycles: limit });
        await unit.run({ cycles: 40 * 701 });
        for (const [lane, messages] of sent.entries()) {
          let next = 0;
          const cycles = messages.map((one) => {
            next += one.pause;
            return next++;
          });
          expect([...unit.streams.put.movedAt({ lane })]).toEqual(cycles);
          expect([...unit.streams.got.movedAt({ lane })]).toEqual(cycles);
          expect(unit.streams.got.taken({ lane })).toEqual(
            messages.map(({ data, mark }) => ({ data, mark })),
          );
          expect(unit.streams.put.waiting({ lane })).toBe(0);
        }
      }),
      { numRuns: 40 },
    );
  });

  it("wait while a sink rests and keep their order", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(message, { minLength: 1, maxLength: 40 }),
        fc.nat(1000),
        async (messages, seed) => {
          unit.reset();
          unit.streams.put.pause({ probability: 0.4, seed });
          unit.streams.got.pause({ probability: 0.4, seed: seed + 1 });
          unit.streams.put.send(
            messages.map(({ data, mark }) => ({ data, mark })),
            { lane: 1, pauses: messages.map((one) => one.pause) },
          );
          await unit.run({ until: { moved: { got: messages.length } }, limit: 40 * 720 });
          expect(unit.streams.got.taken({ lane: 1 })).toEqual(
            messages.map(({ data, mark }) => ({ data, mark })),
          );
          let earliest = 0;
          for (const [i, cycle] of unit.streams.put.movedAt({ lane: 1 }).entries()) {
            earliest += messages[i]?.pause ?? 0;
            expect(cycle).toBeGreaterThanOrEqual(earliest);
            earliest = cycle + 1;
          }
        },
      ),
      { numRuns: 20 },
    );
  });
});

describe("answers", () => {
  const table = Array.from({ length: 50 }, (_, i) => ({ data: BigInt(i) * 0x1234567n }));

  it("come their latency after the question, one a cycle, in order", async () => {
    const wishes = fc.array(fc.record({ number: fc.nat(49), pause }), { maxLength: 60 });
    const latency = fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 62, max: 200 }));
    await fc.assert(
      fc.asyncProperty(wishes, latency, async (asked, cycles) => {
        unit.reset();
        unit.streams.reply.answer(unit.streams.ask, table, { latency: cycles });
        unit.streams.wish.send(
          asked.map(({ number }) => ({ number })),
          { pauses: asked.map((one) => one.pause) },
        );
        await unit.run({ cycles: 60 * 701 });
        let next = 0;
        const due = [...unit.streams.ask.movedAt()].map((at) => {
          next = Math.max(at + cycles, next);
          return next++;
        });
        expect([...unit.streams.heard.movedAt()]).toEqual(due);
        expect(unit.streams.heard.taken()).toEqual(asked.map(({ number }) => table[number]));
      }),
      { numRuns: 30 },
    );
  });

  it("are from the newest list, and a list that lacks what was asked is refused", async () => {
    unit.streams.reply.answer(unit.streams.ask, table, { latency: 30 });
    unit.streams.wish.send([{ number: 7 }, { number: 8 }]);
    await unit.run({ cycles: 10 });
    const other = table.map(({ data }) => ({ data: data + 1n }));
    unit.streams.reply.answer(unit.streams.ask, other.slice(0, 8), { latency: 30 });
    await expect(unit.run({ cycles: 1 })).rejects.toThrow(rejection("misuse", /^answers: /));
    unit.streams.reply.answer(unit.streams.ask, other, { latency: 30 });
    await unit.run({ cycles: 50 });
    expect(unit.streams.heard.taken()).toEqual([other[7], other[8]]);
    expect([...unit.streams.heard.movedAt()]).toEqual([30, 31]);
  });

  it("and messages of another kind are not sent on one lane", async () => {
    unit.streams.reply.send([{ data: 1n }], { pauses: [100] });
    await unit.run({ cycles: 1 });
    unit.streams.reply.answer(unit.streams.ask, table);
    await expect(unit.run({ cycles: 1 })).rejects.toThrow(rejection("misuse", /^answers: /));
    unit.reset();
    unit.streams.reply.answer(unit.streams.ask, table);
    await unit.run({ cycles: 1 });
    unit.streams.reply.send([{ data: 1n }]);
    await expect(unit.run({ cycles: 1 })).rejects.toThrow(rejection("misuse", /^sends: /));
  });
});
