// SPDX-License-Identifier: Apache-2.0
// The flash back end against the rules worked plainly: every time of every request and the use of
// every bus, in both arbitrations.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { loadFlash, nativeDevice } from "../../../src/native/flash-binding.ts";
import type { Arbitration, FlashDevice } from "../../../src/machine/flash/device.ts";
import { flashPresets } from "../../../src/machine/flash/presets.ts";
import type { Native } from "../../../src/native/layout.ts";
import { flashRun, type FlashRun } from "./channel-model.ts";
import type { FlashFeatures, FlashRequest } from "./flash-work.ts";

const binding = loadFlash();

function nativeRun(
  device: FlashDevice,
  arbitration: Arbitration,
  requests: readonly FlashRequest[],
  features?: FlashFeatures,
): FlashRun {
  const times = binding.flashReplay({
    ...nativeDevice(device, arbitration),
    ...(features === undefined ? {} : { features: nativeFeatures(features) }),
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

function nativeFeatures(features: FlashFeatures): Native<"FlashFeatures"> {
  const { cacheRead, independentPlanes = "none", suspends, package: supply } = features;
  return {
    cacheRead: cacheRead !== undefined,
    cacheTransfer: cacheRead?.transfer ?? 0,
    independentPlanes,
    suspends: suspends !== undefined,
    suspendCommand: suspends?.command ?? 0,
    suspend: suspends?.time ?? 0,
    runLeast: suspends?.least ?? 0,
    ...(suspends !== undefined && suspends.most < Infinity && { mostSuspends: suspends.most }),
    ...(supply !== undefined && {
      package: {
        dies: supply.dies,
        most: supply.most,
        read: supply.draws.R,
        program: supply.draws.W,
        erase: supply.draws.E,
      },
    }),
  };
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
  op: fc.constantFrom("R", "R", "W", "W", "E" as const),
  at: fc.nat(1000),
  block: fc.nat(1),
  page: fc.nat(2),
  half: fc.integer({ min: 1, max: 5 }),
});
type Numbers = typeof numbers extends fc.Arbitrary<infer Row> ? Row : never;

const features = fc
  .record({
    cacheRead: fc.option(fc.record({ transfer: fc.nat(20) }), { nil: undefined }),
    independentPlanes: fc.constantFrom(undefined, "reads", "all"),
    suspends: fc.option(
      fc.record({
        command: fc.integer({ min: 1, max: 5 }),
        time: fc.integer({ min: 1, max: 15 }),
        least: fc.nat(20),
        most: fc.constantFrom(1, 2, Infinity),
      }),
      { nil: undefined },
    ),
    package: fc.option(
      fc.record({
        dies: fc.integer({ min: 1, max: 4 }),
        more: fc.nat(12),
        draws: fc.record({ R: fc.nat(5), W: fc.nat(5), E: fc.nat(5) }),
      }),
      { nil: undefined },
    ),
  })
  .map(({ cacheRead, independentPlanes, suspends, package: supply }): FlashFeatures => ({
    ...(cacheRead !== undefined && { cacheRead }),
    ...(independentPlanes !== undefined && { independentPlanes }),
    ...(suspends !== undefined && { suspends }),
    ...(supply !== undefined && {
      package: {
        dies: supply.dies,
        draws: supply.draws,
        most: Math.max(...Object.values(supply.draws)) + supply.more,
      },
    }),
  }));

const rows = fc.array(numbers, { maxLength: 60, size: "max" });

/** Programs write the pages of their block in order; the test omits some. */
function requestsOf(device: FlashDevice, given: readonly Numbers[]): readonly FlashRequest[] {
  let [submit, batch] = [0, 0];
  const next = new Map<string, number>();
  return given.map(({ later, op, at, block, page, half }) => {
    if (later !== null) [submit, batch] = [submit + later, batch + 1];
    const { channels, dies_per_channel: dies, planes_per_die: planes } = device;
    const row = Math.floor(at / channels);
    const [channel, die] = [at % channels, row % dies];
    const plane = Math.floor(row / dies) % planes;
    const key = [channel, die, plane, block].join();
    const written = (next.get(key) ?? 0) + (page === 2 ? 1 : 0);
    if (op === "W") next.set(key, written + 1);
    if (op === "E") next.delete(key);
    return {
      submit,
      batch,
      op,
      block,
      channel,
      die,
      plane,
      page: op === "W" ? written : page,
      bytes: op === "E" ? 0 : 2 * half,
    };
  });
}

/** Programs that begin before one of a lower page of their block, with no erase between. */
function outOfOrder(requests: readonly FlashRequest[], { times }: FlashRun): readonly number[] {
  const last = new Map<string, number>();
  const order = [...requests.keys()].filter((i) => requests[i]?.op !== "R");
  // Commands of one tick are of different channels.
  order.sort((a, b) => (times[a]?.command ?? NaN) - (times[b]?.command ?? NaN));
  return order.filter((i) => {
    const { op = "R", channel, die, plane, block, page = NaN } = requests[i] ?? {};
    const key = [channel, die, plane, block].join();
    const before = last.get(key) ?? -1;
    last.set(key, op === "W" ? page : -1);
    return op === "W" && before >= page;
  });
}

describe.each(["data_first", "cmd_first"] as const)("a flash channel, %s", (arbitration) => {
  it("works any requests as its rules say, pages of a block in order", () => {
    fc.assert(
      fc.property(devices, rows, (device, given) => {
        const requests = requestsOf(device, given);
        const run = nativeRun(device, arbitration, requests);
        expect(run).toEqual(flashRun(device, arbitration, requests));
        expect(outOfOrder(requests, run)).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it("has what newer parts do, as its rules say", () => {
    fc.assert(
      fc.property(devices, rows, features, (device, given, newer) => {
        const requests = requestsOf(device, given);
        const run = nativeRun(device, arbitration, requests, newer);
        expect(run).toEqual(flashRun(device, arbitration, requests, newer));
        expect(outOfOrder(requests, run)).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });
});

describe("the order of programs", () => {
  const device: FlashDevice = {
    ...flashPresets.tlc4k,
    channels: 1,
    dies_per_channel: 1,
    planes_per_die: 2,
    t_cmd_program_ns: { "1": 361, "2": 1177 },
    t_cmd_read_ns: { "1": 290, "2": 940 },
    t_cmd_erase_ns: { "1": 245, "2": 870 },
  };
  const write = (plane: number, block: number, page: number): FlashRequest => ({
    submit: 0,
    batch: 0,
    op: "W",
    channel: 0,
    die: 0,
    plane,
    block,
    page,
    bytes: 4096,
  });

  it("keeps a program from a partner in another plane that has older ones in its block", () => {
    const requests = [write(0, 0, 7), write(1, 3, 5), write(1, 3, 6), write(1, 3, 7)];
    const { times } = nativeRun(device, "data_first", requests);
    expect(times.map(({ planes }) => planes)).toEqual([1, 1, 1, 1]);
    const commands = times.map(({ command }) => command);
    expect(commands).toEqual(commands.toSorted((a, b) => a - b));
  });

  it("has planes share a command where it holds", () => {
    const requests = [write(0, 0, 5), write(1, 3, 5), write(1, 3, 6), write(0, 0, 6)];
    const { times } = nativeRun(device, "data_first", requests);
    expect(times.map(({ planes }) => planes)).toEqual([2, 2, 2, 2]);
  });

  it("puts an erase between the programs before and after it", () => {
    const erase: FlashRequest = { ...write(0, 2, 0), op: "E", bytes: 0 };
    const requests = [write(0, 2, 9), erase, write(0, 2, 0), write(0, 2, 1)];
    const { times } = nativeRun(device, "data_first", requests);
    const commands = times.map(({ command }) => command);
    expect(commands).toEqual(commands.toSorted((a, b) => a - b));
  });

  it.each([
    ["a page after a later one", [write(1, 3, 6), write(1, 3, 5)], "page 5 of block 3"],
    ["a page twice", [write(1, 3, 6), write(1, 3, 6)], "page 6 of block 3"],
  ])("is guarded: %s ends the run", (_, requests, what) => {
    expect(() => nativeRun(device, "data_first", requests)).toThrow(what);
  });
});
