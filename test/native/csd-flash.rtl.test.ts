// SPDX-License-Identifier: Apache-2.0
// Page reads of a device take exactly the times of the flash back end alone: the same requests,
// replayed there at the ticks at which the engine asked, end at the same femtosecond.

import { describe, expect, test } from "vitest";

import { defaultController } from "../../src/machine/resolve/controller.ts";
import type {
  CsdMachine,
  NandFeatures,
  StorageController,
} from "../../src/machine/csd/csd-machine.ts";
import type { PageRecord } from "../../src/machine/csd/csd-jobs.ts";
import { loadFlash, nativeDevice } from "../../src/native/flash-binding.ts";
import type { PagePlace } from "../../src/kernels/flash/chains.ts";
import type { FlashDevice } from "../../src/machine/flash/device.ts";
import { runKv } from "../../src/kernels/flash/kv.ts";
import { numbersToHalves } from "../../src/golden/half.ts";
import { openCsdSession } from "../../src/native/csd/csd-session.ts";
import { seconds } from "../../src/base/units.ts";
import { flashRun } from "../kernels/flash/channel-model.ts";
import type { FlashRequest } from "../kernels/flash/flash-work.ts";
import { fill, smallCsd, testHead } from "../helpers/csd.ts";

const femtosecondsPerNs = 1_000_000;

/** Translation and decoding need no time, so the flash determines the times. */
const controller: StorageController = {
  ...defaultController,
  translation: { rate: Infinity, latency: seconds(0), table: "sram" },
  ecc: null,
};

/** With a time of commands for each number of planes. */
function commandsOf(flash: FlashDevice, planes: number): Partial<FlashDevice> {
  const each = (first = 0): Readonly<Record<string, number>> =>
    Object.fromEntries(Array.from({ length: planes }, (_, i) => [String(i + 1), first + 40 * i]));
  return {
    t_cmd_read_ns: each(flash.t_cmd_read_ns["1"]),
    t_cmd_program_ns: each(flash.t_cmd_program_ns["1"]),
    t_cmd_erase_ns: each(flash.t_cmd_erase_ns?.["1"]),
  };
}

const ticks = ({ flash }: CsdMachine, time: number): number =>
  Math.round(time * 1e9) * flash.ticks_per_ns;

/** The same device in ticks, the unit of the reference model. */
function inTicks(flash: FlashDevice): FlashDevice {
  const times = <Times extends Readonly<Record<string, number>>>(of: Times): Times =>
    Object.fromEntries(Object.entries(of).map(([k, v]) => [k, v * flash.ticks_per_ns])) as Times;
  return {
    ...flash,
    ...times({ tR_ns: flash.tR_ns, t_rb_ns: flash.t_rb_ns, tPROG_ns: flash.tPROG_ns }),
    t_cmd_read_ns: times(flash.t_cmd_read_ns),
    t_cmd_program_ns: times(flash.t_cmd_program_ns),
  };
}

/**
 * The pages that the machine reads for dense attention of one head, and the places of these reads.
 */
async function denseReads(machine: CsdMachine): Promise<{
  readonly pages: readonly PageRecord[];
  readonly places: readonly PagePlace[];
}> {
  const length = 160;
  const head = testHead(1, length);
  const session = await openCsdSession(machine);
  const sequence = fill(session, [head.cache]);
  const queries = numbersToHalves(head.query(length - 1));
  const { pages } = await session.run([{ kind: "dense", sequence, head: 0, queries }], {
    keepPages: 1000,
  });
  session.close();
  expect(pages).toHaveLength(80);
  const { located } = runKv(
    loadFlash(),
    machine.flash,
    { blocks: machine.blocksPerPlane, pagesPerBlock: machine.pagesPerBlock },
    machine.unit.width,
    [
      { kind: "open", sequence: 0, heads: 1, dimsPerPage: 2 },
      { kind: "append", sequence: 0, tokens: length },
      ...pages.map(({ copy, index }) => {
        return { kind: "locate", sequence: 0, head: 0, copy, index } as const;
      }),
    ],
  );
  return { pages, places: located.filter((place) => place !== null) };
}

const asked = ({ flash }: CsdMachine, pages: readonly PageRecord[]): readonly number[] =>
  pages.map((page) => Math.ceil((page.asked * flash.ticks_per_ns) / femtosecondsPerNs));
const arrived = ({ flash }: CsdMachine, done: readonly number[]): readonly number[] =>
  done.map((tick) => Math.ceil((tick * femtosecondsPerNs) / flash.ticks_per_ns));

describe.each(["cycle", "rtl"] as const)("%s devices", { timeout: 1_800_000 }, (engine) => {
  test.each(["data_first", "cmd_first"] as const)("dense reads, %s", async (arbitration) => {
    const { flash, ...rest } = smallCsd({ engine });
    const machine = { ...rest, controller, flash: { ...flash, arbitration } };
    const { pages, places } = await denseReads(machine);
    const times = loadFlash().flashReplay({
      ...nativeDevice(machine.flash, arbitration),
      submit: Float64Array.from(asked(machine, pages)),
      batch: Uint32Array.from(pages.keys()),
      operation: new Uint8Array(pages.length),
      where: Uint32Array.from(
        places.flatMap(({ channel, die, plane, block, page }) => {
          return [channel, die, plane, block, page, machine.flash.page_bytes];
        }),
      ),
    });
    expect(pages.map((page) => page.arrived)).toEqual(arrived(machine, [...times.done]));
  });
});

describe.each(["data_first", "cmd_first"] as const)("newer flash, %s", (arbitration) => {
  const cacheRead = { cacheRead: true, cacheTransfer: seconds(2e-6) };
  const types = { senseByPageType: [3e-6, 9e-6, 5e-6].map(seconds) };
  test.each<[string, Partial<NandFeatures>, number]>([
    ["nothing new", {}, 2],
    ["cache reads", cacheRead, 1],
    ["cache reads of two planes at once", cacheRead, 2],
    ["planes that read by themselves", { independentPlanes: "reads" }, 2],
    ["planes by themselves", { independentPlanes: "all" }, 2],
    ["types of pages", types, 1],
    ["all of it", { ...cacheRead, ...types, independentPlanes: "reads" }, 2],
  ])("reads with %s take the times of its rules", async (_, nand, planes) => {
    for (const bus of [10, 200]) {
      const { flash, nand: usual, ...rest } = smallCsd();
      const shape = { name: "", planes_per_die: planes, bus_ticks_per_2_bytes: bus };
      const machine = {
        ...rest,
        controller,
        nand: { ...usual, ...nand },
        flash: { ...flash, ...shape, ...commandsOf(flash, planes), arbitration },
      };
      const { pages, places } = await denseReads(machine);
      const submits = asked(machine, pages);
      const requests = places.map((place, i): FlashRequest => ({
        ...place,
        op: "R",
        submit: submits[i] ?? NaN,
        batch: i,
        bytes: machine.flash.page_bytes,
      }));
      const { times } = flashRun(inTicks(machine.flash), arbitration, requests, {
        ...(nand.cacheRead === true && { cacheRead: { transfer: ticks(machine, 2e-6) } }),
        ...((nand.independentPlanes === "reads" || nand.independentPlanes === "all") && {
          independentPlanes: nand.independentPlanes,
        }),
        ...(nand.senseByPageType !== undefined && {
          senseByPageType: nand.senseByPageType.map((time) => ticks(machine, time)),
        }),
      });
      const wanted = times.map(({ done }) => done);
      expect(pages.map((page) => page.arrived)).toEqual(arrived(machine, wanted));
    }
  });
});
