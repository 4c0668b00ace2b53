// SPDX-License-Identifier: Apache-2.0
// The relayout unit in RTL: every burst of every run arrives at the address of the run, in the
// packets of DIMM-Link, under any back-pressure; and the unit is as fast as its cycle model.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { inRepository } from "../../src/base/paths.ts";
import { rtlPath } from "../../src/native/compile/rtl-sources.ts";
import { openUnit, type Unit, type UnitOptions } from "../../src/rtl/index.ts";
import { property } from "../../src/rtl/vitest/index.ts";
import { byte, cases, check, small, unitRuns, unitRun, word16 } from "../helpers/relayout-cases.ts";
import { testedDimm, packetsOf, type RelayoutUnit, type Run } from "../helpers/relayout-unit.ts";
import { inFull } from "../helpers/needs.ts";
import { runs } from "../helpers/tier.ts";

type Relayout = Unit<RelayoutUnit>;

async function open(options: Partial<UnitOptions> = {}): Promise<Relayout> {
  return openUnit<RelayoutUnit>({
    top: "relayout_unit",
    uses: ["relayout", "common/round_robin.sv", "common/sram_1r1w.sv"],
    ...options,
  });
}

let unit: Relayout;
beforeAll(async () => {
  unit = await open({ parameters: small, seed: 1 });
});
afterAll(() => {
  unit.close();
});

describe("relayout_unit", () => {
  property(
    "moves every burst to where its run says, whoever waits and in whatever order reads come back",
    cases,
    async (one, { waveform }) => check(unit, one, waveform),
    { runs: runs(20, 40), waves: "build/waves" },
  );

  it("has an injected fault that a run of one packet finds", inFull, async () => {
    const directory = mkdtempSync(join(tmpdir(), "neardata-relayout-"));
    const text = readFileSync(inRepository("rtl", rtlPath("relayout_reader.sv")), "utf8");
    // A packet's header has the destination of its last burst.
    const right = "to_q - AddrBits'(place_q)";
    expect(text.split(right)).toHaveLength(2);
    writeFileSync(join(directory, "relayout_reader.sv"), text.replace(right, "to_q"));
    const planted = await open({ parameters: small, rtl: directory });
    const found = await fc.check(
      fc.asyncProperty(cases, async (one) => check(planted, one)),
      { numRuns: 40, seed: 1 },
    );
    planted.close();
    rmSync(directory, { recursive: true });
    expect(found.failed).toBe(true);
    const [smallest] = found.counterexample ?? [];
    expect(smallest?.runs.map(({ bursts }) => bursts)).toEqual([2]);
    expect(smallest?.arriving).toEqual([]);
    if (smallest !== undefined) await check(unit, smallest);
  });

  const begin = async (): Promise<void> => {
    unit.reset();
    unit.set({ dimm_i: testedDimm });
    await unit.run({ cycles: 2 });
  };
  const packet = packetsOf([
    { flow: 1, from: 0, from_burst: 0, to_dimm: testedDimm, to_stream: 0, to_burst: 0, bursts: 2 },
  ]).flat();

  it("notices answers that nobody asked for, empty runs and flows that nobody expects", async () => {
    await begin();
    unit.streams.rsp.send([{ tag: 5, data: 0n }]);
    await expect(unit.run({ cycles: 5 })).rejects.toThrow(/Asked/);
    await begin();
    unit.streams.run.send([
      { flow: 0, from: 1, from_burst: 0, to_dimm: 0, to_stream: 0, to_burst: 0, bursts: 0 },
    ]);
    await expect(unit.run({ cycles: 5 })).rejects.toThrow(/RunNotEmpty/);
    await begin();
    unit.streams.written.send([{ flow: 2 }]);
    await expect(unit.run({ cycles: 5 })).rejects.toThrow(/Expected/);
  });

  it("notices a packet of another length, of two headers, or for a stream that is not there", async () => {
    const [first, second] = packet;
    if (first === undefined || second === undefined) throw new Error("a packet of two bursts");
    await begin();
    unit.streams.link_in.send([first, first]);
    await unit.run({ cycles: 5 });
    unit.streams.link_in.send([second]);
    await expect(unit.run({ cycles: 5 })).rejects.toThrow(/Length/);
    await begin();
    unit.streams.link_in.send([first, { ...second, header: second.header ^ 1n }]);
    await expect(unit.run({ cycles: 5 })).rejects.toThrow(/SameHeader/);
    await begin();
    unit.streams.link_in.send([{ ...first, header: first.header ^ (9n << 8n) }]);
    await expect(unit.run({ cycles: 5 })).rejects.toThrow(/StreamThere/);
  });
});

/** A run from each stream of a unit of the paper's DIMM, and memory that answers after some cycles. */
describe("relayout_unit of eight streams", inFull, () => {
  const streams = 8;
  const bursts = 128;
  const latency = 48;
  let full: Relayout;
  beforeAll(async () => {
    full = await open();
  });
  afterAll(() => {
    full.close();
  });

  const start = async (runs: readonly Run[]): Promise<void> => {
    full.reset();
    full.set({ dimm_i: testedDimm });
    const { run, expect: flows, read, rsp } = full.streams;
    flows.send([{ flow: 1, bursts: 100_000 }]);
    await full.run({ cycles: 4 });
    const answers = Array.from({ length: 128 }, (_, tag) => ({ tag, data: BigInt(tag) }));
    for (let lane = 0; lane < streams; lane += 1) rsp.answer(read, answers, { lane, latency });
    run.send(runs);
  };
  const runs = (count: number, to_dimm: number): readonly Run[] =>
    Array.from({ length: count }, (_, from) => ({
      flow: 1,
      from,
      from_burst: 0,
      bursts,
      to_dimm,
      to_stream: (from + 1) % streams,
      to_burst: 0,
    }));
  property(
    "moves every burst of eight streams: any DIMMs, flows, places and numbers of packets",
    unitRuns,
    async (one, { waveform }) => check(full, one, waveform),
    { runs: 25, waves: "build/waves" },
  );

  property(
    "begins anew after a reset, with any messages in flight",
    fc.record({
      dimm: byte,
      cycles: fc.integer({ min: 1, max: 200 }),
      // Longer than anything that ends.
      runs: fc.array(unitRun(2 ** 32 - 1), { minLength: 1, maxLength: streams }),
      flows: fc.uniqueArray(
        fc.record({ flow: word16, bursts: fc.integer({ min: 1, max: 2 ** 32 - 1 }) }),
        {
          selector: ({ flow }) => flow % 16,
          maxLength: 16,
          size: "max",
        },
      ),
      // A packet's first burst.
      arriving: unitRun(4).filter(({ bursts }) => bursts > 1),
      next: unitRuns,
    }),
    async ({ dimm, cycles, runs, flows, arriving, next }) => {
      full.reset();
      full.set({ dimm_i: dimm });
      full.streams.expect.send(flows);
      full.streams.run.send(runs.map((run) => ({ ...run, to_dimm: dimm })));
      full.streams.link_in.send(
        packetsOf([{ ...arriving, to_stream: 0 }])
          .flat()
          .slice(0, 1),
      );
      await full.run({ cycles });
      await check(full, next);
    },
    { runs: 25, waves: "build/waves" },
  );

  /** Cycles from the first to the last, both counted. */
  const span = (moved: Float64Array): number => (moved.at(-1) ?? NaN) - (moved[0] ?? NaN) + 1;

  it("asks each stream for a burst a cycle, with none between two runs", async () => {
    await start([...runs(streams, 0), ...runs(streams, 0)]);
    await full.run({ until: { moved: { link_out: 2 * streams * bursts } } });
    const { read, link_out } = full.streams;
    // 32 packets of a stream are in flight; from then on the link is the bound.
    for (let lane = 0; lane < streams; lane += 1) {
      const asked = read.movedAt({ lane });
      expect(span(asked.subarray(0, 128))).toBe(128);
    }
    expect(span(link_out.movedAt())).toBe(2 * streams * bursts);
    await start([...runs(1, 0), ...runs(1, 0)]);
    await full.run({ until: { moved: { link_out: 2 * bursts } } });
    expect(span(read.movedAt())).toBe(2 * bursts);
    expect(span(link_out.movedAt())).toBe(2 * bursts);
    // Four reads, the memory, the packet's memory, two registers.
    expect((link_out.movedAt()[0] ?? NaN) - (read.movedAt()[0] ?? NaN)).toBe(3 + latency + 4);
  });

  it("writes a burst a cycle of what stays on the DIMM, and of each way of the links", async () => {
    await start(runs(streams, testedDimm));
    const { write, link_in } = full.streams;
    await full.run({ until: { moved: { write: streams * bursts } } });
    const own = Array.from({ length: streams }, (_, lane) => [...write.movedAt({ lane })]).flat();
    expect(span(Float64Array.from(own).sort())).toBe(streams * bursts);
    await start([]);
    for (const lane of [0, 1]) {
      const [from] = runs(streams, testedDimm).slice(lane, lane + 1);
      if (from !== undefined) link_in.send(packetsOf([from]).flat(), { lane });
    }
    await full.run({ until: { moved: { write: 2 * bursts } } });
    for (const lane of [1, 2]) expect(span(write.movedAt({ lane }))).toBe(bursts);
    for (const lane of [0, 1]) expect(span(link_in.movedAt({ lane }))).toBe(bursts);
    const [, , , fromFirst, fromSecond] = full.events();
    expect([fromFirst, fromSecond]).toEqual([bursts, bursts]);
  });
});
