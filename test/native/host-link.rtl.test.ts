// SPDX-License-Identifier: Apache-2.0
// The link of a storage device to its host against closed forms of PCIe and NVMe, and an injected
// fault for each of its guards.

import { describe, expect, test } from "vitest";

import { bareHostLink, defaultHostLink } from "../../src/machine/resolve/host-link.ts";
import { dataRateOf } from "../../src/machine/resolve/links.ts";
import type { CsdMachine, HostLink, PacketLink } from "../../src/machine/csd/csd-machine.ts";
import type { CsdJob } from "../../src/machine/csd/csd-jobs.ts";
import type { CsdRun, PromptRun } from "../../src/machine/csd/csd-types.ts";
import { numbersToHalves } from "../../src/golden/half.ts";
import { openCsdSession } from "../../src/native/csd/csd-session.ts";
import { bytes, bytesPerSecond, femtoseconds, seconds } from "../../src/base/units.ts";
import { appendJob, fill, prompt, observableRun, smallCsd, testHead } from "../helpers/csd.ts";

const head = testHead(1, 480);
const rowBytes = 2 * 16;
/** From an edge of the engine's clock to the next, and of the link's. */
const edges = 1e15 / 285e6 + 1e15 / 1.9e9;

const changed = (wires: Partial<PacketLink>, link: Partial<HostLink> = {}): HostLink => ({
  ...defaultHostLink,
  ...link,
  wires: { ...defaultHostLink.wires, ...wires },
});

/** A dense job and an append after it. */
async function attend(link: HostLink, changes: Partial<CsdMachine> = {}): Promise<CsdRun> {
  const session = await openCsdSession(smallCsd({ link, ...changes }));
  const sequence = fill(session, [prompt(head, 60)]);
  const queries = numbersToHalves(head.query(60));
  const jobs: readonly CsdJob[] = [
    { kind: "dense", sequence, head: 0, queries },
    appendJob(sequence, 0, head, 60),
  ];
  const run = await session.run(jobs);
  session.close();
  return run;
}

/** One prompt of 480 tokens, 30 KB, twice as much with `times`. */
async function write(link: HostLink, times = 1): Promise<PromptRun> {
  const session = await openCsdSession(smallCsd({ link }));
  const keys = numbersToHalves(head.cache.keys);
  const values = numbersToHalves(head.cache.values);
  const run = await session.writePrompts(
    Array.from({ length: times }, () => ({
      sequence: session.createSequence({ device: 0, heads: 1, dimsPerPage: 2, tail: "padded" }),
      head: 0,
      ready: femtoseconds(0),
      keys,
      values,
    })),
  );
  session.close();
  return run;
}

const promptBytes = 2 * 480 * rowBytes;
const wireTime = (link: HostLink, count: number): number => (count / link.wires.rate) * 1e15;

describe("a command of NVMe", () => {
  const link = defaultHostLink;
  const hop = link.wires.latency * 1e15;

  test("takes a doorbell, an entry that is read, rows that are read, and an entry of its end", async () => {
    const { jobs, devices } = await attend(link);
    const [dense] = jobs;
    expect(devices[0]?.outcome).toEqual({ kind: "completed" });
    // Headers have 24 bytes, in answers 20; the engine accepts the descriptor one cycle later.
    const before = 4 + 24 + 24 + (64 + 20) + 24 + (rowBytes + 20);
    const least = 5 * hop + wireTime(link, before);
    expect(dense?.taken).toBeGreaterThan(least);
    expect(dense?.taken).toBeLessThan(least + 14 * edges);
    const after = (dense?.received ?? 0) - (dense?.done ?? 0);
    // A line of DRAM has the outputs.
    const back = smallCsd().dram.latency * 1e15 + hop + wireTime(link, rowBytes + 24 + 16 + 24);
    expect(after).toBeGreaterThan(back);
    expect(after).toBeLessThan(back + 4 * edges);
  });

  test("has on the wires what its parts have", async () => {
    const { devices } = await attend(link);
    expect(devices[0]?.link).toEqual({ in: 3 * rowBytes, out: rowBytes });
    // Two commands; each completion is acknowledged by a doorbell of four bytes.
    const toDevice = 2 * (2 * 28 + 84) + (rowBytes + 20) + (2 * rowBytes + 20);
    const toHost = 2 * (2 * 24 + 16 + 24) + rowBytes + 24;
    expect(devices[0]?.linkWires).toEqual({ in: toDevice, out: toHost });
  });

  test("is not there where the link has none", async () => {
    const { devices, jobs } = await attend(bareHostLink);
    expect(devices[0]?.linkWires).toEqual({ in: 3 * rowBytes, out: rowBytes });
    expect(jobs[0]?.taken).toBeGreaterThan(1e9);
    expect(jobs[0]?.taken).toBeLessThan(1e9 + wireTime(bareHostLink, rowBytes) + 4 * edges);
  });

  test("lists the pages of more than two", async () => {
    const { devices } = await write(link);
    const pages = Math.ceil(promptBytes / 4096);
    const reads = Math.ceil(promptBytes / 512);
    const replies = 64 + 20 + 8 * pages + 20 + promptBytes + 20 * Math.ceil(promptBytes / 256);
    expect(devices[0]?.linkWires.in).toBe(replies + 2 * 28);
    expect(devices[0]?.linkWires.out).toBe((1 + 1 + reads) * 24 + 16 + 24);
  });
});

describe("rows come as fast as", () => {
  const span = ({ prompts }: PromptRun): number =>
    (prompts.at(-1)?.arrived ?? 0) - (prompts[0]?.arrived ?? 0);

  test("full packets let them", async () => {
    const time = span(await write(defaultHostLink, 9));
    const { wires, replyHeader } = defaultHostLink;
    const least = ((8 * promptBytes) / dataRateOf(wires, replyHeader)) * 1e15;
    expect(time).toBeGreaterThan(0.99 * least);
    expect(time).toBeLessThan(1.06 * least);
  });

  test("a payload lets them", async () => {
    const time = span(await write(changed({ payload: bytes(128) }), 9));
    const least = wireTime(defaultHostLink, (8 * promptBytes * (128 + 20)) / 128);
    expect(time).toBeGreaterThan(0.99 * least);
    expect(time).toBeLessThan(1.06 * least);
  });

  test("reads in flight let them", async () => {
    const commands = { reads: 2, depth: 64 };
    const { prompts } = await write(changed({}, { commands }));
    const arrived = prompts[0]?.arrived ?? 0;
    const sent = prompts[0]?.sent ?? 0;
    // Two reads of 512 bytes a round trip.
    const round = 2 * 270e6 + wireTime(defaultHostLink, 24 + 512 + 40);
    const rounds = promptBytes / 512 / 2;
    expect((arrived - sent) / (rounds * round)).toBeGreaterThan(0.95);
    expect((arrived - sent) / (rounds * round)).toBeLessThan(1.15);
  });

  test("credits let them", async () => {
    const { prompts } = await write(changed({ credits: 2, latency: seconds(1e-6) }));
    const arrived = prompts[0]?.arrived ?? 0;
    const sent = prompts[0]?.sent ?? 0;
    // A read's answer has two packets; the receiver returns their credits one latency after it
    // accepted them.
    const round = 2 * 1e9 + wireTime(defaultHostLink, 512 + 40);
    const rounds = promptBytes / 512;
    expect((arrived - sent) / (rounds * round)).toBeGreaterThan(0.95);
    expect((arrived - sent) / (rounds * round)).toBeLessThan(1.05);
  });
});

test("RTL and the cycle model take the same over any link", async () => {
  for (const link of [
    defaultHostLink,
    bareHostLink,
    changed({ credits: 2, payload: bytes(512) }),
  ]) {
    const [cycle, rtl] = [await attend(link), await attend(link, { engine: "rtl" })];
    expect(observableRun(rtl)).toEqual(observableRun(cycle));
  }
}, 600_000);

test("a guard knows what lanes of 16 GT/s carry", async () => {
  // Four lanes of 16 GT/s carry 7.877 GB/s, of 130 bits 128.
  const at = async (rate: number): Promise<CsdRun["devices"][number]["outcome"] | undefined> =>
    (await attend(changed({ rate: bytesPerSecond(rate) }))).devices[0]?.outcome;
  expect(await at(7.87e9)).toEqual({ kind: "completed" });
  const outcome = await at(7.9e9);
  expect(outcome?.kind).toBe("guard-failed");
  expect(outcome?.kind === "guard-failed" ? outcome.place : "").toMatch(/^link to (device|host)$/);
});
