// SPDX-License-Identifier: Apache-2.0
// Configs and traces of `dram replay` that contradict themselves, are cut, or are not files; traces
// that are in order for each channel only.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseDramReplayConfig } from "../../../src/kernels/dram/config.ts";
import {
  changedBytes,
  changedValues,
  expectOnlyRegular,
  expectRejected,
  expectSturdy,
  type HostileFile,
} from "../../helpers/hostile.ts";
import { rejection } from "../../helpers/rejection.ts";
import { dramCase } from "./random-case.ts";
import { replayText, traceText } from "./replay-text.ts";
import type { TraceRequest } from "./address-map.ts";
import { runs } from "../../helpers/tier.ts";

const header = "id,arrival,op,addr\n";
const good = `${header}0,0,R,0x0\n1,3,W,0x40\n2,3,R,0x4080\n`;
const goodConfig = JSON.parse(
  readFileSync(new URL("../../fixtures/dram/mixed.config.json", import.meta.url), "utf8"),
) as Record<string, object>;

const replay = (config: string, requests: string): readonly string[] => [
  "dram",
  "replay",
  "--config",
  config,
  "--requests",
  requests,
];
const trace: HostileFile = {
  name: "trace.csv",
  args: (path, directory) => {
    const config = join(directory, "config.json");
    writeFileSync(config, JSON.stringify({ preset: "TriMoE" }));
    return replay(config, path);
  },
};
const config: HostileFile = {
  name: "memory.json",
  args: (path, directory) => {
    const requests = join(directory, "good.csv");
    writeFileSync(requests, good);
    return replay(path, requests);
  },
};

describe("a trace", () => {
  it.each<[string, string | Uint8Array, RegExp]>([
    ["an id twice", `${good}1,4,R,0x0\n`, /csv:5: .*id 1 .*twice/],
    ["an id twice, far apart", `${good}9,4,R,0x0\n5,4,R,0x0\n9,5,R,0x0\n`, /csv:7: .*id 9 .*twice/],
    ["an id of 2^53", `${header}9007199254740992,0,R,0x0\n`, /csv:2: .*2\^53/],
    ["a last line that is cut", good.slice(0, -7), /csv:4: .*address/],
    ["a long line in one piece", `${header}${"0".repeat(300)},0,R,0x0\n`, /csv:2: .*256 bytes/],
    [
      "a doubled column",
      "id,id,arrival,op,addr\n0,0,0,R,0x0\n",
      /csv:1: .*"id,id,arrival,op,addr"/,
    ],
    ["two byte order marks", `\ufeff\ufeff${good}`, /csv:1: .*header/],
    ["NUL", `${header}0,0,R,0x0\0\n`, /csv: .*NUL/],
    [
      "bytes that are no text",
      Buffer.from([...Buffer.from(header), 0xff, 0x0a]),
      /csv: line 2 .*UTF-8/,
    ],
    ["a fraction", `${header}0,0.5,R,0x0\n`, /csv:2: .*arrival/],
    ["gzip and more", Buffer.concat([gzipSync(good), Buffer.from("x")]), /csv:5: .*gzip/],
    ["damaged gzip", gzipSync(good).fill(9, 15, 25), /gzip.* damaged/],
    ["a gzip bomb", gzipSync(Buffer.alloc(1 << 24)), /csv: .*NUL/],
    ["a gzip bomb of text", gzipSync(Buffer.alloc(1 << 24, "a")), /csv:1: .*longer/],
  ])("with %s is refused", async (_, contents, rule) => {
    await expectRejected(trace, contents, rule);
  });

  it("that is no regular file is refused and not waited for", async () => {
    await expectOnlyRegular(trace);
  });

  it("changed anywhere is replayed or refused", async () => {
    await expectSturdy(trace, changedBytes(Buffer.from(good)), runs(80, 200));
    await expectSturdy(trace, changedBytes(gzipSync(good)), runs(20, 50));
  });

  it("may have its ids in any order", async () => {
    const ids = fc.uniqueArray(fc.nat(40), { minLength: 1, maxLength: 30, size: "max" });
    const memory = parseDramReplayConfig({ preset: "TriMoE" }, "memory");
    await fc.assert(
      fc.asyncProperty(ids, fc.nat(29), async (order, again) => {
        const lines = order.map((id) => `${String(id)},0,R,0x0\n`);
        const { requests } = await replayText(memory, header + lines.join(""));
        expect(requests).toBe(order.length);
        const twice = order[again % order.length] ?? 0;
        lines.push(`${String(twice)},0,R,0x0\n`);
        await expect(replayText(memory, header + lines.join(""))).rejects.toThrow(
          rejection("bad-input", `trace:${String(lines.length + 1)}`),
        );
      }),
      { numRuns: runs(30, 100) },
    );
  });
});

describe("a config", () => {
  const timing = (more: object): object => ({ preset: "TriMoE", timing_nCK: more });
  const organization = (more: object): object => ({ preset: "TriMoE", organization: more });
  it.each<[string, unknown, RegExp]>([
    [
      "bytes an access does not have",
      organization({ bytes_per_access: 12 }),
      /bytes_per_access: .* 64 /,
    ],
    ["an absurd width", organization({ device_width: 4294967295 }), /device_width: 4294967295 /],
    [
      "a wrong density",
      organization({ device_width: 4, device_density_Mb: 1 }),
      /device_density_Mb: .* 16384 /,
    ],
    [
      "columns twice",
      organization({ device_columns: 16, column_addresses_per_row: 128 }),
      /device_columns: .* 2048 /,
    ],
    ["a wrong latency", { preset: "TriMoE", read_latency: 1 }, /read_latency: .* 48 /],
    ["a wrong cycle", { preset: "TriMoE", tCK_ps: 1 }, /tCK_ps: .* 416 /],
    ["nRC of 1", timing({ nRC: 1 }), /timing_nCK\.nRC: .* 1, .* 110,/],
    ["a burst of one cycle", timing({ nBL: 1 }), /nBL: .* 1, .* 8,/],
    ["nRAS below nRCD", timing({ nRAS: 5 }), /nRAS: .* 5, .* 34,/],
    ["nCCDL below nCCDS", timing({ nCCDL: 1 }), /nCCDL: .* 1,/],
    ["a write that reads overtake", timing({ nCCDS_WTR: 8 }), /nCCDS_WTR: .* 8, .* 46,/],
    ["a fractional time", timing({ nCL: 40.5 }), /nCL: 40\.5/],
    ["a time beyond numbers", '{"preset":"TriMoE","timing_nCK":{"nCL":1e999}}', /1e999/],
    ["a key twice", '{"preset":"TriMoE","preset":"TriMoE"}', /"preset" .*twice/],
    ["a list", [], /memory\.json/],
    ["a list where a number belongs", { preset: "TriMoE", rate_MTps: [1] }, /rate_MTps: /],
    ["a rate beyond all", { preset: "TriMoE", rate_MTps: 1e9 }, /rate_MTps: 1000000000/],
    ["nothing", "", /JSON.*early/],
    ["deep lists", "[".repeat(5000), /JSON.* 100 /],
    ["NUL", '{"preset":"Tri\0MoE"}', /NUL/],
    ["no UTF-8", Buffer.from([0x22, 0xc3, 0x28, 0x22]), /UTF-8/],
  ])("with %s is refused", async (_, document, rule) => {
    const isText = typeof document === "string" || document instanceof Uint8Array;
    await expectRejected(config, isText ? document : JSON.stringify(document), rule);
  });

  it("that is no regular file is refused and not waited for", async () => {
    await expectOnlyRegular(config);
  });

  it("changed anywhere is used or refused", async () => {
    const text = JSON.stringify(goodConfig);
    await expectSturdy(config, changedBytes(Buffer.from(text)), runs(40, 100));
    await expectSturdy(
      config,
      changedValues(goodConfig).map((d) => JSON.stringify(d)),
      runs(80, 200),
    );
  });
});

describe("a trace in order for each channel", () => {
  const cases = dramCase({
    semantics: fc.constantFrom("ramulator-2.0", "jedec"),
    refresh: fc.constantFrom("AllBank", "None"),
  });

  it("is replayed as if sorted by arrival", async () => {
    await fc.assert(
      fc.asyncProperty(cases, fc.infiniteStream(fc.nat(1000)), async (one, draws) => {
        const config = { ...one.config, injection: "per_channel_fifo" } as const;
        const { channels } = config.organization;
        // By channel of the lowest bits, which RoBaRaCoCh maps so.
        const memory = { ...config, mapping: "RoBaRaCoCh" } as const;
        const queues = Array.from({ length: channels }, (_, c) =>
          one.trace.filter(({ address }) => Number((address / 64n) % BigInt(channels)) === c),
        );
        const mixed: TraceRequest[] = [];
        for (const draw of draws) {
          const left = queues.filter((queue) => queue.length > 0);
          const next = left[draw % Math.max(1, left.length)]?.shift();
          if (next === undefined) break;
          mixed.push(next);
        }
        const sorted = mixed.toSorted((a, b) => a.arrival - b.arrival);
        const [replayLines, wanted] = [
          await replayText(memory, traceText(mixed), 100),
          await replayText(memory, traceText(sorted)),
        ];
        expect(replayLines).toEqual(wanted);
      }),
      { numRuns: runs(40, 150) },
    );
  });

  const lines = ["0,5,R,0x0\n", "1,9,R,0x0\n", "2,0,R,0x40\n", "3,8,R,0x0\n"];
  const twoChannels = (policy: string): HostileFile => ({
    name: "trace.csv",
    args: (path, directory) => {
      const file = join(directory, "config.json");
      const document = { preset: "TriMoE", organization: { channels: 2 }, injection: { policy } };
      writeFileSync(file, JSON.stringify(document));
      return replay(file, path);
    },
  });

  it("goes back within a channel and is refused there", async () => {
    const rule = /csv:5: arrival 8 .*channel 0, 9/;
    await expectRejected(twoChannels("per_channel_fifo"), header + lines.join(""), rule);
  });

  it("is refused where one order holds for all channels", async () => {
    const rule = /csv:4: arrival 0 .* 9/;
    await expectRejected(twoChannels("global_fifo"), header + lines.join(""), rule);
  });
});

describe("latencies", () => {
  it("above 4096 cycles are told to a step of 1/2048", async () => {
    // Only one or two requests fit between two refreshes, so each request waits for longer than the previous one.
    const timing_nCK = { nREFI: 640, nRFC1: 600 };
    const slow = parseDramReplayConfig(
      { preset: "TriMoE", semantics: "jedec", timing_nCK },
      "a test",
    );
    const requests = Array.from({ length: 200 }, (_, id): TraceRequest => ({
      id,
      arrival: id,
      op: "R",
      address: BigInt(id * 0x40000),
    }));
    const { channels, completions } = await replayText(slow, traceText(requests));
    const waits = completions
      .map((line) => line.split(",").map(Number))
      .map(([, accept = 0, , complete = 0]) => complete - accept)
      .sort((a, b) => a - b);
    for (const [fraction, cycles] of [
      [0.5, channels[0]?.readLatency.p50],
      [0.99, channels[0]?.readLatency.p99],
    ] as const) {
      const exact = waits[Math.ceil(fraction * waits.length) - 1] ?? NaN;
      expect(exact).toBeGreaterThan(8192);
      expect(cycles).toBeLessThanOrEqual(exact);
      expect(cycles).toBeGreaterThan(exact * (1 - 1 / 2048));
    }
  });
});
