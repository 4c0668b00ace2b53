// SPDX-License-Identifier: Apache-2.0
// FlexGen keeps kinds of sublayers in GPU memory whole, in every layer.

import { describe, expect, it } from "vitest";

import {
  plainShape,
  sublayerWeights,
  weightBytes,
  type LayerShape,
} from "../../../src/papers/lia/model/layer.ts";
import { residentKinds } from "../../../src/papers/lia/policy/run.ts";
import { bytes } from "../../../src/base/units.ts";

const shape = plainShape(7168);
const layers = 48;
const all = layers * weightBytes(shape);

/** The share of the weights that is resident. */
function residentShare(room: number, of: LayerShape, count: number): number {
  return residentKinds(bytes(room), of, count).bytes / weightBytes(of);
}

describe("the share of an OPT model that FlexGen keeps", () => {
  it("is one of ten: QKV, output projection, FC1 and FC2 are 3, 1, 4 and 4 twelfths", () => {
    const shares = Array.from({ length: 241 }, (_, i) =>
      Math.round(12 * residentShare(Math.floor((all * i) / 240), shape, layers)),
    );
    expect([...new Set(shares)]).toEqual([0, 1, 3, 4, 5, 7, 8, 9, 11, 12]);
  });

  it("is that of the largest set that fits, also where a gate and experts make other shares", () => {
    const gated = {
      ...shape,
      cacheWidth: 1024,
      matrices: 3,
      experts: { count: 8, perToken: 2 },
    } as const;
    const [qkv = 0, out = 0, fc1 = 0, fc2 = 0] = sublayerWeights(gated);
    const whole = weightBytes(gated);
    const shareIn = (room: number): number => whole * residentShare(room, gated, 1);
    expect(shareIn(qkv + out)).toBeCloseTo(qkv + out, -1);
    expect(shareIn(fc1 + fc2 - 1)).toBeCloseTo(Math.max(fc1 + qkv + out, fc2 + qkv + out), -1);
    expect(shareIn(out - 1)).toBe(0);
    expect(shareIn(whole)).toBe(whole);
  });

  it("is seven twelfths of OPT-30B in 35 GiB (LIA, section 5.2)", () => {
    expect(residentShare(35 * 2 ** 30, shape, layers)).toBeCloseTo(7 / 12, 12);
  });
});
