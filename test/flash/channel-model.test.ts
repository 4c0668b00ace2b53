// SPDX-License-Identifier: Apache-2.0
// The flash back end against the rules worked plainly: every time of every request and the use of
// every bus, in both arbitrations.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { loadFlash, nativeDevice } from "../../src/flash/binding.ts";
import type { Arbitration, FlashDevice } from "../../src/flash/device.ts";
import { flashPresets } from "../../src/flash/presets.ts";
import { flashRun, type FlashRequest, type FlashRun } from "./channel-model.ts";

const binding = loadFlash();

function nativeRun(
  device: FlashDevice,
  arbitration: Arbitration,
  requests: readonly FlashRequest[],
): FlashRun {
  const times = binding.flashReplay({
    ...nativeDevice(device, arbitration),
    submit: Float64Array.from(requests, ({ submit }) => submit),
    batch: Uint32Array.from(requests, ({ batch }) => batch),
    operation: Uint8Array.from(requests, ({ op }) => "RWE".indexOf(op)),
    where: Uint32Array.from(
      requests.flatMap(({ channel, die, plane, block, page, bytes }) => {
        return [channel, die, plane, block, page, bytes];
      }),
    ),
  });
  const all = requests.map((_, i) => {
    const dataOut = times.dataOut[i] ?? NaN;
    return {
      command: times.command[i] ?? NaN,
      dataOut: Number.isNaN(dataOut) ? null : dataOut,
      done: times.done[i] ?? NaN,
      planes: times.planes[i] ?? NaN,
    };
  });
  return { times: all, busCommand: [...times.busCommand], busData: [...times.busData] };
}

const byPlanes = (first: number, more: number): Record<string, number> =>
  Object.fromEntries(
    Array.from({ length: 16 }, (_, i) => i + 1).map((p) => [String(p), first + (p - 1) * more]),
  );

/** Times of a few ticks, so that much happens at once and every queue is used. */
const devices = fc
  .record({
    channels: fc.integer({ min: 1, max: 3 }),
    dies_per_channel: fc.integer({ min: 1, max: 4 }),
    planes_per_die: fc.constantFrom(1, 2, 3, 4, 16),
    tR_ns: fc.integer({ min: 1, max: 40 }),
    tPROG_ns: fc.integer({ min: 1, max: 90 }),
    tBERS_ns: fc.integer({ min: 1, max: 120 }),
    commands: fc.tuple(...Array.from({ length: 6 }, () => fc.integer({ min: 1, max: 9 }))),
    bus_ticks_per_2_bytes: fc.integer({ min: 1, max: 7 }),
  })
  .map(({ commands, ...rest }): FlashDevice => {
    const [read = 1, program = 1, erase = 1, ...more] = commands;
    return {
      ...flashPresets.tlc4k,
      ...rest,
      ticks_per_ns: 1,
      t_rb_ns: 0,
      t_cmd_read_ns: byPlanes(read, more[0] ?? 1),
      t_cmd_program_ns: byPlanes(program, more[1] ?? 1),
      t_cmd_erase_ns: byPlanes(erase, more[2] ?? 1),
    };
  });

const numbers = fc.record({
  later: fc.option(fc.integer({ min: 0, max: 150 }), { freq: 3 }),
  op: fc.constantFrom("R", "R", "W", "E" as const),
  at: fc.nat(1000),
  page: fc.nat(2),
  half: fc.integer({ min: 1, max: 5 }),
});

const cases = fc.record({
  device: devices,
  rows: fc.array(numbers, { maxLength: 60, size: "max" }),
});

function requestsOf(
  device: FlashDevice,
  rows: readonly (typeof numbers extends fc.Arbitrary<infer Row> ? Row : never)[],
): readonly FlashRequest[] {
  let [submit, batch] = [0, 0];
  return rows.map(({ later, op, at, page, half }) => {
    if (later !== null) [submit, batch] = [submit + later, batch + 1];
    const { channels, dies_per_channel: dies, planes_per_die: planes } = device;
    const row = Math.floor(at / channels);
    return {
      ...{ submit, batch, op, page, block: 0 },
      channel: at % channels,
      die: row % dies,
      plane: Math.floor(row / dies) % planes,
      bytes: op === "E" ? 0 : 2 * half,
    };
  });
}

describe.each(["data_first", "cmd_first"] as const)("a flash channel, %s", (arbitration) => {
  it("works any requests as its rules say", () => {
    fc.assert(
      fc.property(cases, ({ device, rows }) => {
        const requests = requestsOf(device, rows);
        expect(nativeRun(device, arbitration, requests)).toEqual(
          flashRun(device, arbitration, requests),
        );
      }),
      { numRuns: 400 },
    );
  });
});
