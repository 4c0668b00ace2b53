// SPDX-License-Identifier: Apache-2.0
// Streams of reads through a DDR5 channel: the rate is at most that of the pins, of the bank groups, and of the time
// between refreshes; readers that share the channel lose little.

import { describe, expect, it } from "vitest";
import { loadDram } from "../../../src/native/dram-binding.ts";
import { parseDramReplayConfig } from "../../../src/kernels/dram/config.ts";
import type { DramReplayConfig } from "../../../src/kernels/dram/replay-config.ts";
import { streamRate } from "../../../src/kernels/dram/stream.ts";

/** 32 pins of 4800 MT/s. */
const pins = 19.2e9;
/** All banks of a rank for 295 ns every 3.9 us. */
const refresh = 1 - 295 / 3900;
/** BL16 takes 8 cycles of 2400 MHz, lines of one bank group are 5 ns apart (tCCD_L). */
const [burst, apart] = [8, 12];

function memory(mapping: string): DramReplayConfig {
  const injection = { policy: "global_fifo", max_accepts_per_cycle: 1 };
  const organization = { ranks_per_channel: 1 };
  const document = { preset: "TriMoE", organization, address_mapper: mapping, injection };
  return parseDramReplayConfig(document, "a test");
}

function rate(mapping: string, streams: number, lines = 40_000): number {
  return streamRate(loadDram(), memory(mapping), { streams, lines, burst: 1 });
}

describe("a stream of reads", () => {
  it("with bank groups in turn has what refresh leaves of the pins", () => {
    expect(rate("RoBaCoBg", 1)).toBeLessThan(pins * refresh * 1.001);
    expect(rate("RoBaCoBg", 1)).toBeGreaterThan(0.98 * pins * refresh);
  });

  it("in one bank group after another waits for it, but for what is queued of the next row", () => {
    const { organization, queues } = memory("RoBaRaCoCh");
    const { columnsPerRow: row } = organization;
    const longest = (row * burst) / ((row - queues.read) * apart + queues.read * burst);
    expect(rate("RoBaRaCoCh", 1)).toBeLessThan(pins * longest);
    expect(rate("RoBaRaCoCh", 1)).toBeGreaterThan((pins * refresh * burst) / apart);
  });

  it("of forty readers finds other bank groups whatever the order of addresses", () => {
    for (const mapping of ["RoBaCoBg", "RoBaRaCoCh", "MOP4CLXOR", "RoCoBaBg"]) {
      expect(rate(mapping, 40), mapping).toBeGreaterThan(0.9 * pins * refresh);
      expect(rate(mapping, 40), mapping).toBeLessThan(pins * refresh * 1.001);
    }
  });

  it("is the same again, and nearly so for twice as many lines", () => {
    expect(rate("RoBaCoBg", 3)).toBe(rate("RoBaCoBg", 3));
    expect(rate("RoBaCoBg", 3, 80_000) / rate("RoBaCoBg", 3)).toBeCloseTo(1, 1);
  });
});
