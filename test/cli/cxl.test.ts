// SPDX-License-Identifier: Apache-2.0
// `neardata cxl stream`: lines arrive as fast as the slowest of slots, memory and what is in flight
// allows, and never faster than the standard's pins.

import { describe, expect, it } from "vitest";

import { cli } from "../helpers/cli.ts";
import { rejectedAt } from "../helpers/rejected-at.ts";

interface Streamed {
  readonly bytesPerSecond: number;
  readonly wires: number;
  readonly guard: number;
  readonly firstLine: number;
}

async function stream(...options: readonly string[]): Promise<Streamed> {
  const { code, stdout, stderr } = await cli("cxl", "stream", "--json", ...options);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as Streamed;
}

describe("neardata cxl stream", () => {
  it("is bound by slots, by the memory, or by what is in flight", async () => {
    const perLane = (32e9 * 128) / 130 / 8;
    const wide = await stream("--lanes", "8", "--rate", "128 GB/s");
    expect(wide.wires / (8 * perLane)).toBeCloseTo(1, 6);
    expect(wide.guard).toBe(Math.round(8 * perLane));
    // A header's slot and four of data: 80 bytes in 85 on the wires, 64 of them a line's.
    expect(wide.bytesPerSecond / (wide.wires * (64 / 85))).toBeCloseTo(1, 3);
    const slow = await stream("--lanes", "8", "--rate", "19.2 GB/s");
    expect(slow.bytesPerSecond / 19.2e9).toBeCloseTo(1, 3);
    const one = await stream("--lanes", "8", "--in-flight", "1");
    expect(one.bytesPerSecond * one.firstLine).toBeGreaterThan(0.95 * 64);
    expect(one.bytesPerSecond * one.firstLine).toBeLessThanOrEqual(64 * 1.001);
  });

  it("waits for both ways and the memory before the first line", async () => {
    const [near, far] = [await stream("--latency", "50 ns"), await stream("--latency", "80 ns")];
    const clock = 1 / (near.wires / 8);
    expect(near.firstLine).toBeGreaterThan(50e-9 + 2 * 25e-9);
    expect(Math.abs(far.firstLine - near.firstLine - 30e-9)).toBeLessThan(clock);
  });

  it("prints a sentence, and refuses what is no quantity or beyond its limits", async () => {
    const { stdout } = await cli("cxl", "stream", "--lanes", "16", "--flit", "256");
    expect(stdout).toBe(
      "20000 lines over 16 lanes of CXL, flits of 256 bytes, 256 asked for at a time: 38.40 GB/s, " +
        "60.9 % of the wires' 63.02 (guard: 63.02); the first after 101.7 ns\n",
    );
    for (const [option, value, where] of [
      ["--rate", "40", /--rate: .*GB\/s/],
      ["--rate", "1 MB/s", /--rate: .*64 MB\/s/],
      ["--latency", "1 ms", "--latency"],
      ["--lanes", "17", "--lanes"],
    ] as const) {
      expect(await cli("cxl", "stream", option, value)).toEqual(rejectedAt(where));
    }
  });
});
