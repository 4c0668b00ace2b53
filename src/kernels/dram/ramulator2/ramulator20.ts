// SPDX-License-Identifier: Apache-2.0
// Configurations of Ramulator 2.0 (YAML with Frontend and MemorySystem) for the standards whose table has `files.ramulator20`;
// config.ts reads those for DDR5. A replay has the rules of Ramulator 2.0 if the table has its presets, else the rules of
// the standard. Every key of the memory is used, listed as one without influence, or refused by name.

import { defined } from "../../../base/defined.ts";
import { inFile, type Issue } from "../../../base/errors.ts";
import type {
  Ramulator20Device,
  Ramulator20Presets,
} from "../../../machine/dram/standards/files.ts";
import { memoryStandard, standardNames } from "../../../machine/dram/standards/standards.ts";
import type { LevelName, MemoryStandard } from "../../../machine/dram/standards/table.ts";
import { countsOf, tableBusCycles } from "../check/memory.ts";
import { timingsOf } from "../check/standard-of.ts";
import type { FileUse, OtherMemory } from "../other-simulator.ts";
import { controllerOf, deviceKeysOf, mapperOf, ramulatorKey } from "./config.ts";
import { acceptsPerCycle } from "./front.ts";
import { Group } from "./group.ts";
import { organizationOf } from "./ramulator21.ts";

const levelKeys: Readonly<Record<string, LevelName>> = {
  pseudochannel: "pseudo channel",
  rank: "rank",
  bankgroup: "bank group",
  bank: "bank",
};

const standardsOf20 = standardNames.filter(
  (name) => memoryStandard(name)?.files.ramulator20 !== undefined,
);

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
  const known = [...standardsOf20, "DDR5"];
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
  const presets = standard.files.ramulator20?.presets;
  const device = presets === undefined ? undefined : deviceOf(standard, org, presets);
  const counts = device === undefined ? countsOf20(standard, org) : levelsOfDevice(org, device);
  const known20 = presets === undefined || device === undefined ? undefined : { presets, device };
  const read = timingOf20(standard, dram.group("timing"), known20, issues);
  const channels = org.whole("channel") ?? 1;
  const sizes = sizesOf(standard, org, device, use);
  top.end();
  if (issues.length > 0) throw inFile(file, issues);
  // Its refresh manager needs a level of ranks.
  const refreshes = hasRefresh && standard.levels.includes("rank");
  const isKnown = presets !== undefined;
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

/** A device, by preset or key by key. */
function deviceOf(
  standard: MemoryStandard,
  org: Group,
  { devices }: Ramulator20Presets,
): Ramulator20Device {
  const preset = org.optional("preset", Object.keys(devices));
  const base = devices[preset ?? ""];
  const value = (key: keyof Ramulator20Device, absent?: number): number => {
    const value = org.whole(key) ?? base?.[key] ?? absent;
    if (value === undefined && preset !== null) org.problem(key, "must be given, or a preset.");
    return value ?? 1;
  };
  const device = {
    dq: value("dq", 0),
    bankgroup: standard.levels.includes("bank group") ? value("bankgroup") : 1,
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

function levelsOfDevice(
  org: Group,
  { bankgroup = 1, bank }: Ramulator20Device,
): Readonly<Record<LevelName, number>> {
  return countsOf({ rank: org.whole("rank") ?? 1, "bank group": bankgroup, bank });
}

/**
 * Cycles of a time with the rounding of Ramulator 2.0 for every standard but DDR5: picoseconds in single precision,
 * truncated; a fraction of at least 0.026 cycles rounds up.
 */
function rounded(nanoseconds: number, tckPs: number): number {
  const ps = Math.trunc(Math.fround(Math.fround(nanoseconds) * 1000));
  return Math.floor((Math.floor((ps * 1000) / tckPs) + 974) / 1000);
}

/** A device of Ramulator's presets, and these presets. */
interface Known {
  readonly presets: Ramulator20Presets;
  readonly device: Ramulator20Device;
}

/** Timings of a preset, and those that follow from rate and device, under the names of the table. */
function timingsOfDevice(
  { presets, device }: Known,
  speed: string | undefined,
  rate: number,
  tckPs: number,
): Readonly<Record<string, number>> {
  const { speeds, byPins, byDensity, ofAll } = presets;
  const width = [4, 8, 16].indexOf(device.dq);
  const timings: Record<string, number> = {};
  const add = (entries: Readonly<Record<string, number | undefined>>): void => {
    for (const [name, value] of Object.entries(entries)) {
      if (value !== undefined) timings[name] = value;
    }
  };
  const addTimes = (entries: Readonly<Record<string, number | undefined>>): void => {
    for (const [name, time] of Object.entries(entries)) {
      if (time !== undefined) timings[name] = rounded(time, tckPs);
    }
  };
  add(speeds[speed ?? ""]?.timing ?? {});
  for (const [name, cycles] of Object.entries(byPins[rate] ?? {})) add({ [name]: cycles?.[width] });
  for (const [name, times] of Object.entries(byDensity)) {
    addTimes({ [name]: times?.[device.density] });
  }
  addTimes(ofAll);
  return timings;
}

/** Rows, columns and width of a channel, for a replay. */
function sizesOf(
  standard: MemoryStandard,
  org: Group,
  device: Ramulator20Device | undefined,
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
  known: Known | undefined,
  issues: Issue[],
): { readonly values: Readonly<Record<string, number>>; readonly rate: number | undefined } {
  // `HBM2_2000` is the table's `HBM2-2000`.
  const speedNames = standard.presetNames.map((name) =>
    name.replace("-", "_").replaceAll(" ", "_"),
  );
  const chosen = timing.optional(
    "preset",
    known === undefined ? speedNames : Object.keys(known.presets.speeds),
  );
  const preset =
    known === undefined ? standard.presetNames[speedNames.indexOf(chosen ?? "")] : undefined;
  const facts = preset === undefined ? undefined : standard.preset(preset, "preset");
  const presetsRate = facts?.megatransfersPerSecond ?? known?.presets.speeds[chosen ?? ""]?.rate;
  const writtenRate = timing.whole("rate");
  if (known !== undefined && writtenRate !== undefined && presetsRate !== undefined) {
    timing.problem("rate", "the preset has the rate: Ramulator refuses one beside it.");
  }
  const rate = writtenRate ?? presetsRate;
  const tckPs = Math.max(1, Math.trunc(1e6 / Math.max(1, Math.trunc((rate ?? 2) / 2))));
  const given: Record<string, number> =
    known === undefined || rate === undefined
      ? {}
      : { ...timingsOfDevice(known, chosen ?? undefined, rate, tckPs) };
  for (const name of [...Object.keys(standard.timings), ...Object.keys(standard.aliases)]) {
    const inCycles = timing.whole(name);
    const inNanoseconds = timing.number(name.replace(/^n/, "t"));
    if (inCycles !== undefined) given[name] = inCycles;
    else if (inNanoseconds !== undefined && rate !== undefined) {
      // A CK of LPDDR5 and GDDR6 is longer than two transfers.
      given[name] =
        known === undefined
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
