// SPDX-License-Identifier: Apache-2.0
// Totals and saturation of striped and closed-loop reads, against reference tables and against the
// closed forms themselves.

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { loadFlash } from "../../../src/native/flash-binding.ts";
import { runChains, stripedPlace, type Chain } from "../../../src/kernels/flash/chains.ts";
import type { Arbitration, FlashDevice } from "../../../src/machine/flash/device.ts";
import { flashPresets } from "../../../src/machine/flash/presets.ts";
import { oraclePath } from "../../helpers/oracle.ts";
import { needs } from "../../helpers/needs.ts";

interface DeviceFacts {
  readonly name: string;
  readonly page_bytes: number;
  readonly tR_ns: number;
}

interface ClosedFormRow {
  readonly device: string;
  readonly channels: number;
  readonly dies_per_channel: number;
  readonly pages: number;
  readonly data_first_ticks: number;
  readonly cmd_first_ticks: number;
}

interface SaturationRow {
  readonly config: string;
  readonly dies_per_channel: number;
  readonly outstanding: number;
  readonly bandwidth_GBps: number;
}

function read(name: string): unknown {
  return JSON.parse(readFileSync(oraclePath("flash", name), "utf8"));
}

function shaped(facts: DeviceFacts, channels: number, dies: number): FlashDevice {
  return {
    ...flashPresets.tlc4k,
    channels,
    dies_per_channel: dies,
    page_bytes: facts.page_bytes,
    tR_ns: facts.tR_ns,
  };
}

function total(device: FlashDevice, arbitration: Arbitration, pages: number): number {
  const chain = [Array.from({ length: pages }, (_, i) => stripedPlace(device, i))];
  return runChains(loadFlash(), device, arbitration, [chain], 1).finished[0] ?? NaN;
}

/** c, T and x of the closed forms, in ticks. */
function symbols(device: FlashDevice): { c: number; T: number; x: number } {
  return {
    c: (device.t_cmd_read_ns["1"] ?? 0) * device.ticks_per_ns,
    T: (device.tR_ns + device.t_rb_ns) * device.ticks_per_ns,
    x: (device.page_bytes / 2) * device.bus_ticks_per_2_bytes,
  };
}

describe("flash against reference tables", needs("oracle/flash"), () => {
  it("reproduces every closed-form row to the tick", () => {
    const { devices, rows } = read("closed-form.json") as {
      devices: DeviceFacts[];
      rows: ClosedFormRow[];
    };
    for (const row of rows) {
      const facts = devices.find((device) => device.name === row.device);
      if (facts === undefined) throw new Error(`no device ${row.device}`);
      const device = shaped(facts, row.channels, row.dies_per_channel);
      expect(total(device, "data_first", row.pages)).toBe(row.data_first_ticks);
      expect(total(device, "cmd_first", row.pages)).toBe(row.cmd_first_ticks);
    }
  });

  it("saturates like the reference with another random address stream", () => {
    const { config, rows } = read("saturation.json") as {
      config: Record<string, { page_bytes: number; tR_ns: number }>;
      rows: SaturationRow[];
    };
    for (const row of rows) {
      const facts = config[row.config];
      if (facts === undefined) throw new Error(`no device ${row.config}`);
      const device = shaped({ name: row.config, ...facts }, 8, row.dies_per_channel);
      const rate = closedLoopRate(device, row.outstanding);
      const tight = row.dies_per_channel * 8 <= row.outstanding / 4;
      const error = Math.abs(rate / row.bandwidth_GBps - 1);
      expect(error, JSON.stringify(row)).toBeLessThan(tight ? 0.02 : 0.05);
    }
  });
});

/** GB/s of uniform random single-page reads between the 10th and 90th percentile completion. */
function closedLoopRate(device: FlashDevice, outstanding: number): number {
  const requests = 12_000;
  let state = 12345;
  const draw = (limit: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  const chains: Chain[] = Array.from({ length: requests }, () => [
    [{ ...stripedPlace(device, draw(8 * device.dies_per_channel)), page: draw(65536) }],
  ]);
  const { done } = runChains(loadFlash(), device, "data_first", chains, outstanding);
  const sorted = done.toSorted();
  const from = sorted[requests / 10] ?? NaN;
  const to = sorted[(requests / 10) * 9] ?? NaN;
  return ((requests * 0.8 * device.page_bytes) / (to - from)) * device.ticks_per_ns;
}

describe("flash against its closed forms", () => {
  it("data first: rounds of W pages, where a transfer outlasts a command", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 60 }), (W, n) => {
        const device = shaped({ name: "any", page_bytes: 4096, tR_ns: 45_000 }, 1, W);
        const { c, T, x } = symbols(device);
        const [a, b] = [Math.floor(n / W), n % W];
        const last = b > 0 ? c + T + b * x : 0;
        expect(total(device, "data_first", n)).toBe(a * (c + T + W * x) + last);
      }),
    );
  });

  it("commands first: bound by the die while the bus has room", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 2, max: 9 }), (W, R) => {
        const device = shaped({ name: "any", page_bytes: 4096, tR_ns: 45_000 }, 1, W);
        const { c, T, x } = symbols(device);
        expect(total(device, "cmd_first", R * W)).toBe(R * (c + T + x) + (W - 1) * (c + x));
      }),
    );
  });
});
