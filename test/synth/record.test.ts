// SPDX-License-Identifier: Apache-2.0
// The recorded cost of the NDP unit belongs to its RTL as it is. Where this fails, the RTL was changed:
// `neardata area ndp --record` measures it anew.

import { describe, expect, it } from "vitest";
import { readRecord, recordedUnits } from "../../src/synth/record.ts";
import { floorOf } from "../../src/synth/summary.ts";

describe("the recorded cost", () => {
  it("of the DIMM-NDP unit belongs to this RTL", () => {
    const found = readRecord("ndp");
    expect(found?.record.area?.unit).toBe("ndp");
    expect(found?.record.energy.operations.length).toBeGreaterThan(2);
    expect(found?.current).toBe(true);
  });

  it("of the DIMM-NDP unit is at most 0.60 mm2, and every slice reaches 1 GHz", () => {
    const area = readRecord("ndp")?.record.area;
    expect(area?.parameters).toEqual({});
    expect(area ? floorOf(area).total : NaN).toBeLessThanOrEqual(0.6);
    expect(area?.slices.length).toBeGreaterThan(5);
    for (const { path } of area?.slices ?? []) expect(path?.period).toBeLessThanOrEqual(1000);
  });

  it("says of each unit which operations were measured", () => {
    for (const unit of recordedUnits) {
      const operations = readRecord(unit)?.record.energy.operations ?? [];
      expect(operations.length).toBeGreaterThan(2);
      for (const { joules, settledJoules } of operations) {
        expect(settledJoules).toBeGreaterThan(0);
        expect(joules).toBeGreaterThanOrEqual(settledJoules);
      }
    }
  });
});
