// SPDX-License-Identifier: Apache-2.0
// Guards of the flash know pins and data sheets and nothing of the model: a model that is faster ends
// in a fault, and in none but that of the guard that watches it.

import { describe, expect, test } from "vitest";

import type { CsdMachine } from "../../src/machine/csd/csd-machine.ts";
import type { CsdRun } from "../../src/machine/csd/csd-types.ts";
import { numbersToHalves } from "../../src/golden/half.ts";
import { openCsdSession } from "../../src/native/csd/csd-session.ts";
import { appendJob, fill, prompt, smallCsd, testHead } from "../helpers/csd.ts";

const heads = [testHead(1, 200), testHead(2, 200), testHead(3, 200)];
const from = 29;

/** Sequences grow on a device that is nearly full: reads, programs, moves and erases. */
async function grow(changes: Partial<CsdMachine["flash"]>, attend = true): Promise<CsdRun> {
  const machine = smallCsd({ blocksPerPlane: 32, pagesPerBlock: 4 });
  const flash = { ...machine.flash, planes_per_die: 2, ...changes };
  const session = await openCsdSession({ ...machine, flash });
  const all = Array.from({ length: 8 }, () =>
    fill(
      session,
      heads.map((head) => prompt(head, from)),
      { tail: "padded" },
    ),
  );
  let run: CsdRun | undefined;
  for (let token = from; token < 36; token += 1) {
    run = await session.run(
      all.flatMap((sequence) =>
        heads.flatMap((head, h) => [
          appendJob(sequence, h, head, token),
          ...(attend
            ? [
                {
                  ...({ kind: "dense", sequence, head: h } as const),
                  queries: numbersToHalves(head.query(token)),
                },
              ]
            : []),
        ]),
      ),
    );
    if (run.devices[0]?.outcome.kind !== "completed") break;
  }
  session.close();
  if (run === undefined) throw new Error("no run");
  return run;
}

describe("guards of flash", () => {
  test("let the parts pass as they were published", async () => {
    const run = await grow({});
    expect(run.devices[0]?.outcome).toEqual({ kind: "completed" });
    expect(run.devices[0]?.writes.pagesMoved).toBeGreaterThan(50);
  });

  test.each([
    ["a bus of 2.8 GB/s", { bus_ticks_per_2_bytes: 5 }, true, /^flash channel \d+$/],
    [
      "a bus of 2.8 GB/s that none but programs and the cleaner use",
      { bus_ticks_per_2_bytes: 5, t_cmd_program_ns: { "1": 0, "2": 0 } },
      false,
      /^flash channel \d+$/,
    ],
    ["a die that senses in 1 us", { tR_ns: 1000 }, true, /^flash$/],
    ["a die that senses for the cleaner in 1 us", { tR_ns: 1000 }, false, /^flash$/],
    ["programs of 70 us", { tPROG_ns: 70_000 }, true, /^flash, programs$/],
    ["erases of half a millisecond", { tBERS_ns: 500_000 }, true, /^flash, erases$/],
  ])("stop %s", async (_, changes, attend, place) => {
    const outcome = (await grow(changes, attend)).devices[0]?.outcome;
    expect(outcome?.kind).toBe("guard-failed");
    expect(outcome?.kind === "guard-failed" ? outcome.place : "").toMatch(place);
  });
});
