// SPDX-License-Identifier: Apache-2.0
// Prefill written to simulated flash: never before the rows are there, never faster than the dies,
// close to whichever of both is slower, and sooner when layers are sent as they are made.

import { describe, expect, it } from "vitest";

import { writeLayers, type PrefillLayout } from "../../../src/kernels/csd/flash-prefill.ts";
import { loadFlash } from "../../../src/native/flash-binding.ts";
import { flashPresets } from "../../../src/machine/flash/presets.ts";
import { bytesPerSecond, seconds } from "../../../src/base/units.ts";

const layout: PrefillLayout = { heads: 8, width: 128, tokens: 1024, dimsPerPage: 4 };
const device = flashPresets.znand4k;
const dies = device.channels * device.dies_per_channel;
/** K twice and V once, in pages of 4 KB. */
const pages = (3 * layout.heads * layout.tokens * layout.width * 2) / device.page_bytes;
const layerBytes = 2 * layout.heads * layout.tokens * layout.width * 2;
const dieSeconds = (pages / dies) * device.tPROG_ns * 1e-9;

describe("prefill on flash", () => {
  it("takes what the dies take when the link is fast", () => {
    const [layer] = writeLayers(loadFlash(), device, bytesPerSecond(1e12), layout, [seconds(0)]);
    expect(layer?.pages).toBe(pages);
    expect(layer?.written).toBeGreaterThanOrEqual(dieSeconds);
    expect(layer?.written).toBeLessThan(1.1 * dieSeconds);
  });

  it("takes what the link takes when that is slow", () => {
    const rate = 1e8;
    const [layer] = writeLayers(loadFlash(), device, bytesPerSecond(rate), layout, [seconds(1)]);
    expect(layer?.sent).toBeCloseTo(1 + layerBytes / rate, 9);
    // Only the last head's pages are left when the last row arrives.
    expect(layer?.written).toBeGreaterThan(layer?.sent ?? NaN);
    expect(layer?.written).toBeLessThan((layer?.sent ?? NaN) + dieSeconds / 4);
  });

  it("ends sooner layer by layer than with all layers at the end", () => {
    const link = bytesPerSecond(3.9e9);
    const every = 1.5 * dieSeconds;
    const end = (ready: readonly number[]): number => {
      const layers = writeLayers(loadFlash(), device, link, layout, ready.map(seconds));
      return Math.max(...layers.map(({ written }) => written));
    };
    const sent = end([every, 2 * every, 3 * every]);
    const kept = end([3 * every, 3 * every, 3 * every]);
    // The caches of the first two layers hide behind the compute of the next.
    expect(kept - sent).toBeGreaterThan(1.8 * dieSeconds);
    expect(sent - 3 * every).toBeLessThan(1.2 * dieSeconds);
  });
});
