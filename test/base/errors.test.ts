// SPDX-License-Identifier: Apache-2.0

import { describe, expect, it } from "vitest";
import { exitCodeOf, inputError, NeardataError } from "../../src/base/errors.ts";

describe("errors", () => {
  it.each([
    ["check-failed", 1],
    ["bad-input", 2],
    ["tool-missing", 3],
    ["not-built", 3],
    ["build-failed", 3],
    ["misuse", 70],
    ["cancelled", 130],
  ] as const)("%s ends the process with %i", (code, exit) => {
    expect(exitCodeOf(new NeardataError(code, "sentence"))).toBe(exit);
  });

  it("that nobody foresaw are bugs", () => {
    expect(exitCodeOf(new TypeError("x"))).toBe(70);
  });

  it("name the place of every problem and keep their cause", () => {
    const cause = new Error("inner");
    const error = new NeardataError(
      "bad-input",
      [
        { where: "a", message: "first." },
        { where: "", message: "second." },
      ],
      { cause, details: { file: "a" } },
    );
    expect(error.message).toBe("a: first.\nsecond.");
    expect(error.cause).toBe(cause);
    expect(error.details).toEqual({ file: "a" });
    expect(inputError("x", "y.", cause).cause).toBe(cause);
    expect(Object.hasOwn(inputError("x", "y."), "cause")).toBe(false);
  });
});
