// SPDX-License-Identifier: Apache-2.0

import { describe, expect, it } from "vitest";
import * as u from "../../src/base/units.ts";

describe("quantities", () => {
  it("combine within their kind", () => {
    expect(u.sum(u.bytes(3), u.bytes(4))).toBe(7);
    expect(u.scale(u.seconds(2), 3)).toBe(6);
    expect(u.longer(u.seconds(1), u.seconds(2))).toBe(2);
  });

  it("turn into one another by rates", () => {
    expect(u.timeOfCycles(u.cycles(5), u.hertz(2))).toBe(2.5);
    expect(u.toSeconds(u.femtoseconds(2e15))).toBe(2);
    // TriMoE: 153.6 GB/s move a Qwen3 expert in 245.8 us.
    expect(u.transferTime(u.bytes(37_748_736), u.bytesPerSecond(153.6e9))).toBeCloseTo(245.8e-6, 7);
    expect(u.computeTime(u.flops(10), u.flopsPerSecond(5))).toBe(2);
  });
});
