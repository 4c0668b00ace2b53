// SPDX-License-Identifier: Apache-2.0
// The configuration of `neardata dram replay`: a JSON document in the format of the golden traces,
// or a preset by name with overrides. The result is complete; the native side adds no defaults.

import { defined } from "../../base/defined.ts";
import { z } from "zod";

import { issuesOf } from "../../base/issues.ts";
import { inFile, type Issue } from "../../base/errors.ts";
import { didYouMean, nearest } from "../../base/nearest.ts";
import { cycles } from "../../base/units.ts";
import { dramPreset, type DramOrganization, type DramPreset } from "../../machine/dram/presets.ts";
import {
  currentsIssues,
  currentsOfConfig,
  currentsSchema,
} from "../../machine/dram/currents-config.ts";
import {
  managementIssues,
  managementOf,
  managementSchema,
} from "../../machine/dram/management-config.ts";
import { cycleSecondsOf, dramMappings, type DramReplayConfig } from "./replay-config.ts";
import { atRefreshRate, refreshRates } from "../../machine/dram/refresh-rate.ts";
import { dramSemantics, semanticsNames, type DramSemantics } from "../../machine/dram/semantics.ts";
import { ddr5 } from "../../machine/dram/standards/ddr5.ts";
import { expectationIssues } from "./expected-facts.ts";
import { timingNames, unusedTimingNames, type DramTiming } from "../../machine/dram/timing.ts";

export const count = z.int().min(1).max(0xffffffff);
const wait = z.int().min(0);
/** Megatransfers per second: ten times the fastest DDR5, whose cycle is still 22 ps. */
const fastest = 88_000;

const organizationSchema = z.object({
  channels: count.optional(),
  ranks_per_channel: count.optional(),
  bankgroups: count.optional(),
  banks_per_bankgroup: count.optional(),
  rows: count.optional(),
  device_columns: count.optional(),
  column_addresses_per_row: count.optional(),
  device_width: count.optional(),
  device_density_Mb: count.optional(),
  channel_width_bits: count.optional(),
  prefetch: count.optional(),
  bytes_per_access: count.optional(),
});

const flag = z.boolean().optional();
const semanticsSchema = z.union([
  z.enum(semanticsNames),
  z.strictObject({
    base: z.enum(semanticsNames),
    swappedRankSwitch: flag,
    spareQueueEntry: flag,
    oneCompletionPerCycle: flag,
    refreshIgnoresOpenCommands: flag,
    noPrechargeGap: flag,
    firstCycleIntervals: flag,
    refreshAllRanksAtOnce: flag,
    refreshHoldsAllBanks: flag,
    noWriteRankGap: flag,
    blockedPickLosesCycle: flag,
    reordersSameAddress: flag,
  }),
]);

export const queuesSchema = z.object({
  nominal_size: count.optional(),
  effective_capacity_read: count.optional(),
  effective_capacity_write: count.optional(),
  effective_capacity_active: count.optional(),
  effective_capacity_priority: count.optional(),
});
export const refreshRateSchema = z.literal(refreshRates);
export const watermarks = {
  write_low_watermark: z.number().gt(0).max(1).optional(),
  write_high_watermark: z.number().min(0).max(1).optional(),
};
export const injectionSchema = z.object({
  policy: z.enum(["global_fifo", "per_channel_fifo"]).optional(),
  max_accepts_per_cycle: z
    .union([count, z.literal("unlimited")])
    .nullable()
    .optional(),
});

const documentSchema = z.object({
  name: z.string().optional(),
  preset: z.string().optional(),
  rate_MTps: z.int().min(1).max(fastest).optional(),
  tCK_ps: z.number().positive().optional(),
  read_latency: wait.optional(),
  timing_nCK: z.record(z.string(), wait).optional(),
  organization: organizationSchema.optional(),
  semantics: semanticsSchema.optional(),
  address_mapper: z.enum(dramMappings).optional(),
  scheduler: z.literal("FRFCFS").optional(),
  row_policy: z.enum(["OpenRowPolicy", "ClosedRowPolicy"]).optional(),
  closed_row_cap: count.nullable().optional(),
  ecc_devices: flag,
  power_down: flag,
  currents: currentsSchema.optional(),
  refresh: z
    .string()
    .regex(/^(AllBank|SameBank|None|off\b.*)$/, "must be AllBank, SameBank, None or off")
    .optional(),
  refresh_rate: refreshRateSchema.optional(),
  refresh_management: managementSchema.optional(),
  queues: queuesSchema.optional(),
  ...watermarks,
  injection: injectionSchema.optional(),
});
type Document = z.infer<typeof documentSchema>;

/** Keys that a document may have for people: they describe the data. */
const informative = ["simulator", "address_bits", "tx_offset_bits", "total_cycles"];

/** Of a device whose width nobody states: x4, as in a DIMM of servers. */
export const defaultDeviceBits = 4;

/** Default number of accesses after which a closed row policy closes a row (Ramulator 2.0). */
const defaultClosedRowCap = 10_000_000;

/**
 * Reads a document.
 * @throws NeardataError `bad-input` with every problem, each under `where` and its path.
 */
export function parseDramReplayConfig(document: unknown, where: string): DramReplayConfig {
  const parsed = documentSchema.safeParse(document, { reportInput: true });
  const unknown = unknownKeys(document);
  if (!parsed.success) {
    throw inFile(where, [...issuesOf(parsed.error, documentSchema), ...unknown.typos]);
  }
  const data = parsed.data;
  const preset = data.preset === undefined ? undefined : dramPreset(data.preset, where);
  const lacks = missing(data, preset);
  const issues = [...unknown.typos, ...lacks, ...halfColumns(data, preset)];
  if (data.currents !== undefined) {
    issues.push(...currentsIssues(data.currents, { powerDown: data.power_down ?? false }));
  }
  if (data.refresh_management !== undefined) {
    const refresh = refreshOf(data.refresh ?? "AllBank");
    const semantics = data.semantics ?? "ramulator-2.0";
    // A document of DDR5 has every timing.
    const memory = { standard: ddr5, refresh, timing: ddr5.timings, semantics };
    issues.push(...managementIssues(memory, "refresh_management"));
  }
  const config = lacks.length === 0 ? resolve(data, preset, where, unknown.ignored) : null;
  if (config !== null) issues.push(...expectationIssues(data, config));
  if (config === null || issues.length > 0) throw inFile(where, issues);
  return config;
}

/** Device columns that are not a whole number of accesses. */
function halfColumns(data: Document, preset: DramPreset | undefined): Issue[] {
  const { device_columns: columns, prefetch = preset?.organization.burstLength } =
    data.organization ?? {};
  if (columns === undefined || prefetch === undefined || columns % prefetch === 0) return [];
  const message = `${columns} columns are no whole number of bursts of ${prefetch}`;
  return [{ where: "organization.device_columns", message }];
}

function resolve(
  data: Document,
  preset: DramPreset | undefined,
  source: string,
  ignored: readonly string[],
): DramReplayConfig {
  const semantics =
    typeof data.semantics === "object"
      ? dramSemantics(data.semantics.base, data.semantics)
      : dramSemantics(data.semantics ?? "ramulator-2.0");
  const timing = atRefreshRate(
    ddr5,
    Object.fromEntries(
      timingNames.map((name) => [
        name,
        cycles(data.timing_nCK?.[name] ?? preset?.timing[name] ?? 0),
      ]),
    ) as DramTiming,
    data.refresh_rate,
  );
  const limit = data.injection?.max_accepts_per_cycle ?? "unlimited";
  const megatransfersPerSecond = data.rate_MTps ?? preset?.megatransfersPerSecond ?? 0;
  const cycle = cycleSecondsOf({ standard: ddr5, megatransfersPerSecond });
  const powerDown = data.power_down ?? false;
  return {
    name: data.name ?? preset?.name ?? "replay",
    source,
    megatransfersPerSecond,
    organization: organizationOf(data.organization ?? {}, preset?.organization),
    deviceBits: data.organization?.device_width ?? preset?.deviceBits ?? defaultDeviceBits,
    eccDevices: data.ecc_devices ?? true,
    powerDown,
    ...defined({
      currents:
        data.currents &&
        currentsOfConfig(data.currents, {
          megatransfersPerSecond,
          secondsOf: (count) => count * cycle,
          timing,
        }),
    }),
    standard: ddr5,
    timing,
    semantics,
    queues: queuesOf(data.queues ?? {}, semantics),
    writeLowWatermark: data.write_low_watermark ?? 0.2,
    writeHighWatermark: data.write_high_watermark ?? 0.8,
    rowPolicy: data.row_policy ?? "OpenRowPolicy",
    closedRowCap: closedRowCapOf(data),
    refresh: refreshOf(data.refresh ?? "AllBank"),
    ...defined({ refreshManagement: managementOf(data.refresh_management) }),
    mapping: data.address_mapper ?? "RoBaRaCoCh",
    injection: data.injection?.policy ?? "global_fifo",
    acceptsPerCycle: limit === "unlimited" ? 0 : limit,
    ignored,
  };
}

/** Accesses after which the row policy closes a row. */
export function closedRowCapOf(data: Pick<Document, "row_policy" | "closed_row_cap">): number {
  const isClosed = data.row_policy === "ClosedRowPolicy";
  return (isClosed ? data.closed_row_cap : undefined) ?? defaultClosedRowCap;
}

function refreshOf(refresh: string): DramReplayConfig["refresh"] {
  return refresh === "AllBank" || refresh === "SameBank" ? refresh : "None";
}

function organizationOf(
  data: NonNullable<Document["organization"]>,
  preset: DramOrganization | undefined,
): DramOrganization {
  const burstLength = data.prefetch ?? preset?.burstLength ?? 0;
  const columns = data.device_columns === undefined ? undefined : data.device_columns / burstLength;
  return {
    channels: data.channels ?? preset?.channels ?? 0,
    ranks: data.ranks_per_channel ?? preset?.ranks ?? 0,
    bankGroups: data.bankgroups ?? preset?.bankGroups ?? 0,
    banksPerGroup: data.banks_per_bankgroup ?? preset?.banksPerGroup ?? 0,
    rows: data.rows ?? preset?.rows ?? 0,
    columnsPerRow: data.column_addresses_per_row ?? columns ?? preset?.columnsPerRow ?? 0,
    channelBits: data.channel_width_bits ?? preset?.channelBits ?? 0,
    burstLength,
  };
}

/** Capacities in a document are those of the reference, which include its spare queue entry. */
export function queuesOf(
  data: z.infer<typeof queuesSchema>,
  semantics: DramSemantics,
): DramReplayConfig["queues"] {
  const nominal = data.nominal_size ?? 32;
  const size = (given: number | undefined): number =>
    semantics.spareQueueEntry ? (given ?? nominal + 1) : nominal;
  return {
    nominal,
    read: size(data.effective_capacity_read),
    write: size(data.effective_capacity_write),
    active: size(data.effective_capacity_active),
  };
}

/** The keys that a document without a preset must have and lacks. */
function missing(data: Document, preset: DramPreset | undefined): Issue[] {
  if (preset !== undefined) return [];
  const lacks = (where: string, names: readonly string[]): Issue[] =>
    names.length === 0
      ? []
      : [{ where, message: `${names.join(", ")} must be given, or a preset that has them` }];
  const organization = data.organization ?? {};
  const counts = [
    "channels",
    "ranks_per_channel",
    "bankgroups",
    "banks_per_bankgroup",
    "rows",
    "channel_width_bits",
    "prefetch",
  ] as const;
  const hasColumns =
    organization.column_addresses_per_row !== undefined ||
    organization.device_columns !== undefined;
  return [
    ...(data.rate_MTps === undefined ? lacks("rate_MTps", ["rate_MTps"]) : []),
    ...lacks(
      "timing_nCK",
      timingNames.filter((name) => data.timing_nCK?.[name] === undefined),
    ),
    ...lacks("organization", [
      ...counts.filter((name) => organization[name] === undefined),
      ...(hasColumns ? [] : ["column_addresses_per_row"]),
    ]),
  ];
}

interface UnknownKeys {
  readonly typos: readonly Issue[];
  readonly ignored: readonly string[];
}

/** A key that is nearly a known one is a mistake; others may be notes, and are named as ignored. */
function unknownKeys(document: unknown): UnknownKeys {
  const known = [...Object.keys(documentSchema.shape), ...informative];
  const timing: readonly string[] = [...timingNames, ...unusedTimingNames];
  const groups: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ["", keysOf(document), known],
    ["timing_nCK.", keysOf(document, "timing_nCK"), timing],
    ["organization.", keysOf(document, "organization"), Object.keys(organizationSchema.shape)],
  ];
  const typos: Issue[] = [];
  const ignored: string[] = [];
  for (const [prefix, keys, names] of groups) {
    for (const key of keys.filter((k) => !names.includes(k))) {
      if (nearest(key, names) === undefined) ignored.push(prefix + key);
      else
        typos.push({ where: prefix + key, message: `is no known key.${didYouMean(key, names)}` });
    }
  }
  return { typos, ignored };
}

/** The keys of an object, or of the object under a key of it; none of anything else. */
function keysOf(value: unknown, key?: string): readonly string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  return key === undefined ? Object.keys(value) : keysOf((value as Record<string, unknown>)[key]);
}
