// SPDX-License-Identifier: Apache-2.0
// Presets against the numbers they are known for, overrides by name, and what is derived from a run.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { loadDram } from "../../../src/native/dram-binding.ts";
import { parseDramReplayConfig } from "../../../src/kernels/dram/config.ts";
import { dramPreset, dramPresetNames } from "../../../src/machine/dram/presets.ts";
import { replayTrace } from "../../../src/kernels/dram/replay.ts";
import {
  departuresFromRamulator,
  semanticsSwitches,
  semanticsSwitchNames,
} from "../../../src/machine/dram/semantics.ts";
import { summarize } from "../../../src/kernels/dram/summary.ts";
import { cyclesOf } from "../../../src/machine/dram/timing.ts";
import { inRepository } from "../../../src/base/paths.ts";
import { rejection } from "../../helpers/rejection.ts";
import { replayText, traceText } from "../../kernels/dram/replay-text.ts";
import type { TraceRequest } from "../../kernels/dram/address-map.ts";

describe("presets", () => {
  it("TriMoE is its Table 1, completed", () => {
    /* prettier-ignore */
    expect(dramPreset("TriMoE", "test").timing).toEqual({
      nBL: 8, nCL: 40, nRCD: 34, nRP: 34, nRAS: 77, nRC: 111, nWR: 72, nRTP: 18, nCWL: 38, nPPD: 2,
      nCCDS: 8, nCCDS_WR: 8, nCCDS_WTR: 52, nCCDL: 12, nCCDL_WR: 48, nCCDL_WTR: 70, nRRDS: 8,
      nRRDL: 12, nFAW: 32, nRFC1: 708, nRFCsb: 312, nREFSBRD: 72, nREFI: 9347, nCS: 2,
    });
  });

  it.each([
    ["DDR5-3200AN", { nCL: 24, nRAS: 52, nCCDS_WTR: 34, nCCDL_WTR: 46, nRFC1: 471, nREFI: 6222 }],
    ["DDR5-4800AN", { nCL: 34, nRC: 111, nCWL: 32, nCCDS_WTR: 46, nCCDL_WTR: 64, nFAW: 32 }],
    ["DDR5-4800BN", { nCL: 40, nRC: 117, nCWL: 38, nCCDS_WTR: 52, nCCDL_WTR: 70, nRFC1: 708 }],
    ["DDR5-6400AN", { nCL: 46, nRAS: 103, nWR: 96, nRTP: 24, nCCDL: 16, nCCDL_WR: 64 }],
  ])("%s", (name, known) => {
    expect(dramPreset(name, "test").timing).toMatchObject(known);
  });

  it("obey the order that JEDEC gives them", () => {
    for (const name of dramPresetNames) {
      const t = dramPreset(name, "test").timing;
      expect(t.nRC).toBe(t.nRAS + t.nRP);
      expect(t.nCCDL).toBeGreaterThanOrEqual(t.nCCDS);
      expect(t.nFAW).toBeGreaterThanOrEqual(4 * t.nRRDS);
    }
  });

  it("a speed without a row is an error", () => {
    expect(() => dramPreset("DDR5-5300AN", "test")).toThrow(
      rejection("bad-input", /^test: .*"DDR5-5300AN"/),
    );
  });

  it("a timing is overridden by name, the rest stays", () => {
    const config = parseDramReplayConfig({ preset: "TriMoE", timing_nCK: { nCL: 42 } }, "test");
    expect(config.timing).toEqual({ ...dramPreset("TriMoE", "test").timing, nCL: 42 });
  });

  it("rounds times as JESD79-5 does", () => {
    expect(cyclesOf(7.5, 4800)).toBe(18);
    expect(cyclesOf(295, 4800)).toBe(708);
    expect(cyclesOf(32, 3200)).toBe(52);
  });
});

describe("semantics by name", () => {
  const semantics = (value: unknown) =>
    parseDramReplayConfig({ preset: "TriMoE", semantics: value }, "test").semantics;

  it("jedec says what differs, ramulator-2.0 has nothing to say", () => {
    expect(departuresFromRamulator(semantics("jedec"))).toHaveLength(semanticsSwitchNames.length);
    expect(departuresFromRamulator(semantics("ramulator-2.0"))).toEqual([]);
  });

  it("single switches are set by name", () => {
    const mixed = semantics({ base: "ramulator-2.0", swappedRankSwitch: false });
    expect(departuresFromRamulator(mixed)).toEqual([
      expect.stringContaining("nCWL + nBL + nCS - nCL") as unknown,
    ]);
  });

  it("docs/reference/file-formats.md lists each switch with both of its values", () => {
    const page = readFileSync(inRepository("docs", "reference", "file-formats.md"), "utf8");
    for (const name of semanticsSwitchNames) {
      const { on, off } = semanticsSwitches[name];
      expect(page).toContain(`| \`${name}\` | ${on} | ${off} |`);
    }
  });

  it("queues admit one more with the quirk only", () => {
    const queues = (value: string) =>
      parseDramReplayConfig({ preset: "TriMoE", semantics: value }, "test").queues;
    expect(queues("ramulator-2.0")).toEqual({ nominal: 32, read: 33, write: 33, active: 33 });
    expect(queues("jedec")).toEqual({ nominal: 32, read: 32, write: 32, active: 32 });
  });
});

describe("what a run shows", () => {
  const accesses = 20_000;
  const stream: TraceRequest[] = Array.from({ length: accesses }, (_, id) => ({
    id,
    arrival: 0,
    op: "R",
    address: 64n * BigInt(id),
  }));
  const shareOfBus = async (mapping: string, other: object = {}): Promise<number> => {
    const document = {
      preset: "TriMoE",
      semantics: "jedec",
      organization: { ranks_per_channel: 1 },
      address_mapper: mapping,
      ...other,
    };
    const config = parseDramReplayConfig(document, "test");
    const summary = summarize(config, await replayText(config, traceText(stream)));
    const [channel] = summary.channels;
    expect(channel?.reads).toBe(accesses);
    expect((channel?.hits ?? 0) + (channel?.misses ?? 0) + (channel?.conflicts ?? 0)).toBe(
      accesses,
    );
    expect(summary.bandwidthGBps).toBeCloseTo((channel?.busUse ?? 0) * 19.2, 6);
    return channel?.busUse ?? 0;
  };
  // What all-bank refresh leaves of the bus.
  const { nRFC1, nREFI, nCCDS, nCCDL } = dramPreset("TriMoE", "test").timing;
  const bound = 1 - nRFC1 / nREFI;

  it("the localized layout streams at 95 % of what refresh leaves, and not at more", async () => {
    const share = await shareOfBus("RoBaCoBg");
    expect(share / bound).toBeGreaterThanOrEqual(0.95);
    expect(share / bound).toBeLessThanOrEqual(1.01);
  });

  it("all banks in turn are read round the one that refreshes, with the others at work", async () => {
    const refresh = "SameBank";
    const share = await shareOfBus("RoCoBaBg", { refresh });
    const free = await shareOfBus("RoCoBaBg", { refresh: "None" });
    expect(share / free).toBeGreaterThan(0.97);
    expect(share / free).toBeLessThan(1);
    const semantics = { base: "jedec", refreshHoldsAllBanks: true };
    expect(await shareOfBus("RoCoBaBg", { refresh, semantics })).toBeLessThan(share);
    expect(await shareOfBus("RoBaCoBg", { refresh })).toBeLessThan(0.95 * free);
  });

  it("a row-by-row layout is held to nCCDL but where two rows overlap: 72 % of the bus", async () => {
    const share = await shareOfBus("RoBaRaCoCh");
    expect(share).toBeGreaterThan(bound * (nCCDS / nCCDL));
    expect(share).toBeCloseTo(0.72, 2);
  });

  it("idle time is free: a day of it between two requests", async () => {
    const config = parseDramReplayConfig({ preset: "TriMoE", refresh: "None" }, "test");
    const day = 24 * 3600 * 2_400_000_000;
    const two: TraceRequest[] = [0, day].map((arrival, id) => ({
      id,
      arrival,
      op: "R",
      address: 0n,
    }));
    const { completions } = await replayText(config, traceText(two));
    expect(completions).toEqual(["0,0,35,83", `1,${day},${day + 1},${day + 49}`]);
  });

  it("refreshes of a long rest come out in pieces, all of them", async () => {
    const rest = 500_000_000;
    const config = parseDramReplayConfig({ preset: "TriMoE" }, "test");
    const text = `id,arrival,op,addr\n0,0,R,0x0\n1,${rest},R,0x40\n`;
    const pieces: number[] = [];
    const commands = (piece: Uint8Array): void => void pieces.push(piece.length);
    const trace = { name: "rest", pieces: [new TextEncoder().encode(text)] };
    const { channels } = await replayTrace(loadDram(), config, trace, { commands });
    const intervals = Math.floor(rest / config.timing.nREFI);
    expect(channels[0]?.commands["REFab"]).toBe(config.organization.ranks * intervals);
    expect(pieces.length).toBeGreaterThan(2);
    expect(Math.max(...pieces)).toBeLessThan(4e6);
  });
});
