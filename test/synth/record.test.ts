// SPDX-License-Identifier: Apache-2.0
// The recorded cost of a unit belongs to the RTL as it is. Where this fails, the RTL was changed:
// `neardata area ndp --record` and `neardata area sparf --record` measure it anew.

import { describe, expect, it } from "vitest";
import { readRecord, recordedUnits } from "../../src/synth/record.ts";

describe("the recorded cost", () => {
  it("of the DIMM-NDP unit is there", () => {
    expect(readRecord("ndp")).not.toBeNull();
  });

  for (const unit of recordedUnits.filter((name) => readRecord(name) !== null)) {
    it(`of ${unit} belongs to this RTL`, () => {
      const found = readRecord(unit);
      expect(found?.record.area.unit).toBe(unit);
      expect(found?.record.energy.operations.length).toBeGreaterThan(2);
      expect(found?.current).toBe(true);
    });
  }
});
