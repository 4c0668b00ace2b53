// SPDX-License-Identifier: Apache-2.0
// Configurations of Ramulator 2.0 (YAML with Frontend and MemorySystem) for DDR4, LPDDR5, HBM2 and GDDR6; config.ts reads
// those for DDR5. A replay of DDR4 has the rules of Ramulator 2.0, the others those of their standards. Every key of the
// memory is used, listed as one without influence, or refused by name.

import { defined } from "../../../base/defined.ts";
import { inFile, type Issue } from "../../../base/errors.ts";
import { memoryStandard } from "../../../machine/dram/standards/standards.ts";
import type { LevelName, MemoryStandard } from "../../../machine/dram/standards/table.ts";
import { countsOf, tableBusCycles } from "../check/memory.ts";
import { timingsOf } from "../check/standard-of.ts";
import type { FileUse, OtherMemory } from "../other-simulator.ts";
import { controllerOf, deviceKeysOf, mapperOf, ramulatorKey } from "./config.ts";
import { devices, presetRate, timingPresets, timingsOfDevice, type Device } from "./ddr4.ts";
import { rounded } from "./ddr5.ts";
import { acceptsPerCycle } from "./front.ts";
import { Group } from "./group.ts";
import { organizationOf } from "./ramulator21.ts";

const levelKeys: Readonly<Record<string, LevelName>> = {
  pseudochannel: "pseudo channel",
  rank: "rank",
  bankgroup: "bank group",
  bank: "bank",
};

/** HBM3 is absent: timings of 2.0 are whole cycles of CK, those of the table halves. */
const standardsOf20 = ["DDR4", "LPDDR5", "HBM2", "GDDR6"] as const;

/** Bits of a channel, unless a file says otherwise. */
const defaultWidth = 64;

/** The standard that a configuration of Ramulator 2.0 names; undefined for any other document. */
export function ramulator20Standard(document: unknown): unknown {
  const below = (value: unknown, key: string): unknown =>
    typeof value === "object" && value !== null
      ? (value as Record<string, unknown>)[key]
      : undefined;
  return below(below(below(document, "MemorySystem"), "DRAM"), "impl");
}

/**
 * Whether this file reads a document, and not config.ts: one of Ramulator 2.0 for a standard that is read here, or in a
 * check for any but DDR5, so that the message names the standards.
 */
export function isRamulator20(document: unknown): boolean {
  const name = ramulator20Standard(document);
  return name !== undefined && name !== "DDR5";
}

/**
 * Reads a configuration.
 * @throws NeardataError `bad-input` with every key that is wrong or has no counterpart.
 */
export function readRamulator20(document: unknown, file: string, use: FileUse): OtherMemory {
  const issues: Issue[] = [];
  const ignored: string[] = [];
  const top = new Group(document, [], issues);
  const frontend = top.group("Frontend");
  const system = top.group("MemorySystem");
  system.choice("impl", ["GenericDRAM"]);
  const dram = system.group("DRAM");
  const known = [...standardsOf20, "DDR5"] as const;
  const name = dram.choice("impl", known);
  const standard = memoryStandard(name ?? "");
  const controller = system.group("Controller");
  let settings: object = {};
  let hasRefresh = true;
  if (use === "replay") {
    const accepts = acceptsPerCycle(frontend, system, "MemorySystem");
    const read = controllerOf(controller, ignored);
    hasRefresh = read.refresh !== "None";
    settings = {
      ...read,
      ...defined({ address_mapper: mapperOf(system) }),
      scheduler: "FRFCFS",
      injection: { policy: "global_fifo", max_accepts_per_cycle: accepts },
    };
    ignored.push(...deviceKeysOf(dram));
  } else {
    system.skip("clock_ratio", "AddrMapper");
    dram.skip("RFM", "RH_radius", "drampower_enable", "voltage", "current");
    controller.choice("impl", ["Generic"]);
    controller.skip("Scheduler", "RowPolicy", "plugins", "wr_low_watermark", "wr_high_watermark");
    const manager = controller.group("RefreshManager");
    hasRefresh = manager.choice("impl", ["AllBank", "NoRefresh"], "AllBank") !== "NoRefresh";
  }
  ignored.unshift(...frontend.skipAll());
  if (standard === undefined) {
    // Without a standard the keys of the memory have no meaning.
    dram.skipAll();
    top.end();
    throw inFile(file, issues);
  }
  const org = dram.group("org");
  const device = standard.name === "DDR4" ? deviceOf(org) : undefined;
  const counts = device === undefined ? countsOf20(standard, org) : levelsOfDevice(org, device);
  const read = timingOf20(standard, dram.group("timing"), device, issues);
  const channels = org.whole("channel") ?? 1;
  const sizes = sizesOf(standard, org, device, use);
  top.end();
  if (issues.length > 0) throw inFile(file, issues);
  // Its refresh manager needs a level of ranks.
  const refreshes = hasRefresh && standard.levels.includes("rank");
  const isKnown = standard.name === "DDR4";
  return {
    memory: {
      standard,
      timing: read.values,
      channels,
      counts,
      refreshes,
      busCycles: tableBusCycles(standard),
      clockAlwaysOn: false,
    },
    ignored,
    document: {
      name: "Ramulator 2",
      standard: standard.name,
      semantics: isKnown ? "ramulator-2.0" : "jedec",
      rate_MTps: read.rate,
      timing_cycles: read.values,
      ...settings,
      refresh: refreshes ? "AllBank" : "None",
      organization: { channels, ...organizationOf(standard, counts), ...sizes },
    },
    keyOf: ramulatorKey,
    ...(!isKnown && { rules: rulesOf(standard) }),
  };
}

function rulesOf(standard: MemoryStandard): string {
  const refresh = standard.levels.includes("rank")
    ? ""
    : " It has no refreshes, because Ramulator 2.0 refreshes ranks only.";
  return (
    `the rules of Ramulator 2.0 for ${standard.name} are not known: the replay has those of ` +
    `${standard.document} (semantics jedec), and presets are those of neardata.${refresh}`
  );
}

/** A device of DDR4, by preset or key by key. */
function deviceOf(org: Group): Device {
  const preset = org.optional("preset", Object.keys(devices));
  const base = devices[preset ?? ""];
  const value = (key: keyof Device, absent?: number): number => {
    const value = org.whole(key) ?? base?.[key] ?? absent;
    if (value === undefined && preset !== null) org.problem(key, "must be given, or a preset.");
    return value ?? 1;
  };
  const device = {
    dq: value("dq", 0),
    bankgroup: value("bankgroup"),
    bank: value("bank"),
    row: value("row", 0),
    column: value("column", 0),
    density: value("density", 0),
  };
  const { dq, bankgroup, bank, row, column, density } = device;
  const actual = Math.floor((bankgroup * bank * row * column * dq) / 2 ** 20);
  if (density > 0 && actual > 0 && actual !== density && preset !== null) {
    org.problem("density", `is ${density}, but the counts and dq are ${actual} Mb.`);
  }
  return device;
}

function levelsOfDevice(org: Group, device: Device): Readonly<Record<LevelName, number>> {
  return countsOf({
    rank: org.whole("rank") ?? 1,
    "bank group": device.bankgroup,
    bank: device.bank,
  });
}

/** Rows, columns and width of a channel, for a replay. */
function sizesOf(
  standard: MemoryStandard,
  org: Group,
  device: Device | undefined,
  use: FileUse,
): object {
  const width = org.whole("channel_width") ?? defaultWidth;
  const pins = org.whole("dq") ?? device?.dq;
  org.skip("density");
  const need = (key: "row" | "column"): number | undefined => {
    const value = org.whole(key) ?? device?.[key];
    if (use === "replay" && (value === undefined || value === 0)) {
      const other =
        device === undefined ? `: presets of ${standard.name} have no sizes here` : ", or a preset";
      org.problem(key, `must be given${other}.`);
    }
    return value;
  };
  return {
    rows: need("row"),
    device_columns: need("column"),
    bus_width_bits: width,
    ...(pins !== undefined && pins > 0 && { device_width: pins }),
  };
}

function timingOf20(
  standard: MemoryStandard,
  timing: Group,
  device: Device | undefined,
  issues: Issue[],
): { readonly values: Readonly<Record<string, number>>; readonly rate: number | undefined } {
  // `HBM2_2000` is the table's `HBM2-2000`.
  const own = standard.presetNames.map((name) => name.replace("-", "_").replaceAll(" ", "_"));
  const chosen = timing.optional("preset", device === undefined ? own : timingPresets);
  const preset = device === undefined ? standard.presetNames[own.indexOf(chosen ?? "")] : undefined;
  const facts = preset === undefined ? undefined : standard.preset(preset, "preset");
  const presetsRate = facts?.megatransfersPerSecond ?? presetRate(chosen ?? "");
  const stated = timing.whole("rate");
  if (device !== undefined && stated !== undefined && presetsRate !== undefined) {
    timing.problem("rate", "the preset has the rate: Ramulator refuses one beside it.");
  }
  const rate = stated ?? presetsRate;
  const tckPs = Math.max(1, Math.trunc(1e6 / Math.max(1, Math.trunc((rate ?? 2) / 2))));
  const given: Record<string, number> =
    device === undefined || rate === undefined
      ? {}
      : { ...timingsOfDevice(chosen ?? undefined, rate, tckPs, device) };
  for (const name of [...Object.keys(standard.timings), ...Object.keys(standard.aliases)]) {
    const inCycles = timing.whole(name);
    const inNanoseconds = timing.number(name.replace(/^n/, "t"));
    if (inCycles !== undefined) given[name] = inCycles;
    else if (inNanoseconds !== undefined && rate !== undefined) {
      // A CK of LPDDR5 and GDDR6 is longer than two transfers.
      given[name] =
        device === undefined
          ? Math.ceil((inNanoseconds * rate) / (1000 * standard.transfersPerCycle) - 0.003)
          : rounded(inNanoseconds, tckPs);
    } else if (inNanoseconds !== undefined) {
      timing.problem("rate", `must be given for ${name.replace(/^n/, "t")}, or a preset.`);
    }
  }
  timing.skip("tCK_ps");
  if (chosen === null) return { values: {}, rate };
  const read = timingsOf(
    standard,
    given,
    facts?.timing ?? {},
    (name) => `MemorySystem.DRAM.timing.${name}`,
  );
  issues.push(...read.issues);
  return { values: read.values, rate };
}

function countsOf20(standard: MemoryStandard, org: Group): Readonly<Record<LevelName, number>> {
  const presets = [4, 8, 16].flatMap((gigabits) => [
    `${standard.name}_${gigabits}Gb`,
    ...[4, 8, 16].map((pins) => `${standard.name}_${gigabits}Gb_x${pins}`),
  ]);
  const preset = org.optional("preset", presets);
  const usual = standard.preset(standard.defaultPreset, "preset").organization.levels;
  const counts: Partial<Record<LevelName, number>> = {};
  for (const [key, level] of Object.entries(levelKeys)) {
    if (!standard.levels.includes(level)) continue;
    const given = org.whole(key);
    const count = level === "rank" ? 1 : usual[level];
    if (given === undefined && preset === undefined && level !== "rank") {
      org.problem(key, "must be given, or a preset.");
    }
    counts[level] = given ?? count ?? 1;
  }
  return countsOf(counts);
}
