// SPDX-License-Identifier: Apache-2.0
// Devices with more channels than a bank of the rings has slots for: RTL and cycle model act in the same
// cycles, for each slot alone in its round and for two slots, in a queue that is seldom empty (narrow
// pages) and on heads of any length.

import { expect, test } from "vitest";

import { sparfUnit } from "../../src/machine/resolve/csd.ts";
import type { CsdMachine } from "../../src/machine/csd/csd-machine.ts";
import type { CsdJob } from "../../src/machine/csd/csd-jobs.ts";
import type { CsdRun } from "../../src/machine/csd/csd-types.ts";
import { engineAttention } from "../../src/golden/attention-engine.ts";
import { numbersToHalves } from "../../src/golden/half.ts";
import { openCsdSession } from "../../src/native/csd/csd-session.ts";
import { buildSparfUnit } from "../../src/native/csd/csd-unit.ts";
import { fill, edgeTraffic, prompt, observableRun, smallCsd, testHead } from "../helpers/csd.ts";

const parameters = { r: 4, k: 10, l: 3 };
const lengths = [3, 16, 40, 77, 128, 200, 199, 56];

function machineOf(channels: number, pageBytes: number): Partial<CsdMachine> {
  const small = smallCsd();
  const flash = { ...small.flash, channels, page_bytes: pageBytes };
  const { maxPageRows } = sparfUnit(small.unit.width, channels, pageBytes / 32);
  return { flash, unit: { ...small.unit, channels, maxPageRows } };
}

test.each([
  ["an odd number of", 9, 128],
  ["sixteen", 16, 512],
] as const)(
  "heads on %s channels",
  async (_, channels, pageBytes) => {
    const machine = machineOf(channels, pageBytes);
    await buildSparfUnit(machine.unit ?? smallCsd().unit);
    const heads = lengths.map((length, i) => ({ length, head: testHead(i + 1, 200) }));
    const run = async (engine: CsdMachine["engine"]): Promise<CsdRun> => {
      const session = await openCsdSession(smallCsd({ ...machine, engine }));
      const sequence = fill(
        session,
        heads.map(({ head, length }) => prompt(head, length)),
      );
      const jobs = heads.flatMap(({ head, length }, i): CsdJob[] => {
        const job = { sequence, head: i, queries: numbersToHalves(head.query(length - 1)) };
        return [
          { ...job, kind: "sparse", ...parameters, mean: true },
          { ...job, kind: "dense" },
        ];
      });
      const done = await session.run(jobs, { keepPages: 100_000 });
      session.close();
      expect(done.devices[0]?.outcome).toEqual({ kind: "completed" });
      return done;
    };
    const rtl = await run("rtl");
    heads.forEach(({ head, length }, i) => {
      const golden = engineAttention(head.query(length - 1), prompt(head, length), parameters);
      expect(rtl.jobs[2 * i]?.outputs).toEqual(numbersToHalves(golden.out));
    });
    const cycle = await run("cycle");
    expect(observableRun(cycle)).toEqual(observableRun(rtl));
    expect(edgeTraffic(cycle)).toEqual(edgeTraffic(rtl));
  },
  1_800_000,
);
