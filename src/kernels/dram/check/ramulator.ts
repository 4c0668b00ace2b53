// SPDX-License-Identifier: Apache-2.0
// Configurations of Ramulator 2.0 and 2.1 (YAML) as memories that a trace is checked against. The rules are those of the
// standard, also where a file of 2.1 spells out its constraints. Every key of the memory is used, listed as one that a
// check does not need, or refused by name.

import { inFile, type Issue } from "../../../base/errors.ts";
import { formatValue } from "../../../base/format-value.ts";
import { present } from "../../../base/present.ts";
import { memoryStandard } from "../../../machine/dram/standards/standards.ts";
import type { LevelName, MemoryStandard } from "../../../machine/dram/standards/table.ts";
import { Group } from "../ramulator2/group.ts";
import { countsOf, tableBusCycles, type CheckedMemory } from "./memory.ts";
import { timingsOf } from "./standard-of.ts";

/** A memory, and the keys of the file that a check does not need. */
export interface RamulatorMemory {
  readonly memory: CheckedMemory;
  readonly ignored: readonly string[];
}

const levelsOf20: Readonly<Record<string, LevelName>> = {
  pseudochannel: "pseudo channel",
  rank: "rank",
  bankgroup: "bank group",
  bank: "bank",
};

/** HBM3 is absent: timings of 2.0 are whole cycles of CK, those of the table halves. */
const standardsOf20 = ["DDR4", "LPDDR5", "HBM2", "GDDR6"] as const;
const standardsOf21 = ["DDR4", "DDR5", "LPDDR5", "HBM2", "HBM3", "GDDR6"] as const;

const commonTimings = "nCL nRCD nRP nRAS nRC nWR nRTP nCWL";
const stackTimings = "nBL nCL nRCDRD nRCDWR nRP nRAS nRC nWR";

/** The order of `timing` in a file of Ramulator 2.1. */
const timingsOf21: Readonly<Record<(typeof standardsOf21)[number], string>> = {
  DDR4: `rate nBL ${commonTimings} nCCDS nCCDL nRRDS nRRDL nWTRS nWTRL nFAW nRFC nREFI nCS tCK_ps`,
  DDR5:
    `rate nBL ${commonTimings} nPPD nCCDS nCCDL nCCDS_WR nCCDL_WR nRRDS nRRDL nWTRS nWTRL nFAW ` +
    "nRFC nREFI nCS tCK_ps",
  LPDDR5:
    "rate nBL_min nBL_max nCL nRCD nRP nRPab nRAS nRC nWR nRTP nCWL nPPD nCCDS nCCDL nCCDS_WR " +
    "nCCDL_WR nRRDS nRRDL nWTRS nWTRL nFAW nRFC nRFCpb nREFI nREFIpb nWCKPST nCAS nAAD nCS " +
    "tCK_ps nPBR2PBR nPBR2ACT",
  HBM2:
    `rate ${stackTimings} nRTPL nCWL nCCDS nCCDL nRRDS nRRDL nWTRS nWTRL nFAW nRFC nRFCpb ` +
    "nRREFD nREFI nREFIpb tCK_ps",
  HBM3:
    `rate ${stackTimings} nRTP nCWL nCCDS nCCDL nCCDR nRRDS nRRDL nWTRS nWTRL nRTW nFAW nPPD ` +
    "nRFC nRFCpb nRFMab nRFMpb nRREFD nREFI nREFIpb tCK_ps",
  GDDR6:
    `rate ${stackTimings} nRTP nCWL nCCDS nCCDL nRRDS nRRDL nWTRS nWTRL nFAW nRFCpb nRREFD ` +
    "nREFI tCK_ps nRFCab nPPD",
};

const ddrCommands = "ACT PRE PREA RD WR RDA WRA REFab";
/** The order of `command_cycles` in a file of Ramulator 2.1, by the names of the tables. */
const commandsOf21: Readonly<Record<(typeof standardsOf21)[number], string>> = {
  DDR4: ddrCommands,
  DDR5: ddrCommands,
  LPDDR5: "ACT1 ACT2 PRE PREA CAS_RD CAS_WR RD WR RDA WRA REFab REFpb",
  HBM2: `${ddrCommands} REFpb`,
  HBM3: `${ddrCommands} REFpb RFMab RFMpb`,
  GDDR6: "ACT PREA PRE RD WR RDA WRA REFab REFpb",
};

/** Names in `timing` that no rule needs. */
const unneeded = ["rate", "tCK_ps"];

/** The standard that a configuration of Ramulator 2.0 names; undefined for any other document. */
export function ramulator20Standard(document: unknown): unknown {
  const below = (value: unknown, key: string): unknown =>
    typeof value === "object" && value !== null
      ? (value as Record<string, unknown>)[key]
      : undefined;
  return below(below(below(document, "MemorySystem"), "DRAM"), "impl");
}

/** Skips keys that a check does not use, without a remark. */
function skip(group: Group, ...keys: readonly string[]): void {
  for (const key of keys) group.without(key, () => true, "");
}

/**
 * A configuration of Ramulator 2.0 for DDR4, LPDDR5, HBM2 or GDDR6.
 * @throws NeardataError `bad-input` with every key that is wrong or has no counterpart.
 */
export function parseRamulator20(document: unknown, file: string): RamulatorMemory {
  const issues: Issue[] = [];
  const top = new Group(document, [], issues);
  const ignored = [...top.group("Frontend").skipAll()];
  const system = top.group("MemorySystem");
  system.choice("impl", ["GenericDRAM"]);
  skip(system, "clock_ratio");
  const dram = system.group("DRAM");
  const name = dram.choice("impl", standardsOf20);
  const standard = memoryStandard(name ?? "");
  if (standard === undefined) throw inFile(file, issues);
  skip(dram, "RFM", "RH_radius", "drampower_enable", "voltage", "current");
  const org = dram.group("org");
  const timing = timingOf20(standard, dram.group("timing"), issues);
  const counts = countsOf20(standard, org);
  const controller = system.group("Controller");
  controller.choice("impl", ["Generic"]);
  skip(controller, "Scheduler", "RowPolicy", "plugins", "wr_low_watermark", "wr_high_watermark");
  const refresh = controller
    .group("RefreshManager")
    .choice("impl", ["AllBank", "NoRefresh"], "AllBank");
  skip(system, "AddrMapper");
  const channels = org.whole("channel") ?? 1;
  top.end();
  if (issues.length > 0) throw inFile(file, issues);
  // Its refresh manager needs a level of ranks.
  const refreshes = refresh !== "NoRefresh" && standard.levels.includes("rank");
  const memory = { standard, timing, channels, counts, refreshes };
  return {
    memory: { ...memory, busCycles: tableBusCycles(standard), clockAlwaysOn: false },
    ignored,
  };
}

function timingOf20(
  standard: MemoryStandard,
  timing: Group,
  issues: Issue[],
): Readonly<Record<string, number>> {
  // `DDR4_3200AA` is the table's `DDR4-3200AA`.
  const presets = standard.presetNames.map((name) => name.replace("-", "_").replaceAll(" ", "_"));
  const chosen = timing.optional("preset", presets);
  const preset = standard.presetNames[presets.indexOf(chosen ?? "")];
  const facts = preset === undefined ? undefined : standard.preset(preset, "preset");
  const rate = timing.whole("rate") ?? facts?.megatransfersPerSecond;
  const given: Record<string, number> = {};
  for (const name of [...Object.keys(standard.timings), ...Object.keys(standard.aliases)]) {
    const inCycles = timing.whole(name);
    const inNanoseconds = timing.number(name.replace(/^n/, "t"));
    if (inCycles !== undefined) given[name] = inCycles;
    else if (inNanoseconds !== undefined && rate !== undefined) {
      given[name] = Math.ceil((inNanoseconds * rate) / 2000 - 0.003);
    } else if (inNanoseconds !== undefined) {
      timing.problem("rate", `must be given for ${name.replace(/^n/, "t")}, or a preset.`);
    }
  }
  skip(timing, "tCK_ps");
  if (chosen === null) return {};
  const read = timingsOf(
    standard,
    given,
    facts?.timing ?? {},
    (name) => `MemorySystem.DRAM.timing.${name}`,
  );
  issues.push(...read.issues);
  return read.values;
}

function countsOf20(standard: MemoryStandard, org: Group): Readonly<Record<LevelName, number>> {
  const presets = [4, 8, 16].flatMap((gigabits) => [
    `${standard.name}_${gigabits}Gb`,
    ...[4, 8, 16].map((pins) => `${standard.name}_${gigabits}Gb_x${pins}`),
  ]);
  const preset = org.optional("preset", presets);
  const usual = standard.preset(standard.defaultPreset, "preset").organization.levels;
  const isWide = standard.name === "DDR4" && preset?.endsWith("_x16") === true;
  skip(org, "density", "dq", "channel_width", "row", "column");
  const counts: Partial<Record<LevelName, number>> = {};
  for (const [key, level] of Object.entries(levelsOf20)) {
    if (!standard.levels.includes(level)) continue;
    const given = org.whole(key);
    const count = level === "rank" ? 1 : isWide && level === "bank group" ? 2 : usual[level];
    if (given === undefined && preset === undefined && level !== "rank") {
      org.problem(key, "must be given, or a preset.");
    }
    counts[level] = given ?? count ?? 1;
  }
  return countsOf(counts);
}

/**
 * A configuration of Ramulator 2.1.
 * @throws NeardataError `bad-input` with every key that is wrong or has no counterpart.
 */
export function parseRamulator21(document: unknown, file: string): RamulatorMemory {
  const issues: Issue[] = [];
  const top = new Group(document, [], issues);
  const ignored = [...top.group("frontend").skipAll()];
  const system = top.group("memory_system");
  system.choice("impl", ["GenericDRAM"]);
  skip(system, "clock_ratio", "channel_mapper");
  const controllers = listOf(document);
  skip(system, "controllers");
  top.end();
  const memories = controllers.map((one, i) => controllerOf(one, i, issues, ignored));
  const [first] = memories;
  if (first === undefined && issues.length === 0) {
    issues.push({ where: "memory_system.controllers", message: "must have at least one." });
  }
  const drams = controllers.map((one) => JSON.stringify((one as { dram?: unknown }).dram));
  const other = drams.findIndex((text) => text !== drams[0]);
  if (other > 0) {
    const where = `memory_system.controllers[${other}].dram`;
    issues.push({ where, message: "differs from the first: channels have one memory here." });
  }
  if (first === undefined || issues.length > 0) throw inFile(file, issues);
  return { memory: { ...first, channels: controllers.length }, ignored };
}

function listOf(document: unknown): readonly unknown[] {
  const system = (document as { memory_system?: { controllers?: unknown } }).memory_system;
  const controllers = system?.controllers;
  return Array.isArray(controllers) ? controllers : [];
}

const controllersOf21 = ["GenericDDR", "LPDDR5", "HBM12", "HBM34"] as const;
const refreshOf21 = ["AllBank", "PerBank", "HBM34PerBankRefresh", "NoRefresh"] as const;

function controllerOf(
  value: unknown,
  index: number,
  issues: Issue[],
  ignored: string[],
): CheckedMemory | undefined {
  const controller = new Group(value, ["memory_system", "controllers", index], issues);
  controller.choice("impl", controllersOf21);
  skip(controller, "read_buffer_size", "write_buffer_size", "priority_buffer_size");
  skip(controller, "wr_low_watermark", "wr_high_watermark", "controller_plugins");
  skip(controller, "scheduler", "row_policy", "addr_mapper");
  const wck = controller.choice("wck_sync_mode", ["need_sync", "always_on"], "need_sync");
  const manager = controller.group("refresh_manager");
  const refresh = manager.choice("impl", refreshOf21, "AllBank");
  skip(manager, "scatter_interval", "debug");
  const dram = controller.group("dram");
  const name = dram.choice("impl", standardsOf21) ?? undefined;
  const standard = memoryStandard(name ?? "");
  if (name === undefined || standard === undefined) return undefined;
  skip(dram, "channel_width", "read_latency", "data_payload_bytes");
  // The rules of a check are those of the standard.
  if (dram.has("timing_constraints")) {
    skip(dram, "timing_constraints");
    ignored.push(`memory_system.controllers[${index}].dram.timing_constraints`);
  }
  const org = dram.group("org");
  skip(org, "dq");
  const numbers = (group: Group, key: string, count: number): readonly number[] => {
    const list = group.list(key);
    const isRight =
      list.length === count && list.every((one) => Number.isSafeInteger(one) && Number(one) >= 0);
    if (isRight) return list as readonly number[];
    group.problem(key, `must be a list of ${count} whole numbers, not ${formatValue(list)}.`);
    return [];
  };
  const levels = numbers(org, "count", standard.levels.length + 3);
  const timings = timingsOf21[name].split(" ");
  const commands = commandsOf21[name].split(" ");
  const cycles = numbers(dram, "timing", timings.length);
  const busCycles = numbers(dram, "command_cycles", commands.length);
  controller.end();
  if (levels.length === 0 || cycles.length === 0 || busCycles.length === 0) return undefined;
  const given = Object.fromEntries(
    timings.map((timing, i) => [timing, present(cycles[i])] as const),
  );
  for (const key of unneeded) Reflect.deleteProperty(given, key);
  const read = timingsOf(standard, given, {}, (timing) => `dram.timing (${timing})`);
  issues.push(...read.issues);
  return {
    standard,
    timing: read.values,
    channels: 1,
    counts: countsOf(
      Object.fromEntries(standard.levels.map((level, i) => [level, levels[i + 1] ?? 1])),
    ),
    busCycles: Object.fromEntries(commands.map((command, i) => [command, busCycles[i] ?? 1])),
    refreshes: refresh !== "NoRefresh",
    clockAlwaysOn: wck === "always_on",
  };
}
