// SPDX-License-Identifier: Apache-2.0
// Configurations of Ramulator 2.0, Ramulator 2.1 and DRAMsim3 as memories that a trace is checked against.

import { describe, expect, it } from "vitest";

import type { CheckedMemory } from "../../../../src/kernels/dram/check/memory.ts";
import { parseCheckedMemory } from "../../../../src/kernels/dram/check/config.ts";
import { rejection } from "../../../helpers/rejection.ts";

const read = (file: string, text: string): CheckedMemory => parseCheckedMemory(file, text).memory;

const old = (dram: string, more = ""): string => `Frontend:
  impl: LoadStoreTrace
  path: ls.trace
MemorySystem:
  impl: GenericDRAM
  clock_ratio: 1
  DRAM:
${dram}
  Controller:
    impl: Generic
    Scheduler:
      impl: FRFCFS
    RefreshManager:
      impl: AllBank
${more}  AddrMapper:
    impl: RoBaRaCoCh
`;
const ddr4 = `    impl: DDR4
    org:
      preset: DDR4_8Gb_x8
      channel: 2
      rank: 2
    timing:
      preset: DDR4_3200AA
      nFAW: 36
      tRFC: 360`;

describe("a configuration of Ramulator 2.0", () => {
  it("has the presets of Ramulator, and timings in cycles or nanoseconds with its rounding", () => {
    const memory = read("x.yaml", old(ddr4));
    expect(memory.standard.name).toBe("DDR4");
    expect(memory.channels).toBe(2);
    expect(memory.counts).toMatchObject({ rank: 2, "bank group": 4, bank: 4 });
    expect(memory.timing).toMatchObject({ nRCD: 22, nFAW: 36, nRFCab: 576 });
    expect(memory.refreshes).toBe(true);
  });

  it("is never refreshed where the standard has no rank", () => {
    const timing =
      "nBL: 2, nCL: 24, nRCDRD: 27, nRCDWR: 16, nRP: 27, nRAS: 53, nRC: 79, nWR: 27, nRTP: 4, " +
      "nCWL: 6, nPPD: 1, nCCDS: 2, nCCDL: 4, nRRDS: 8, nRRDL: 8, nWTRS: 9, nWTRL: 11, nFAW: 29, " +
      "nRFCab: 211, nREFI: 3333";
    const dram = `    impl: GDDR6
    org: { preset: GDDR6_8Gb_x16 }
    timing: { rate: 14000, ${timing} }`;
    const memory = read("x.yaml", old(dram));
    expect(memory.refreshes).toBe(false);
    expect(memory.counts).toMatchObject({ rank: 1, "bank group": 4, bank: 4 });
  });

  it("names every key without a counterpart", () => {
    const text = old(ddr4.replace("nFAW: 36", "nFAV: 36"), "    Defence: 1\n");
    expect(() => read("x.yaml", text)).toThrow(
      rejection(
        "bad-input",
        "x.yaml: MemorySystem.DRAM.timing.nFAV",
        "x.yaml: MemorySystem.Controller.Defence",
      ),
    );
  });
});

const controller = (timing: string, more = ""): string => `
    - impl: GenericDDR
      scheduler: { impl: FRFCFS }
      refresh_manager: { impl: NoRefresh }
      row_policy: { impl: Open }
      addr_mapper: { impl: RoBaRaCoCh }
      dram:
        impl: DDR4
        org: { dq: 8, count: [1, 2, 4, 4, 65536, 1024] }
        timing: ${timing}
        command_cycles: [1, 1, 1, 1, 1, 1, 1, 1]
        channel_width: 64
        read_latency: 26
        timing_constraints: [[3, [0], [3, 4, 5, 6], 22]]${more}`;
const numbers =
  "3200, 4, 22, 22, 22, 52, 74, 24, 12, 16, 4, 8, 4, 8, 4, 12, 34, 576, 12480, 2, 625";
const recent = (...controllers: readonly string[]): string => `frontend: { impl: External }
memory_system:
  impl: GenericDRAM
  clock_ratio: 1
  channel_mapper: { impl: CacheLineInterleave }
  controllers:${controllers.join("")}
`;

describe("a configuration of Ramulator 2.1", () => {
  it("has timings and command cycles by their order, and one channel per controller", () => {
    const one = controller(`[${numbers}]`);
    const { memory, ignored } = parseCheckedMemory("x.yaml", recent(one, one));
    expect(memory.channels).toBe(2);
    expect(memory.counts).toMatchObject({ rank: 2, "bank group": 4, bank: 4 });
    expect(memory.timing).toMatchObject({ nBL: 4, nWTRL: 12, nFAW: 34, nRFCab: 576, nCS: 2 });
    expect(memory.timing).not.toHaveProperty("tCK_ps");
    expect(memory.refreshes).toBe(false);
    expect(ignored).toContain("memory_system.controllers[0].dram.timing_constraints");
  });

  it("names a short list, an unknown key and a controller that differs", () => {
    const text = recent(
      controller(`[${numbers}]`, "\n        voltage: 1"),
      controller("[3200, 4]"),
    );
    expect(() => read("x.yaml", text)).toThrow(
      rejection(
        "bad-input",
        /controllers\[0\]\.dram\.voltage: has no counterpart/,
        /controllers\[1\]\.dram\.timing: must be a list of 21 whole numbers/,
        /controllers\[1\]\.dram: differs from the first/,
      ),
    );
  });
});

const ini = `[dram_structure]
protocol = DDR4
bankgroups = 4
banks_per_group = 4
rows = 65536
columns = 1024
device_width = 8
BL = 8
[timing]
tCK = 0.625 ; ns
AL = 0
CL = 22
CWL = 16
tRCD = 22
tRP = 22
tRAS = 52
tRFC = 576
tREFI = 12480
tRRD_S = 4
tRRD_L = 8
tWTR_S = 4
tWTR_L = 12
tFAW = 34
tWR = 24
tRTP = 12
tCCD_S = 4
tCCD_L = 8
tRTRS = 2
[system]
channel_size = 16384
channels = 2
bus_width = 64
address_mapping = rochrababgco
`;

describe("a configuration of DRAMsim3", () => {
  it("has cycles, and ranks by the size of a channel", () => {
    const memory = read("x.ini", ini);
    expect(memory.channels).toBe(2);
    expect(memory.counts).toMatchObject({ rank: 2, "bank group": 4, bank: 4 });
    expect(memory.timing).toMatchObject({ nBL: 4, nRC: 74, nRCD: 22, nCS: 2, nRFCab: 576 });
  });

  it("names unknown keys and sections, and keys without a counterpart", () => {
    const text = ini
      .replace("tFAW = 34", "tFAV = 34")
      .replace("AL = 0", "AL = 2")
      .replace("[system]", "[systems]");
    expect(() => read("x.ini", text)).toThrow(
      rejection(
        "bad-input",
        /timing has no key "tFAV"/,
        /there is no section "systems"/,
        /AL: "2" has no counterpart: it is 0/,
        /tFAW: must be given/,
      ),
    );
  });

  it("names the protocols that it reads", () => {
    const text = ini.replace("DDR4", "HMC");
    expect(() => read("x.ini", text)).toThrow(
      rejection("bad-input", /known are DDR4, DDR3, HBM2, GDDR6/),
    );
  });
});
