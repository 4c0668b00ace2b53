// SPDX-License-Identifier: Apache-2.0
// Inputs of relayout units in properties, and the expected results.

import fc from "fast-check";
import { expect } from "vitest";

import type { Pauses, Unit } from "../../src/rtl/index.ts";
import { stalls } from "../../src/rtl/fast-check/index.ts";
import {
  bytesAt,
  type Flit,
  testedDimm,
  moveAll,
  packetsOf,
  type RelayoutUnit,
  type Run,
  type Write,
  writesOf,
} from "./relayout-unit.ts";

/** Size of the small unit. */
export const small = { Streams: 2, Packets: 4, Flows: 4 };

export interface Case {
  /** The DIMM of the unit. */
  readonly dimm: number;
  readonly runs: readonly Run[];
  readonly arriving: readonly Run[];
  readonly seed: number;
  readonly sides: Readonly<
    Record<"read" | "write" | "link_out" | "link_in" | "rsp" | "end", Pauses>
  >;
}

const runOf = (dimms: readonly number[]): fc.Arbitrary<Run> =>
  fc.record({
    flow: fc.nat({ max: 3 }),
    from: fc.nat({ max: small.Streams - 1 }),
    from_burst: fc.nat({ max: 1000 }),
    to_dimm: fc.constantFrom(...dimms),
    to_stream: fc.nat({ max: small.Streams - 1 }),
    to_burst: fc.nat({ max: 1000 }),
    bursts: fc.integer({ min: 1, max: 18 }),
  });

const sides: fc.Arbitrary<Case["sides"]> = fc.record({
  read: stalls(),
  write: stalls(),
  rsp: stalls(),
  link_out: stalls(),
  link_in: stalls(),
  end: stalls(),
});
const seed = fc.integer({ min: 1, max: 1_000_000 });

export const cases: fc.Arbitrary<Case> = fc.record({
  dimm: fc.constant(testedDimm),
  runs: fc.array(runOf([testedDimm, testedDimm + 1, 0]), { minLength: 1, maxLength: 8 }),
  arriving: fc.array(runOf([testedDimm]), { maxLength: 3 }),
  seed,
  sides,
});

export const byte = fc.nat({ max: 255 });
export const word16 = fc.nat({ max: 2 ** 16 - 1 });
/** The first of so many bursts. */
const placeOf = (bursts: number): fc.Arbitrary<number> => fc.nat({ max: 2 ** 32 - bursts });

/** A run of the unit of eight streams, with anything in its fields. */
export const unitRun = (most: number): fc.Arbitrary<Run> =>
  fc.integer({ min: 1, max: most }).chain((bursts) =>
    fc.record({
      flow: word16,
      from: fc.nat({ max: 7 }),
      from_burst: placeOf(bursts),
      to_dimm: byte,
      to_stream: byte,
      to_burst: placeOf(bursts),
      bursts: fc.constant(bursts),
    }),
  );

/** Runs of a few streams, so that a stream has more packets than places; a flow of each entry. */
export const unitRuns: fc.Arbitrary<Case> = fc
  .record({
    dimm: byte,
    runs: fc.array(fc.tuple(unitRun(18), fc.boolean()), {
      minLength: 1,
      maxLength: 40,
      size: "max",
    }),
    arriving: fc.array(unitRun(18), { maxLength: 6 }),
    from: fc.subarray([0, 1, 2, 3, 4, 5, 6, 7], { minLength: 1, maxLength: 3 }),
    flows: fc.array(word16, { minLength: 16, maxLength: 16 }),
    seed,
    sides,
  })
  .map(({ dimm, runs, arriving, from, flows, seed, sides }) => {
    const entry = (flow: number): number => ((flows[flow % 16] ?? 0) & ~15) | (flow % 16);
    const stays = (run: Run): Run => ({ ...run, to_dimm: dimm, to_stream: run.to_stream % 8 });
    const named = (run: Run): Run => ({
      ...run,
      flow: entry(run.flow),
      from: from[run.from % from.length] ?? 0,
    });
    return {
      dimm,
      runs: runs.map(([run, own]) => named(own || run.to_dimm === dimm ? stays(run) : run)),
      arriving: arriving.map((run) => named(stays(run))),
      seed,
      sides,
    };
  });

/** Bursts from a link differ from those of this DIMM. */
const foreign = ({ from, from_burst }: Run, i: number): bigint =>
  ~bytesAt(from, from_burst + i) & ~(~0n << 512n);

const shown = ({ stream, flow, burst, data }: Write): string =>
  [stream, flow, burst, data.toString(16)].join(" ");

export async function check(on: Unit<RelayoutUnit>, one: Case, waveform?: string): Promise<void> {
  on.reset();
  const { read, write, link_out, link_in, rsp, end } = on.streams;
  read.pause(one.sides.read);
  write.pause(one.sides.write);
  link_out.pause(one.sides.link_out);
  link_in.pause(one.sides.link_in);
  rsp.pause(one.sides.rsp);
  end.pause(one.sides.end);
  let state = one.seed;
  const random = (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const { dimm } = one;
  // The link numbers packets.
  const arriving = packetsOf(one.arriving, foreign).map((packet) => {
    const numbered = BigInt(random(2 ** 16)) << 48n;
    return packet.map((flit) => ({ ...flit, header: flit.header | numbered }));
  });
  const moved = await moveAll(on, { dimm, runs: one.runs, arriving }, random, waveform);
  const packets = packetsOf(one.runs.filter(({ to_dimm }) => to_dimm === dimm));
  const written = writesOf([...packets, ...arriving]);
  expect(moved.writes.map(shown).sort()).toEqual(written.map(shown).sort());
  expect([...moved.ended].sort()).toEqual([...new Set(written.map(({ flow }) => flow))].sort());
  // Packets stay together, and those of one stream leave in the order of its runs.
  const left = packetsIn(moved.linked);
  const leaving = one.runs.filter(({ to_dimm }) => to_dimm !== dimm);
  const streams = Array.from({ length: on.streams.read.lanes }, (_, s) =>
    packetsOf(leaving.filter(({ from }) => from === s)).map((packet) => [...packet]),
  );
  for (const packet of left) {
    const of = streams.find(([next]) => next?.[0]?.data === packet[0]?.data);
    expect(packet).toEqual(of?.shift());
  }
  expect(streams.flat()).toEqual([]);
}

function packetsIn(flits: readonly Flit[]): readonly (readonly Flit[])[] {
  const ends = flits.flatMap(({ last }, i) => (last === 1 ? [i + 1] : []));
  return ends.map((end, i) => flits.slice(ends[i - 1] ?? 0, end));
}
