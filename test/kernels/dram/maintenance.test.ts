// SPDX-License-Identifier: Apache-2.0
// Refreshes, closes of rows and ownership transfers of ranks: under JEDEC's semantics they delay requests of their own
// banks only, and no request delays them.

import { describe, expect, it } from "vitest";

import { parseDramReplayConfig } from "../../../src/kernels/dram/config.ts";
import type { DramReplayConfig } from "../../../src/kernels/dram/replay-config.ts";
import { runTraffic } from "../../helpers/rank-traffic.ts";
import type { TraceRequest } from "./address-map.ts";
import { checkCommands, parseCommand, type LoggedCommand } from "./command-checker.ts";
import { replayText, traceText } from "./replay-text.ts";

const rows = 65_536;
const columns = 128;

const configOf = (ranks: number, rest: object = {}): DramReplayConfig =>
  parseDramReplayConfig(
    {
      preset: "TriMoE",
      semantics: "jedec",
      organization: { ranks_per_channel: ranks, rows, column_addresses_per_row: columns },
      address_mapper: "ChRaBaRoCo",
      refresh: "None",
      ...rest,
    },
    "a test",
  );

const place = (rank: number, group: number, bank: number, row: number, column = 0): bigint =>
  64n * BigInt((((rank * 8 + group) * 4 + bank) * rows + row) * columns + column);

type Made = Pick<TraceRequest, "op" | "address"> & { readonly arrival?: number };
const traceOf = (count: number, make: (n: number) => Made): TraceRequest[] =>
  Array.from({ length: count }, (_, id) => ({ id, arrival: 0, ...make(id) }));

async function commandsOf(
  config: DramReplayConfig,
  trace: readonly TraceRequest[],
): Promise<readonly LoggedCommand[]> {
  const { commands } = await replayText(config, traceText(trace));
  expect(checkCommands(config, commands, trace)).toEqual([]);
  return commands.map(parseCommand);
}

const isAccess = ({ kind }: LoggedCommand): boolean => kind === "RD" || kind === "WR";
const lastAccess = (commands: readonly LoggedCommand[]): number =>
  Math.max(...commands.filter(isAccess).map(({ cycle }) => cycle));

/** Cycles that the data bus rests between the access before each refresh of a rank and the next one. */
function rests(commands: readonly LoggedCommand[], config: DramReplayConfig): readonly number[] {
  const bursts = commands.filter(isAccess).map(({ cycle }) => cycle);
  return commands
    .filter(({ kind }) => kind === "REFab")
    .flatMap(({ cycle }) => {
      const before = bursts.findLast((burst) => burst <= cycle);
      const after = bursts.find((burst) => burst > cycle);
      return before === undefined || after === undefined
        ? []
        : [after - before - config.timing.nBL];
    });
}

/** Round-robin over four ranks, and in each over the bank groups of one bank: rows stay open. */
const inTurn = (op: (n: number) => "R" | "W") => (n: number) => ({
  op: op(n),
  address: place(n % 4, Math.floor(n / 4) % 8, op(n) === "R" ? 0 : 1, 0, Math.floor(n / 32)),
});

describe("a refresh of a rank", () => {
  it.each([
    ["reads", "R"],
    ["writes", "W"],
    ["reads and writes", "RRW"],
  ])("lets %s of other ranks go", async (_, ops) => {
    const op = (n: number): "R" | "W" => (ops[n % ops.length] === "W" ? "W" : "R");
    const config = configOf(4, { refresh: "AllBank", timing_nCK: { nREFI: 6000 } });
    const commands = await commandsOf(config, traceOf(1400, inTurn(op)));
    const found = rests(commands, config);
    expect(found.length).toBeGreaterThan(2);
    const { nCL, nCWL, nCS, nBL } = config.timing;
    // A change of rank, and one from a read to a write.
    const most = Math.max(...found);
    expect(most).toBeLessThanOrEqual(nCL + nBL + nCS - nCWL);
    expect(found.reduce((a, b) => a + b, 0) / found.length).toBeLessThan(nBL / 2);
  });

  it("holds the channel by the switch, as Ramulator 2.0 does", async () => {
    const semantics = { base: "jedec", refreshHoldsAllBanks: true };
    const config = configOf(4, { refresh: "AllBank", semantics, timing_nCK: { nREFI: 6000 } });
    const found = rests(
      await commandsOf(
        config,
        traceOf(
          2000,
          inTurn(() => "R"),
        ),
      ),
      config,
    );
    expect(Math.max(...found)).toBeGreaterThan(3 * config.timing.nBL);
  });

  it("lets reads of other ranks go while only writes of its own wait", async () => {
    // More writes than the lower watermark are for the rank that is refreshed: the mode must change.
    const config = configOf(2, { refresh: "AllBank", timing_nCK: { nREFI: 3000 } });
    const { nREFI, nRFC1 } = config.timing;
    const write = (n: number) => ({ op: "W" as const, address: place(0, n % 8, 0, n, 0) });
    const read = (n: number) => ({ op: "R" as const, address: place(1, n % 8, 0, 0, n) });
    const trace = traceOf(72, (n) => ({
      ...(n < 12 ? write(n) : read(n)),
      arrival: nREFI - 1 + (n < 12 ? 0 : 2 * n),
    }));
    const commands = await commandsOf(config, trace);
    const refresh = commands.find(({ kind, rank }) => kind === "REFab" && rank === 0)?.cycle ?? 0;
    const reads = commands.filter(({ kind }) => kind === "RD").map(({ cycle }) => cycle);
    expect(reads).toHaveLength(60);
    expect(Math.max(...reads)).toBeLessThan(refresh + nRFC1);
  });

  it("is not put off by activates of other banks, row after row", async () => {
    const config = configOf(1, { refresh: "SameBank" });
    const commands = await commandsOf(
      config,
      traceOf(600, (n) => ({
        op: "R",
        address: place(0, n % 8, Math.floor(n / 8) % 4, Math.floor(n / 32)),
      })),
    );
    const refreshes = commands.filter(({ kind }) => kind === "REFsb").map(({ cycle }) => cycle);
    const { nREFI, nRC, nRP, nRTP } = config.timing;
    const interval = Math.floor(nREFI / 8);
    const due = Math.floor((commands.at(-1)?.cycle ?? 0) / interval);
    expect(refreshes.length).toBeGreaterThanOrEqual(due - 1);
    for (const [i, cycle] of refreshes.entries()) {
      expect(cycle - (i + 1) * interval).toBeLessThan(nRC + nRTP + nRP);
    }
  });

  it("is not put off by reads of other ranks when a write of its own has its row open", async () => {
    // A read follows a read sooner than a write does, so that reads without end would starve it.
    const config = configOf(2, { refresh: "AllBank", timing_nCK: { nREFI: 3000 } });
    const { nREFI, nRFC1 } = config.timing;
    const trace = traceOf(600, (n) => ({
      op: n === 12 ? "W" : "R",
      address: n === 12 ? place(0, 0, 0, 5) : place(1, n % 8, 0, 0, n % columns),
      arrival: n < 12 ? nREFI - 150 : nREFI - 140,
    }));
    const commands = await commandsOf(config, trace);
    const refresh = commands.find(({ kind, rank }) => kind === "REFab" && rank === 0);
    expect(refresh?.cycle).toBeLessThan(nREFI + nRFC1 / 2);
  });
});

describe("a closed row policy", () => {
  const rowEach = (n: number): Made => ({
    op: "R",
    address: place(Math.floor(n / 32) % 4, n % 8, Math.floor(n / 8) % 4, Math.floor(n / 128), 5),
  });

  it.each([1, 4])("of cap %d is no slower than an open one where no row is hit", async (cap) => {
    const closing = { row_policy: "ClosedRowPolicy", closed_row_cap: cap };
    const closed = await commandsOf(configOf(4, closing), traceOf(400, rowEach));
    const open = await commandsOf(configOf(4), traceOf(400, rowEach));
    expect(lastAccess(closed)).toBeLessThanOrEqual(lastAccess(open));
  });

  it.each(["R", "W"] as const)("is as fast as an open one on random rows: %s", async (op) => {
    let state = 1;
    const random = (below: number): number => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
      return Math.floor((state / 0x80000000) * below);
    };
    const trace = traceOf(600, () => ({
      op,
      address: place(0, random(8), random(4), random(rows)),
    }));
    const closing = configOf(1, { row_policy: "ClosedRowPolicy", closed_row_cap: 1 });
    const closed = await commandsOf(closing, trace);
    const open = await commandsOf(configOf(1), trace);
    // tRRD_S and BL/2 are both 8 cycles: the bus limits reads, and writes also tCCD_L_WR.
    const share = (trace.length * closing.timing.nBL) / lastAccess(closed);
    if (op === "R") expect(share).toBeGreaterThan(0.97);
    expect(lastAccess(closed)).toBeLessThanOrEqual(lastAccess(open) + closing.timing.nBL);
  });

  it("closes a row once, and not one that is closed", async () => {
    const config = configOf(2, {
      row_policy: "ClosedRowPolicy",
      closed_row_cap: 1,
      refresh: "AllBank",
    });
    const commands = await commandsOf(config, traceOf(600, fewBanks));
    const open = new Set<string>();
    for (const { kind, rank, group, bank } of commands) {
      const key = `${String(rank)}.${String(group)}.${String(bank)}`;
      if (kind === "ACT") open.add(key);
      if (kind === "PRE") expect(open.delete(key)).toBe(true);
      if (kind === "PREA") {
        for (const one of open) if (one.startsWith(`${String(rank)}.`)) open.delete(one);
      }
    }
  });

  function fewBanks(n: number): Made {
    return { ...rowEach(n), address: place(n % 2, Math.floor(n / 2) % 8, 0, n % 5) };
  }
});

describe("a rank that changes hands", () => {
  it("leaves the host's other ranks alone", async () => {
    const long = { dimm: 0, stream: 0 };
    const short = { dimm: 0, stream: 1 };
    const { commands } = await runTraffic(
      [
        [{ ...long, wait: 0, burst: 0, bursts: 2500 }],
        Array.from({ length: 8 }, (_, i) => ({ ...short, wait: 400, burst: 512 * i, bursts: 1 })),
      ],
      [],
    );
    const host = commands.filter(({ user, dimm }) => user === "host" && dimm === 0);
    const reads = host.filter(({ kind, stream }) => kind === "RD" && stream === long.stream);
    // But those in which the rank that is read was refreshed itself.
    const gaps = host
      .filter(({ kind, stream }) => kind === "PREA" && stream === short.stream)
      .flatMap(({ cycle }) => {
        const before = reads.findLast((read) => read.cycle <= cycle);
        const after = reads.find((read) => read.cycle > cycle);
        const refreshed = host.some(
          (one) =>
            one.kind === "REFab" &&
            one.stream === long.stream &&
            one.cycle > (before?.cycle ?? 0) - 10 &&
            one.cycle < (after?.cycle ?? 0),
        );
        if (before === undefined || after === undefined || refreshed) return [];
        return [after.cycle - before.cycle];
      });
    expect(gaps.length).toBeGreaterThan(3);
    expect(Math.max(...gaps)).toBeLessThan(20);
  });
});
