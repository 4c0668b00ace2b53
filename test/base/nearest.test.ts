// SPDX-License-Identifier: Apache-2.0

import { describe, expect, it } from "vitest";
import { didYouMean, nearest } from "../../src/base/nearest.ts";

describe("the nearest name", () => {
  it.each([
    ["tokns", ["token", "tokens", "seed"], "tokens"],
    ["fidelty", ["fidelity"], "fidelity"],
    ["cylce", ["cycle", "rtl"], "cycle"],
    ["Clock", ["clock"], "clock"],
    ["a", ["b"], "b"],
    ["xyzzy", ["clock", "lanes"], undefined],
    ["clock", [], undefined],
  ])("to %s of %j is %s", (name, candidates, wanted) => {
    expect(nearest(name, candidates)).toBe(wanted);
  });

  it("becomes a question, or nothing", () => {
    expect(didYouMean("sed", ["seed"])).toBe(' Did you mean "seed"?');
    expect(didYouMean("xyzzy", ["seed"])).toBe("");
  });
});
