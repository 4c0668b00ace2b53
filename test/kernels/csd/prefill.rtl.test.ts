// SPDX-License-Identifier: Apache-2.0
// Prefill layer by layer on simulated devices: what overlaps takes no longer than what does not,
// and no less than the slowest of compute, link and flash; every byte arrives; and a decode on what
// was written gives the golden numbers.

import { bareHostLink } from "../../../src/machine/resolve/host-link.ts";
import { describe, expect, it } from "vitest";

import type { CsdMachine } from "../../../src/machine/csd/csd-machine.ts";
import { prefill, type PrefillRun, type PrefillTask } from "../../../src/kernels/csd/prefill.ts";
import { decodeLayer } from "../../../src/kernels/csd/attention/sparse-attention.ts";
import { engineAttention, engineDense } from "../../../src/golden/attention-engine.ts";
import { numbersToHalves } from "../../../src/golden/half.ts";
import { openCsdSession } from "../../../src/native/csd/csd-session.ts";
import { bytesPerSecond, seconds } from "../../../src/base/units.ts";
import { generateHta1 } from "../../../src/workload/hta1.ts";
import { smallCsd } from "../../helpers/csd.ts";

const [width, length, heads, count] = [16, 96, 5, 3];
const layers = Array.from({ length: count }, (_, l) =>
  Array.from({ length: heads }, (_head, h) => generateHta1(10 * l + h + 1, length + 2, width)),
);
const headBytes = 2 * length * width * 2;
/** K twice and V, in pages of 128 bytes. */
const headPages = (3 * length * width * 2) / 128;

interface Case {
  readonly compute: number;
  readonly link?: number;
  readonly devices?: number;
  readonly held?: number;
}

async function prefilled(one: Case, overlap: boolean): Promise<PrefillRun> {
  const machine = machineOf(one);
  const session = await openCsdSession(machine);
  const run = await prefill(session, machine, taskOf(one, overlap));
  session.close();
  return run;
}

function machineOf({ link = 7e9, devices = 1 }: Case): CsdMachine {
  const wires = { ...bareHostLink.wires, rate: bytesPerSecond(link) };
  return smallCsd({ devices, link: { ...bareHostLink, wires } });
}

function taskOf({ compute, held = 2 }: Case, overlap: boolean): PrefillTask {
  return { layers, length, dimsPerPage: 2, compute: seconds(compute), buffered: held, overlap };
}

describe("prefill", () => {
  it.each<{ readonly bound: string } & Case>([
    { bound: "compute", compute: 20e-3, devices: 1 },
    { bound: "programs", compute: 10e-6, devices: 1 },
    { bound: "programs", compute: 10e-6, devices: 2 },
    { bound: "transfer", compute: 10e-6, link: 1e6, devices: 3 },
    { bound: "programs", compute: 4e-3, devices: 5 },
  ])("overlaps, and is no sooner than $bound allows, devices: $devices", async (one) => {
    const [together, apart] = [await prefilled(one, true), await prefilled(one, false)];
    const { devices = 1, link = 7e9, compute } = one;
    expect(together.compute).toBeCloseTo(count * compute, 12);
    const machine = machineOf(one);
    const most = Math.ceil(heads / devices);
    const { channels, dies_per_channel: dies, planes_per_die: planes } = machine.flash;
    const parts = {
      compute: count * compute,
      transfer: (count * most * headBytes) / link,
      programs:
        (count * most * headPages * machine.flash.tPROG_ns * 1e-9) / (channels * dies * planes),
    };
    expect(together.total).toBeLessThan(apart.total);
    for (const part of Object.values(parts)) expect(together.total).toBeGreaterThan(part);
    // Transfers and programs of a layer can overlap the compute of other layers, except for one
    // layer.
    const after = apart.total - parts.compute;
    expect(after).toBeGreaterThan(Math.max(parts.transfer, parts.programs));
    const [longer, shorter] = [Math.max(after, parts.compute), Math.min(after, parts.compute)];
    expect(together.total).toBeLessThan(1.02 * (longer + shorter / count));
  });

  it("moves every byte once and programs K twice, on every device", async () => {
    for (const devices of [1, 2, 5, 7]) {
      const { layers: prefillLayers, runs } = await prefilled({ compute: 1e-4, devices }, true);
      expect(prefillLayers.map(({ bytes }) => bytes)).toEqual(
        [1, 1, 1].map(() => heads * headBytes),
      );
      expect(prefillLayers.map(({ pages }) => pages)).toEqual(
        [1, 1, 1].map(() => heads * headPages),
      );
      expect(runs).toHaveLength(1);
      runs[0]?.forEach(({ link, pagesProgrammed, writes }, d) => {
        const own = count * Math.max(0, Math.ceil((heads - d) / devices));
        expect(link).toEqual({ in: own * headBytes, out: 0 });
        expect(pagesProgrammed).toBe(own * headPages);
        expect(writes.writeAmplification).toBe(1);
      });
    }
  });

  it("takes layers in order: rows when the GPU has them, pages when the rows are there", async () => {
    const { layers: prefillLayers, total } = await prefilled({ compute: 2e-3, devices: 2 }, true);
    prefillLayers.forEach(({ compute, transfer, programs, stall }, l) => {
      expect(stall).toBe(0);
      expect(compute.end - compute.start).toBeCloseTo(2e-3, 12);
      expect(transfer.start).toBeGreaterThanOrEqual(compute.end);
      expect(programs.start).toBeGreaterThan(transfer.start);
      expect(programs.end).toBeGreaterThan(transfer.end);
      const next = prefillLayers[l + 1];
      if (next !== undefined) expect(next.compute.start).toBeLessThanOrEqual(transfer.start);
    });
    expect(total).toBe(prefillLayers.at(-1)?.programs.end);
  });

  it("makes the GPU wait when it has no room for another layer's rows", async () => {
    const rate = 1e6;
    const transfer = (heads * headBytes) / rate;
    for (const held of [1, 2]) {
      const run = await prefilled({ compute: 1e-4, link: rate, held }, true);
      const stalls = run.layers.map(({ stall }) => stall);
      expect(stalls.slice(0, held)).toEqual(Array.from({ length: held }, () => 0));
      const waits = held === 1 ? transfer : transfer - 1e-4;
      expect(stalls[held]).toBeCloseTo(waits, 9);
      // The planned times of GPU and link equal those of the simulated link, whose lanes carry one
      // byte per cycle: the link starts one cycle after the rows are available, and the transfer of
      // the last row needs one more cycle.
      const cycle = bareHostLink.wires.lanes / rate;
      run.layers.forEach(({ compute, transfer: moved }, l) => {
        const before = run.layers[l - held];
        if (before !== undefined) {
          expect(before.transfer.end - compute.start).toBeCloseTo(2 * cycle, 7);
        }
        expect(moved.end - moved.start).toBeCloseTo(transfer + cycle, 9);
      });
    }
  });

  it("holds rows in the controller's DRAM until their pages are written", async () => {
    const fast = await prefilled({ compute: 1e-6 }, true);
    const all = count * heads * headBytes;
    expect(fast.waiting).toBeGreaterThan(0.8 * all);
    expect(fast.waiting).toBeLessThanOrEqual(all);
    const slow = await prefilled({ compute: 1e-6, link: 1e6 }, true);
    expect(slow.waiting).toBeLessThan(0.2 * all);
  });

  it.each(["cycle", "rtl"] as const)(
    "is followed by a decode on it (%s)",
    async (engine) => {
      const machine = { ...machineOf({ compute: 1e-4, devices: 2 }), engine };
      const session = await openCsdSession(machine);
      const { placed } = await prefill(session, machine, taskOf({ compute: 1e-4 }, true));
      const parameters = { r: 4, k: 12, l: 3 };
      for (const [l, placedHeads] of placed.entries()) {
        const method = l === 0 ? "dense" : "sparf";
        const steps = await decodeLayer(session, placedHeads, {
          method,
          length,
          decode: 2,
          select: () => parameters,
        });
        expect(steps).toHaveLength(3);
        const end = steps.at(-1);
        placedHeads.forEach(({ head }, h) => {
          const query = head.queries.slice((length + 1) * width, (length + 2) * width);
          const cache = { ...head, length: length + 2 };
          const golden =
            method === "dense"
              ? engineDense(query, cache)
              : engineAttention(query, cache, parameters).out;
          const job = end?.run.jobs[end.jobs[h] ?? -1];
          expect(job?.status).toBe("done");
          expect(job?.pages.values).toBeGreaterThan(0);
          expect(job?.outputs).toEqual(numbersToHalves(golden));
        });
      }
      session.close();
    },
    600_000,
  );
});
