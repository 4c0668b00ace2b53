// SPDX-License-Identifier: Apache-2.0
// A C++ testbench records a unit's streams, and `openUnit` drives the same unit with the record:
// messages move in the same cycles, and the unit outputs the same words. `neardata bench` times both.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  readPortRecord,
  recordDifferences,
  recordedSender,
  type PortRecord,
} from "../../src/tools/bench/port-record.ts";
import { calm, type HeadJob } from "../../src/tools/bench/sparf-case.ts";
import { rtlParameters } from "../../src/native/ndp/ndp-unit.ts";
import { openUnit, type AnyUnit, type Unit, type UnitRunOptions } from "../../src/rtl/index.ts";
import { smallUnit } from "../helpers/machines.ts";
import { openBench } from "../helpers/ndp-bench.ts";
import { rejection } from "../helpers/rejection.ts";
import { buildEngine, runEngine, smallEngine } from "../helpers/sparf-bench.ts";
import { contents } from "../helpers/sparf-jobs.ts";

const building = 1_800_000;
const directory = mkdtempSync(join(tmpdir(), "neardata-record-"));
afterAll(() => {
  rmSync(directory, { recursive: true });
});

/** One unit, its record, and how it is driven. */
interface Recorded {
  readonly unit: Unit;
  readonly record: PortRecord;
  readonly until: NonNullable<UnitRunOptions<AnyUnit>["until"]>;
  /** Cycles that the driven unit needs to detect its end. */
  readonly more: number;
}

const recorded: Record<string, Recorded> = {};
let events: readonly number[] = [];

beforeAll(async () => {
  const file = join(directory, "dimm_ndp");
  const bench = await openBench(smallUnit);
  const answer = await bench.run({
    op: 1,
    tokens: 3,
    pass: 3,
    in: 2,
    mid: 24,
    rows: 40,
    seed: 5,
    latency: 30,
    rate: "3/10",
    check: 0,
    record: file,
  });
  bench.close();
  if (!answer.ok) throw new Error(answer.error);
  ({ events } = answer);
  recorded["dimm_ndp"] = {
    unit: await openUnit({
      top: "dimm_ndp",
      parameters: rtlParameters(smallUnit),
      uses: ["common", "ndp"],
    }),
    record: readPortRecord(readFileSync(file), file),
    until: { moved: { done: 1 }, rest: 3 },
    more: 0,
  };
}, building);

beforeAll(async () => {
  const file = join(directory, "sparf_engine");
  const width = smallEngine.Width;
  const length = 90;
  const cache = {
    length,
    width,
    keys: contents("ordinary", length * width, 4),
    values: contents("any", length * width, 5),
  };
  const head = {
    queries: [contents("ordinary", width, 3)],
    cache,
    r: 6,
    k: 20,
    l: 3,
    m: 2,
    pageBytes: 256,
    dimFlash: 80,
    tokenFlash: 80,
  };
  const jobs: readonly HeadJob[] = [
    { op: "sparse", ...head },
    { op: "dense", ...head },
    { op: "sparse", ...head },
  ];
  await runEngine(await buildEngine(smallEngine), jobs, calm, [], { record: file });
  recorded["sparf_engine"] = {
    unit: await openUnit({
      top: "sparf_engine",
      parameters: { ...smallEngine },
      uses: ["ndp_pkg.sv", "common", "sparf"],
    }),
    record: readPortRecord(readFileSync(file), file),
    until: { moved: { done: jobs.length }, outputs: { quiet_o: 1 } },
    more: 1,
  };
}, building);

describe.each(["dimm_ndp", "sparf_engine"])("%s driven with what its main recorded", (top) => {
  const subject = (): Recorded => {
    const of = recorded[top];
    if (of === undefined) throw new Error("nothing was recorded");
    return of;
  };

  it("takes and gives every message in its cycle, again and again", async () => {
    const { unit, record, until, more } = subject();
    const send = recordedSender(unit, record);
    expect(record.lanes.filter(({ cycles }) => cycles.length > 0).length).toBeGreaterThan(4);
    for (let turn = 0; turn < 3; turn += 1) {
      unit.reset();
      send();
      await unit.run({ until, limit: record.cycles + 1 });
      expect(recordDifferences(unit, record)).toEqual([]);
      expect(unit.cycle()).toBe(record.cycles + more);
    }
    if (top === "dimm_ndp") expect(unit.events().slice(0, events.length)).toEqual(events);
  });

  it("does so in many short runs, too", async () => {
    const { unit, record } = subject();
    unit.reset();
    recordedSender(unit, record)();
    for (let left = record.cycles; left > 0; left -= 97) {
      await unit.run({ cycles: Math.min(97, left) });
    }
    expect(recordDifferences(unit, record)).toEqual([]);
  });

  it("is found to differ where a word, a cycle, a count or a stream does", () => {
    const { unit, record } = subject();
    const { lanes } = record;
    const changed = (
      stream: string,
      change: (lane: PortRecord["lanes"][number]) => Partial<PortRecord["lanes"][number]>,
    ): PortRecord => ({
      ...record,
      lanes: lanes.map((lane) => (lane.stream === stream ? { ...lane, ...change(lane) } : lane)),
    });
    const given = top === "dimm_ndp" ? "out" : "dw";
    const differences = (other: PortRecord): string => recordDifferences(unit, other).join(" ");
    expect(
      differences(changed(given, ({ words }) => ({ words: words.map((word) => word ^ 1) }))),
    ).toMatch(/other words/);
    expect(
      differences(changed("desc", ({ cycles }) => ({ cycles: cycles.map((at) => at + 1) }))),
    ).toMatch(/message 0 of lane 0 of desc .*\d+, \d+/);
    expect(differences(changed("done", ({ cycles }) => ({ cycles: cycles.subarray(1) })))).toMatch(
      /lane 0 of done .*\d messages, \d/,
    );
    expect(differences({ ...record, lanes: lanes.slice(1) })).toMatch(/no stream desc/);
    expect(differences(changed("done", () => ({ stream: "end" })))).toMatch(/no lane 0 of end/);
  });
});

describe("a record that is none", () => {
  const whole = (): Buffer => readFileSync(join(directory, "dimm_ndp"));
  const withWord = (at: number, value: number): Buffer => {
    const bytes = Buffer.from(whole());
    bytes.writeUInt32LE(value, at);
    return bytes;
  };
  it.each([
    ["it is of something else", () => Buffer.from("a text of more than 16 bytes"), /no record/],
    ["it is empty", () => Buffer.alloc(0), /no record/],
    ["its version is another", () => withWord(4, 2), /version 1, .* 2/],
    ["lanes are missing", () => whole().subarray(0, 40), /announces \d+ lanes/],
    ["messages are missing", () => whole().subarray(0, -4), /inside .*messages of lane/],
    ["there is more", () => Buffer.concat([whole(), Buffer.alloc(4)]), /4 bytes/],
    ["cycles lie beyond its end", () => withWord(8, 1), /cycles of lane 0 /],
  ])("is refused where %s", (_, bytes, rule) => {
    expect(() => readPortRecord(bytes(), "record")).toThrow(rejection("bad-input", rule));
  });
});
