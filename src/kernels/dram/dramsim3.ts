// SPDX-License-Identifier: Apache-2.0
// Configurations of DRAMsim3 (ini) for the standards whose table has `files.dramsim3`. The rules of its controller are not
// known here: a check and a replay have those of the standard. Every key is used, listed as one without influence, or
// refused by name.

import { defined } from "../../base/defined.ts";
import { inFile, type Issue } from "../../base/errors.ts";
import { didYouMean } from "../../base/nearest.ts";
import { formatValue } from "../../base/format-value.ts";
import type { Dramsim3File } from "../../machine/dram/standards/files.ts";
import { memoryStandard, standardNames } from "../../machine/dram/standards/standards.ts";
import type { MemoryStandard } from "../../machine/dram/standards/table.ts";
import { countsOf, tableBusCycles } from "./check/memory.ts";
import { timingsOf } from "./check/standard-of.ts";
import type { FileUse, OtherMemory } from "./other-simulator.ts";

/** Keys by section: those of the memory, and those of the controller, of power and of the output. */
const sections: Readonly<Record<string, readonly string[]>> = {
  dram_structure: [
    ...["protocol", "bankgroups", "banks_per_group", "bankgroup_enable", "rows", "columns"],
    ...["device_width", "BL", "num_dies", "hbm_dual_cmd"],
  ],
  timing: [
    ...["tCK", "AL", "CL", "CWL", "tRCD", "tRCDRD", "tRCDWR", "tRP", "tRAS", "tRFC", "tRFCb"],
    ...["tREFI", "tREFIb", "tRRD_S", "tRRD_L", "tWTR_S", "tWTR_L", "tFAW", "t32AW", "tWR", "tRTP"],
    ...["tRTP_S", "tRTP_L", "tCCD_S", "tCCD_L", "tRTRS", "tPPD", "tCKE", "tCKESR", "tXS", "tXP"],
    ...["tRPRE", "tWPRE", "ideal_memory_latency"],
    // DRAMsim3 does not read these keys, which its own files have.
    ...["tRFC2", "tRFC4", "tWR2"],
  ],
  power: [
    ...["VDD", "IDD0", "IPP0", "IDD2P", "IDD2N", "IDD3P", "IDD3N", "IDD4W", "IDD4R", "IDD5AB"],
    ...["IDD5PB", "IDD6x"],
  ],
  system: [
    ...["channel_size", "channels", "bus_width", "address_mapping", "queue_structure"],
    ...["refresh_policy", "row_buf_policy", "cmd_queue_size", "trans_queue_size", "unified_queue"],
    ...["write_buf_size", "enable_self_refresh", "sref_threshold"],
    "aggressive_precharging_enabled",
  ],
  other: ["epoch_period", "output_level", "output_prefix"],
  thermal: [],
  hmc: [],
};

/** Keys of DRAMsim3 by the names of the tables. A standard has those of its timings, and keys of its own. */
const timingKeys: Readonly<Record<string, readonly string[]>> = {
  nCL: ["CL"],
  nCWL: ["CWL"],
  nRCD: ["tRCD"],
  nRCDRD: ["tRCDRD", "tRCD"],
  nRCDWR: ["tRCDWR", "tRCD"],
  nRP: ["tRP"],
  nRAS: ["tRAS"],
  nWR: ["tWR"],
  nRTP: ["tRTP", "tRTP_L"],
  nCCDS: ["tCCD_S"],
  nCCDL: ["tCCD_L"],
  nRRDS: ["tRRD_S"],
  nRRDL: ["tRRD_L"],
  nWTRS: ["tWTR_S"],
  nWTRL: ["tWTR_L"],
  nFAW: ["tFAW"],
  nRFCab: ["tRFC"],
  nRFCpb: ["tRFCb"],
  nREFI: ["tREFI"],
  nREFIpb: ["tREFIb"],
  nCS: ["tRTRS"],
  nPPD: ["tPPD"],
};

/** Keys of a timing in the order of preference. */
function keysOf({ timings }: Dramsim3File, name: string): readonly string[] {
  return timings?.[name] ?? timingKeys[name] ?? [];
}

/** Whether a text is an ini file of DRAMsim3. */
export function isDramsim3(file: string, text: string): boolean {
  return /\.ini$/i.test(file) || /^\s*\[dram_structure\]/m.test(text);
}

/** The value of a key as a number; `absent` where it is absent, or a problem. */
type NumberOf = (key: string, absent?: number) => number;

/**
 * Reads the text of a configuration.
 * @throws NeardataError `bad-input` with every key that is wrong or unknown.
 */
export function readDramsim3(file: string, text: string, use: FileUse): OtherMemory {
  const issues: Issue[] = [];
  const keys = entriesOf(text, issues);
  const number: NumberOf = (key, absent) => {
    const value = keys.get(key);
    if (value === undefined && absent !== undefined) return absent;
    const isNumber = value !== undefined && /^\d+(\.\d+)?$/.test(value);
    if (!isNumber && !issues.some(({ where }) => where === key)) {
      const message =
        value === undefined ? "must be given." : `${formatValue(value)} is not a number.`;
      issues.push({ where: key, message });
    }
    return isNumber ? Number(value) : 1;
  };
  const protocol = keys.get("protocol") ?? "";
  const standard = memoryStandard(protocol);
  const form = standard?.files.dramsim3;
  if (standard === undefined || form === undefined) {
    const known = standardNames.filter((name) => memoryStandard(name)?.files.dramsim3);
    const message = `${formatValue(protocol)} is not read: known are ${known.join(", ")}.`;
    throw inFile(file, [...issues, { where: "protocol", message }]);
  }
  const given: Record<string, number> = {};
  const used = new Set<string>();
  for (const name of Object.keys(standard.timings)) {
    const key = keysOf(form, name).find((one) => keys.has(one));
    if (key === undefined) continue;
    given[name] = number(key);
    used.add(key);
  }
  const burst = number("BL");
  given["nBL"] = burst / form.transfersPerCycle;
  given["nRC"] = (given["nRAS"] ?? 0) + (given["nRP"] ?? 0);
  const hasGroups = standard.levels.includes("bank group");
  for (const [key, plain] of [
    ["AL", "0"],
    ["hbm_dual_cmd", "true"],
    hasGroups ? ["bankgroup_enable", "true"] : ["bankgroups", "1"],
  ] as const) {
    issues.push(...notPlain(keys, key, plain));
  }
  const timing = timingsOf(standard, given, {}, (names) => keyOfTimings(form, names));
  issues.push(...timing.issues);
  const counts = { bankGroups: number("bankgroups"), banks: number("banks_per_group") };
  const levels = { "bank group": counts.bankGroups, bank: counts.banks };
  const channels = number("channels", 1);
  // A check of standards without ranks does not need the size of a channel.
  const hasRanks = use === "replay" || standard.levels.includes("rank");
  const ranks = hasRanks ? ranksOf(form, counts, number) : 1;
  const replay =
    use === "check"
      ? undefined
      : replayDocument({ file, standard, form, keys, number, burst, ranks, channels, issues });
  if (issues.length > 0) throw inFile(file, issues);
  return {
    memory: {
      standard,
      timing: timing.values,
      channels,
      counts: countsOf({ rank: ranks, ...levels }),
      busCycles: tableBusCycles(standard),
      refreshes: true,
      clockAlwaysOn: false,
    },
    ignored: use === "check" ? [] : ignoredKeys(keys, used),
    document: replay === undefined ? {} : { ...replay, timing_cycles: timing.values },
    keyOf: (key) => keyOf(form, key),
    rules:
      `the rules of DRAMsim3's controller are not known: the replay has those of ${standard.document} ` +
      "(semantics jedec) and the scheduler FRFCFS.",
  };
}

const keyOfTimings = (form: Dramsim3File, names: string): string =>
  names
    .split(", ")
    .map((name) => keysOf(form, name)[0] ?? (name === "nBL" ? "BL" : name))
    .join(", ");

/** A problem of a key whose value is not the one that this model has. */
function notPlain(keys: ReadonlyMap<string, string>, key: string, plain: string): readonly Issue[] {
  const value = keys.get(key);
  if (value === undefined || value.toLowerCase() === plain.toLowerCase()) return [];
  return [{ where: key, message: `${formatValue(value)} has no counterpart: it is ${plain}.` }];
}

/** Keys of the controller and of the timing without an influence here; whole sections by their names. */
const unused = [
  ...["num_dies", "queue_structure", "cmd_queue_size", "write_buf_size", "sref_threshold"],
  "ideal_memory_latency",
];
const unusedSections = ["other", "thermal", "hmc"] as const;

/** Keys of `currents` by the keys of the section power; those of DRAMsim3 are of all devices of a rank alike. */
const powerKeys = {
  vdd: "VDD",
  idd0: "IDD0",
  idd2n: "IDD2N",
  idd3n: "IDD3N",
  idd4r: "IDD4R",
  idd4w: "IDD4W",
  idd5b: "IDD5AB",
} as const;
/** Currents of power-down, which the replay does not need. */
const idleKeys = { idd2p: "IDD2P", idd3p: "IDD3P" } as const;

/** Currents of the section power if it has all that the energy needs. */
function currentsOf(
  file: string,
  keys: ReadonlyMap<string, string>,
  number: NumberOf,
): object | undefined {
  if (!Object.values(powerKeys).every((key) => keys.has(key))) return undefined;
  const given = { ...powerKeys, ...idleKeys };
  const entries = Object.entries(given).filter(([, key]) => keys.has(key));
  return {
    source: `section power of ${file}`,
    ...Object.fromEntries(entries.map(([name, key]) => [name, number(key)])),
  };
}

function ignoredKeys(
  keys: ReadonlyMap<string, string>,
  used: ReadonlySet<string>,
): readonly string[] {
  const timings = (sections["timing"] ?? []).filter((key) => !used.has(key));
  const without = [...timings, ...unused].filter((key) => !["tCK", "AL"].includes(key));
  const isGiven = (section: string): boolean =>
    keys.has(`[${section}]`) || (sections[section] ?? []).some((key) => keys.has(key));
  const hasPower = Object.values(powerKeys).every((key) => keys.has(key));
  const read: readonly string[] = [...Object.values(powerKeys), ...Object.values(idleKeys)];
  const ofPower = (sections["power"] ?? []).filter((key) => !read.includes(key) && keys.has(key));
  return [
    ...new Set(without.filter((key) => keys.has(key))),
    ...(hasPower ? ofPower : isGiven("power") ? ["[power]"] : []),
    ...unusedSections.filter(isGiven).map((section) => `[${section}]`),
  ];
}

interface ReplayFacts {
  readonly file: string;
  readonly standard: MemoryStandard;
  readonly form: Dramsim3File;
  readonly keys: ReadonlyMap<string, string>;
  readonly number: NumberOf;
  readonly burst: number;
  readonly ranks: number;
  readonly channels: number;
  readonly issues: Issue[];
}

/** The memory without its timings, and the controller, under the keys of a replay config. */
function replayDocument(facts: ReplayFacts): object {
  const { file, standard, form, keys, number, burst, ranks, channels, issues } = facts;
  const tck = number("tCK");
  if (tck <= 0) issues.push({ where: "tCK", message: "must be more than 0." });
  if (burst < 1) issues.push({ where: "BL", message: "must be at least 1." });
  const plain = (key: string, value: string): void => {
    issues.push(...notPlain(keys, key, value));
  };
  plain("unified_queue", "false");
  plain("enable_self_refresh", "false");
  plain("aggressive_precharging_enabled", "false");
  if (
    keys.has("refresh_policy") &&
    !(ranks === 1 && isChoice(keys, "refresh_policy", refreshPolicies))
  ) {
    plain("refresh_policy", refreshPolicies[0]);
  }
  if (!isChoice(keys, "row_buf_policy", rowPolicies)) {
    const message = `${formatValue(keys.get("row_buf_policy"))} is not read: known are ${rowPolicies.join(", ")}.`;
    issues.push({ where: "row_buf_policy", message });
  }
  if (ranks > 1 && !standard.levels.includes("rank")) {
    const message = `makes ${ranks} ranks of a channel: ${standard.name} has none.`;
    issues.push({ where: "channel_size", message });
  }
  // Five activations need tFAW, so that 32 of them never take less than eight times as long.
  const many = number("t32AW", 0);
  if (many > 8 * number("tFAW")) {
    const message = `is ${many}, more than 8 x tFAW: the replay does not count 32 activations.`;
    issues.push({ where: "t32AW", message });
  }
  const columns = number("columns") / (burst / transfersOfColumn(form, burst));
  if (burst >= 1 && !Number.isInteger(columns)) {
    const message = `${number("columns")} columns are not whole bursts of ${burst}.`;
    issues.push({ where: "columns", message });
  }
  const entries = number("trans_queue_size", 32);
  return {
    name: "DRAMsim3",
    standard: standard.name,
    semantics: "jedec",
    rate_MTps: Math.max(1, Math.round((1000 * standard.transfersPerCycle) / (tck || 1))),
    organization: {
      channels,
      ...(standard.levels.includes("rank") && { ranks_per_channel: ranks }),
      ...(standard.levels.includes("pseudo channel") && { pseudo_channels: 1 }),
      bankgroups: number("bankgroups"),
      banks_per_bankgroup: number("banks_per_group"),
      rows: number("rows"),
      column_addresses_per_row: columns,
      burst_length: burst,
      bus_width_bits: number("bus_width"),
      device_width: number("device_width"),
    },
    refresh: "AllBank",
    scheduler: "FRFCFS",
    ...(keys.get("row_buf_policy") === "CLOSE_PAGE"
      ? { row_policy: "ClosedRowPolicy", closed_row_cap: 1 }
      : { row_policy: "OpenRowPolicy" }),
    queues: { read: entries, write: entries },
    address_mapper: mapperOf(facts, columns),
    ...defined({ currents: currentsOf(file, keys, number) }),
  };
}

const refreshPolicies = ["RANK_LEVEL_STAGGERED", "RANK_LEVEL_SIMULTANEOUS"] as const;
const rowPolicies = ["OPEN_PAGE", "CLOSE_PAGE"] as const;

/** Whether a key is absent or has one of the texts. */
function isChoice(
  keys: ReadonlyMap<string, string>,
  key: string,
  values: readonly string[],
): boolean {
  const value = keys.get(key);
  return value === undefined || values.includes(value);
}

/** Transfers of a data pin in a column of the file. */
function transfersOfColumn({ column }: Dramsim3File, burst: number): number {
  return column === "burst" ? burst : column;
}

/** Orders of the mappings of a replay, the most significant field first. */
const orders = {
  RoBaRaCoCh: "ro ba bg ra co ch",
  ChRaBaRoCo: "ch ra bg ba ro co",
  RoBaCoBg: "ro ba ra co bg ch",
  RoCoBaBg: "ro ra co ba bg ch",
} as const;

/** The mapping with the order of `address_mapping`; fields of one value have no bits. */
function mapperOf(facts: ReplayFacts, columns: number): string {
  const { standard, keys, number, ranks, channels, issues } = facts;
  const counts: Readonly<Record<string, number>> = {
    ch: channels,
    ra: standard.levels.includes("rank") ? ranks : 1,
    bg: number("bankgroups"),
    ba: number("banks_per_group"),
    ro: number("rows"),
    co: columns,
  };
  const hasBits = (field: string): boolean => (counts[field] ?? 0) > 1;
  const text = keys.get("address_mapping");
  const fields = (text?.match(/../g) ?? []) as readonly string[];
  const where = "address_mapping";
  const isRight =
    text?.length === 12 && fields.toSorted().join() === Object.keys(counts).toSorted().join();
  if (!isRight) {
    const what = text === undefined ? "" : `${formatValue(text)}: `;
    issues.push({
      where,
      message: `${what}must have each of ${Object.keys(counts).join(", ")} once.`,
    });
    return "RoBaRaCoCh";
  }
  const order = fields.filter(hasBits).join(" ");
  for (const [name, all] of Object.entries(orders)) {
    if (all.split(" ").filter(hasBits).join(" ") === order) return name;
  }
  const known = Object.values(orders).map((one) => one.replaceAll(" ", ""));
  const message = `${formatValue(text)} has no counterpart: known are ${known.join(", ")}, where fields of one value may be anywhere.`;
  issues.push({ where, message });
  return "RoBaRaCoCh";
}

const documentKeys: Readonly<Record<string, string>> = {
  rate_MTps: "tCK",
  refresh: "refresh_policy",
  row_policy: "row_buf_policy",
  address_mapper: "address_mapping",
  "queues.read": "trans_queue_size",
  "queues.write": "trans_queue_size",
  "organization.bankgroups": "bankgroups",
  "organization.banks_per_bankgroup": "banks_per_group",
  "organization.rows": "rows",
  "organization.column_addresses_per_row": "columns",
  "organization.channels": "channels",
  "organization.ranks_per_channel": "channel_size",
  "organization.burst_length": "BL",
  "organization.bus_width_bits": "bus_width",
  "organization.device_width": "device_width",
};

/** The key of the file for a key of the document. */
function keyOf(form: Dramsim3File, key: string): string {
  const [group, name = ""] = key.split(".");
  if (group === "currents") return { ...powerKeys, ...idleKeys }[name as "vdd"];
  return group === "timing_cycles" ? keyOfTimings(form, name) : (documentKeys[key] ?? key);
}

/** DRAMsim3 derives the ranks of a channel from its size. */
function ranksOf(
  form: Dramsim3File,
  { bankGroups, banks }: Readonly<Record<"bankGroups" | "banks", number>>,
  number: NumberOf,
): number {
  const width = number("device_width");
  // Columns of a device.
  const columns = number("columns") * transfersOfColumn(form, number("BL"));
  const perBank = (number("rows") * columns * width) / 8 / 2 ** 20;
  const perRank = (perBank * bankGroups * banks * number("bus_width", 64)) / width;
  return Math.max(1, Math.floor(number("channel_size", perRank) / perRank));
}

/** Keys and values of all sections; a key that no section has, or twice, is a problem. */
function entriesOf(text: string, issues: Issue[]): ReadonlyMap<string, string> {
  const keys = new Map<string, string>();
  let section: string | undefined;
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    const content = line.replace(/[;#].*$/, "").trim();
    const where = `line ${i + 1}`;
    const header = /^\[(.*)\]$/.exec(content)?.[1];
    const [, key = "", value = ""] = /^([^=]+)=(.*)$/.exec(content) ?? [];
    if (header !== undefined) {
      section = header.trim();
      if (sections[section] === undefined) {
        const message = `there is no section ${formatValue(section)}.`;
        issues.push({ where, message: message + didYouMean(section, Object.keys(sections)) });
      }
    } else if (key !== "") {
      addKey(keys, issues, { section: section ?? "", key: key.trim(), value: value.trim(), where });
    } else if (content !== "") {
      issues.push({ where, message: `${formatValue(content)} is neither a section nor a key.` });
    }
  }
  return keys;
}

interface IniKey {
  readonly section: string;
  readonly key: string;
  readonly value: string;
  /** File and line, for messages. */
  readonly where: string;
}

function addKey(
  keys: Map<string, string>,
  issues: Issue[],
  { section, key, value, where }: IniKey,
): void {
  const known = sections[section];
  if (known === undefined) return;
  // Of a hybrid memory cube and of the thermal model nothing is needed.
  if (known.length === 0) keys.set(`[${section}]`, "");
  else if (!known.includes(key)) {
    const message = `${section} has no key ${formatValue(key)}.${didYouMean(key, known)}`;
    issues.push({ where, message });
  } else if (keys.has(key)) {
    issues.push({ where, message: `${key} is given twice.` });
  } else keys.set(key, value);
}
