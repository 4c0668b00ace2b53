// SPDX-License-Identifier: Apache-2.0
// The guards round DDR5, DIMM-Link and PCIe of a machine of DIMMs. Each limit is that of a data sheet,
// independent of the models. For each limit, a fault is injected into the parameters of the models, and
// only its guard finds it.

import { describe, expect, it } from "vitest";
import { paperMachine } from "../../src/machine/resolve/systems.ts";
import { prepareExpert } from "../../src/kernels/ndp/cold-expert.ts";
import {
  layerSpec,
  layoutFor,
  type LayerExpert,
  type LayerMachine,
} from "../../src/kernels/moe/moe-layer.ts";
import { nativeMove } from "../../src/kernels/moe/relayout.ts";
import type { RunOutcome } from "../../src/machine/types.ts";
import type { Native } from "../../src/native/layout.ts";
import { openSession } from "../../src/native/session.ts";
import { runMoe, type NativeMoeSpec } from "../../src/native/ndp/moe-binding.ts";
import { cycles, seconds } from "../../src/base/units.ts";
import { generateExpert, generateInputs } from "../../src/workload/generate.ts";
import { smallLayerMachine, smallUnit } from "../helpers/machines.ts";
import { rejection } from "../helpers/rejection.ts";

const shape = { hidden: 300, intermediate: 260, format: "fp16", activation: "silu" } as const;
const honest = smallLayerMachine(2);

const timed = (name: string, value: number): LayerMachine => {
  const { memory } = honest.ndp;
  if ("ideal" in memory) throw new TypeError("no DDR5");
  const timing = { ...memory.timing, [name]: cycles(value) };
  return { ...honest, ndp: { ...honest.ndp, memory: { ...memory, timing } } };
};

const expert = (device: LayerExpert["device"]): LayerExpert => ({
  id: 0,
  tokens: 1,
  device,
  compute: seconds(0),
  weights: { home: 0 },
});

const reading = (device: LayerExpert["device"], machine = honest): NativeMoeSpec =>
  layerSpec(machine, { shape, experts: [expert(device)], moves: [] });

/** An expert that moves from one DIMM to the other. */
const moving: NativeMoeSpec = layerSpec(honest, {
  shape,
  experts: [],
  moves: [
    nativeMove(
      {
        expert: { layout: layoutFor(honest, shape, 1), base: 0 },
        from: { home: 0 },
        to: { home: 1 },
        targetBase: 1 << 18,
        links: 1,
      },
      2,
    ),
  ],
});
const withNetwork = (planted: Partial<NativeMoeSpec["network"]>): NativeMoeSpec => ({
  ...moving,
  network: { ...moving.network, ...planted },
});

describe("guards of a machine of DIMMs", () => {
  it("report nothing without an injected fault", async () => {
    for (const spec of [reading("CPU"), reading("GPU"), reading("NDP"), moving]) {
      expect((await runMoe(spec)).fault).toBe("none");
    }
  });

  it.each([
    // Bursts of half their time on the pins: of the host's sub-channel, where NDP has no work.
    [reading("CPU", timed("nBL", 4)), /^host sub-channel \d: 64 bytes .* fs /],
    [
      { ...reading("GPU"), devices: reading("GPU").devices.map(fasterPcie) },
      /^host GPU PCIe: \d+ bytes .* fs .* 16 pins/,
    ],
    [withNetwork({ laneRate: 25.1e9 }), /^link 0 to 1: \d+ bytes .* fs /],
  ])("of buses tell what is faster than its pins", async (spec, guard) => {
    await expect(runMoe(spec)).rejects.toThrow(rejection("check-failed", guard));
  });

  it("of links know how long the way is", async () => {
    const wires = { ...moving.network.wires, flight: 1e6 };
    expect((await runMoe(withNetwork({ wires }))).fault).toBe("none");
    await expect(runMoe(withNetwork({ wires, latency: 1 }))).rejects.toThrow(
      rejection("check-failed", /^link 0 to 1 latency: .*\d+ fs .* 1000000 fs/),
    );
  });

  it("of DDR5 reads know how soon a device answers", async () => {
    const { memory, ...rest } = paperMachine("cycle");
    const machine = { ...rest, unit: smallUnit };
    const task = {
      weights: generateExpert({ seed: 5, name: "e", format: "fp16", hidden: 64, intermediate: 64 }),
      inputs: generateInputs(6, "fp16", 1, 64),
      ...({ activation: "silu", arrangement: "interleaved" } as const),
    };
    const planted = async (nCL: number): Promise<RunOutcome> => {
      const timing = { ...memory.timing, nCL: cycles(nCL), nCWL: cycles(nCL - 2) };
      const own = { ...machine, memory: { ...memory, timing } };
      const session = await openSession(own);
      const { outcome } = await session.run(prepareExpert(own, task).job);
      session.close();
      return outcome;
    };
    // 14 ns are 33.6 cycles.
    expect(await planted(33)).toEqual({ kind: "completed" });
    expect(await planted(24)).toMatchObject({
      kind: "guard-failed",
      place: expect.stringMatching(/^sub-channel \d read latency$/) as unknown,
    });
  });
});

/** Lanes of 32 GT/s that spend none of it on their line code. */
function fasterPcie(device: Native<"HostDevice">): Native<"HostDevice"> {
  const { pcie } = device;
  return pcie === undefined ? device : { ...device, pcie: { ...pcie, laneRate: 32e9 } };
}
