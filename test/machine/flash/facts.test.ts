// SPDX-License-Identifier: Apache-2.0
// What a facts file may say, and the places that are refused.

import { describe, expect, it } from "vitest";

import { loadFlash } from "../../../src/native/flash-binding.ts";
import type { FlashDevice } from "../../../src/machine/flash/device.ts";
import { parseFacts } from "../../../src/machine/flash/facts.ts";
import { flashPresets } from "../../../src/machine/flash/presets.ts";
import { parseRate, ticksPerTwoBytes } from "../../../src/machine/flash/rate.ts";
import { replayOnce } from "../../../src/kernels/flash/replay.ts";
import { rejection } from "../../helpers/rejection.ts";

const columns = ["submit", "batch", "op", "ch", "die", "plane", "block", "page", "bytes"];

function facts(device: Partial<FlashDevice>, requests: readonly unknown[][]): unknown {
  const config = { ...flashPresets.tlc4k, arbitration: "data_first", ...device };
  return { format: "flash-facts-1", id: "own", config, columns, requests };
}

function expectRefused(document: unknown, ...places: readonly (string | RegExp)[]): void {
  expect(() => parseFacts(document)).toThrow(rejection("bad-input", ...places));
}

const read = [0, 0, "R", 0, 0, 0, 0, 0, 4096];

describe("facts files", () => {
  it("accepts every preset", () => {
    for (const preset of Object.values(flashPresets)) {
      expect(() => parseFacts(facts(preset, [read]))).not.toThrow();
    }
  });

  it("refuses a rate that ticks cannot express, and says which ticks could", () => {
    const rate = /^config\.channel_rate: 1\.4 GB\/s .*10\/7 ticks.* 7 ticks per ns/;
    expectRefused(facts({ ticks_per_ns: 1 }, [read]), rate);
  });

  it("refuses bus ticks that contradict the rate", () => {
    const ticks =
      /^config\.bus_ticks_per_2_bytes: .* 11.* 1\.4 GB\/s at 7 ticks per ns .* 10 ticks/;
    expectRefused(facts({ bus_ticks_per_2_bytes: 11 }, [read]), ticks);
  });

  it("refuses programs of a block that are out of order, each by its row", () => {
    const erase = [5, 3, "E", 0, 0, 0, 3, 0, 0];
    const write = (submit: number, block: number, page: number): unknown[] => {
      return [submit, submit, "W", 0, 0, 0, block, page, 4096];
    };
    const inOrder = [write(0, 3, 6), write(1, 3, 8), write(2, 4, 0), erase, write(9, 3, 0)];
    expect(() => parseFacts(facts({}, inOrder))).not.toThrow();
    // Rows are ordered by time: this write is before the erase, although its row follows.
    const late = write(3, 3, 0);
    expectRefused(
      facts({}, [...inOrder, late]),
      /^requests\.5: .*page 0 of block 3.* after page 8/,
    );
    expectRefused(
      facts({}, [write(1, 3, 6), write(0, 3, 7), write(2, 3, 6)]),
      /^requests\.0: .*page 6 .* after page 7/,
      /^requests\.2: .*page 6 .* after page 6/,
    );
  });

  it("orders rows by time, and the batches of one time by their first rows", () => {
    const row = (submit: number, batch: number): unknown[] => {
      return [submit, batch, "R", 0, 0, 0, 0, 0, 4096];
    };
    const rows = [row(9, 1), row(4, 7), row(4, 2), row(9, 0), row(4, 7), row(2, 7), row(9, 1)];
    const { requests } = parseFacts(facts({}, rows));
    expect([...requests.row]).toEqual([5, 1, 4, 2, 0, 6, 3]);
    expect([...requests.submit]).toEqual([2, 4, 4, 4, 9, 9, 9]);
    expect([...requests.batch]).toEqual([7, 7, 7, 2, 1, 1, 0]);
  });

  it("lists every problem at once", () => {
    expectRefused(
      facts({ planes_per_die: 2, tR_ns: 0.01 }, [
        [0, 0, "R", 8, 0, 0, 0, 0, 4096],
        [0, 0, "X", 0, 4, 2, 0, 0, 4095],
        [-1, 0, "R", 0, 0, 0, 0, 0, 8192],
      ]),
      "config.tR_ns",
      "config.t_cmd_read_ns.2",
      "config.t_cmd_program_ns.2",
      "config.t_cmd_erase_ns.2",
      "requests.0",
      "requests.1",
      "requests.1",
      "requests.1",
      "requests.1",
      "requests.2",
      "requests.2",
    );
  });

  it("refuses a column that is there twice, and says nothing about the rows, which have no meaning", () => {
    for (const row of [read, [...read, 0]]) {
      const twice = { ...(facts({}, [row]) as object), columns: [...columns, "submit"] };
      expectRefused(twice, /^columns: has the column submit twice$/);
    }
  });

  it("asks for erase times when something is erased", () => {
    const erase = [0, 0, "E", 0, 0, 0, 0, 0, 0];
    const device = { tBERS_ns: undefined, t_cmd_erase_ns: undefined };
    expectRefused(facts(device, [erase]), "config.tBERS_ns", "config.t_cmd_erase_ns");
  });

  it("refuses unknown fields of the device and other formats", () => {
    expectRefused(facts({ tRR_ns: 1 } as Partial<FlashDevice>, [read]), "config.tRR_ns");
    expectRefused({ format: "flash-facts-2" }, "format", "config", "columns", "requests");
    expectRefused(null, "");
  });
});

describe("replay of own facts", () => {
  const { ticks_per_ns: ticks } = flashPresets.tlc4k;

  it("times one read, one program and one erase by their formulas", () => {
    const apart = 10_000_000 * ticks;
    const rows = [
      [0, 0, "R", 0, 0, 0, 0, 0, 4096],
      [apart, 1, "W", 0, 0, 0, 0, 1, 4096],
      [2 * apart, 2, "E", 0, 0, 0, 0, 0, 0],
    ];
    const { done } = replayOnce(loadFlash(), parseFacts(facts({}, rows)), "data_first");
    const transfer = 2048 * 10;
    expect(done).toEqual([
      (290 + 45_000 + 20) * ticks + transfer,
      apart + (361 + 450_000) * ticks + transfer,
      2 * apart + (245 + 3_500_000) * ticks,
    ]);
  });

  it("gives the same times for rows in another order", () => {
    const rows = Array.from({ length: 40 }, (_, i) => [
      (i >> 2) * 9000,
      i >> 2,
      i % 5 === 0 ? "W" : "R",
      i % 2,
      i % 3,
      0,
      0,
      i,
      4096,
    ]);
    const run = (list: readonly unknown[][]): readonly number[] =>
      replayOnce(loadFlash(), parseFacts(facts({}, list)), "cmd_first").done;
    // Whole batches change places; inside a batch the order is the order of the queue.
    const order = rows.map((_, i) => (9 - (i >> 2)) * 4 + (i % 4));
    const shuffled = run(order.map((i) => rows[i] ?? []));
    const straight = run(rows);
    expect(shuffled).toEqual(order.map((i) => straight[i]));
  });
});

describe("rates", () => {
  it("are exact fractions", () => {
    const rate = parseRate("1.4 GB/s");
    expect(rate).toEqual({ numerator: 7n, denominator: 5n });
    expect(rate && ticksPerTwoBytes(rate, 7)).toEqual({ numerator: 10n, denominator: 1n });
    expect(parseRate("533 MT/s")).toEqual({ numerator: 533n, denominator: 1000n });
    expect(parseRate("fast")).toBeUndefined();
    expect(parseRate("0 GB/s")).toBeUndefined();
  });
});
