// SPDX-License-Identifier: Apache-2.0
// The memory of `dram check --config`: a JSON document of a standard with its timings and counts, a configuration of
// `dram replay`, Ramulator or DRAMsim3. Every key is used, describes the run that made the trace, or is refused by name.

import { z } from "zod";

import { defined } from "../../../base/defined.ts";
import { inFile, type Issue } from "../../../base/errors.ts";
import { issuesOf } from "../../../base/issues.ts";
import type { LevelName, MemoryStandard } from "../../../machine/dram/standards/table.ts";
import { atRefreshRate } from "../../../machine/dram/refresh-rate.ts";
import { refreshRateSchema } from "../config.ts";
import { managementOf, managementSchema } from "../../../machine/dram/management-config.ts";
import { documentOf, replayConfigOf } from "../config-file.ts";
import type { DramReplayConfig } from "../replay-config.ts";
import { isDramsim3, readDramsim3 } from "../dramsim3.ts";
import { isRamulator20, readRamulator20 } from "../ramulator2/ramulator20.ts";
import { isRamulator21, readRamulator21 } from "../ramulator2/ramulator21.ts";
import {
  addressMappers,
  countsOf,
  tableBusCycles,
  type AddressMap,
  type CheckedMemory,
} from "./memory.ts";
import {
  busIssues,
  namedStandard,
  noPresetValue,
  timingsOf,
  withMissingPreset,
} from "./standard-of.ts";

const count = z.int().min(1).max(0xffff_ffff);
const cycles = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
/** Of the controller and the traffic, which a check does not need. */
const described = z.unknown();

const bits = z.int().min(0).max(40).optional();
const levelBits: Readonly<Record<LevelName, string>> = {
  "pseudo channel": "pseudo_channel",
  rank: "rank",
  "stack id": "stack_id",
  "bank group": "bankgroup",
  bank: "bank",
};
const addressFields: readonly string[] = [...Object.values(levelBits), "row", "column"];

const organizationSchema = z.strictObject({
  channels: count.optional(),
  pseudo_channels: count.optional(),
  ranks_per_channel: count.optional(),
  stack_ids: count.optional(),
  bankgroups: count.optional(),
  banks_per_bankgroup: count.optional(),
  rows: count.optional(),
  device_columns: count.optional(),
  column_addresses_per_row: count.optional(),
  burst_length: count.optional(),
  bus_width_bits: count.optional(),
  device_width: count.optional(),
  density_Mb: count.optional(),
  bytes_per_access: count.optional(),
});
type OrganizationKey = keyof z.infer<typeof organizationSchema>;

const documentSchema = z.strictObject({
  standard: z.string(),
  preset: z.string().optional(),
  timing_cycles: z.record(z.string(), cycles).optional(),
  command_bus_cycles: z.record(z.string(), z.int().min(1).max(64)).optional(),
  command_buses: z
    .union([z.literal("shared"), z.record(z.string(), z.array(z.string()))])
    .optional(),
  organization: organizationSchema.optional(),
  clock: z
    .strictObject({
      cycle: described.optional(),
      cycles_per_CK: count.optional(),
      cycle_ps: described.optional(),
      rate_MTps: described.optional(),
    })
    .optional(),
  refresh: z.enum(["AllBank", "PerBank", "SameBank", "None", "NoRefresh"]).nullable().optional(),
  refresh_rate: refreshRateSchema.optional(),
  refresh_management: managementSchema.optional(),
  wck_sync_mode: z.enum(["need_sync", "always_on"]).optional(),
  total_cycles: cycles.optional(),
  rate_MTps: described.optional(),
  semantics: described.optional(),
  address_mapper: z.enum(addressMappers).optional(),
  address_bits: z.strictObject(Object.fromEntries(addressFields.map((f) => [f, bits]))).optional(),
  channel_selection: z.strictObject({ rule: described.optional(), bits }).optional(),
  tx_offset_bits: bits.optional(),
  name: described.optional(),
  description: described.optional(),
  simulator: described.optional(),
  same_requests_as: described.optional(),
  read_latency: described.optional(),
  controller: described.optional(),
  scheduler: described.optional(),
  row_policy: described.optional(),
  closed_row_cap: described.optional(),
  refresh_scatter_interval: described.optional(),
  queues: described.optional(),
  currents: described.optional(),
  power_down: described.optional(),
  write_low_watermark: described.optional(),
  write_high_watermark: described.optional(),
  injection: described.optional(),
});
type Document = z.infer<typeof documentSchema>;

const levelKeys: Readonly<Record<LevelName, OrganizationKey>> = {
  "pseudo channel": "pseudo_channels",
  rank: "ranks_per_channel",
  "stack id": "stack_ids",
  "bank group": "bankgroups",
  bank: "banks_per_bankgroup",
};

/** A memory, and the keys of its file that a check does not need. */
export interface CheckedFile {
  readonly memory: CheckedMemory;
  readonly ignored: readonly string[];
}

/**
 * Reads the text of a configuration file.
 * @throws NeardataError `bad-input` with every problem.
 */
export function parseCheckedMemory(file: string, text: string): CheckedFile {
  if (isDramsim3(file, text)) return readDramsim3(file, text, "check");
  const document = documentOf(file, text);
  const has = (key: string): boolean =>
    typeof document === "object" && document !== null && key in document;
  if (isRamulator21(document)) return readRamulator21(document, file, "check");
  if (isRamulator20(document)) return readRamulator20(document, file, "check");
  if (has("standard") && !has("timing_nCK")) {
    return { memory: parseStandardDocument(document, file), ignored: [] };
  }
  const { config } = replayConfigOf(file, document);
  return { memory: replayMemory(config), ignored: config.ignored };
}

/** A memory of `dram replay`. */
export function replayMemory(config: DramReplayConfig<string>): CheckedMemory {
  const { organization: o, standard } = config;
  return {
    standard,
    timing: config.timing,
    channels: o.channels,
    counts: countsOf({
      ...(o.ranksArePseudoChannels === true
        ? { "pseudo channel": o.ranks, "stack id": o.logicalRanks ?? 1 }
        : { rank: o.ranks }),
      "bank group": o.bankGroups,
      bank: o.banksPerGroup,
    }),
    busCycles: tableBusCycles(standard),
    refreshes: config.refresh !== "None",
    clockAlwaysOn: config.clockAlwaysOn ?? false,
    ...defined({ refreshManagement: config.refreshManagement }),
  };
}

function parseStandardDocument(document: unknown, file: string): CheckedMemory {
  const parsed = documentSchema.safeParse(document, { reportInput: true });
  if (!parsed.success) throw inFile(file, issuesOf(parsed.error, documentSchema));
  const { data } = parsed;
  const standard = namedStandard(data.standard, `${file}: standard`);
  const preset =
    data.preset === undefined ? undefined : standard.preset(data.preset, `${file}: preset`);
  const timing = timingsOf(
    standard,
    data.timing_cycles ?? {},
    preset?.timing ?? {},
    (name) => `timing_cycles.${name}`,
  );
  const levels = levelsOf(standard, data.organization ?? {}, preset?.organization.levels);
  const issues = [
    ...timing.issues,
    ...levels.issues,
    ...busIssues(standard, data),
    ...clockIssues(standard, data),
  ];
  if (issues.length > 0)
    throw inFile(file, preset === undefined ? withMissingPreset(issues) : issues);
  return {
    standard,
    timing: atRefreshRate(standard, timing.values, data.refresh_rate),
    channels: data.organization?.channels ?? preset?.organization.channels ?? 1,
    counts: countsOf(levels.values),
    busCycles: { ...tableBusCycles(standard), ...data.command_bus_cycles },
    refreshes: data.refresh !== "None" && data.refresh !== "NoRefresh" && data.refresh !== null,
    clockAlwaysOn: data.wck_sync_mode === "always_on",
    ...defined({ refreshManagement: managementOf(data.refresh_management) }),
    ...addressesOf(standard, data),
    ...defined({ end: data.total_cycles }),
  };
}

/** The address map, where the document has one. */
function addressesOf(
  standard: MemoryStandard,
  { address_mapper: mapper, address_bits: widths, tx_offset_bits: offset, ...data }: Document,
): { readonly addresses?: AddressMap } {
  if (mapper === undefined || widths === undefined || offset === undefined) return {};
  const levels = standard.levels.map((level) => ({ level, bits: widths[levelBits[level]] ?? 0 }));
  const channel = data.channel_selection?.bits ?? 0;
  const { row = 0, column = 0 } = widths;
  return { addresses: { mapper, offset, channel, levels, row, column } };
}

function levelsOf(
  standard: MemoryStandard,
  given: NonNullable<Document["organization"]>,
  preset: Readonly<Partial<Record<LevelName, number>>> = {},
): {
  readonly values: Readonly<Partial<Record<LevelName, number>>>;
  readonly issues: readonly Issue[];
} {
  const issues: Issue[] = [];
  const values: Partial<Record<LevelName, number>> = {};
  for (const [level, key] of Object.entries(levelKeys) as [LevelName, OrganizationKey][]) {
    const value = given[key] ?? preset[level];
    const where = `organization.${key}`;
    if (standard.levels.includes(level)) {
      if (value === undefined) issues.push({ where, message: noPresetValue });
      else values[level] = value;
    } else if (value !== undefined && value !== 1) {
      issues.push({ where, message: `${standard.name} has no ${level}.` });
    }
  }
  return { values, issues };
}

function clockIssues(standard: MemoryStandard, data: Document): readonly Issue[] {
  const perClock = data.clock?.cycles_per_CK ?? standard.cyclesPerClock;
  const issues: Issue[] = [];
  if (perClock !== standard.cyclesPerClock) {
    const message = `${perClock}; timings of ${standard.name} have ${standard.cyclesPerClock}.`;
    issues.push({ where: "clock.cycles_per_CK", message });
  }
  if (data.wck_sync_mode !== undefined && standard.dataClock === undefined) {
    issues.push({ where: "wck_sync_mode", message: `${standard.name} has no data clock.` });
  }
  return issues;
}
