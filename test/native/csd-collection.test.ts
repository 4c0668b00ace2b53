// SPDX-License-Identifier: Apache-2.0
// Garbage collection moves valid pages of a nearly full device while the engine reads the same
// channels: every answer is right, and a long session needs no more memory than a new one.

import { describe, expect, test } from "vitest";

import type { CsdMachine } from "../../src/machine/csd/csd-machine.ts";
import type { CsdJob, CsdSequence } from "../../src/machine/csd/csd-jobs.ts";
import type { CsdRun } from "../../src/machine/csd/csd-types.ts";
import { defaultReadPolicy } from "../../src/machine/flash/read-policy.ts";
import { engineAttention, engineDense } from "../../src/golden/attention-engine.ts";
import { numbersToHalves } from "../../src/golden/half.ts";
import { openCsdSession } from "../../src/native/csd/csd-session.ts";
import { appendJob, fill, prompt, observableRun, smallCsd, testHead } from "../helpers/csd.ts";
import { rejection } from "../helpers/rejection.ts";

const heads = [1, 2, 3].map((seed) => testHead(seed, 200));
const from = 29;

function machineOf(
  { blocks, ...flash }: { readonly blocks: number } & Partial<CsdMachine["flash"]>,
  changes: Partial<CsdMachine> = {},
): CsdMachine {
  const machine = smallCsd({ blocksPerPlane: blocks, pagesPerBlock: 4, ...changes });
  return { ...machine, flash: { ...machine.flash, ...flash } };
}

/**
 * Sequences of three heads grow side by side, in padded pages that are written again as they fill,
 * so blocks have invalid pages that garbage collection reclaims; dense jobs, of a long sequence or
 * of growing ones, read the same channels.
 */
async function grow(
  machine: CsdMachine,
  { sequences, reads, to }: { sequences: number; reads: number; to: number },
): Promise<readonly CsdRun[]> {
  const session = await openCsdSession(machine);
  const filled = (length: number): CsdSequence =>
    fill(
      session,
      heads.map((head) => prompt(head, length)),
      { tail: "padded" },
    );
  const long = reads > 0 ? filled(128) : null;
  const all = Array.from({ length: sequences }, () => filled(from));
  const runs: CsdRun[] = [];
  for (let token = from; token < to; token += 1) {
    const dense = (sequence: CsdSequence, h: number, at: number): CsdJob => {
      const queries = numbersToHalves((heads[h] ?? testHead(0, 1)).query(at));
      return { kind: "dense", sequence, head: h, queries };
    };
    const jobs = all.flatMap((sequence) =>
      heads.flatMap((head, h) => [
        appendJob(sequence, h, head, token),
        ...(long === null ? [dense(sequence, h, token)] : []),
      ]),
    );
    for (let n = 0; long !== null && n < reads; n += 1) jobs.push(dense(long, n % 3, 127));
    const run = await session.run(jobs, { keepPages: 10_000 });
    runs.push(run);
    run.jobs.forEach(({ status, outputs }, i) => {
      const job = jobs[i];
      expect(status).toBe("done");
      if (job?.kind !== "dense") return;
      const head = heads[job.head] ?? testHead(0, 1);
      const length = job.sequence === long ? 128 : token + 1;
      const out = engineDense(head.query(length - 1), prompt(head, length));
      expect(outputs).toEqual(numbersToHalves(out));
    });
  }
  session.close();
  return runs;
}

describe("garbage collection", { timeout: 600_000 }, () => {
  test.each([
    ["one bus, quick pages", { blocks: 32, dies_per_channel: 2, planes_per_die: 2 }, 8, 0, 38],
    [
      "a slow bus, many dies",
      { blocks: 48, dies_per_channel: 4, bus_ticks_per_2_bytes: 1000 },
      8,
      60,
      45,
    ],
  ] as const)("moves pages beside the engine: %s", async (_, flash, sequences, reads, to) => {
    const machine = machineOf(flash);
    const runs = await grow(machine, { sequences, reads, to });
    const device = runs.at(-1)?.devices[0];
    expect(device?.writes.pagesMoved).toBeGreaterThan(100);
    expect(device?.reads).toMatchObject({ checksum: 0, uncorrectable: 0 });
    // The run is deterministic, and on a device with enough blocks the first reads need the same
    // time.
    const again = await grow(machine, { sequences, reads, to });
    expect(again.map(observableRun)).toEqual(runs.map(observableRun));
    const roomy = await grow(machineOf({ ...flash, blocks: 512 }), {
      sequences,
      reads,
      to: from + 1,
    });
    expect(roomy[0]?.devices[0]?.writes.pagesMoved).toBe(0);
    expect(roomy[0]?.jobs).toEqual(runs[0]?.jobs);
  });

  test("continues if a channel does not respond, and the other channel is correct", async () => {
    const reads = { ...defaultReadPolicy, deadChannels: [1] };
    const machine = machineOf({ blocks: 24, dies_per_channel: 2 }, { reads });
    const session = await openCsdSession(machine);
    for (let round = 0; round < 6; round += 1) {
      const sequence = fill(
        session,
        heads.map((head) => prompt(head, 29)),
        { tail: "padded" },
      );
      const jobs = Array.from({ length: 12 }, (_, i) =>
        heads.map((head, h) => appendJob(sequence, h, head, 29 + i)),
      ).flat();
      const run = await session.run(jobs);
      expect(run.devices[0]?.outcome).toEqual({ kind: "completed" });
      session.closeSequence(sequence);
    }
    session.close();
  });

  /** Eight sequences grow by some tokens, and are read: outputs are right, or reported. */
  async function moved(reads: Partial<CsdMachine["reads"]>): Promise<readonly CsdRun[]> {
    const policy = { ...defaultReadPolicy, ...reads };
    const session = await openCsdSession(
      machineOf({ blocks: 32, planes_per_die: 2 }, { reads: policy }),
    );
    const all = Array.from({ length: 8 }, () =>
      fill(
        session,
        heads.map((head) => prompt(head, from)),
        { tail: "padded" },
      ),
    );
    const runs: CsdRun[] = [];
    for (let token = from; token < 38; token += 1) {
      const jobs = all.flatMap((sequence) =>
        heads.flatMap((head, h): CsdJob[] => [
          appendJob(sequence, h, head, token),
          { kind: "dense", sequence, head: h, queries: numbersToHalves(head.query(token)) },
        ]),
      );
      const run = await session.run(jobs);
      runs.push(run);
      expect(run.devices[0]?.outcome).toEqual({ kind: "completed" });
      run.jobs.forEach(({ status, outputs }, i) => {
        const job = jobs[i];
        if (job?.kind !== "dense" || status === "unreadable") return;
        const head = heads[job.head] ?? testHead(0, 1);
        const out = engineDense(head.query(token), prompt(head, token + 1));
        expect(outputs).toEqual(numbersToHalves(out));
      });
    }
    session.close();
    expect(runs.at(-1)?.devices[0]?.writes.pagesMoved).toBeGreaterThan(50);
    return runs;
  }

  const sum = (runs: readonly CsdRun[], what: "movesRetried" | "movesLost" | "checksum"): number =>
    runs.reduce((all, { devices }) => all + (devices[0]?.reads[what] ?? 0), 0);

  test("tries its reads again when the code fails, as others do", async () => {
    const runs = await moved({ rawBitErrorRate: 0.05, seed: 3 });
    expect(sum(runs, "movesRetried")).toBeGreaterThan(0);
    expect(sum(runs, "movesLost")).toBe(0);
    expect(runs.flatMap(({ jobs }) => jobs).every(({ status }) => status === "done")).toBe(true);
  });

  test("hands nothing on of a page that it could not read", async () => {
    const runs = await moved({ rawBitErrorRate: 0.0391, mostRetries: 0, seed: 5 });
    expect(sum(runs, "movesLost")).toBeGreaterThan(0);
    // It was written again as it was read: the code is content with it, and its checksum is not.
    expect(sum(runs, "checksum")).toBeGreaterThan(0);
  });

  test("carries a wrong bit along: the page is reported when it is read", async () => {
    const session = await openCsdSession(machineOf({ blocks: 32, planes_per_die: 2 }));
    const filled = (): CsdSequence =>
      fill(
        session,
        heads.map((head) => prompt(head, from)),
        { tail: "padded" },
      );
    const all = Array.from({ length: 8 }, filled);
    const [first] = all;
    if (first === undefined) throw new Error("no sequence");
    for (const sequence of all) {
      session.plantError({ sequence, head: 1, copy: "token-keys", index: 3, bit: 9 });
    }
    let moved = 0;
    for (let token = from; token < 36; token += 1) {
      const run = await session.run(
        all.flatMap((sequence) => heads.map((head, h) => appendJob(sequence, h, head, token))),
      );
      expect(run.devices[0]?.outcome).toEqual({ kind: "completed" });
      moved = run.devices[0]?.writes.pagesMoved ?? 0;
    }
    expect(moved).toBeGreaterThan(50);
    const run = await session.run(
      all.flatMap((sequence) =>
        heads.map(({ query }, head): CsdJob => {
          return { kind: "dense", sequence, head, queries: numbersToHalves(query(35)) };
        }),
      ),
    );
    expect(run.jobs.map(({ status }) => status)).toEqual(
      all.flatMap(() => ["done", "unreadable", "done"]),
    );
    session.close();
  });
});

test("a closed sequence's id is refused for good, also after devices were put back", async () => {
  const session = await openCsdSession(smallCsd());
  const [head] = heads;
  if (head === undefined) throw new Error("no head");
  const open = (): CsdSequence => fill(session, [prompt(head, 20)]);
  const ask = async (sequence: CsdSequence): Promise<CsdRun> =>
    session.run([
      {
        ...({ kind: "sparse", sequence, head: 0, r: 4, k: 10, l: 3, mean: true } as const),
        queries: numbersToHalves(head.query(19)),
      },
    ]);
  const golden = engineAttention(head.query(19), prompt(head, 20), { r: 4, k: 10, l: 3 });
  const kept = open();
  const filled = session.keep();
  const gone = [open(), open()];
  session.closeSequence(gone[0] ?? kept);
  session.restore(filled);
  const next = [open(), open(), open()];
  for (const sequence of [kept, ...next]) {
    expect((await ask(sequence)).jobs[0]?.outputs).toEqual(numbersToHalves(golden.out));
  }
  for (const sequence of gone) {
    await expect(ask(sequence)).rejects.toThrow(rejection("misuse", /^job 0: .*sequence/));
    expect(() => {
      session.closeSequence(sequence);
    }).toThrow(rejection("misuse", /sequence/));
  }
  session.close();
});
