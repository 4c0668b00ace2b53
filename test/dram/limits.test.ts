// SPDX-License-Identifier: Apache-2.0
// What a memory and a trace may be at most and at least: the last value that is taken and the first that is not.

import { describe, expect, it } from "vitest";

import { loadDram } from "../../src/dram/binding.ts";
import { parseDramReplayConfig } from "../../src/dram/config.ts";
import type { DramReplayConfig } from "../../src/dram/replay-config.ts";
import { timingNames } from "../../src/dram/timing.ts";
import { cycles } from "../../src/units.ts";
import { replayText } from "./replay-text.ts";

const dram = loadDram();
const small = { channels: 1, ranks_per_channel: 1, bankgroups: 1, banks_per_bankgroup: 1 };
const base = parseDramReplayConfig(
  { preset: "TriMoE", organization: small, refresh: "None" },
  "a test",
);

/** What the model says of a memory; nothing where it takes it. */
function said(config: DramReplayConfig): string {
  try {
    dram.dramReplayOpen({ ...config, commands: false, completions: false });
    return "";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

type Organization = DramReplayConfig["organization"];
const organized = (more: Partial<Organization>): DramReplayConfig => {
  return { ...base, organization: { ...base.organization, ...more } };
};

describe("an organisation at its limits", () => {
  const most: readonly [Partial<Organization>, Partial<Organization>, RegExp][] = [
    [{ channels: 1024 }, { channels: 2048 }, /^a memory must not have more than 1024 channels$/],
    [{ ranks: 4096 }, { ranks: 8192 }, /^a channel must not have more than 4096 banks$/],
    [{ bankGroups: 4096 }, { bankGroups: 8192 }, /more than 4096 banks$/],
    [{ banksPerGroup: 4096 }, { banksPerGroup: 8192 }, /more than 4096 banks$/],
    [{ ranks: 2, bankGroups: 2048 }, { ranks: 4, bankGroups: 2048 }, /more than 4096 banks$/],
    [
      { bankGroups: 64, banksPerGroup: 64 },
      { bankGroups: 64, banksPerGroup: 128 },
      /more than 4096 banks$/,
    ],
    [
      { channels: 1024, ranks: 256 },
      { channels: 1024, ranks: 512 },
      /^a memory must not have more than 2\^18 banks$/,
    ],
    [{ channelBits: 8 }, { channelBits: 4 }, /^a channel must be 8 to 4096 bits wide$/],
    [{ channelBits: 4096 }, { channelBits: 8192 }, /^a channel must be 8 to 4096 bits wide$/],
    [{ burstLength: 4096 }, { burstLength: 8192 }, /^a burst must not be longer than 4096/],
    [{ rows: 2 ** 30 }, { rows: 2 ** 31 }, /^a bank must not have more than 2\^30 rows$/],
    [{ columnsPerRow: 4 }, { columnsPerRow: 2 }, /^a row must hold 4 to 2\^20 accesses$/],
    [{ columnsPerRow: 2 ** 20 }, { columnsPerRow: 2 ** 21 }, /^a row must hold 4 to 2\^20/],
  ];
  it.each(most)("%o is taken, %o is not", (taken, refused, why) => {
    expect(said(organized(taken))).toBe("");
    expect(said(organized(refused))).toMatch(why);
  });

  it.each([
    ["channels", "channels"],
    ["ranks", "ranks"],
    ["bankGroups", "bank groups"],
    ["banksPerGroup", "banks per group"],
    ["rows", "rows"],
    ["columnsPerRow", "columns per row"],
    ["channelBits", "channel bits"],
    ["burstLength", "burst length"],
  ] as const)("%s is a power of two", (name, words) => {
    expect(said(organized({ [name]: 24 }))).toBe(`${words} must be a power of two, not 24`);
    expect(said(organized({ [name]: 0 }))).toContain(`${words} must be a power of two, not 0`);
  });
});

describe("times at their limits", () => {
  const timed = (name: string, value: number): DramReplayConfig => {
    return { ...base, timing: { ...base.timing, [name]: value } };
  };

  it.each(timingNames)("%s", (name) => {
    const isRefresh = name === "nREFI";
    const most = isRefresh ? 10 ** 12 : 10 ** 6;
    for (const taken of [1, most]) expect(said(timed(name, taken))).toBe("");
    for (const refused of [0, most + 1]) {
      const shown = isRefresh ? "10^12" : "10^6";
      const why = `${name} must be between 1 and ${shown} cycles, not ${refused}`;
      expect(said(timed(name, refused))).toBe(why);
    }
  });

  it("refreshes leave some time", () => {
    const { nRFC1, nRFCsb, nRP } = base.timing;
    const all = (nREFI: number): string => said({ ...timed("nREFI", nREFI), refresh: "AllBank" });
    expect(all(nRFC1 + nRP + 1)).toBe("");
    expect(all(nRFC1 + nRP)).toMatch(/^nREFI must be longer than nRFC1 \+ nRP, or/);
    const same = (nREFI: number, banks: number): string => {
      const organization = { ...base.organization, banksPerGroup: banks };
      return said({ ...timed("nREFI", nREFI), organization, refresh: "SameBank" });
    };
    for (const banks of [1, 4]) {
      const least = 2 * banks * (nRFCsb + nRP + 1);
      expect(same(least, banks)).toBe("");
      expect(same(least - 1, banks)).toMatch(/^nREFI \/ 2 \/ banks per group must be longer/);
    }
  });
});

describe("queues at their limits", () => {
  it.each(["nominal", "read", "write", "active"] as const)("%s", (name) => {
    const sized = (size: number): string =>
      said({ ...base, queues: { ...base.queues, [name]: size } });
    for (const taken of [1, 4096]) expect(sized(taken)).toBe("");
    for (const refused of [0, 4097]) {
      const why = `the ${name} queue size must be between 1 and 4096, not ${refused}`;
      expect(sized(refused)).toBe(why);
    }
  });

  it("watermarks and the cap of a closed row", () => {
    const marks = (low: number, high: number): string =>
      said({ ...base, writeLowWatermark: low, writeHighWatermark: high });
    const why = /^write watermarks must satisfy 0 < low <= high <= 1, or writing never ends$/;
    expect([marks(0.5, 0.5), marks(1, 1), marks(0.001, 1)]).toEqual(["", "", ""]);
    for (const [low, high] of [
      [0, 0.5],
      [0.6, 0.5],
    ] as const) {
      expect(marks(low, high)).toMatch(why);
    }
    expect(said({ ...base, closedRowCap: 1 })).toBe("");
    expect(said({ ...base, closedRowCap: 0 })).toMatch(/^the cap of the closed row policy/);
  });

  it("every broken rule has its line", () => {
    const { nominal: _, ...rest } = base.queues;
    const message = said({ ...organized({ rows: 3 }), queues: { ...rest, nominal: 0 } });
    expect(message.split("\n")).toHaveLength(2);
  });
});

describe("a trace at its limits", () => {
  const header = "id,arrival,op,addr\n";
  const whole = parseDramReplayConfig({ preset: "TriMoE", refresh: "None" }, "a test");
  const outcome = async (line: string, config = whole, piece?: number): Promise<string> =>
    replayText(config, `${header}${line}\n`, piece).then(
      ({ requests }) => `${String(requests)} request`,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
  const taken = "1 request";

  it("ids below 2^53", async () => {
    expect(await outcome(`${String(2 ** 53 - 1)},0,R,0x0`)).toBe(taken);
    expect(await outcome(`${String(2 ** 53)},0,R,0x0`)).toMatch(/less than 2\^53, not "9007199254/);
  });

  it("ids anywhere are told apart", async () => {
    // Near to each other, at the ends of the groups that they are kept in, and all over 53 bits.
    const ends = Array.from({ length: 40 }, (_, i) => [64 * i, 64 * i + 63]).flat();
    const step = 6_364_136_223_846_793_005n;
    const far = Array.from({ length: 700 }, (_, i) =>
      Number(BigInt.asUintN(53, step * BigInt(i + 1))),
    );
    const ids = [...new Set([...ends, ...far])];
    const rows = ids.map((id) => `${String(id)},0,R,0x0`);
    expect(await outcome(rows.join("\n"))).toBe(`${String(ids.length)} request`);
    for (let i = 0; i < ids.length; i += 37) {
      const twice = [...rows, rows[i] ?? ""].join("\n");
      expect(await outcome(twice)).toBe(
        `trace:${String(ids.length + 2)}: the id ${String(ids[i])} occurs twice`,
      );
    }
  });

  it("arrivals up to 2^60, and to 10^12 where refreshes are", async () => {
    const [most, beyond] = [2n ** 60n, 2n ** 60n + 1n];
    expect(await outcome(`0,${String(most)},R,0x0`)).toBe(taken);
    expect(await outcome(`0,${String(beyond)},R,0x0`)).toContain(`up to ${String(most)}, not`);
    const timing = { ...whole.timing, nREFI: cycles(10 ** 12) };
    const refreshed = { ...whole, refresh: "AllBank", timing } as const;
    expect(await outcome(`0,1000000000000,R,0x0`, refreshed)).toBe(taken);
    expect(await outcome(`0,1000000000001,R,0x0`, refreshed)).toContain("up to 1000000000000, not");
  });

  it("addresses up to the last access", async () => {
    const { channels, ranks, bankGroups, banksPerGroup, rows, columnsPerRow } = whole.organization;
    const accesses = channels * ranks * bankGroups * banksPerGroup * rows * columnsPerRow;
    const last = 64n * (BigInt(accesses) - 1n);
    expect(await outcome(`0,0,R,0x${last.toString(16)}`)).toBe(taken);
    expect(await outcome(`0,0,R,0x${(last + 64n).toString(16)}`)).toContain(
      `is beyond the capacity of ${String(last + 64n)} bytes`,
    );
  });

  it("lines of 256 bytes, in whatever pieces", async () => {
    for (const piece of [undefined, 100, 1]) {
      expect(await outcome(`0,0,R,0x${"0".repeat(248)}`, whole, piece)).toBe(taken);
      expect(await outcome(`0,0,R,0x${"0".repeat(249)}`, whole, piece)).toMatch(
        /^trace:2: a line must not be longer than 256 bytes$/,
      );
    }
  });

  it("forty characters of what is wrong are shown", async () => {
    const wrong = "x".repeat(40);
    expect(await outcome(`${wrong},0,R,0x0`)).toMatch(/not "x{40}"$/);
    expect(await outcome(`${wrong}x,0,R,0x0`)).toMatch(/not "x{40}\.\.\."$/);
    expect(await outcome(`\t \u007f~,0,R,0x0`)).toMatch(/not "\? \?~"$/);
  });
});
