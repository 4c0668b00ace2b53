// SPDX-License-Identifier: Apache-2.0
// The limits of a memory and a trace: the last value that is accepted and the first that is rejected.

import { describe, expect, it } from "vitest";

import { loadDram } from "../../../src/native/dram-binding.ts";
import { parseDramReplayConfig } from "../../../src/kernels/dram/config.ts";
import type { DramReplayConfig } from "../../../src/kernels/dram/replay-config.ts";
import { timingNames } from "../../../src/machine/dram/timing.ts";
import { cycles } from "../../../src/base/units.ts";
import { rejection } from "../../helpers/rejection.ts";
import { replayText } from "./replay-text.ts";

const dram = loadDram();
const small = { channels: 1, ranks_per_channel: 1, bankgroups: 1, banks_per_bankgroup: 1 };
const base = parseDramReplayConfig(
  { preset: "TriMoE", organization: small, refresh: "None" },
  "a test",
);

const open = (config: DramReplayConfig) => (): void => {
  dram.dramReplayOpen({ ...config, commands: false, completions: false });
};
const expectTaken = (config: DramReplayConfig): void => {
  expect(open(config)).not.toThrow();
};
const expectRefused = (config: DramReplayConfig, rule: RegExp): void => {
  expect(open(config)).toThrow(rejection("bad-input", rule));
};

type Organization = DramReplayConfig["organization"];
const organized = (more: Partial<Organization>): DramReplayConfig => {
  return { ...base, organization: { ...base.organization, ...more } };
};

describe("an organisation at its limits", () => {
  const most: readonly [Partial<Organization>, Partial<Organization>, RegExp][] = [
    [{ channels: 1024 }, { channels: 2048 }, /1024 channels/],
    [{ ranks: 4096 }, { ranks: 8192 }, /4096 banks/],
    [{ bankGroups: 4096 }, { bankGroups: 8192 }, /4096 banks/],
    [{ banksPerGroup: 4096 }, { banksPerGroup: 8192 }, /4096 banks/],
    [{ ranks: 2, bankGroups: 2048 }, { ranks: 4, bankGroups: 2048 }, /4096 banks/],
    [{ bankGroups: 64, banksPerGroup: 64 }, { bankGroups: 64, banksPerGroup: 128 }, /4096 banks/],
    [{ channels: 1024, ranks: 256 }, { channels: 1024, ranks: 512 }, /2\^18 banks/],
    [{ channelBits: 8 }, { channelBits: 4 }, /8 to 4096 bits/],
    [{ channelBits: 4096 }, { channelBits: 8192 }, /8 to 4096 bits/],
    [{ burstLength: 4096 }, { burstLength: 8192 }, /burst .*4096/],
    [{ rows: 2 ** 30 }, { rows: 2 ** 31 }, /2\^30 rows/],
    [{ rows: 1 }, { rows: 0 }, /2\^30 rows/],
    [{ rows: 3 * 2 ** 15 }, { rows: 2 ** 30 + 1 }, /2\^30 rows/],
    [{ columnsPerRow: 4 }, { columnsPerRow: 2 }, /4 to 2\^20 accesses/],
    [{ columnsPerRow: 2 ** 20 }, { columnsPerRow: 2 ** 21 }, /4 to 2\^20 accesses/],
  ];
  it.each(most)("%o is taken, %o is not", (taken, refused, why) => {
    expectTaken(organized(taken));
    expectRefused(organized(refused), why);
  });

  it.each([
    ["channels", "channels"],
    ["ranks", "ranks"],
    ["bankGroups", "bank groups"],
    ["banksPerGroup", "banks per group"],
    ["columnsPerRow", "columns per row"],
    ["channelBits", "channel bits"],
    ["burstLength", "burst length"],
  ] as const)("%s is a power of two", (name, words) => {
    for (const value of [24, 0]) {
      const rule = new RegExp(`^${words} .*power of two.* ${value}$`, "m");
      expectRefused(organized({ [name]: value }), rule);
    }
  });
});

describe("times at their limits", () => {
  const timed = (name: string, value: number): DramReplayConfig => {
    return { ...base, timing: { ...base.timing, [name]: value } };
  };

  it.each(timingNames)("%s", (name) => {
    const isRefresh = name === "nREFI";
    const most = isRefresh ? 10 ** 12 : 10 ** 6;
    for (const taken of [1, most]) expectTaken(timed(name, taken));
    for (const refused of [0, most + 1]) {
      const shown = isRefresh ? "10\\^12" : "10\\^6";
      expectRefused(timed(name, refused), new RegExp(`^${name} .*${shown} .* ${refused}$`));
    }
  });

  it("refreshes leave some time", () => {
    const { nRFC1, nRFCsb, nRP } = base.timing;
    const all = (nREFI: number): DramReplayConfig => {
      return { ...timed("nREFI", nREFI), refresh: "AllBank" };
    };
    expectTaken(all(nRFC1 + nRP + 1));
    expectRefused(
      all(nRFC1 + nRP),
      new RegExp(`follows from nREFI, is ${nRFC1 + nRP} cycles; .*longer than a refresh`),
    );
    const same = (nREFI: number, banks: number): DramReplayConfig => {
      const organization = { ...base.organization, banksPerGroup: banks };
      return { ...timed("nREFI", nREFI), organization, refresh: "SameBank" };
    };
    for (const banks of [1, 4]) {
      const least = 2 * banks * (nRFCsb + nRP + 1);
      expectTaken(same(least, banks));
      expectRefused(same(least - 1, banks), /between refreshes, .* longer than a refresh/);
    }
  });
});

describe("queues at their limits", () => {
  it.each(["nominal", "read", "write", "active"] as const)("%s", (name) => {
    const sized = (size: number): DramReplayConfig => {
      return { ...base, queues: { ...base.queues, [name]: size } };
    };
    for (const taken of [1, 4096]) expectTaken(sized(taken));
    for (const refused of [0, 4097]) {
      expectRefused(sized(refused), new RegExp(`${name} queue .* 4096, .* ${refused}$`));
    }
  });

  it("watermarks and the cap of a closed row", () => {
    const marks = (low: number, high: number): DramReplayConfig => {
      return { ...base, writeLowWatermark: low, writeHighWatermark: high };
    };
    for (const taken of [marks(0.5, 0.5), marks(1, 1), marks(0.001, 1)]) expectTaken(taken);
    for (const refused of [marks(0, 0.5), marks(0.6, 0.5)]) {
      expectRefused(refused, /0 < low <= high <= 1/);
    }
    expectTaken({ ...base, closedRowCap: 1 });
    expectRefused({ ...base, closedRowCap: 0 }, /^the cap of the closed row/);
  });

  it("every broken rule has its line", () => {
    const { nominal: _, ...rest } = base.queues;
    const both = { ...organized({ ranks: 3 }), queues: { ...rest, nominal: 0 } };
    expectRefused(both, /^ranks .*\n.*nominal queue .*$/);
  });
});

describe("a trace at its limits", () => {
  const header = "id,arrival,op,addr\n";
  const whole = parseDramReplayConfig({ preset: "TriMoE", refresh: "None" }, "a test");
  const requests = async (line: string, config = whole, piece?: number): Promise<number> =>
    (await replayText(config, `${header}${line}\n`, piece)).requests;
  const refused = async (line: string, rule: RegExp, config = whole, piece?: number) => {
    await expect(requests(line, config, piece)).rejects.toThrow(rejection("bad-input", rule));
  };

  it("ids below 2^53", async () => {
    expect(await requests(`${String(2 ** 53 - 1)},0,R,0x0`)).toBe(1);
    await refused(`${String(2 ** 53)},0,R,0x0`, /^trace:2: .*2\^53.*"9007199254740992"/);
  });

  it("ids anywhere are told apart", async () => {
    // Ids close to each other, at the ends of their groups, and spread over 53 bits.
    const ends = Array.from({ length: 40 }, (_, i) => [64 * i, 64 * i + 63]).flat();
    const step = 6_364_136_223_846_793_005n;
    const far = Array.from({ length: 700 }, (_, i) =>
      Number(BigInt.asUintN(53, step * BigInt(i + 1))),
    );
    const ids = [...new Set([...ends, ...far])];
    const rows = ids.map((id) => `${String(id)},0,R,0x0`);
    expect(await requests(rows.join("\n"))).toBe(ids.length);
    for (let i = 0; i < ids.length; i += 37) {
      const twice = [...rows, rows[i] ?? ""].join("\n");
      const place = `^trace:${String(ids.length + 2)}`;
      await refused(twice, new RegExp(`${place}: .* ${String(ids[i])} .*twice`));
    }
  });

  it("arrivals up to 2^60, and to 10^12 where refreshes are", async () => {
    const [most, beyond] = [2n ** 60n, 2n ** 60n + 1n];
    expect(await requests(`0,${String(most)},R,0x0`)).toBe(1);
    await refused(`0,${String(beyond)},R,0x0`, new RegExp(`^trace:2: .*arrival .*${String(most)}`));
    const timing = { ...whole.timing, nREFI: cycles(10 ** 12) };
    const refreshed = { ...whole, refresh: "AllBank", timing } as const;
    expect(await requests(`0,1000000000000,R,0x0`, refreshed)).toBe(1);
    await refused(`0,1000000000001,R,0x0`, /^trace:2: .*arrival .*1000000000000,/, refreshed);
  });

  it("addresses up to the last access", async () => {
    const { channels, ranks, bankGroups, banksPerGroup, rows, columnsPerRow } = whole.organization;
    const accesses = channels * ranks * bankGroups * banksPerGroup * rows * columnsPerRow;
    const last = 64n * (BigInt(accesses) - 1n);
    expect(await requests(`0,0,R,0x${last.toString(16)}`)).toBe(1);
    const rule = new RegExp(`^trace:2: .*capacity .*${String(last + 64n)} bytes`);
    await refused(`0,0,R,0x${(last + 64n).toString(16)}`, rule);
  });

  it("lines of 256 bytes, in whatever pieces", async () => {
    for (const piece of [undefined, 100, 1]) {
      expect(await requests(`0,0,R,0x${"0".repeat(248)}`, whole, piece)).toBe(1);
      await refused(`0,0,R,0x${"0".repeat(249)}`, /^trace:2: .*256 bytes/, whole, piece);
    }
  });

  it("forty characters of what is wrong are shown", async () => {
    const wrong = "x".repeat(40);
    await refused(`${wrong},0,R,0x0`, /"x{40}"$/);
    await refused(`${wrong}x,0,R,0x0`, /"x{40}\.\.\."$/);
    await refused(`\t \u007f~,0,R,0x0`, /"\? \?~"$/);
  });
});
