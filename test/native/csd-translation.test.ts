// SPDX-License-Identifier: Apache-2.0
// The address of a page is looked up before the page is read or programmed: the latency, the rate and
// the DRAM reads of these lookups.

import { describe, expect, test } from "vitest";

import type { CsdMachine, StorageController } from "../../src/machine/csd/csd-machine.ts";
import type { CsdRun } from "../../src/machine/csd/csd-types.ts";
import { numbersToHalves } from "../../src/golden/half.ts";
import { openCsdSession } from "../../src/native/csd/csd-session.ts";
import { femtoseconds, seconds } from "../../src/base/units.ts";
import { fill, prompt, smallCsd, testHead } from "../helpers/csd.ts";

type Translation = StorageController["translation"];
const free: Translation = { rate: Infinity, latency: seconds(0), table: "sram" };

function device(changes: Partial<Translation>): CsdMachine {
  const { controller } = smallCsd();
  return smallCsd({ controller: { ...controller, translation: { ...free, ...changes } } });
}

const [width, length, tokensPerPage, us] = [16, 64, 4, 1e9];

/** Dense attention of one head: 16 pages each of K and V, requested at the rate of the engine. */
async function read(changes: Partial<Translation>): Promise<CsdRun> {
  const session = await openCsdSession(device(changes));
  const head = testHead(1, length);
  const sequence = fill(session, [prompt(head, length)]);
  const queries = numbersToHalves(head.query(length - 1));
  const run = await session.run([{ kind: "dense", sequence, head: 0, queries }], {
    keepPages: 100,
  });
  session.close();
  expect(run.devices[0]?.outcome).toEqual({ kind: "completed" });
  expect(run.pages).toHaveLength((2 * length) / tokensPerPage);
  return run;
}

const firstArrival = ({ pages }: CsdRun): number => Math.min(...pages.map((p) => p.arrived));
const lastArrival = ({ pages }: CsdRun): number => Math.max(...pages.map((p) => p.arrived));
const asked = ({ pages }: CsdRun): number => Math.min(...pages.map((p) => p.asked));

describe("a lookup", () => {
  test("delays a read by its latency", async () => {
    const [none, some] = [await read({}), await read({ latency: seconds(5e-6) })];
    expect(firstArrival(some) - firstArrival(none)).toBe(5 * us);
  });

  test("no more of them a second than the rate", async () => {
    const rate = 1e5;
    const run = await read({ rate });
    expect(lastArrival(run) - asked(run)).toBeGreaterThan(((run.pages.length - 1) * 1e15) / rate);
    const atOnce = await read({});
    expect(lastArrival(atOnce) - asked(atOnce)).toBeLessThan(100 * us);
  });

  test("reads a line of a table in DRAM, and waits for it", async () => {
    const [sram, dram] = [await read({}), await read({ table: "dram" })];
    const bytes = (run: CsdRun): number => run.devices[0]?.dram.read ?? NaN;
    expect(bytes(dram) - bytes(sram)).toBe(64 * dram.pages.length);
    const latency = smallCsd().dram.latency * 1e15;
    expect(firstArrival(dram) - firstArrival(sram)).toBeGreaterThanOrEqual(latency);
    expect(firstArrival(dram) - firstArrival(sram)).toBeLessThan(latency + us);
  });

  test("precedes a program, and its table entry is written", async () => {
    const write = async (changes: Partial<Translation>): Promise<readonly number[]> => {
      const session = await openCsdSession(device(changes));
      const spec = { device: 0, heads: 1, dimsPerPage: 2, tail: "dram-tail" } as const;
      const sequence = session.createSequence(spec);
      const rows = new Uint16Array(tokensPerPage * width);
      const run = await session.writePrompts([
        { sequence, head: 0, ready: femtoseconds(0), keys: rows, values: rows },
      ]);
      session.close();
      const [on] = run.devices;
      return [run.prompts[0]?.written ?? NaN, on?.dram.read ?? NaN, on?.dram.written ?? NaN];
    };
    const [none, late, table] = [
      await write({}),
      await write({ latency: seconds(7e-6) }),
      await write({ table: "dram" }),
    ];
    expect((late[0] ?? 0) - (none[0] ?? 0)).toBeGreaterThan(6.9 * us);
    expect((late[0] ?? 0) - (none[0] ?? 0)).toBeLessThan(7.1 * us);
    // A page of K and one of V.
    expect((table[1] ?? 0) - (none[1] ?? 0)).toBe(2 * 64);
    expect((table[2] ?? 0) - (none[2] ?? 0)).toBe(2 * 64);
  });
});
