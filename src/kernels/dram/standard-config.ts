// SPDX-License-Identifier: Apache-2.0
// A memory of `dram replay --config` that names its standard: timings under the names of the table, and the controller.
// Every key is used, agrees with another one, or is refused by name.

import { z } from "zod";

import { defined } from "../../base/defined.ts";
import { inFile, type Issue } from "../../base/errors.ts";
import { issuesOf } from "../../base/issues.ts";
import { cycles } from "../../base/units.ts";
import { hasRamulator20, refreshCommandOf } from "../../machine/dram/standards/controller.ts";
import {
  sumOf,
  sumText,
  type LevelName,
  type MemoryStandard,
  type Simulator,
  type StandardPreset,
} from "../../machine/dram/standards/table.ts";
import type { EnergyCurrents } from "../../machine/dram/currents.ts";
import type { DramOrganization } from "../../machine/dram/presets.ts";
import { atRefreshRate } from "../../machine/dram/refresh-rate.ts";
import { dramSemantics, semanticsNames, type DramSemantics } from "../../machine/dram/semantics.ts";
import {
  busIssues,
  namedStandard,
  noPresetValue,
  timingsOf,
  withMissingPreset,
} from "./check/standard-of.ts";
import {
  closedRowCapOf,
  count,
  defaultDeviceBits,
  injectionSchema,
  queuesOf,
  queuesSchema,
  refreshRateSchema,
  watermarks,
} from "./config.ts";
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

const wait = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
/** Of people, or of the program that made a recorded trace. */
const described = z.unknown();

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
  density_Mb: described.optional(),
  bytes_per_access: count.optional(),
});
type Organization = z.infer<typeof organizationSchema>;

const documentSchema = z.strictObject({
  standard: z.string(),
  name: z.string().optional(),
  preset: z.string().optional(),
  rate_MTps: z.int().min(1).max(88_000).optional(),
  clock: z
    .strictObject({
      cycle: described.optional(),
      cycles_per_CK: count.optional(),
      cycle_ps: described.optional(),
      rate_MTps: z.int().min(1).max(88_000).optional(),
    })
    .optional(),
  timing_cycles: z.record(z.string(), wait).optional(),
  command_bus_cycles: z.record(z.string(), z.int().min(1)).optional(),
  command_buses: z
    .union([z.literal("shared"), z.record(z.string(), z.array(z.string()))])
    .optional(),
  read_latency: wait.optional(),
  organization: organizationSchema.optional(),
  semantics: z.enum([...semanticsNames, "ramulator-2.1"]).optional(),
  address_mapper: z.enum(dramMappings).optional(),
  channel_selection: z
    .strictObject({ rule: described.optional(), bits: z.int().min(0).max(10) })
    .optional(),
  scheduler: z.enum(["FRFCFS", "FRFCFS-RowHit"]).optional(),
  row_policy: z.enum(["OpenRowPolicy", "ClosedRowPolicy", "ClosedCAP"]).optional(),
  closed_row_cap: count.nullable().optional(),
  refresh: z.enum(["AllBank", "PerBank", "None"]).optional(),
  refresh_rate: refreshRateSchema.optional(),
  refresh_management: managementSchema.optional(),
  refresh_scatter_interval: z.literal(0).optional(),
  queues: queuesSchema
    .extend({
      read: count.optional(),
      write: count.optional(),
      active: count.optional(),
      priority: described.optional(),
    })
    .strict()
    .optional(),
  wck_sync_mode: z.enum(["need_sync", "always_on"]).optional(),
  currents: currentsSchema.optional(),
  power_down: z.boolean().optional(),
  ...watermarks,
  injection: injectionSchema.strict().optional(),
  description: described.optional(),
  simulator: described.optional(),
  controller: described.optional(),
  address_bits: described.optional(),
  tx_offset_bits: described.optional(),
  total_cycles: described.optional(),
  same_requests_as: described.optional(),
});
type Document = z.infer<typeof documentSchema>;

/** Whether a document names its standard. */
export function namesStandard(document: unknown): boolean {
  return (
    typeof document === "object" &&
    document !== null &&
    "standard" in document &&
    !("timing_nCK" in document)
  );
}

/**
 * Reads a document.
 * @throws NeardataError `bad-input` with every problem, each under `where` and its path.
 */
export function parseStandardReplayConfig(
  document: unknown,
  where: string,
): DramReplayConfig<string> {
  const parsed = documentSchema.safeParse(document, { reportInput: true });
  if (!parsed.success) throw inFile(where, issuesOf(parsed.error, documentSchema));
  const { data } = parsed;
  const standard = namedStandard(data.standard, `${where}: standard`);
  const preset =
    data.preset === undefined ? undefined : standard.preset(data.preset, `${where}: preset`);
  const timing = timingsOf(
    standard,
    data.timing_cycles ?? {},
    preset?.timing ?? {},
    (name) => `timing_cycles.${name}`,
  );
  const organization = organizationOf(standard, data.organization ?? {}, {
    preset: preset?.organization,
    channelIsLowest: data.semantics === "ramulator-2.1",
    burstLength:
      timing.issues.length > 0
        ? 1
        : standard.transfersPerCycle * sumOf(standard.dataBus.burst, timing.values),
  });
  const rate = data.rate_MTps ?? data.clock?.rate_MTps ?? preset?.megatransfersPerSecond;
  const issues = [
    ...timing.issues,
    ...organization.issues,
    ...(rate === undefined ? [{ where: "rate_MTps", message: noPresetValue }] : []),
    ...busIssues(standard, data),
    ...agreements(standard, data, timing.values),
    ...refreshIssues(standard, data, timing.values),
    ...semanticsIssues(standard, data),
    ...(data.refresh_management === undefined
      ? []
      : managementIssues(
          {
            standard,
            refresh: data.refresh ?? "AllBank",
            timing: timing.values,
            semantics: data.semantics ?? "jedec",
          },
          "refresh_management",
        )),
    ...energyIssues(standard, data, preset),
  ];
  if (issues.length > 0 || rate === undefined)
    throw inFile(where, preset === undefined ? withMissingPreset(issues) : issues);
  const simulator = data.semantics === "ramulator-2.1" ? standard.ramulator21 : undefined;
  const semantics =
    data.semantics === "ramulator-2.1" ? semantics21 : dramSemantics(data.semantics ?? "jedec");
  const limit = data.injection?.max_accepts_per_cycle ?? "unlimited";
  return {
    name: data.name ?? preset?.name ?? standard.name,
    source: where,
    megatransfersPerSecond: rate,
    organization: organization.values,
    deviceBits: data.organization?.device_width ?? preset?.deviceBits ?? defaultDeviceBits,
    eccDevices: false,
    powerDown: data.power_down ?? false,
    ...defined({ currents: currentsOf(standard, data, { rate, timing: timing.values, preset }) }),
    standard,
    timing: Object.fromEntries(
      Object.entries(atRefreshRate(standard, timing.values, data.refresh_rate)).map(
        ([name, value]) => [name, cycles(value)],
      ),
    ),
    semantics,
    queues: queueSizes(data, semantics, organization.values),
    writeLowWatermark: data.write_low_watermark ?? 0.2,
    writeHighWatermark: data.write_high_watermark ?? 0.8,
    ...rowPolicyOf(data),
    refresh: data.refresh ?? "AllBank",
    ...defined({ refreshManagement: managementOf(data.refresh_management) }),
    mapping: data.address_mapper ?? "RoBaRaCoCh",
    injection: data.injection?.policy ?? "global_fifo",
    acceptsPerCycle: limit === "unlimited" ? 0 : limit,
    ignored: [],
    keepsHitRows: data.scheduler === "FRFCFS-RowHit",
    ...(data.wck_sync_mode === "always_on" && { clockAlwaysOn: true }),
    ...(simulator && { simulator, absorbsWrites: true, completesInOrder: true }),
    ...(data.refresh === "PerBank" && refreshOrderOf(simulator)),
  };
}

/** The currents of the document, or those of the preset if the memory has its device and its rate. */
function currentsOf(
  standard: MemoryStandard,
  { currents, organization }: Document,
  memory: {
    readonly rate: number;
    readonly timing: Readonly<Record<string, number>>;
    readonly preset: StandardPreset | undefined;
  },
): EnergyCurrents | undefined {
  const { rate, timing, preset } = memory;
  if (currents !== undefined) {
    const cycle = cycleSecondsOf({ standard, megatransfersPerSecond: rate });
    const secondsOf = (count: number): number => count * cycle;
    return currentsOfConfig(currents, { megatransfersPerSecond: rate, secondsOf, timing });
  }
  const isOfPreset =
    preset?.megatransfersPerSecond === rate &&
    (organization?.device_width ?? preset.deviceBits) === preset.deviceBits;
  return isOfPreset ? preset.currents : undefined;
}

/** Problems of the keys that the energy alone needs. */
function energyIssues(
  standard: MemoryStandard,
  { currents, organization, power_down: powerDown = false }: Document,
  preset: StandardPreset | undefined,
): readonly Issue[] {
  if (currents === undefined) {
    const hasCurrents = preset?.currents !== undefined || standard.name === "DDR5";
    const message = "has an influence on the energy alone: currents must be given, too.";
    return powerDown && !hasCurrents ? [{ where: "power_down", message }] : [];
  }
  const hasWidth = (organization?.device_width ?? preset?.deviceBits) !== undefined;
  return [
    ...currentsIssues(currents, { powerDown }),
    ...(hasWidth
      ? []
      : [{ where: "organization.device_width", message: "must be given with currents." }]),
  ];
}

/** Accesses after which ClosedCAP closes a row, unless a document says otherwise (Ramulator 2.1). */
const defaultCap21 = 4;

/** The closed row policy is that of the semantics. */
function rowPolicyOf({
  row_policy: policy = "OpenRowPolicy",
  closed_row_cap: cap,
  semantics,
}: Document): Pick<DramReplayConfig, "rowPolicy" | "closedRowCap" | "autoPrecharge"> {
  const rowPolicy = policy === "OpenRowPolicy" ? policy : "ClosedRowPolicy";
  if (rowPolicy === "OpenRowPolicy" || semantics !== "ramulator-2.1") {
    return {
      rowPolicy,
      closedRowCap: closedRowCapOf({ row_policy: rowPolicy, closed_row_cap: cap }),
    };
  }
  return { rowPolicy, closedRowCap: cap ?? defaultCap21, autoPrecharge: true };
}

/** Differences between Ramulator 2.1 and JEDEC, other than constraints. */
const semantics21 = dramSemantics("jedec", {
  refreshAllRanksAtOnce: true,
  refreshHoldsAllBanks: true,
  reordersSameAddress: true,
});

function refreshOrderOf(
  simulator: Simulator | undefined,
): Pick<DramReplayConfig, "refreshSpacing" | "refreshesRankByRank"> {
  const order = simulator?.perBank;
  if (order === undefined) return {};
  return order === "rank by rank"
    ? { refreshesRankByRank: true }
    : { refreshSpacing: order.spacing };
}

/** Refreshes that the standard does not have, or that lack a timing. */
function refreshIssues(
  standard: MemoryStandard,
  { refresh = "AllBank", semantics }: Document,
  timing: Readonly<Record<string, number>>,
): readonly Issue[] {
  if (refresh === "None") return [];
  const where = "refresh";
  const name = refreshCommandOf(standard, refresh);
  if (name === undefined)
    return [{ where, message: `${standard.name} has no ${refresh} refresh.` }];
  const used = standard.constraints.filter(({ from }) => from.includes(name));
  const lacks = (standard.optional ?? []).filter(
    (term) => !(term in timing) && used.some(({ wait }) => wait.includes(term)),
  );
  const isOfSimulator = semantics === "ramulator-2.1" && refresh === "PerBank";
  const interval = isOfSimulator ? standard.ramulator21?.perBankInterval : undefined;
  if (interval !== undefined && !(interval in timing)) lacks.push(interval);
  return [
    ...lacks.map((term) => ({ where: `timing_cycles.${term}`, message: `is needed by ${name}.` })),
    ...(isOfSimulator && standard.ramulator21?.perBank === undefined
      ? [{ where, message: `Ramulator 2.1 has no ${refresh} refresh of ${standard.name}.` }]
      : []),
  ];
}

/** Semantics of a simulator whose rules of the standard are not known. */
function semanticsIssues(standard: MemoryStandard, data: Document): readonly Issue[] {
  const { semantics = "jedec", row_policy: policy } = data;
  const issues: Issue[] = [];
  const isKnown =
    semantics === "jedec" ||
    (semantics === "ramulator-2.1" ? standard.ramulator21 !== undefined : hasRamulator20(standard));
  if (!isKnown) {
    const message = `the rules of ${semantics} for ${standard.name} are not known.`;
    issues.push({ where: "semantics", message });
  }
  const where = "row_policy";
  if (semantics !== "ramulator-2.1" && policy === "ClosedCAP") {
    const message = `ClosedCAP is the closed policy of ramulator-2.1; that of ${semantics} is ClosedRowPolicy.`;
    issues.push({ where, message });
  }
  const isClosed = policy !== undefined && policy !== "OpenRowPolicy";
  if (semantics === "ramulator-2.1" && isClosed && standard.buses.length > 1) {
    const message = `Ramulator 2.1 with closed rows of ${standard.name} stops for good: it never opens a row again that RDA or WRA closes under an active request.`;
    issues.push({ where, message });
  }
  if (data.wck_sync_mode !== undefined && standard.dataClock === undefined) {
    issues.push({ where: "wck_sync_mode", message: `${standard.name} has no data clock.` });
  }
  return issues;
}

/** Entries of the queues. */
function queueSizes(
  { queues = {}, semantics: name }: Document,
  semantics: DramSemantics,
  { ranks, logicalRanks = 1, bankGroups, banksPerGroup }: DramOrganization,
): DramReplayConfig["queues"] {
  const { read, write, active } = queues;
  const usual = queuesOf({ ...queues, nominal_size: queues.nominal_size ?? write }, semantics);
  const banks = ranks * logicalRanks * bankGroups * banksPerGroup;
  return {
    nominal: usual.nominal,
    read: read ?? usual.read,
    write: write ?? usual.write,
    active: active ?? (name === "ramulator-2.1" ? banks : usual.active),
  };
}

interface Counts {
  readonly channels: number;
  readonly levels: Readonly<Partial<Record<LevelName, number>>>;
  readonly rows: number;
  readonly columns: number;
  readonly bytesPerAccess: number;
}

/** Counts of a channel; a standard without ranks has one. */
function organizationOf(
  standard: MemoryStandard,
  given: Organization,
  usual: {
    readonly preset: Counts | undefined;
    readonly burstLength: number;
    readonly channelIsLowest: boolean;
  },
): { readonly values: DramOrganization; readonly issues: readonly Issue[] } {
  const issues: Issue[] = [];
  const { preset } = usual;
  const need = (key: keyof Organization, ...values: readonly (number | undefined)[]): number => {
    const value = values.find((one) => one !== undefined);
    if (value !== undefined) return value;
    issues.push({ where: `organization.${key}`, message: noPresetValue });
    return 1;
  };
  const level = (key: keyof Organization, name: LevelName): number => {
    const value = given[key];
    if (standard.levels.includes(name)) {
      return need(key, value as number | undefined, preset?.levels[name]);
    }
    if (value !== undefined && value !== 1) {
      const message = `${standard.name} has no ${name}.`;
      issues.push({ where: `organization.${key}`, message });
    }
    return 1;
  };
  const burstLength = given.burst_length ?? usual.burstLength;
  const bytes = given.bytes_per_access ?? preset?.bytesPerAccess;
  const bits = need(
    "bus_width_bits",
    given.bus_width_bits,
    bytes === undefined ? undefined : (bytes * 8) / burstLength,
  );
  const columns =
    given.device_columns === undefined ? undefined : given.device_columns / burstLength;
  if (columns !== undefined && !Number.isInteger(columns)) {
    const message = `${String(given.device_columns)} columns are not whole bursts of ${burstLength}.`;
    issues.push({ where: "organization.device_columns", message });
  }
  const pseudoChannels = level("pseudo_channels", "pseudo channel");
  const ranks = level("ranks_per_channel", "rank");
  const stacks = level("stack_ids", "stack id");
  const values: DramOrganization = {
    channels: need("channels", given.channels, preset?.channels),
    ranks: pseudoChannels * ranks,
    ...(stacks > 1 && { logicalRanks: stacks }),
    ...(standard.levels.includes("pseudo channel") && { ranksArePseudoChannels: true }),
    ...(usual.channelIsLowest && { channelIsLowest: true }),
    bankGroups: level("bankgroups", "bank group"),
    banksPerGroup: level("banks_per_bankgroup", "bank"),
    rows: need("rows", given.rows, preset?.rows),
    columnsPerRow: need(
      "column_addresses_per_row",
      given.column_addresses_per_row,
      columns,
      preset?.columns,
    ),
    channelBits: bits,
    burstLength,
  };
  if (
    given.column_addresses_per_row !== undefined &&
    (columns ?? values.columnsPerRow) !== values.columnsPerRow
  ) {
    const message = `is ${String(given.column_addresses_per_row)}, but device_columns / burst_length is ${String(columns)}.`;
    issues.push({ where: "organization.column_addresses_per_row", message });
  }
  if (bytes !== undefined && bytes !== (bits * burstLength) / 8) {
    const message = `is ${bytes}, but bus_width_bits / 8 * burst_length is ${(bits * burstLength) / 8}.`;
    issues.push({ where: "organization.bytes_per_access", message });
  }
  return { values, issues };
}

/** Numbers that the document states and that follow from others or from the table. */
function agreements(
  standard: MemoryStandard,
  data: Document,
  timing: Readonly<Record<string, number>>,
): readonly Issue[] {
  const issues: Issue[] = [];
  const agree = (where: string, value: number | undefined, wanted: number, rule: string): void => {
    if (value === undefined || value === wanted) return;
    issues.push({ where, message: `is ${value}, but ${rule} is ${wanted}.` });
  };
  agree("clock.cycles_per_CK", data.clock?.cycles_per_CK, standard.cyclesPerClock, "the table's");
  for (const [name, value] of Object.entries(data.command_bus_cycles ?? {})) {
    const cyclesOfCommand = standard.commands[name]?.cycles ?? value;
    agree(`command_bus_cycles.${name}`, value, cyclesOfCommand, `that of ${standard.name}`);
  }
  const channels = data.organization?.channels;
  const bits = data.channel_selection?.bits;
  if (channels !== undefined && bits !== undefined) {
    agree("channel_selection.bits", bits, Math.log2(channels), "log2 of the channels");
  }
  const { read, burst } = standard.dataBus;
  const latency = [...read, ...burst];
  if (latency.every((term) => typeof term === "number" || term in timing)) {
    agree("read_latency", data.read_latency, sumOf(latency, timing), sumText(latency));
  }
  return issues;
}
