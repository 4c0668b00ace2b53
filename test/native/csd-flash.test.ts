// SPDX-License-Identifier: Apache-2.0
// Page reads of a device take exactly the times of the flash back end alone: the same requests,
// replayed there at the ticks at which the engine asked, end at the same femtosecond.

import { describe, expect, test } from "vitest";

import { defaultController } from "../../src/config/machine/controller.ts";
import type { StorageController } from "../../src/driver/csd/csd-machine.ts";
import { loadFlash, nativeDevice } from "../../src/flash/binding.ts";
import { runKv } from "../../src/flash/kv.ts";
import { numbersToHalves } from "../../src/golden/half.ts";
import { openCsdSession } from "../../src/native/csd/csd-session.ts";
import { seconds } from "../../src/units.ts";
import { fill, smallCsd, testHead } from "../helpers/csd.ts";

const femtosecondsPerNs = 1_000_000;

/** Pages are looked up and decoded in no time: what is left is the flash. */
const controller: StorageController = {
  ...defaultController,
  translation: { rate: Infinity, latency: seconds(0), table: "sram" },
  ecc: null,
};

describe.each(["cycle", "rtl"] as const)("%s devices", { timeout: 1_800_000 }, (engine) => {
  test.each(["data_first", "cmd_first"] as const)("dense reads, %s", async (arbitration) => {
    const { flash, ...rest } = smallCsd({ engine });
    const machine = { ...rest, controller, flash: { ...flash, arbitration } };
    const length = 160;
    const head = testHead(1, length);
    const session = await openCsdSession(machine);
    const sequence = fill(session, [head.cache]);
    const queries = numbersToHalves(head.query(length - 1));
    const run = await session.run([{ kind: "dense", sequence, head: 0, queries }], {
      keepPages: 1000,
    });
    session.close();
    expect(run.pages).toHaveLength(80);

    const binding = loadFlash();
    const { located } = runKv(
      binding,
      machine.flash,
      { blocks: machine.blocksPerPlane, pagesPerBlock: machine.pagesPerBlock },
      machine.unit.width,
      [
        { kind: "open", sequence: 0, heads: 1, dimsPerPage: 2 },
        { kind: "append", sequence: 0, tokens: length },
        ...run.pages.map(({ copy, index }) => ({
          kind: "locate" as const,
          sequence: 0,
          head: 0,
          copy,
          index,
        })),
      ],
    );
    const bytes = machine.flash.page_bytes;
    const tick = (time: number): number =>
      Math.ceil((time * machine.flash.ticks_per_ns) / femtosecondsPerNs);
    const times = binding.flashReplay({
      ...nativeDevice(machine.flash, arbitration),
      submit: Float64Array.from(run.pages, ({ asked }) => tick(asked)),
      batch: Uint32Array.from(run.pages.keys()),
      operation: new Uint8Array(run.pages.length),
      where: Uint32Array.from(
        located.flatMap((place) =>
          place === null
            ? []
            : [place.channel, place.die, place.plane, place.block, place.page, bytes],
        ),
      ),
    });
    const arrived = Array.from(times.done, (done) =>
      Math.ceil((done * femtosecondsPerNs) / machine.flash.ticks_per_ns),
    );
    expect(run.pages.map((page) => page.arrived)).toEqual(arrived);
  });
});
