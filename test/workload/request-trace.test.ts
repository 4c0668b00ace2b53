// SPDX-License-Identifier: Apache-2.0
// Traces of requests in every format: what is read of each, what is refused and where, and that reading
// stops when there are enough.

import { createGzip, gzipSync } from "node:zlib";
import { once } from "node:events";
import { createWriteStream, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { linesOf } from "../../src/base/files/lines.ts";
import { openPieces } from "../../src/base/files/pieces.ts";
import {
  firstRequests,
  tracedLengths,
  type RequestTrace,
} from "../../src/workload/request-trace.ts";
import { rejection } from "../helpers/rejection.ts";
import { inTemporary } from "../helpers/cli.ts";
import { tracedRequests } from "../helpers/traced-requests.ts";
import { runs } from "../helpers/tier.ts";

const azureHead = "TIMESTAMP,ContextTokens,GeneratedTokens";
const burstHead = "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type";
const sessionHead = `Timestamp,Session ID,Elapsed time,${burstHead.slice("Timestamp,".length)}`;
const same = [
  { arrival: 0, prompt: 120, generated: 4 },
  { arrival: 0.052, prompt: 210, generated: 3 },
];

const text = (...lines: readonly string[]): string => `${lines.join("\n")}\n`;
const azure2023 = text(
  azureHead,
  "2023-11-16 18:17:03.9799600,120,4",
  "2023-11-16 18:17:04.0319600,210,3",
);
const azure2024 = text(
  azureHead,
  "2024-05-10 00:00:00.009930+00:00,120,4",
  "2024-05-10 00:00:00.061930+00:00,210,3",
);
const azure2025 = text(
  "TIMESTAMP,NumImages,ContextTokens,GeneratedTokens",
  "2024-10-15 00:00:03.000000,0,120,4",
  "2024-10-15 00:00:03.052000,0,210,3",
);
const mooncake = text(
  '{"timestamp": 27482, "input_length": 120, "output_length": 4, "hash_ids": [46, 47]}',
  '{"timestamp": 27534, "input_length": 210, "output_length": 3, "hash_ids": [46, 48]}',
);
const burst = text(
  burstHead,
  "5,ChatGPT,120,4,124,Conversation log",
  "5.052,GPT-4,210,3,213,API log",
);
const sessions = text(
  sessionHead,
  "19440110.0,1722ac82,43,GPT-4,120,4,124,Conversation log",
  "19440110.052,,2,ChatGPT,210,3,213,API log",
);

describe("a trace of requests", () => {
  it.each<[string, string]>([
    ["Azure 2023", azure2023],
    ["Azure 2024, with a zone", azure2024],
    ["Azure 2025, without images", azure2025],
    ["Mooncake", mooncake],
    ["BurstGPT", burst],
    ["BurstGPT with sessions", sessions],
  ])("of %s has lengths and arrivals after the first", async (_, contents) => {
    for (const variant of [contents, contents.trimEnd(), contents.replaceAll("\n", "\r\n")]) {
      const { requests } = await tracedRequests(variant, "t");
      expect(requests.map(({ prompt, generated }) => [prompt, generated])).toEqual([
        [120, 4],
        [210, 3],
      ]);
      expect(requests[0]?.arrival).toBe(0);
      expect(requests[1]?.arrival).toBeCloseTo(0.052, 9);
    }
    expect(tracedLengths(contents, "t")).toMatchObject([
      { prompt: 120, generated: 4 },
      { prompt: 210, generated: 3 },
    ]);
  });

  it("has the same arrivals whatever its unit is", async () => {
    const times = fc.uniqueArray(fc.nat(10_000_000), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(times, async (unsorted) => {
        const ms = unsorted.toSorted((a, b) => a - b);
        const iso = (n: number, zone: string): string =>
          new Date(Date.UTC(2024, 1, 28, 22) + n)
            .toISOString()
            .replace("T", " ")
            .replace("Z", zone);
        const files = [
          text(azureHead, ...ms.map((n) => `${iso(n, "0000")},7,3`)),
          text(azureHead, ...ms.map((n) => `${iso(n, "000+00:00")},7,3`)),
          text(...ms.map((n) => `{"timestamp":${n},"input_length":7,"output_length":3}`)),
          text(burstHead, ...ms.map((n) => `${(n / 1000).toFixed(3)},ChatGPT,7,3,10,API log`)),
        ];
        const [first = 0] = ms;
        for (const file of files) {
          const { requests } = await tracedRequests(file, "t");
          const found = requests.map(({ arrival }) => arrival * 1000);
          expect(found).toHaveLength(ms.length);
          for (const [i, n] of ms.entries()) expect(found[i]).toBeCloseTo(n - first, 3);
        }
      }),
      { numRuns: runs(20, 200) },
    );
  });

  it("counts zones: an hour earlier in a zone that is an hour ahead is the same moment", async () => {
    const { requests } = await tracedRequests(
      text(azureHead, "2024-05-10 01:00:00+01:00,7,3", "2024-05-10 00:00:01+00:00,7,3"),
      "t",
    );
    expect(requests.map(({ arrival }) => arrival)).toEqual([0, 1]);
  });

  it("says how many requests without tokens are left out, and that blocks are not shared", async () => {
    const failed = text(burstHead, "1,GPT-4,9,0,9,API log", "2,GPT-4,9,1,10,API log");
    const trace = await tracedRequests(failed, "t");
    expect(trace.requests).toEqual([{ arrival: 0, prompt: 9, generated: 1 }]);
    expect(trace.notes).toEqual([expect.stringMatching(/^1 request .* failed/)]);
    const { notes } = await tracedRequests(mooncake, "t");
    expect(notes).toEqual([expect.stringMatching(/hash_ids/)]);
  });

  it.each<[string, string, readonly (string | RegExp)[]]>([
    ["nothing", "\n\n", ["t"]],
    ["the first line of something else", text("a,b", "1,2"), [/^t:1: .*Azure.*Mooncake.*BurstGPT/]],
    [
      "several columns less and one more",
      text("TIMESTAMP,Tokens", "x,1"),
      [/no column ContextTokens/, /no column GeneratedTokens/, /"Tokens"/],
    ],
    [
      "a missing cell, and a good one in its place",
      text(azureHead, "2023-11-16 18:17:03,4"),
      [/^t:2: here are 2 cells/],
    ],
    [
      "several bad lines",
      text(azureHead, "2023-11-16 18:17:03,x,4", "2023-11-16 18:17:03,4,1", "yesterday,4,1"),
      [/^t:2: .*ContextTokens/, /^t:4: .*TIMESTAMP/],
    ],
    ["a day that is not in the calendar", text(azureHead, "2023-02-30 18:17:03,4,4"), ["t:2"]],
    ["images", azure2025.replace("03.000000,0", "03.000000,2"), [/^t:2: .*2 images \(NumImages\)/]],
    ["half an image", azure2025.replace("03.000000,0", "03.000000,0.5"), [/^t:2: .*NumImages/]],
    [
      "arrivals that go back",
      text(burstHead, "5,GPT-4,9,1,10,API log", "4,GPT-4,9,1,10,API log"),
      ["t:3"],
    ],
    ["a wrong sum", text(burstHead, "5,GPT-4,9,1,11,API log"), [/^t:2: Total tokens is 11/]],
    ["a negative time", text(burstHead, "-5,GPT-4,9,1,10,API log"), [/^t:2: .*Timestamp/]],
    ["damaged JSON", text('{"timestamp": 0, "output_length":2748 610}'), [/^t:1: .*JSON/]],
    [
      "a fraction of a millisecond, as traces in seconds have",
      text('{"timestamp": 0.2, "input_length": 9, "output_length": 1}'),
      [/^t:1: timestamp .*milliseconds/],
    ],
    [
      "keys of a trace in seconds",
      text('{"chat_id": 1, "timestamp": 61, "input_length": 9, "output_length": 1, "turn": 1}'),
      [/^t:1: "chat_id", "turn" .*milliseconds/],
    ],
    ["a text as time", text('{"timestamp": "0", "input_length": 9, "output_length": 1}'), ["t:1"]],
    [
      "blocks in groups",
      text('{"timestamp": 0, "input_length": 9, "output_length": 1, "hash_ids": {"a": [1]}}'),
      [/^t:1: hash_ids/],
    ],
    ["a missing length", text('{"timestamp": 0, "input_length": 9}'), [/^t:1: .*output_length/]],
    ["a key twice", text('{"timestamp": 0, "timestamp": 1}'), [/^t:1: .*twice/]],
  ])("with %s is refused", async (_, contents, where) => {
    await expect(tracedRequests(contents, "t")).rejects.toThrow(rejection("bad-input", ...where));
  });
});

describe("a file of requests", () => {
  const read = async (path: string, most: number): Promise<RequestTrace> =>
    firstRequests(path, linesOf(path, openPieces(path)), most);

  it.each<[string, string | Uint8Array]>([
    ["plain", azure2023],
    ["gzip", gzipSync(azure2023)],
    ["with a byte order mark", `\ufeff${azure2023}`],
  ])("%s has its requests", async (_, contents) => {
    await inTemporary(async (directory) => {
      const path = join(directory, "t");
      writeFileSync(path, contents);
      const { requests } = await read(path, 10);
      expect(requests).toHaveLength(same.length);
      expect(requests[1]?.prompt).toBe(210);
    });
  });

  it("is read no further than what is asked for, in memory that does not grow with it", async () => {
    let given = 0;
    const endless = function* (): Generator<Uint8Array> {
      yield Buffer.from(`${azureHead}\n`);
      for (;;) {
        given += 1;
        yield Buffer.from("2023-11-16 18:17:03,7,3\n".repeat(1000));
      }
    };
    const { requests } = await firstRequests("t", linesOf("t", endless()), 2500);
    expect(requests).toHaveLength(2500);
    expect(given).toBe(3);
  });

  it("of gzip is read no further either", async () => {
    await inTemporary(async (directory) => {
      const path = join(directory, "t.gz");
      // The damage is after the beginning: only a reader of the whole file detects it.
      const gzip = createGzip({ level: 0 });
      const file = createWriteStream(path);
      gzip.pipe(file);
      gzip.write(azure2023);
      gzip.end("2023-11-16 18:18:00,7,3\n".repeat(60_000));
      await once(file, "close");
      const bytes = readFileSync(path);
      bytes.fill(9, bytes.length - 100_000);
      writeFileSync(path, bytes);
      expect((await read(path, 2)).requests).toHaveLength(2);
      await expect(read(path, 1e6)).rejects.toThrow(rejection("bad-input", /gzip/));
    });
  });

  it.each<[string, Uint8Array, RegExp]>([
    ["zip", Buffer.from([0x50, 0x4b, 3, 4, 0, 0]), /zip/],
    ["zstd", Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0]), /zstd/],
    ["Parquet", Buffer.from("PAR1...."), /Parquet/],
    [
      "a pointer of Git LFS",
      Buffer.from("version https://git-lfs.github.com/spec/v1\n"),
      /git lfs/,
    ],
    ["UTF-16", Buffer.from(azure2023, "utf16le"), /NUL/],
    ["bytes that are no text", Buffer.from([...Buffer.from(azureHead), 0xff]), /UTF-8/],
    ["an endless line", Buffer.alloc(3 << 20, "a"), /:1: .*longer/],
  ])("of %s is refused", async (_, bytes, rule) => {
    await inTemporary(async (directory) => {
      const path = join(directory, "t");
      writeFileSync(path, bytes);
      await expect(async () => read(path, 2)).rejects.toThrow(rejection("bad-input", rule));
    });
  });
});
