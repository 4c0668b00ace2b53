// SPDX-License-Identifier: Apache-2.0
// A configuration of DRAMsim3 (ini) as a memory that a trace is checked against: DDR4, GDDR6 and HBM2. Every key is used,
// listed as one that a check does not need, or refused by name.

import { inFile, type Issue } from "../../../base/errors.ts";
import { didYouMean } from "../../../base/nearest.ts";
import { formatValue } from "../../../base/format-value.ts";
import { namedStandard, timingsOf } from "./standard-of.ts";
import { countsOf, tableBusCycles, type CheckedMemory } from "./memory.ts";

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

/** Keys of DRAMsim3 by the names of the tables. A standard has those of its timings. */
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

/** Transfers in a cycle: a burst of BL occupies the bus for BL / this (DRAMsim3). */
const transfers: Readonly<Record<string, number>> = { DDR4: 2, HBM2: 2, GDDR6: 16 };

/** Whether a text is an ini file of DRAMsim3. */
export function isDramsim3(file: string, text: string): boolean {
  return /\.ini$/i.test(file) || /^\s*\[dram_structure\]/m.test(text);
}

/**
 * Reads the text of a configuration.
 * @throws NeardataError `bad-input` with every key that is wrong or unknown.
 */
export function parseDramsim3(file: string, text: string): CheckedMemory {
  const issues: Issue[] = [];
  const keys = entriesOf(text, issues);
  const number = (key: string, absent?: number): number => {
    const value = keys.get(key);
    if (value === undefined && absent !== undefined) return absent;
    const isNumber = value !== undefined && /^\d+(\.\d+)?$/.test(value);
    if (!isNumber) {
      const message =
        value === undefined ? "must be given." : `${formatValue(value)} is not a number.`;
      issues.push({ where: key, message });
    }
    return isNumber ? Number(value) : 1;
  };
  const protocol = keys.get("protocol") ?? "";
  if (transfers[protocol] === undefined) {
    const known = Object.keys(transfers);
    const message = `${formatValue(protocol)} is not read: known are ${known.join(", ")}.`;
    throw inFile(file, [...issues, { where: "protocol", message }]);
  }
  const standard = namedStandard(protocol, file);
  const given: Record<string, number> = {};
  for (const name of Object.keys(standard.timings)) {
    const key = timingKeys[name]?.find((one) => keys.has(one));
    if (key !== undefined) given[name] = number(key);
  }
  const burst = number("BL");
  given["nBL"] = burst / (transfers[protocol] ?? 1);
  given["nRC"] = (given["nRAS"] ?? 0) + (given["nRP"] ?? 0);
  for (const [key, plain] of [
    ["AL", "0"],
    ["hbm_dual_cmd", "true"],
    ["bankgroup_enable", "true"],
  ] as const) {
    const value = keys.get(key);
    if (value === undefined || value.toLowerCase() === plain) continue;
    issues.push({
      where: key,
      message: `${formatValue(value)} has no counterpart: it is ${plain}.`,
    });
  }
  const timing = timingsOf(standard, given, {}, (names) =>
    names
      .split(", ")
      .map((name) => timingKeys[name]?.[0] ?? name)
      .join(", "),
  );
  issues.push(...timing.issues);
  const counts = { bankGroups: number("bankgroups"), banks: number("banks_per_group") };
  const ranks = ranksOf(protocol, counts, number);
  if (issues.length > 0) throw inFile(file, issues);
  return {
    standard,
    timing: timing.values,
    channels: number("channels", 1),
    counts: countsOf({ rank: ranks, "bank group": counts.bankGroups, bank: counts.banks }),
    busCycles: tableBusCycles(standard),
    refreshes: true,
    clockAlwaysOn: false,
  };
}

/** DRAMsim3 derives the ranks of a channel from its size. */
function ranksOf(
  protocol: string,
  { bankGroups, banks }: Readonly<Record<"bankGroups" | "banks", number>>,
  number: (key: string, absent?: number) => number,
): number {
  if (protocol !== "DDR4") return 1;
  const width = number("device_width");
  const perBank = (number("rows") * number("columns") * width) / 8 / 2 ** 20;
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
  if (known.length > 0 && !known.includes(key)) {
    const message = `${section} has no key ${formatValue(key)}.${didYouMean(key, known)}`;
    issues.push({ where, message });
  } else if (keys.has(key)) {
    issues.push({ where, message: `${key} is given twice.` });
  } else keys.set(key, value);
}
