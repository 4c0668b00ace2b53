// SPDX-License-Identifier: Apache-2.0
// Chains of dependent reads: a step is asked for when the one before has arrived, and the next chain begins
// when one has ended. Asked for at those times, every page takes the time that the plain rules give it.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { loadFlash, nativeDevice } from "../../../src/native/flash-binding.ts";
import { runChains, type Chain, type PagePlace } from "../../../src/kernels/flash/chains.ts";
import type { FlashDevice } from "../../../src/machine/flash/device.ts";
import { flashPresets } from "../../../src/machine/flash/presets.ts";
import { flashRun } from "./channel-model.ts";
import type { FlashRequest } from "./flash-work.ts";

const device: FlashDevice = {
  ...flashPresets.tlc4k,
  ticks_per_ns: 1,
  t_rb_ns: 0,
  page_bytes: 8,
  planes_per_die: 2,
  t_cmd_read_ns: { "1": 3, "2": 4 },
  t_cmd_program_ns: { "1": 1, "2": 1 },
};

const devices = fc.record({
  dies_per_channel: fc.integer({ min: 1, max: 3 }),
  tR_ns: fc.integer({ min: 1, max: 60 }),
  bus_ticks_per_2_bytes: fc.integer({ min: 1, max: 5 }),
});

/** Of one channel, where no two pages ever arrive in the same tick: the order of asking is plain. */
const lists = fc.array(
  fc.array(
    fc.array(fc.record({ die: fc.nat(2), plane: fc.nat(1), page: fc.nat(2) }), { maxLength: 4 }),
    { maxLength: 4 },
  ),
  { maxLength: 12 },
);

interface Step {
  readonly submit: number;
  readonly pages: readonly number[];
}

describe("chains of reads", () => {
  it("ask when what they wait for has arrived, and each page takes its time", () => {
    fc.assert(
      fc.property(devices, lists, fc.integer({ min: 1, max: 5 }), (more, drawn, inFlight) => {
        const one = { ...device, ...more, channels: 1 };
        const chains: readonly Chain[] = drawn.map((steps) =>
          steps.map((pages) =>
            pages.map(({ die, plane, page }): PagePlace => {
              return { channel: 0, die: die % one.dies_per_channel, plane, block: 0, page };
            }),
          ),
        );
        const found = runChains(loadFlash(), one, "data_first", chains, inFlight);

        // Chains begin in order: the first ones at once, each other one when one more has ended.
        const ended = [...found.finished].toSorted((a, b) => a - b);
        const begun = chains.map((_, c) => (c < inFlight ? 0 : (ended[c - inFlight] ?? NaN)));
        expect([...found.started]).toEqual(begun);

        let next = 0;
        const asked: Step[] = [];
        chains.forEach((steps, c) => {
          let now = found.started[c] ?? NaN;
          for (const step of steps) {
            const pages = step.map(() => next++);
            if (pages.length === 0) continue;
            asked.push({ submit: now, pages });
            now = Math.max(...pages.map((page) => found.done[page] ?? NaN));
          }
          expect(found.finished[c]).toBe(now);
        });

        const places = chains.flat(2);
        const inOrder = asked.toSorted((a, b) => a.submit - b.submit);
        const requests = inOrder.flatMap(({ submit, pages }, batch) =>
          pages.map((page): FlashRequest => {
            const place = places[page];
            if (place === undefined) throw new Error(`no page ${String(page)}`);
            return { ...place, submit, batch, op: "R", bytes: one.page_bytes };
          }),
        );
        const { times, busData } = flashRun(one, "data_first", requests);
        const done = inOrder.flatMap(({ pages }) => pages.map((page) => found.done[page]));
        expect(done).toEqual(times.map((time) => time.done));
        expect([...found.busData]).toEqual(busData);
      }),
      { numRuns: 300 },
    );
  });

  const [good, pages] = [[0, 1, 2], 3];
  const run = (firstStep: readonly number[], firstPage: readonly number[]): unknown =>
    loadFlash().flashChains({
      ...nativeDevice(device, "data_first"),
      firstStep: Uint32Array.from(firstStep),
      firstPage: Uint32Array.from(firstPage),
      where: Uint32Array.from(Array.from({ length: pages }, () => [0, 0, 0, 0, 0, 8]).flat()),
      inFlight: 1,
    });

  it.each([
    ["are none", []],
    ["begin late", [1, 1, 3]],
    ["end early", [0, 1, 2]],
    ["end late", [0, 1, 4]],
    ["go back", [0, 2, 1, 3]],
  ])("whose steps %s are refused", (_, firstPage) => {
    const steps = [0, Math.max(0, firstPage.length - 1)];
    expect(() => run(steps, firstPage)).toThrow(/first/);
  });

  it.each([
    ["are none", []],
    ["begin late", [1, 2]],
    ["end early", [0, 1]],
    ["end late", [0, 1, 3]],
    ["go back", [0, 2, 1, 2]],
  ])("that %s are refused", (_, firstStep) => {
    expect(() => run(good, [0, 1, 3])).not.toThrow();
    expect(() => run(firstStep, [0, 1, 3])).toThrow(/first/);
  });
});
