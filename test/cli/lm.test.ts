// SPDX-License-Identifier: Apache-2.0
// `neardata lm eval` on the model of the repository, which it takes when none is named.

import { describe, expect, it } from "vitest";
import type { LmResult } from "../../src/lm/evaluate.ts";
import { cli } from "../helpers/cli.ts";

describe("neardata lm eval", () => {
  it("judges the repository's model on the repository's text", async () => {
    const { code, stdout } = await cli("lm", "eval", "--windows", "4", "--json");
    const result = JSON.parse(stdout) as LmResult;
    expect(code).toBe(0);
    expect(result).toMatchObject({ attention: "dense", ratio: null, engine: null });
    // The model's check value, bits over positions 512 to 1023 of window 4.
    expect(Math.abs((result.windows[0]?.bits ?? NaN) - 1134.4718)).toBeLessThan(1e-3);
  });

  it("refuses a ratio above 1 and a window that the text does not hold", async () => {
    expect((await cli("lm", "eval", "--ratio", "3/2")).code).toBe(2);
    const { code, stderr } = await cli("lm", "eval", "--windows", "128");
    expect(code).toBe(2);
    expect(stderr).toMatch(/the text has windows 0 to 127, not 128/);
  });
});
