// SPDX-License-Identifier: Apache-2.0
// Memory traces of other simulators: each format is the same requests as the project's own, is detected
// where that is unambiguous, and is refused by name and line otherwise.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseDramReplayConfig } from "../../../src/kernels/dram/config.ts";
import type { DramReplayConfig } from "../../../src/kernels/dram/replay-config.ts";
import { addressOfPlace } from "../../../src/kernels/traces/address.ts";
import {
  readMemoryTrace,
  type ConvertedTrace,
  type MemoryTraceOptions,
} from "../../../src/kernels/traces/convert.ts";
import { cli, inTemporary } from "../../helpers/cli.ts";
import { rejection } from "../../helpers/rejection.ts";
import { runs } from "../../helpers/tier.ts";
import { mapAddress } from "./address-map.ts";
import { dramCase } from "./random-case.ts";

const memory = parseDramReplayConfig({ preset: "TriMoE" }, "memory");

/** Converts a trace in pieces of a few bytes, so that a line spans several pieces. */
async function converted(
  text: string,
  name = "t.trace",
  options: MemoryTraceOptions = {},
  config: DramReplayConfig = memory,
): Promise<ConvertedTrace & { readonly text: string }> {
  const bytes = Buffer.from(text);
  const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, i) =>
    bytes.subarray(7 * i, 7 * i + 7),
  );
  const trace = await readMemoryTrace({ name, pieces }, config, options);
  let all = "";
  for await (const piece of trace.pieces) all += Buffer.from(piece).toString();
  return { ...trace, text: all };
}

interface Access {
  readonly arrival: number;
  readonly isWrite: boolean;
  readonly address: number;
}

const accesses = fc
  .array(
    fc.record({
      arrival: fc.nat(1_000_000),
      isWrite: fc.boolean(),
      address: fc.nat(2 ** 30 - 1).map((line) => 64 * line),
    }),
    { minLength: 1, maxLength: 20 },
  )
  .map((list) => list.toSorted((a, b) => a.arrival - b.arrival));

const hex = (n: number): string => n.toString(16);
const formats: readonly (readonly [
  title: string,
  name: string,
  timed: boolean,
  line: (one: Access) => string,
])[] = [
  ["LD and ST", "t", false, (a) => `${a.isWrite ? "ST" : "LD"} 0x${hex(a.address)}`],
  ["LD and ST, decimal", "t", false, (a) => `${a.isWrite ? "ST" : "LD"} ${a.address}`],
  ["Ramulator 1", "t", false, (a) => `0x${hex(a.address)} ${a.isWrite ? "W" : "R"}`],
  [
    "DRAMsim3",
    "t",
    true,
    (a) => `0x${hex(a.address)} ${a.isWrite ? "WRITE" : "READ"} ${a.arrival}`,
  ],
  [
    "DRAMsim3 without 0x",
    "t",
    true,
    (a) => `${hex(a.address)} ${a.isWrite ? "write" : "read"} ${a.arrival}`,
  ],
  [
    "DRAMSys",
    "t.stl",
    true,
    (a) => `${a.arrival}:\t${a.isWrite ? "write" : "read"}\t0x${hex(a.address)}`,
  ],
  [
    "DRAMSys with lengths and data",
    "T.STL",
    true,
    (a) =>
      `${a.arrival}: (64) ${a.isWrite ? "Write" : "Read"} 0x${hex(a.address)}${a.isWrite ? " 0xab12" : ""}`,
  ],
];

const own = (list: readonly Access[], timed: boolean): string =>
  [
    "id,arrival,op,addr",
    ...list.map((a, i) => `${i},${timed ? a.arrival : 0},${a.isWrite ? "W" : "R"},${a.address}`),
    "",
  ].join("\n");

describe("a memory trace", () => {
  it.each(formats)("of %s is the same requests", async (_, name, timed, line) => {
    const ends = fc.constantFrom("\n", "\r\n");
    await fc.assert(
      fc.asyncProperty(accesses, ends, fc.boolean(), async (list, end, ended) => {
        const text = list.map(line).join(end) + (ended ? end : "");
        expect((await converted(text, name)).text).toBe(own(list, timed));
      }),
      { numRuns: runs(20, 200) },
    );
  });

  it("says what has no times, what counts another clock, and what lies inside an access", async () => {
    const untimed = await converted("LD 0x41\nLD 0x40\n");
    expect(untimed.text).toContain("0,0,R,64\n1,0,R,64\n");
    expect(untimed.remarks()).toEqual([
      expect.stringMatching(/no times/),
      expect.stringMatching(/1 address .*64 bytes/),
    ]);
    expect((await converted("0x40 READ 3\n")).remarks()).toEqual([]);
    expect((await converted("3: read 0x40\n", "t.stl")).remarks()).toEqual([
      expect.stringMatching(/2400 MHz.*--trace-clock/),
    ]);
  });

  it("of DRAMSim2 is read where DRAMsim3 takes its operations alike", async () => {
    const { text } = await converted("0x40 P_FETCH 1\n0x80 P_MEM_WR 2\n0xc0 IFETCH 3\n");
    expect(text).toContain("0,1,R,64\n1,2,W,128\n2,3,R,192\n");
    await expect(converted("0x40 P_LOCK_WR 1\n")).rejects.toThrow(
      rejection("bad-input", "t.trace:1"),
    );
  });

  it("of a slower initiator arrives later, rounded up to a cycle of the memory", async () => {
    const lines = "0: read 0x40\n1: read 0x80\n10: write 0xc0\n";
    const trace = await converted(lines, "t.stl", { clock: 1000 });
    expect(trace.remarks()).toEqual([]);
    expect(trace.text).toContain("0,0,R,64\n1,3,R,128\n2,24,W,192\n");
  });

  it("of address vectors lies where the vectors say, with every mapper", async () => {
    const cases = dramCase({
      semantics: fc.constantFrom("ramulator-2.0", "jedec"),
      refresh: fc.constantFrom("AllBank", "None"),
    });
    await fc.assert(
      fc.asyncProperty(cases, fc.infiniteStream(fc.nat()), async ({ config }, draws) => {
        const { organization: o } = config;
        const take = (count: number): number => Number(draws.next().value) % count;
        const place = {
          channel: take(o.channels),
          rank: take(o.ranks),
          bankGroup: take(o.bankGroups),
          bank: take(o.banksPerGroup),
          row: take(o.rows),
          column: take(o.columnsPerRow),
        };
        const address = addressOfPlace(config, place);
        const found = mapAddress(config, BigInt(address));
        expect({ ...found.place, channel: found.channel }).toEqual({
          channel: place.channel,
          rank: place.rank,
          group: place.bankGroup,
          bank: place.bank,
          row: place.row,
          column: place.column,
        });
        const vector = [
          place.channel,
          place.rank,
          place.bankGroup,
          place.bank,
          place.row,
          place.column,
        ];
        const { text } = await converted(`W ${vector.join(",")}\n`, "t", {}, config);
        expect(text).toBe(own([{ arrival: 0, isWrite: true, address }], true));
      }),
      { numRuns: runs(60, 400) },
    );
  });

  it("may have comments, and names lines of the file all the same", async () => {
    const trace = await converted(
      "# a\n\n0x40 READ 3\n# b\n0x80 READ 4\n0xc0 READ 5\n\n\n0x0 READ 6",
    );
    // Lines 2 to 5 of the text are requests.
    expect([2, 3, 4, 5].map((line) => trace.lineOf?.(line))).toEqual([3, 5, 6, 9]);
  });

  it.each<[string, string, string, readonly (string | RegExp)[]]>([
    ["nothing but comments", "# a\n#b\n", "t.stl", [/^t\.stl: .*no requests/]],
    ["a negative address", "LD 0x40\nLD -16\n", "t", [/^t:2: .*address/]],
    ["an address that wraps", "ST 0xFFFFFFFFFFFFFFFF\n", "t", [/^t:1: .*capacity/]],
    ["several bad lines", "LD 1x\nST 0\nXX 3\nLD 4 5\n", "t", ["t:1", "t:3", "t:4"]],
    ["an octal address", "010 R\n", "t", [/^t:1: .*octal/]],
    ["letters without 0x", "1a40 R\n", "t", [/^t:1: .*address/]],
    ["two levels", "W 140736775976056,140736775976056\n", "t", [/^t:1: .*2 levels.*6.*bank group/]],
    [
      "places that are not there",
      "R 1,4,7,3,65536,128\n",
      "t",
      [/^t:1: .*channel "1" of 1.*rank "4" of 4.*row "65536".*column "128" of 128/],
    ],
    ["a wildcard", "R 0,0,0,0,-1,0\n", "t", [/^t:1: .*row "-1"/]],
    ["an operation that DRAMsim3 takes for a read", "0x40 W 10\n", "t", [/^t:1: .*READ or WRITE/]],
    ["a fraction of a cycle", "0x40 READ 1\n0x40 READ 1.5\n", "t", [/^t:2: .*cycle/]],
    ["another length", "5: (128) read 0x40\n", "t.stl", [/^t\.stl:1: .*128 bytes.*64/]],
    ["data of a read", "5: read 0x40 0x12\n", "t.stl", [/^t\.stl:1: .*data/]],
    [
      "STL lines by another name",
      "5: read 0x40\n",
      "t.txt",
      [/^t\.txt:1: .*dramsys .*dramsys-relative/],
    ],
    ["times that depend on answers", "5: read 0x40\n", "t.rstl", [/^t\.rstl:1: .*relative/]],
    ["a trace of cores", "3 20734016\n1 20846400 20734016\n", "t", [/^t:1: .*processor/]],
    ["a trace of USIMM", "10 R 0x1234 0x400\n", "t", [/^t:1: .*USIMM/]],
    [
      "a block trace of MSR",
      "128166372003061629,usr,0,Read,7014609920,24576,41286\n",
      "t",
      [/MSR/],
    ],
    ["a block trace of MQSim", "0 0 36 8 1\n", "t", [/^t:1: .*MQSim/]],
    ["a facts file", '{"format": "flash-facts-1"}\n', "t", [/^t:1: .*flash replay/]],
    ["something else", "hello\n", "t", [/^t:1: .*ramulator1.*dramsim3/]],
  ])("with %s is refused", async (_, text, name, where) => {
    await expect(converted(text, name)).rejects.toThrow(rejection("bad-input", ...where));
  });

  it("is what --trace-format says, whatever it looks like", async () => {
    const stl = await converted("5: read 0x40\n", "t.txt", { format: "dramsys" });
    expect(stl.text).toContain("0,5,R,64");
    await expect(converted("LD 0x40\n", "t", { format: "dramsim3" })).rejects.toThrow(
      rejection("bad-input", "t:1"),
    );
    await expect(converted("LD 0x40\n", "t", { clock: 800 })).rejects.toThrow(
      rejection("bad-input", "--trace-clock"),
    );
  });
});

describe("dram replay", () => {
  const csv = "id,arrival,op,addr\n0,0,R,0x40\n1,5,W,0x80\n";
  const replay = async (
    name: string,
    contents: string | Uint8Array,
    ...more: readonly string[]
  ): Promise<{ readonly code: number; readonly stderr: string; readonly stdout: string }> =>
    inTemporary(async (directory) => {
      const at = (file: string): string => join(directory, file);
      writeFileSync(at("c.json"), JSON.stringify({ preset: "TriMoE" }));
      writeFileSync(at(name), contents);
      const { stderr, ...rest } = await cli(
        ...["dram", "replay", "--config", at("c.json"), "--requests", at(name), "--json", ...more],
      );
      return { ...rest, stderr: stderr.replaceAll(directory, "") };
    });

  it.each<[string, string]>([
    ["CR LF", csv.replaceAll("\n", "\r\n")],
    ["a byte order mark", `\ufeff${csv}`],
    ["decimal addresses", csv.replace("0x40", "64").replace("0x80", "128")],
    ["upper-case hexadecimal", csv.replace("0x80", "0X80")],
    ["lower-case operations", csv.replace("R", "r").replace("W", "w")],
    ["no end of the last line", csv.trimEnd()],
  ])("takes its own CSV with %s", async (_, contents) => {
    expect(await replay("t.csv", contents)).toEqual(await replay("t.csv", csv));
  });

  it("replays other formats, plain and gzip, and says what has to be known", async () => {
    const timed = "0x40 READ 0\n0x80 WRITE 5\n";
    const { stdout } = await replay("t.csv", csv);
    expect(await replay("t.trace", timed)).toEqual({ code: 0, stdout, stderr: "" });
    expect(await replay("t.gz", gzipSync(timed))).toEqual({ code: 0, stdout, stderr: "" });
    const stl = await replay("t.stl.gz", gzipSync("0: read 0x40\n5: write 0x80\n"));
    expect(stl).toMatchObject({ code: 0, stdout });
    expect(stl.stderr).toMatch(/^neardata: .*--trace-clock/);
  });

  it("names the line of the file where the model refuses a request", async () => {
    const late = await replay("t.trace", "# a\n0x40 READ 9\n\n0x80 WRITE 5\n");
    expect(late.code).toBe(2);
    expect(late.stderr).toMatch(/t\.trace:4: arrival 5 .* 9/);
    const cut = await replay("t.gz", gzipSync("0x40 READ 9\n".repeat(9999)).subarray(0, 40));
    expect(cut.code).toBe(2);
    expect(cut.stderr).toMatch(/t\.gz: .*gzip/);
  });
});
