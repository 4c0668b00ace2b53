// SPDX-License-Identifier: Apache-2.0
// The closed form of a storage device compared with its simulation: overheads and error.

import { describe, expect, it } from "vitest";

import { bareHostLink } from "../../../src/machine/resolve/host-link.ts";
import { csdMachine, sparfUnit } from "../../../src/machine/resolve/csd.ts";
import { defaultController } from "../../../src/machine/resolve/controller.ts";
import type { CsdMachine } from "../../../src/machine/csd/csd-machine.ts";
import { timeWithOverheads } from "../../../src/kernels/csd/flash-overheads.ts";
import { denseChains, runHeads } from "../../../src/kernels/csd/flash-heads.ts";
import { loadFlash } from "../../../src/native/flash-binding.ts";
import { flashPresets } from "../../../src/machine/flash/presets.ts";
import { numbersToHalves } from "../../../src/golden/half.ts";
import { openCsdSession } from "../../../src/native/csd/csd-session.ts";
import { bytesPerSecond, seconds } from "../../../src/base/units.ts";
import { generateHta1 } from "../../../src/workload/hta1.ts";

const [count, length, width] = [8, 1024, 128];
const flash = flashPresets.znand4k;
const unit = sparfUnit(width, flash.channels, 16);
const machine = csdMachine({ engine: "cycle", devices: 1, unit, flash });
const layout = { length, width, m: 2, n: 16, pageBytes: 4096 };
const chains = denseChains(flash, layout, count);
const time = (on: CsdMachine, inFlight: number): number =>
  timeWithOverheads(loadFlash(), on, chains, inFlight);
const without = (changes: Partial<CsdMachine["controller"]>): CsdMachine => ({
  ...machine,
  controller: { ...defaultController, ...changes },
});
const free = { rate: 1e12, latency: seconds(0), table: "sram" } as const;
/** Without parity, lookups, decoding, packets and commands. */
const bare = { ...without({ ecc: null, translation: free }), link: bareHostLink };

describe("the closed form of a storage device", () => {
  it("is the flash alone where nothing is charged", () => {
    const noLink = {
      ...bare,
      link: {
        ...bareHostLink,
        wires: { ...bareHostLink.wires, latency: seconds(0), rate: bytesPerSecond(1e15) },
      },
    };
    for (const inFlight of [1, 8]) {
      const alone = runHeads(loadFlash(), flash, flash.arbitration, chains, inFlight).microseconds;
      expect(time(noLink, inFlight) * 1e6).toBeCloseTo(alone, 3);
    }
  });

  it("adds the time of parity by its bytes, of lookups and decoding once per head, and of commands twice", () => {
    const noCode = without({ ecc: null });
    // Each codeword has 70 bytes of parity for 1,024 bytes of data.
    expect(time(machine, 8) / time(noCode, 8)).toBeGreaterThan(1.05);
    expect(time(machine, 8) / time(noCode, 8)).toBeLessThan(1.09);
    const each = (on: CsdMachine): number => (time(machine, 1) - time(on, 1)) / count;
    expect(each(without({ translation: free })) * 1e6).toBeCloseTo(1 + 0.1 + 64 / 19.2e3, 2);
    const link = {
      ...machine.link,
      wires: { ...machine.link.wires, latency: seconds(0) },
    };
    expect(each({ ...machine, link }) * 1e6).toBeCloseTo(6 * 0.27, 3);
  });

  it("is bound by lookups where these are slow", () => {
    const slow = without({ translation: { ...free, rate: 1e5 } });
    const pages = count * 2 * (length / 16);
    expect(time(slow, 8)).toBeGreaterThan(pages / 1e5);
  });

  // The form omits the time of the engine, with overheads and without: 2 % of that of many heads in
  // flight, 32 % of that of one, for which the engine works while nothing is read.
  it.each([
    [8, 0.03],
    [1, 0.32],
  ])(
    "charges what the simulation does to one part in a hundred, with %i in flight",
    async (inFlight, engine) => {
      const [charged, free] = [await error(machine, inFlight), await error(bare, inFlight)];
      expect(Math.abs(charged - free)).toBeLessThan(0.01);
      for (const found of [charged, free]) {
        expect(found).toBeLessThan(0);
        expect(found).toBeGreaterThan(-engine);
      }
    },
  );

  /** Of the closed form, as a share of the simulated time. */
  async function error(on: CsdMachine, inFlight: number): Promise<number> {
    const session = await openCsdSession(on);
    const sequence = session.createSequence({
      device: 0,
      heads: count,
      dimsPerPage: 2,
      tail: "padded",
    });
    const jobs = Array.from({ length: count }, (_, head) => {
      const { queries, keys, values } = generateHta1(500 + head, length, width);
      const [k, v] = [numbersToHalves(keys), numbersToHalves(values)];
      session.prefill(sequence, head, session.pagesOf(sequence, head, k, v));
      const row = numbersToHalves(queries.slice(-width));
      return { kind: "dense", sequence, head, queries: row } as const;
    });
    const run = await session.run(jobs, { inFlight });
    session.close();
    return time(on, inFlight) / ((run.devices[0]?.time ?? 0) * 1e-15) - 1;
  }
});
