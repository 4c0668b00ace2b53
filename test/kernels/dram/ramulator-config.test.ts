// SPDX-License-Identifier: Apache-2.0
// Configurations of Ramulator 2.0: their meaning here, and every key that has none.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseReplayConfigFile } from "../../../src/kernels/dram/config-file.ts";
import { parseDramReplayConfig } from "../../../src/kernels/dram/config.ts";
import { cli, inTemporary } from "../../helpers/cli.ts";
import { needs } from "../../helpers/needs.ts";
import { oraclePath } from "../../helpers/oracle.ts";
import { rejection } from "../../helpers/rejection.ts";

type Tree = Readonly<Record<string, unknown>>;

const dram = {
  impl: "DDR5",
  org: { preset: "DDR5_16Gb_x8", channel: 1, rank: 2 },
  timing: { preset: "DDR5_3200AN" },
};
const controller = {
  impl: "Generic",
  Scheduler: { impl: "FRFCFS" },
  RefreshManager: { impl: "AllBank" },
};
const config = (
  changes: {
    readonly frontend?: Tree;
    readonly system?: Tree;
    readonly dram?: Tree;
    readonly controller?: Tree;
    readonly more?: Tree;
  } = {},
): string =>
  JSON.stringify({
    Frontend: { impl: "LoadStoreTrace", clock_ratio: 1, path: "x.trace", ...changes.frontend },
    MemorySystem: {
      impl: "GenericDRAM",
      clock_ratio: 1,
      DRAM: { ...dram, ...changes.dram },
      Controller: { ...controller, ...changes.controller },
      AddrMapper: { impl: "RoBaRaCoCh" },
      ...changes.system,
    },
    ...changes.more,
  });

describe("a Ramulator 2 configuration", () => {
  it("of DDR5-3200 is the memory that Ramulator 2.0 builds", () => {
    const { config: dramReplayConfig } = parseReplayConfigFile("c.yaml", config());
    // Ramulator's own table for 16 Gb x8 at 3200 MT/s.
    expect(dramReplayConfig).toMatchObject({
      megatransfersPerSecond: 3200,
      timing: {
        nBL: 8,
        nCL: 24,
        nRCD: 24,
        nRP: 24,
        nRAS: 52,
        nRC: 75,
        nWR: 48,
        nRTP: 12,
        nCWL: 22,
        nCCDS: 8,
        nCCDS_WR: 8,
        nCCDS_WTR: 34,
        nCCDL: 8,
        nCCDL_WR: 16,
        nCCDL_WTR: 46,
        nRRDS: 8,
        nRRDL: 5,
        nFAW: 32,
        nCS: 2,
        nRFC1: 471,
        nREFI: 6222,
      },
      organization: {
        channels: 1,
        ranks: 2,
        bankGroups: 8,
        banksPerGroup: 4,
        rows: 65536,
        columnsPerRow: 64,
        channelBits: 32,
        burstLength: 16,
      },
      semantics: { swappedRankSwitch: true, spareQueueEntry: true, refreshAllRanksAtOnce: true },
      queues: { nominal: 32, read: 33, write: 33, active: 33 },
      rowPolicy: "OpenRowPolicy",
      refresh: "AllBank",
      mapping: "RoBaRaCoCh",
      injection: "global_fifo",
      acceptsPerCycle: 1,
      writeLowWatermark: 0.2,
      ignored: ["Frontend.path"],
    });
  });

  it("has widths, densities and times of its own", () => {
    const org = { preset: "DDR5_32Gb_x4", rank: 1 };
    const timing = { preset: "DDR5_3200C", nRCD: 30, tRAS: 34.0, nRFC1: 700 };
    const { config: dramReplayConfig } = parseReplayConfigFile(
      "c.yaml",
      config({ dram: { org, timing } }),
    );
    expect(dramReplayConfig.organization).toMatchObject({ rows: 131072, columnsPerRow: 128 });
    // 34 ns at 625 ps are 54.4 cycles.
    expect(dramReplayConfig.timing).toMatchObject({
      nCL: 28,
      nRCD: 30,
      nRAS: 55,
      nFAW: 40,
      nCCDL_WR: 32,
    });
    expect(dramReplayConfig.timing).toMatchObject({ nRC: 79, nRFC1: 700 });
  });

  it("has policies, watermarks, mappers and clocks", () => {
    const text = config({
      frontend: { clock_ratio: 4 },
      system: { clock_ratio: 2, AddrMapper: { impl: "MOP4CLXOR" } },
      controller: {
        RowPolicy: { impl: "ClosedRowPolicy", cap: 4 },
        wr_low_watermark: 0.1,
        wr_high_watermark: 0.9,
        plugins: [],
      },
    });
    expect(parseReplayConfigFile("c.yaml", text).config).toMatchObject({
      rowPolicy: "ClosedRowPolicy",
      closedRowCap: 4,
      mapping: "MOP4CLXOR",
      writeLowWatermark: 0.1,
      writeHighWatermark: 0.9,
      acceptsPerCycle: 2,
    });
  });

  it("of cores is the memory alone, and says what it does not use", () => {
    const frontend = {
      impl: "SimpleO3",
      clock_ratio: 8,
      traces: ["a"],
      Translation: { impl: "x" },
    };
    const text = config({ frontend, system: { clock_ratio: 3 } });
    const { config: dramReplayConfig } = parseReplayConfigFile("c.yaml", text);
    expect(dramReplayConfig.acceptsPerCycle).toBe(1);
    expect(dramReplayConfig.ignored).toEqual([
      ...["Frontend.impl", "Frontend.clock_ratio", "Frontend.path", "Frontend.traces"],
      "Frontend.Translation",
    ]);
  });

  it.each<[string, string, readonly (string | RegExp)[]]>([
    [
      "another memory, scheduler, mapper and plugins",
      config({
        dram: { impl: "HBM", org: { preset: "HBM_4Gb" }, timing: { preset: "HBM_1Gbps" } },
        controller: {
          Scheduler: { impl: "BLISS" },
          plugins: [{ ControllerPlugin: { impl: "X" } }],
        },
        system: { AddrMapper: { impl: "RoBaRaCoCh_with_rit" } },
      }),
      [
        /MemorySystem\.DRAM\.impl: "HBM".*DDR4.*DDR3.*DDR5/,
        /MemorySystem\.Controller\.Scheduler\.impl: "BLISS".*FRFCFS/,
        /MemorySystem\.Controller\.plugins: /,
        /MemorySystem\.AddrMapper\.impl: "RoBaRaCoCh_with_rit".*MOP4CLXOR/,
      ],
    ],
    [
      "keys that nothing here has",
      config({
        more: { Other: 1 },
        system: { speed: 2 },
        dram: { org: { ...dram.org, subarray: 4 } },
        controller: { RefreshManager: { impl: "AllBank", postpone: 8 } },
      }),
      [
        /: Other: .*no counterpart/,
        /: MemorySystem\.speed: /,
        /: MemorySystem\.DRAM\.org\.subarray: /,
        /: MemorySystem\.Controller\.RefreshManager\.postpone: /,
      ],
    ],
    [
      "a rate without its timings",
      config({ dram: { timing: { rate: 4800, nBL: 8 } } }),
      [/MemorySystem\.DRAM\.timing: nCL, nRCD, .*nCS must be given/],
    ],
    [
      "a rate beside a preset",
      config({ dram: { timing: { preset: "DDR5_3200AN", rate: 4800 } } }),
      [/timing\.rate: /],
    ],
    [
      "a density that the counts do not make",
      config({ dram: { org: { preset: "DDR5_16Gb_x8", row: 32768 } } }),
      [/MemorySystem\.DRAM\.org\.density: .* 8192/],
    ],
    [
      "half a request in a cycle",
      config({ system: { clock_ratio: 2 } }),
      [/Frontend\.clock_ratio/],
    ],
    [
      "a text for a number",
      config({ dram: { org: { ...dram.org, rank: "two" } } }),
      [/org\.rank: /],
    ],
    ["energy of its own", config({ dram: { drampower_enable: true } }), [/drampower_enable/]],
    ["no memory system", JSON.stringify({ Frontend: { impl: "SimpleO3" } }), []],
    [
      "an empty memory system of Ramulator 2.1",
      "frontend: {}\nmemory_system: {}\n",
      [/memory_system\.impl: /, /memory_system\.controllers: /],
    ],
  ])("with %s is refused", (_, text, where) => {
    const parse = (): unknown => parseReplayConfigFile("c.yaml", text);
    expect(parse).toThrow(rejection("bad-input", ...where));
  });

  it("is known by its keys where its name does not end in .yaml", () => {
    const text = "# Ramulator\nMemorySystem:\n  impl: Other\n";
    expect(() => parseReplayConfigFile("c.cfg", text)).toThrow(
      expect.objectContaining({
        code: "bad-input",
        message: expect.stringMatching(/"Other"/) as unknown,
      }),
    );
    expect(parseReplayConfigFile("c.json", config()).config.megatransfersPerSecond).toBe(3200);
    expect(parseReplayConfigFile("c.yaml", "preset: TriMoE\n").config.name).toBe("TriMoE");
  });

  it("is replayed, and problems of the memory name its keys", async () => {
    await inTemporary(async (directory) => {
      const at = (name: string): string => join(directory, name);
      writeFileSync(at("r.trace"), "LD 0x40\nST 0x80\n");
      writeFileSync(at("c.yaml"), config());
      const replay = ["dram", "replay", "--requests", at("r.trace"), "--config", at("c.yaml")];
      expect(await cli(...replay)).toMatchObject({ code: 0 });
      writeFileSync(at("c.yaml"), config({ dram: { timing: { ...dram.timing, nRC: 1 } } }));
      expect(await cli(...replay)).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(
          /c\.yaml: MemorySystem\.DRAM\.timing\.nRC: .* 1, /,
        ) as unknown,
      });
    });
  });

  it(
    "that says what the oracle's configurations say is the same memory",
    needs("oracle/dram"),
    () => {
      const home = oraclePath("dram");
      const files = readdirSync(home).filter((name) => name.endsWith(".config.json"));
      expect(files.length).toBeGreaterThan(5);
      for (const file of files) {
        const document = JSON.parse(readFileSync(join(home, file), "utf8")) as Tree;
        const o = document["organization"] as Record<string, number>;
        const closed = document["row_policy"] === "ClosedRowPolicy";
        if (document["refresh"] !== "AllBank") continue;
        const text = config({
          dram: {
            org: {
              channel: o["channels"],
              rank: o["ranks_per_channel"],
              bank: o["banks_per_bankgroup"],
              bankgroup: o["bankgroups"],
              row: o["rows"],
              column: o["device_columns"],
              dq: o["device_width"],
              density: o["device_density_Mb"],
              channel_width: o["channel_width_bits"],
            },
            timing: { rate: document["rate_MTps"], ...(document["timing_nCK"] as Tree) },
            RFM: { BRC: 2 },
          },
          controller: {
            RowPolicy: closed
              ? { impl: "ClosedRowPolicy", cap: document["closed_row_cap"] }
              : { impl: "OpenRowPolicy" },
            wr_low_watermark: document["write_low_watermark"],
            wr_high_watermark: document["write_high_watermark"],
          },
          system: { AddrMapper: { impl: document["address_mapper"] } },
        });
        const { ignored, injection, acceptsPerCycle, name, source, ...found } =
          parseReplayConfigFile("c.yaml", text).config;
        expect({ ignored, name, source, injection, acceptsPerCycle }).toMatchObject({
          ignored: ["Frontend.path", "MemorySystem.DRAM.RFM.BRC"],
        });
        expect(parseDramReplayConfig(document, file)).toMatchObject(found);
      }
    },
  );
});
