// SPDX-License-Identifier: Apache-2.0
// The limits of timings and queues in the schema are those of the native model: it accepts both
// limits, and refuses values beyond them.

import { describe, expect, it } from "vitest";
import { paperMachine } from "../../src/machine/resolve/systems.ts";
import {
  minTiming,
  mostOfTiming,
  maxQueueEntries,
  timingNames,
} from "../../src/machine/dram/timing.ts";
import type { RankMemory } from "../../src/machine/types.ts";
import { openSession } from "../../src/native/session.ts";
import { cycles } from "../../src/base/units.ts";

/** Whether the native model accepts the paper's machine with this memory, without refresh. */
async function taken(change: (memory: RankMemory) => Partial<RankMemory>): Promise<boolean> {
  const machine = paperMachine("cycle");
  const memory: RankMemory = { ...machine.memory, refresh: "None", ...change(machine.memory) };
  try {
    const session = await openSession({ ...machine, memory });
    session.close();
    return true;
  } catch (error) {
    expect(String(error)).toMatch(/must (not )?be/);
    return false;
  }
}

describe("the native model", () => {
  it.each(timingNames)("has the schema's limits of %s", async (name) => {
    const at = (value: number): Promise<boolean> =>
      taken(({ timing }) => ({ timing: { ...timing, [name]: cycles(value) } }));
    expect(await at(mostOfTiming(name))).toBe(true);
    expect(await at(mostOfTiming(name) + 1)).toBe(false);
    expect(await at(minTiming - 1)).toBe(false);
  });

  it("has the schema's limit of queues", async () => {
    expect(await taken(() => ({ queueEntries: maxQueueEntries }))).toBe(true);
    expect(await taken(() => ({ queueEntries: maxQueueEntries + 1 }))).toBe(false);
    expect(await taken(() => ({ queueEntries: 0 }))).toBe(false);
  });

  it("counts Ramulator 2.0's spare entry of a queue", async () => {
    const semantics = "ramulator-2.0";
    expect(await taken(() => ({ semantics, queueEntries: maxQueueEntries - 1 }))).toBe(true);
    expect(await taken(() => ({ semantics, queueEntries: maxQueueEntries }))).toBe(false);
  });
});
