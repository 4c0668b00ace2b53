// SPDX-License-Identifier: Apache-2.0
// Devices with more channels than a bank of the rings has slots for, as cycle models at full size: each of 8 and
// of 16 channels of 1.4 GB/s is busy at least 90 % of the time, and no beat waits for a slot.

import { expect, test } from "vitest";

import { choice, headCaches, lastQuery, shape } from "../../src/tools/bench/heads.ts";
import { controllerOf } from "../../src/machine/resolve/controller.ts";
import { csdMachine, sparfUnit } from "../../src/machine/resolve/csd.ts";
import type { CsdJob } from "../../src/machine/csd/csd-jobs.ts";
import { flashPresets } from "../../src/machine/flash/presets.ts";
import { numbersToHalves } from "../../src/golden/half.ts";
import { openCsdSession } from "../../src/native/csd/csd-session.ts";
import { fill } from "../helpers/csd.ts";
import { full } from "../helpers/tier.ts";

const inFull = [
  ["dense", 8],
  ["sparse", 16],
] as const;

test.each([["sparse", 8], ["dense", 16], ...(full ? inFull : [])] as const)(
  "%s heads keep each of %i channels busy",
  async (kind, channels) => {
    const flash = { ...flashPresets.znand4k, channels };
    const unit = sparfUnit(shape.width, channels, flash.page_bytes / (2 * shape.width));
    // Sixteen channels deliver more pages per second than the default translation looks up.
    const controller = controllerOf({ translation: { rate: 8e6 } });
    const machine = csdMachine({ engine: "cycle", devices: 1, unit, flash, controller });
    const session = await openCsdSession(machine);
    const caches = headCaches();
    const heads = Array.from({ length: 48 }, (_, i) => caches[i % caches.length]).filter(
      (cache) => cache !== undefined,
    );
    const sequence = fill(
      session,
      heads.map(({ keys, values }) => ({ ...shape, keys, values })),
      { tail: "padded", dimsPerPage: shape.dimsPerPage },
    );
    const jobs = heads.map((cache, head): CsdJob => {
      const job = { sequence, head, queries: numbersToHalves(lastQuery(cache.queries)) };
      return kind === "dense" ? { kind, ...job } : { kind, ...job, ...choice, mean: true };
    });
    const { devices } = await session.run(jobs, { inFlight: 16 });
    session.close();
    const device = devices[0];
    expect(device?.outcome).toEqual({ kind: "completed" });
    expect(device?.channels).toHaveLength(channels);
    for (const { command, data, stalled } of device?.channels ?? []) {
      expect(stalled).toBe(0);
      expect((command + data) / (device?.time ?? 0)).toBeGreaterThan(0.9);
    }
  },
);
