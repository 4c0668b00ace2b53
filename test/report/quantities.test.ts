// SPDX-License-Identifier: Apache-2.0
// No number of a case may be negative or not finite, whatever it is of: the check names it.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quantityCheck } from "../../src/report/quantities.ts";

const fine = {
  time: 1,
  latency: { phases: [{ id: "rank", time: 0 }], spread: { mean: 2e-9 } },
  metrics: [{ id: "cycles", title: "-1", value: 5, unit: "cycles" }],
  energy: { parts: [{ part: "clock", joules: 1e-6, count: null }] },
  host: { total: -1 },
};

describe("the check of a case's quantities", () => {
  it("holds where all are times, counts, energies and shares; the host's are not looked at", () => {
    expect(quantityCheck(fine)).toMatchObject({
      id: "quantities",
      pass: true,
      detail: "5 numbers",
    });
  });

  it("names what is negative or no number", () => {
    const wrong = {
      ...fine,
      latency: { ...fine.latency, phases: [{ id: "rank", time: -2e-7 }] },
      metrics: [{ id: "rate", value: Infinity }],
      energy: { joules: NaN },
    };
    expect(quantityCheck(wrong)).toMatchObject({
      pass: false,
      detail:
        "latency.phases.rank.time is -2e-7, metrics.rate.value is Infinity, energy.joules is NaN",
    });
  });

  it("finds an impossible quantity in every position", () => {
    const bad = fc.constantFrom(-1, -Number.MIN_VALUE, NaN, Infinity, -Infinity);
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 })), bad, (path, value) => {
        fc.pre(!path.includes("host"));
        const around = path.reduce<unknown>((inner, key) => [{ [key]: inner }], value);
        expect(quantityCheck({ ...fine, around }).pass).toBe(false);
      }),
      { numRuns: 50 },
    );
  });
});
