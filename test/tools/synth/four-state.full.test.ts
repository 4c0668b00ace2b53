// SPDX-License-Identifier: Apache-2.0
// Each unit in a simulator of four states: it starts from registers of x, does its work, and no output is
// unknown after the reset, of a stream while it is valid. Together the runs elaborate every RTL file.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { inRepository } from "../../../src/base/paths.ts";
import { closureOf, moduleFile } from "../../../src/tools/synth/rtl-files.ts";
import {
  asVerilog,
  type FourStateUnit,
  simulate,
  type UnitVerilog,
} from "../../helpers/four-state.ts";
import { needs } from "../../helpers/needs.ts";

let directory = "";
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "neardata-four-state-"));
});
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

interface Setting extends FourStateUnit {
  readonly bench: string;
  readonly defines: Readonly<Record<string, number>>;
}

const cycles = { CYCLES: 20_000 };
const engine = {
  Lanes: 4,
  Width: 16,
  MaxGroup: 2,
  Slots: 2,
  RingLines: 64,
  MaxPageRows: 16,
  Tags: 16,
};

/** By name. Both engines and both NDP units differ in the modules that their parameters select. */
const settings = {
  "sparf_engine of one channel": {
    top: "sparf_engine",
    parameters: { ...engine, Channels: 1, Kernels: 1, MaxKeys: 64 },
    bench: "four-state-sparf.v",
    defines: { ...cycles, CHANNELS: 1, EVENTS: 20 },
  },
  // From nine channels on the rings have two banks.
  "sparf_engine of nine channels and two query sets": {
    top: "sparf_engine",
    parameters: { ...engine, Channels: 9, Kernels: 2, MaxKeys: 128, QuerySets: 2 },
    bench: "four-state-sparf.v",
    defines: { ...cycles, CHANNELS: 9, EVENTS: 53 },
  },
  dimm_ndp: {
    top: "dimm_ndp",
    parameters: {
      ...{ Streams: 2, MultPerStream: 4, Lanes: 8, BitsPerCycle: 1, BufferBytes: 4096 },
      ...{ QueueBursts: 4, ActLanes: 32, MaxTokens: 2, Descriptors: 2 },
    },
    bench: "four-state-ndp.v",
    defines: { ...cycles, STREAMS: 2, TAG_BITS: 2 },
  },
  "dimm_ndp for low-bit weights, two bits in a cycle": {
    top: "dimm_ndp",
    parameters: {
      ...{ Streams: 1, MultPerStream: 32, Lanes: 8, BitsPerCycle: 2, BufferBytes: 4096 },
      ...{ QueueBursts: 16, ActLanes: 32, MaxTokens: 2, Descriptors: 2, LowBitWeights: 1 },
    },
    bench: "four-state-ndp.v",
    defines: { ...cycles, STREAMS: 1, TAG_BITS: 4, LOW_BIT: 1 },
  },
  relayout_unit: {
    top: "relayout_unit",
    parameters: { Streams: 2, Packets: 4, Flows: 4, Ways: 1 },
    bench: "four-state-relayout.v",
    defines: {},
  },
  transposition_buffer: {
    top: "transposition_buffer",
    parameters: { Values: 4, ValueBits: 16, Words: 16, Slots: 4 },
    bench: "four-state-transposition.v",
    defines: {},
  },
  reset_drain: {
    top: "reset_drain",
    parameters: { Ports: 2, CountBits: 4 },
    bench: "four-state-reset-drain.v",
    defines: {},
  },
} as const satisfies Record<string, Setting>;
type Name = keyof typeof settings;
const names = Object.keys(settings) as readonly Name[];

const made = new Map<Name, Promise<UnitVerilog>>();

/** Its Verilog, made once. */
async function verilogOf(name: Name): Promise<UnitVerilog> {
  const before = made.get(name);
  if (before !== undefined) return before;
  const verilog = asVerilog(settings[name], join(directory, name));
  made.set(name, verilog);
  return verilog;
}

async function printed(setting: Setting, verilog: UnitVerilog, place: string): Promise<string> {
  const bench = readFileSync(inRepository("test", "tools", "synth", setting.bench), "utf8");
  return (await simulate(verilog.file, bench, setting.defines, place)).trim();
}

async function run(name: Name): Promise<readonly string[]> {
  const text = await printed(settings[name], await verilogOf(name), join(directory, name));
  return text.split("\n").sort();
}

/** The output of a unit in whose `module` a register has lost its reset. */
async function withoutReset(name: Name, module: string, reset: string): Promise<string> {
  const place = join(directory, `${name} without a reset`);
  mkdirSync(place);
  const path = moduleFile(module);
  const text = readFileSync(path, "utf8");
  expect(text.split(reset).length).toBe(2);
  const copy = join(place, "faulty", basename(path));
  mkdirSync(join(place, "faulty"));
  writeFileSync(copy, text.replace(reset, ""));
  const setting = { ...settings[name], replaced: { [module]: copy } };
  const short = { ...setting, defines: { ...setting.defines, CYCLES: 100 } };
  return printed(short, await asVerilog(setting, place), place);
}

const served = [
  ...["done 1", "done 2", "done 3", "done 4", "done 5", "done 6"].map(
    (done) => `${done} status 0 field 0`,
  ),
  // A page is unreadable; the operation does not exist; a row is infinite.
  "done 7 status 1 field 0",
  "done 8 status 2 field 1",
  "done 9 status 4 field 0",
];

/** Ten minutes of processor time: the tools step of .ci/run, which selects files by the tools that they name, leaves this file to make test-full. */
const tools = ["iverilog", "yosys"] as const;

describe("in a simulator of four states", { ...needs(...tools), timeout: 7_200_000 }, () => {
  it("the SparF engine serves heads of DRAM and of flash, and nothing is unknown", async () => {
    const name = "sparf_engine of one channel";
    expect(await run(name)).toEqual([
      ...served,
      // The append completes a token-order page of keys, one of values, and a block of four pages.
      "pages 38 over 1 channels, beats 458, programs 6",
      "unknown 0 ends 9",
    ]);
    // Ports for checkers exist in simulators only.
    const circuit = readFileSync(join(directory, name, "unit.v"), "utf8");
    expect(circuit).toMatch(/output .*\bdone_valid_o\b/);
    expect(circuit).not.toMatch(/\bseen_/);
  });

  it("so does one with two banks of rings and two query sets", async () => {
    expect(await run("sparf_engine of nine channels and two query sets")).toEqual([
      ...served,
      "pages 38 over 8 channels, beats 458, programs 6",
      "unknown 0 ends 9",
    ]);
  });

  it("the NDP unit serves two descriptors after a reset in the middle, and nothing is unknown", async () => {
    expect(await run("dimm_ndp")).toEqual([
      "done field 0",
      "done field 0",
      "done field 3",
      "reset with 2 descriptors inside",
      "unknown 0 ends 3 writes 5",
    ]);
  });

  it("so does one for low-bit weights", async () => {
    expect(await run("dimm_ndp for low-bit weights, two bits in a cycle")).toEqual([
      ...Array.from({ length: 6 }, () => "done field 0"),
      "done field 3",
      "reset with 2 descriptors inside",
      "unknown 0 ends 7 writes 12",
    ]);
  });

  it("the relayout unit moves runs and a packet, and nothing is unknown", async () => {
    expect(await run("relayout_unit")).toEqual([
      "flow 7 ends",
      "flow 9 ends",
      "unknown 0 ends 2 sent 5 writes 7",
    ]);
  });

  it("the transposition buffer fills sets and sends pages, and nothing is unknown", async () => {
    expect(await run("transposition_buffer")).toEqual(["unknown 0 filled 2 pages 4"]);
  });

  it("reset_drain waits for four reads, and its reset is never unknown", async () => {
    expect(await run("reset_drain")).toEqual(["unknown 0 low 11 out 1"]);
  });

  it("every RTL file is elaborated in one of these runs", async () => {
    const units = await Promise.all(names.map(verilogOf));
    const elaborated = new Set(units.flatMap(({ modules }) => modules));
    // A package is elaborated with the modules that name it.
    for (const module of [...elaborated]) {
      for (const { path } of closureOf(module, [])) {
        if (path.endsWith("_pkg.sv")) elaborated.add(basename(path, ".sv"));
      }
    }
    const files = readdirSync(inRepository("rtl"), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".sv"))
      .map((path) => basename(path, ".sv"));
    expect(files.length).toBeGreaterThan(100);
    expect(files.filter((file) => !elaborated.has(file))).toEqual([]);
  });

  it.each([
    ["sparf_engine of one channel", "sparf_nfc_channel", "      filled_q <= '0;\n"],
    ["transposition_buffer", "transposition_buffer", "      full_q <= '0;\n"],
    ["reset_drain", "reset_drain", "      count_q <= '0;\n"],
  ] as const)(
    "%s with a register of %s that has no reset is unknown",
    async (name, module, reset) => {
      expect(await withoutReset(name, module, reset)).toMatch(/^unknown [1-9]/m);
    },
  );
});
