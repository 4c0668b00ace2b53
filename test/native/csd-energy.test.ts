// SPDX-License-Identifier: Apache-2.0
// The energy of a storage device has the lines of its DRAM that lookups and embedding-order pages read, and
// the packets of PCIe: runs on controllers that differ in one of them.

import { expect, test } from "vitest";

import { defaultController } from "../../src/machine/resolve/controller.ts";
import { bareHostLink } from "../../src/machine/resolve/host-link.ts";
import type { CsdMachine } from "../../src/machine/csd/csd-machine.ts";
import type { CsdJob } from "../../src/machine/csd/csd-jobs.ts";
import type { CsdRun } from "../../src/machine/csd/csd-types.ts";
import { numbersToHalves } from "../../src/golden/half.ts";
import { openCsdSession } from "../../src/native/csd/csd-session.ts";
import { attentionEnergy } from "../../src/results/energy/energy.ts";
import type { AttentionCase } from "../../src/results/types.ts";
import { appendJob, fill, prompt, smallCsd, testHead } from "../helpers/csd.ts";

const length = 160;
const head = testHead(1, length);
/** Tokens that are appended, and fill pages. */
const from = 100;
const operations = ["product", "exponential", "filter"].map((id) => ({
  id,
  counts: "",
  joules: 1e-12,
  settledJoules: 0,
}));

interface Found {
  readonly run: CsdRun;
  /** Joules of the device's whole work, by part. */
  readonly parts: ReadonlyMap<string, number>;
}

async function attend(changes: Partial<CsdMachine>): Promise<Found> {
  const machine = smallCsd(changes);
  const session = await openCsdSession(machine);
  const sequence = fill(session, [prompt(head, from)], { tail: "padded" });
  const appends = Array.from({ length: length - 1 - from }, (_, i) =>
    appendJob(sequence, 0, head, from + i),
  );
  const queries = numbersToHalves(head.query(length - 2));
  const dense: CsdJob = { kind: "dense", sequence, head: 0, queries };
  const run = await session.run([...appends, dense]);
  session.close();
  const steps = [{ length, jobs: [appends.length], run }];
  const one = { id: "a", title: "a", machine, steps } as unknown as AttentionCase;
  const energy = attentionEnergy(one, { volts: 0.7, clockJoules: 1e-15, operations }, null);
  return { run, parts: new Map(energy?.parts.map(({ part, joules }) => [part, joules])) };
}

const dramBit = 1300e-12 / 64;
const lineBits = 8 * 64;

test("a table in DRAM costs a line of it for each page that is read or programmed, and one for each change", async () => {
  const { translation } = defaultController;
  const inTable = async (table: "dram" | "sram"): Promise<Found> =>
    attend({ controller: { ...defaultController, translation: { ...translation, table } } });
  const [dram, sram] = [await inTable("dram"), await inTable("sram")];
  const [device] = dram.run.devices;
  const programs = device?.pagesProgrammed ?? 0;
  const lines = (device?.pagesRead ?? 0) + 2 * programs;
  expect(programs).toBeGreaterThan(0);
  const more = (dram.parts.get("controller DRAM") ?? 0) - (sram.parts.get("controller DRAM") ?? 0);
  expect(more / (lines * lineBits * dramBit)).toBeCloseTo(1, 9);
});

test("embedding-order pages cost a buffer, or more lines of DRAM", async () => {
  const buffered = await attend({});
  const without = await attend({
    controller: { ...defaultController, transposition: { buffer: null } },
  });
  expect(buffered.parts.get("transposition buffer")).toBeGreaterThan(0);
  expect(without.parts.has("transposition buffer")).toBe(false);
  const read = ({ run }: Found): number => run.devices[0]?.dram.read ?? 0;
  const more = 8 * (read(without) - read(buffered));
  expect(more).toBeGreaterThan(0);
  const joules = (found: Found): number => found.parts.get("controller DRAM") ?? 0;
  expect((joules(without) - joules(buffered)) / (more * dramBit)).toBeCloseTo(1, 9);
});

test("headers and commands on PCIe cost as much a bit as rows", async () => {
  const [packets, bare] = [await attend({}), await attend({ link: bareHostLink })];
  const bytes = ({ run }: Found): number => {
    const { in: toDevice = 0, out = 0 } = run.devices[0]?.linkWires ?? {};
    return toDevice + out;
  };
  expect(bytes(packets)).toBeGreaterThan(2 * bytes(bare));
  for (const found of [packets, bare]) {
    expect((found.parts.get("link") ?? 0) / (8 * bytes(found) * 5e-12)).toBeCloseTo(1, 9);
  }
});

test("a run does not pay for the cleaning that filling its heads in took", async () => {
  const machine = smallCsd({ blocksPerPlane: 6, pagesPerBlock: 8 });
  const session = await openCsdSession(machine);
  const erases: number[] = [];
  const joules: number[] = [];
  for (let turn = 0; turn < 12; turn += 1) {
    const sequence = fill(session, [prompt(head, from)], { tail: "padded" });
    const queries = numbersToHalves(head.query(length - 2));
    const run = await session.run([{ kind: "dense", sequence, head: 0, queries }]);
    session.closeSequence(sequence);
    const steps = [{ length: from, jobs: [0], run }];
    const one = { id: "a", title: "a", machine, steps } as unknown as AttentionCase;
    const energy = attentionEnergy(one, { volts: 0.7, clockJoules: 1e-15, operations }, null);
    erases.push(run.devices[0]?.writes.erases ?? 0);
    joules.push(energy?.joules ?? NaN);
  }
  session.close();
  expect(erases.at(-1)).toBeGreaterThan(0);
  for (const each of joules) expect(each).toBeCloseTo(joules[0] ?? NaN, 15);
});
