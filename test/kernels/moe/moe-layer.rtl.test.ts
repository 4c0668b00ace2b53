// SPDX-License-Identifier: Apache-2.0
// A small MoE layer on the whole machine: nothing is faster than its closed form, what meets slows
// down, the same work takes the same time, and RTL changes nothing, of one DIMM or of all, on any
// number of threads.

import { beforeAll, describe, expect, it } from "vitest";

import { prepareExpert } from "../../../src/kernels/ndp/cold-expert.ts";
import {
  layerSpec,
  layoutFor,
  regionBursts,
  weightBytes,
} from "../../../src/kernels/moe/moe-layer.ts";
import type { LayerExpert, LayerWork } from "../../../src/kernels/moe/moe-layer.ts";
import { unpackOutputs } from "../../../src/workload/ndp/pack.ts";
import { nativeMove } from "../../../src/kernels/moe/relayout.ts";
import { runMoe, type NativeMoeResult } from "../../../src/native/ndp/moe-binding.ts";
import { buildNdpUnit } from "../../../src/native/ndp/ndp-unit.ts";
import { rowsOf } from "../../../src/native/record.ts";
import { seconds } from "../../../src/base/units.ts";
import { hostPath } from "../../../src/machine/resolve/systems.ts";
import { generateExpert } from "../../../src/workload/generate.ts";
import { goldenExpert } from "../../../src/golden/expert.ts";
import { generateInputs } from "../../../src/workload/generate.ts";
import { smallLayerMachine } from "../../helpers/machines.ts";
import { rejection } from "../../helpers/rejection.ts";
import { full } from "../../helpers/tier.ts";

const dimms = 4;
const machine = smallLayerMachine(dimms);
const { unit } = machine.ndp;
const shape = {
  hidden: 1024,
  intermediate: 512,
  format: "fp16",
  activation: "silu",
} as const;
const layout = layoutFor(machine, shape, 1);
const bytes = weightBytes(layout);
const microsecond = 1e-6;

const cold = (id: number, home: number, tokens: number): LayerExpert => ({
  id,
  tokens,
  device: "NDP",
  weights: { home },
  compute: seconds(0),
});
const hosted = (
  id: number,
  device: "GPU" | "CPU",
  weights: LayerExpert["weights"],
  compute: number,
): LayerExpert => ({ id, tokens: 20, device, weights, compute: seconds(compute) });

const coldOnes = [cold(0, 0, 2), cold(1, 1, 1), cold(2, 1, 3), cold(3, 3, 1)];
const hostOnes = [
  hosted(4, "CPU", "striped", microsecond),
  hosted(5, "CPU", { home: 1 }, microsecond),
  hosted(6, "CPU", "striped", 400 * microsecond),
  hosted(7, "GPU", "striped", microsecond),
  hosted(8, "GPU", null, 30 * microsecond),
];
const move = nativeMove(
  {
    expert: { layout, base: 10 * regionBursts },
    from: "striped",
    to: { home: 1 },
    targetBase: 11 * regionBursts,
    links: 3,
  },
  dimms,
);

const run = async (
  experts: readonly LayerExpert[],
  moves: LayerWork["moves"] = [],
): Promise<NativeMoeResult> => runMoe(layerSpec(machine, { shape, experts, moves }));

/** Microseconds from begin to end of each span. */
function durations(spans: Float64Array | undefined): readonly number[] {
  return Array.from({ length: (spans?.length ?? 0) / 2 }, (_, i) => {
    return ((spans?.[2 * i + 1] ?? NaN) - (spans?.[2 * i] ?? NaN)) / 1e9;
  });
}

describe("a layer on the machine", () => {
  it("gives each host read what its wires allow, and no more", async () => {
    const { devices, pcie: links } = await run(hostOnes);
    const [striped = 0, localized = 0, computed = 0] = durations(devices[0]);
    const [fetched = 0, resident = 0] = durations(devices[1]);
    const floor = (rate: number): number => (bytes / rate) * 1e6;
    // Sixteen lanes of 5.0 after their line code; 20 bytes of each packet are not data.
    const pcie = floor(((64e9 * 128) / 130) * (256 / 276));
    // Four sub-channels of 19.2 GB/s here; PCIe reads share them for a while.
    expect(striped).toBeGreaterThan(floor(4 * 19.2e9));
    expect(localized).toBeGreaterThan(floor(2 * 19.2e9));
    expect(localized).toBeLessThan(floor(2 * 19.2e9) * 1.6);
    expect(computed).toBeGreaterThanOrEqual(400);
    expect(computed).toBeLessThan(410);
    expect(fetched).toBeGreaterThan(pcie);
    expect(resident).toBeCloseTo(30, 2);
    const [none, gpu] = rowsOf("Link", links);
    expect(none?.wireBytes).toBe(0);
    expect((gpu?.busy ?? 0) / 1e9).toBeCloseTo(pcie, 3);
    expect((gpu?.payloadBytes ?? 0) / bytes).toBe(1);
    expect((gpu?.wireBytes ?? 0) / bytes).toBeCloseTo(276 / 256, 9);
  });

  it("reads a striped expert alone at nearly the rate of all sub-channels", async () => {
    const { devices, host } = await run([hosted(4, "CPU", "striped", microsecond)]);
    const [time = 0] = durations(devices[0]);
    const floor = (bytes / (4 * 19.2e9)) * 1e6;
    expect(time).toBeGreaterThan(floor);
    expect(time).toBeLessThan(floor * 1.25);
    const ports = rowsOf("HostCounters", host);
    expect(ports.reduce((sum, { readBursts }) => sum + readBursts, 0) * 64).toBe(bytes);
  });

  it("slows what meets, and finishes it all", async () => {
    const alone = await run(coldOnes);
    const together = await run([...coldOnes, ...hostOnes], [move]);
    const ends = (result: NativeMoeResult): readonly number[] =>
      result.jobs.map((spans) => spans.at(-1) ?? 0);
    expect(together.jobs.map((spans) => spans.length)).toEqual([2, 4, 0, 2]);
    ends(together).forEach((end, d) => {
      expect(end).toBeGreaterThanOrEqual(ends(alone)[d] ?? 0);
    });
    expect(Math.max(...ends(together))).toBeGreaterThan(Math.max(...ends(alone)));
    expect(together.moves[1]).toBeGreaterThan(0);
    expect(together.devices.map((spans) => spans.length / 2)).toEqual([3, 2]);
  });

  it("copies a GPU's expert from its DIMM beside those of all DIMMs", async () => {
    const end = async (experts: readonly LayerExpert[]): Promise<number> =>
      Math.max(...(await run(experts)).devices.slice(1).flatMap((spans) => [...spans])) / 1e9;
    const localized = hosted(4, "GPU", { home: 1 }, microsecond);
    const striped = hosted(5, "GPU", "striped", microsecond);
    const [one, other] = [await end([localized]), await end([striped])];
    const both = await end([localized, striped]);
    expect(both).toBeGreaterThan(Math.max(one, other));
    // Two of four sub-channels have the whole of the one and half of the other to read.
    expect(both).toBeLessThan(one + other - 5);
    // Two of one kind follow each other.
    expect(await end([localized, { ...localized, id: 6 }])).toBeGreaterThan(1.95 * one);
  });

  it("has one GPU, which computes what it has and what it fetches one after the other", async () => {
    const experts = [hosted(0, "GPU", null, 90e-6), hosted(1, "GPU", "striped", 60e-6)];
    const { devices } = await runMoe(
      layerSpec(machine, { shape, experts, moves: [], prefetch: true }),
    );
    const [, resident, fetched] = devices.map((spans) => (spans.at(-1) ?? 0) / 1e9);
    expect(resident).toBeCloseTo(90, 2);
    expect(fetched).toBeGreaterThanOrEqual(150);
    expect(fetched).toBeLessThan(151);
  });

  it("takes the reads of the largest layers, whose weights are gigabytes, and refuses more", async () => {
    // A machine with one DIMM has no host; the machine reports this after all other checks.
    const spec = layerSpec(smallLayerMachine(1), { shape, experts: [], moves: [] });
    const run = (words: readonly number[]): Promise<unknown> => {
      const tasks = [{ compute: 0, chunks: Uint32Array.from(words) }];
      const devices = [{ name: "GPU", buffers: 8, tasks }];
      return runMoe({ ...spec, devices });
    };
    const rank = 1 << 28;
    await expect(run([0, 0, 0, 0, rank, 0, 0, 1, 0, rank])).rejects.toThrow(
      rejection("bad-input", "host"),
    );
    await expect(run([0, 0, 0, 0, rank, 0, 0, 1, 0, rank, 0, 0, 2, 0, 1])).rejects.toThrow(
      rejection("bad-input", /GPU: task 0: part 2 .* 536870912 /),
    );
  });

  it("begins no expert before the window ends, and moves with the window", async () => {
    const window = seconds(100e-6);
    const work = { shape, experts: [...coldOnes, ...hostOnes], moves: [move], window };
    const sent = { ...machine, ndp: { ...machine.ndp, host: hostPath } };
    const result = await runMoe(layerSpec(sent, work));
    const firsts = [...result.jobs, ...result.devices.slice(0, 2)].flatMap(
      (spans) => spans.at(0) ?? [],
    );
    expect(firsts.length).toBe(5);
    for (const first of firsts) expect(first / 1e15).toBeGreaterThanOrEqual(window);
    expect((result.moves[0] ?? NaN) / 1e15).toBeLessThan(1e-6);
    // Descriptors of a DIMM without a host have no sender that could wait.
    await expect(runMoe(layerSpec(machine, work))).rejects.toThrow(rejection("bad-input", "jobs"));
  });

  it("takes the same time again", async () => {
    const all = [...coldOnes, ...hostOnes];
    const [a, b] = await Promise.all([run(all, [move]), run(all, [move])]);
    expect({ ...a, wall: 0 }).toEqual({ ...b, wall: 0 });
  });

  describe("with its units as RTL", () => {
    const ids = [0, 2, 3];
    const weights = ids.map((id) => generateExpert({ seed: 7 + id, name: `cold ${id}`, ...shape }));
    const prepared = ids.map((id, i) => {
      const tokens = coldOnes.find((e) => e.id === id)?.tokens ?? 0;
      const inputs = generateInputs(7 + id, shape.format, tokens, shape.hidden);
      const weight = weights[i];
      if (weight === undefined) throw new RangeError("no weights");
      const task = { weights: weight, inputs, activation: shape.activation } as const;
      const block = unit.multipliersPerStream * unit.lanes;
      const golden = goldenExpert(weight, inputs, shape.activation, block);
      return { id, ...prepareExpert(machine.ndp, { ...task, arrangement: "interleaved" }), golden };
    });
    const work: LayerWork = {
      shape,
      experts: [...coldOnes, ...hostOnes],
      moves: [move],
      checked: prepared.map(({ id, job }) => ({ id, streams: job.streams })),
    };
    const all = Array.from({ length: dimms }, (_, d) => d);
    let onModels: NativeMoeResult | undefined;
    let plugin = "";
    beforeAll(async () => {
      onModels = { ...(await runMoe(layerSpec(machine, work))), wall: 0 };
      plugin = await buildNdpUnit(unit);
    });

    const alsoInFull: readonly [string, number[], number][] = [
      ["every DIMM is the RTL", all, 1],
      ["every DIMM is the RTL, on four threads", all, 4],
    ];
    it.each<readonly [string, number[], number]>([
      ["a DIMM with two experts, one behind the other, is the RTL", [1], 1],
      ["every DIMM is the RTL, on two threads", all, 2],
      ...(full ? alsoInFull : []),
    ])("stays what it is when %s", async (_, rtlDimms, threads) => {
      const rtl = { dimms: rtlDimms, plugin };
      const result = await runMoe(layerSpec(machine, { ...work, rtl, threads }));
      expect({ ...result, wall: 0 }).toEqual(onModels);
      prepared.forEach(({ layout: expertLayout, golden }, i) => {
        const outputs = result.outputs.slice(i * unit.streams, (i + 1) * unit.streams);
        expect(unpackOutputs(expertLayout, outputs)).toEqual(golden);
      });
    });
  });
});
