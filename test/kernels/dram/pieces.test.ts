// SPDX-License-Identifier: Apache-2.0
// A trace in pieces: each piece returns the output that is final, so that a replay needs little memory, and the outputs
// of all pieces together equal those of one piece.

import { describe, expect, it } from "vitest";

import { loadDram } from "../../../src/native/dram-binding.ts";
import { parseDramReplayConfig } from "../../../src/kernels/dram/config.ts";
import type { DramReplayConfig } from "../../../src/kernels/dram/replay-config.ts";

const dram = loadDram();
const decoder = new TextDecoder();
const header = "id,arrival,op,addr\n";

/** From this length on completions have two columns, as they are written before the end of the run. */
const longTrace = 100_000;

function memory(injection: DramReplayConfig["injection"], channels: number): DramReplayConfig {
  const document = {
    preset: "TriMoE",
    organization: { channels },
    injection: { policy: injection },
  };
  return parseDramReplayConfig(document, "a test");
}

/** Reads of consecutive lines, one each 16 cycles, interleaved over the channels. */
const lines = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, i) => {
    const id = from + i;
    return `${id},${16 * id},R,0x${(64 * (id % (1 << 20))).toString(16)}\n`;
  }).join("");

interface Texts {
  readonly commands: string;
  readonly completions: string;
}

/** The output of each piece and of the end. */
function replay(config: DramReplayConfig, pieces: readonly string[]): readonly Texts[] {
  const handle = dram.dramReplayOpen({ ...config, commands: true, completions: true });
  const taken = (error: unknown): Texts => {
    expect(error).toBeUndefined();
    let [commands, completions] = ["", ""];
    const take = (): void => {
      commands += decoder.decode(dram.dramReplayCommands(handle));
      completions += decoder.decode(dram.dramReplayCompletions(handle));
    };
    take();
    while (dram.dramReplayBusy(handle)) {
      expect(dram.dramReplayGoOn(handle)).toBeUndefined();
      take();
    }
    return { commands, completions };
  };
  const encoder = new TextEncoder();
  const fed = pieces.map((piece) => taken(dram.dramReplayFeed(handle, encoder.encode(piece))));
  return [...fed, taken(dram.dramReplayFinish(handle))];
}

const joined = (texts: readonly Texts[]): Texts => ({
  commands: texts.map(({ commands }) => commands).join(""),
  completions: texts.map(({ completions }) => completions).join(""),
});

const cut = (count: number, each: number): readonly string[] => [
  header,
  ...Array.from({ length: Math.ceil(count / each) }, (_, i) =>
    lines(i * each, Math.min(count, (i + 1) * each)),
  ),
];

describe.each([
  ["global_fifo", 1],
  ["global_fifo", 2],
  ["per_channel_fifo", 2],
] as const)("a trace in pieces, %s, %i channels", (injection, channels) => {
  const config = memory(injection, channels);

  it("has its commands told up to the last arrival after each piece", () => {
    const [count, each] = [4000, 200];
    const texts = replay(config, cut(count, each));
    let reads = 0;
    for (const [piece, { commands, completions }] of texts.slice(0, -1).entries()) {
      reads += commands.match(/,RD,/g)?.length ?? 0;
      // A read takes about 80 cycles, in which five requests arrive; a refresh takes 708, in which 45 more arrive.
      expect(reads).toBeGreaterThanOrEqual(piece * each - 60);
      expect(completions).toBe("");
    }
    expect(joined(texts)).toEqual(joined(replay(config, [header + lines(0, count)])));
  });

  it("of so many requests has its completions told after each piece, without more columns", () => {
    const each = 30_000;
    const texts = replay(config, cut(4 * each, each));
    let completed = -1;
    for (const [piece, { completions }] of texts.slice(0, -1).entries()) {
      completed += completions.split("\n").length - 1;
      const come = piece * each;
      if (come < longTrace) expect(completions).toBe("");
      else expect(completed).toBeGreaterThan(come - 60);
    }
    const { completions } = joined(texts);
    const rows = completions.trimEnd().split("\n");
    expect(rows[0]).toBe("id,complete");
    expect(rows).toHaveLength(1 + 4 * each);
  });
});

describe("refreshes of a long rest", () => {
  it.each([1, 2])("are told in pieces, %i channels", (channels) => {
    const config = memory("global_fifo", channels);
    const { nREFI } = config.timing;
    const { ranks } = config.organization;
    // Some thousand more than two full pieces.
    const refreshes = Math.ceil(150_000 / (ranks * channels));
    const rest = refreshes * nREFI + 1000;
    const handle = dram.dramReplayOpen({ ...config, commands: true, completions: false });
    const trace = `${header}0,0,R,0x0\n1,${rest},R,0x0\n`;
    const take = (): number =>
      decoder.decode(dram.dramReplayCommands(handle)).match(/,REFab,/g)?.length ?? 0;
    const pieces: number[] = [];
    expect(dram.dramReplayFeed(handle, new TextEncoder().encode(trace))).toBeUndefined();
    for (pieces.push(take()); dram.dramReplayBusy(handle); pieces.push(take())) {
      expect(dram.dramReplayGoOn(handle)).toBeUndefined();
    }
    expect(dram.dramReplayFinish(handle)).toBeUndefined();
    pieces.push(take());
    // A piece has 2^16 commands, and those of the last 2^22 cycles of it.
    const over = (ranks * channels * 2 ** 22) / nREFI;
    expect(Math.max(...pieces)).toBeLessThan(2 ** 16 + over + ranks * channels);
    expect(pieces.filter((count) => count >= 2 ** 16)).toHaveLength(2);
    expect(pieces.reduce((sum, count) => sum + count, 0)).toBe(refreshes * ranks * channels);
  });
});

describe("a long trace", () => {
  it.each([
    [longTrace - 1, "id,accept,issue,complete", 4],
    [longTrace, "id,complete", 2],
  ])("of %i requests has the columns %s", (count, columns, fields) => {
    const config = memory("global_fifo", 1);
    const whole = joined(replay(config, [header + lines(0, count)]));
    const rows = whole.completions.trimEnd().split("\n");
    expect(rows[0]).toBe(columns);
    expect(rows.slice(1).map((row) => row.split(",").length)).toEqual(
      Array.from({ length: count }, () => fields),
    );
    expect(joined(replay(config, cut(count, 30_000)))).toEqual(whole);
  });
});
