// SPDX-License-Identifier: Apache-2.0
// Configurations of Ramulator 2.1 (YAML or JSON with frontend and memory_system). A check holds a trace to the rules of
// the standard, a replay has the rules of Ramulator 2.1, with which the constraints that a file spells out must agree
// (constraints21.ts). Every key is used, listed as one without influence, or refused by name.

import { defined } from "../../../base/defined.ts";
import { inFile, type Issue } from "../../../base/errors.ts";
import { formatValue } from "../../../base/format-value.ts";
import { present } from "../../../base/present.ts";
import { controllers21, type Ramulator21File } from "../../../machine/dram/standards/files.ts";
import { memoryStandard, standardNames } from "../../../machine/dram/standards/standards.ts";
import type { LevelName, MemoryStandard } from "../../../machine/dram/standards/table.ts";
import { countsOf, type CheckedMemory } from "../check/memory.ts";
import { timingsOf } from "../check/standard-of.ts";
import type { FileUse, OtherMemory } from "../other-simulator.ts";
import type { DramReplayConfig } from "../replay-config.ts";
import { constraintProblems, type FileLists } from "./constraints21.ts";
import { acceptsPerCycle, pluginsOf } from "./front.ts";
import { Group } from "./group.ts";

const standardsOf21 = standardNames.filter(
  (name) => memoryStandard(name)?.files.ramulator21 !== undefined,
);

const refreshes = ["AllBank", "PerBank", "HBM34PerBankRefresh", "NoRefresh"] as const;

/** Entries of the queue of refreshes and precharges, which never fills here. */
const leastPriorityEntries = 1568;

/** Whether a document is of Ramulator 2.1. */
export function isRamulator21(document: unknown): boolean {
  return typeof document === "object" && document !== null && "memory_system" in document;
}

/**
 * Reads a configuration.
 * @throws NeardataError `bad-input` with every key that is wrong or has no counterpart.
 */
export function readRamulator21(document: unknown, file: string, use: FileUse): OtherMemory {
  const issues: Issue[] = [];
  const top = new Group(document, [], issues);
  const frontend = top.group("frontend");
  const system = top.group("memory_system");
  system.choice("impl", ["GenericDRAM"]);
  const entries = system.list("controllers");
  const mapper = system.group("channel_mapper");
  let accepts = 1;
  if (use === "replay") {
    accepts = acceptsPerCycle(frontend, system, "memory_system");
    channelMapperOf(mapper, entries.length);
  } else {
    system.skip("clock_ratio");
    mapper.skipAll();
  }
  const ignored = [...frontend.skipAll()];
  top.end();
  const read = entries.map((one, i) => controllerOf(one, i, use, issues));
  for (const [i, one] of read.entries()) {
    // Controllers are equal: only the keys of the first are listed.
    const ofFirst = (key: string): string => key.replace(`[${i}]`, "[0]");
    ignored.push(...(one?.ignored ?? []).filter((key) => !ignored.includes(ofFirst(key))));
  }
  const [first] = read;
  if (entries.length === 0) {
    system.problem("controllers", "must be a list of at least one.");
  }
  issues.push(...differences(entries, use));
  if (first === undefined || issues.length > 0) throw inFile(file, issues);
  const { standard, memory, document: settings, constraints, lists } = first;
  const channels = entries.length;
  return {
    memory: { ...memory, channels },
    ignored,
    document: {
      name: "Ramulator 2.1",
      semantics: "ramulator-2.1",
      ...settings,
      organization: { ...settings.organization, channels },
      injection: { policy: "global_fifo", max_accepts_per_cycle: accepts },
    },
    keyOf: (key) => keyOf(standard, key),
    ...(constraints !== undefined && {
      problemsOf: (config: DramReplayConfig<string>): readonly Issue[] =>
        constraintProblems(constraints, lists, config).map((message) => ({
          where: "memory_system.controllers[0].dram.timing_constraints",
          message,
        })),
    }),
  };
}

/** Channels by the lowest bits of an address, as the semantics have them. */
function channelMapperOf(mapper: Group, channels: number): void {
  if (channels > 1 || mapper.has("impl")) mapper.choice("impl", ["CacheLineInterleave"]);
  mapper.without(
    "interleave_bits",
    (value) => value === 0,
    "has no counterpart in this model: consecutive accesses are in different channels, which is 0.",
  );
}

/** Controllers that differ: in their memory, or for a replay in any key but their plugins. */
function differences(entries: readonly unknown[], use: FileUse): readonly Issue[] {
  const comparedOf = (entry: unknown): string => {
    const { controller_plugins: _, ...rest } = (entry ?? {}) as Readonly<Record<string, unknown>>;
    return JSON.stringify([use === "check" ? rest["dram"] : rest]);
  };
  const first = comparedOf(entries[0]);
  const other = entries.findIndex((entry) => comparedOf(entry) !== first);
  if (other < 1) return [];
  const where = `memory_system.controllers[${other}]${use === "check" ? ".dram" : ""}`;
  const what = use === "check" ? "one memory" : "one memory and controller";
  return [{ where, message: `differs from the first: channels have ${what} here.` }];
}

interface ReadController {
  readonly standard: MemoryStandard;
  readonly memory: CheckedMemory;
  readonly document: { readonly organization: object } & Readonly<Record<string, unknown>>;
  readonly ignored: readonly string[];
  readonly constraints?: readonly unknown[];
  readonly lists: FileLists;
}

function controllerOf(
  value: unknown,
  index: number,
  use: FileUse,
  issues: Issue[],
): ReadController | undefined {
  const ignored: string[] = [];
  const controller = new Group(value, ["memory_system", "controllers", index], issues);
  const impl = controller.choice("impl", controllers21);
  const dram = controller.group("dram");
  const standard = memoryStandard(dram.choice("impl", standardsOf21) ?? "");
  const form = standard?.files.ramulator21;
  if (standard === undefined || form === undefined) return undefined;
  const { name } = standard;
  const wck = controller.choice("wck_sync_mode", ["need_sync", "always_on"], "need_sync");
  const manager = controller.group("refresh_manager");
  let settings: object = {};
  if (use === "replay") {
    if (impl !== undefined && impl !== form.controller) {
      controller.problem("impl", `the controller of ${name} is ${form.controller}.`);
    }
    settings = {
      ...settingsOf(controller, ignored),
      refresh: refreshOf(manager, name, form),
      ...(controller.has("wck_sync_mode") && { wck_sync_mode: wck }),
    };
    ignored.push(...manager.ignore("debug"));
  } else {
    controller.skip("read_buffer_size", "write_buffer_size", "priority_buffer_size");
    controller.skip("wr_low_watermark", "wr_high_watermark", "controller_plugins");
    controller.skip("scheduler", "row_policy", "addr_mapper");
    manager.skip("scatter_interval", "debug");
  }
  const refresh = manager.choice("impl", refreshes, use === "check" ? "AllBank" : undefined);
  const org = dram.group("org");
  const width = dram.whole("channel_width");
  const latency = dram.whole("read_latency");
  const bytes = dram.whole("data_payload_bytes");
  const pins = org.whole("dq");
  const constraints =
    use === "replay" && dram.has("timing_constraints")
      ? dram.list("timing_constraints")
      : undefined;
  if (constraints === undefined) ignored.push(...dram.ignore("timing_constraints"));
  const levels = numbersOf(org, "count", standard.levels.length + 3);
  const { timings, commands } = form;
  const cycles = numbersOf(dram, "timing", timings.length);
  const bus = numbersOf(dram, "command_cycles", commands.length);
  controller.end();
  if (levels.length === 0 || cycles.length === 0 || bus.length === 0) return undefined;
  const given = Object.fromEntries(
    timings.map((timing, i) => [timing, present(cycles[i])] as const),
  );
  const { rate, tCK_ps: _, ...inCycles } = given;
  if (use === "replay") {
    ignored.push(`${dram.nameOf("timing")} (tCK_ps)`);
    if (levels[0] !== 1)
      org.problem(
        "count",
        `the first is ${String(levels[0])}: it must be 1, the channel of this controller.`,
      );
    if (width === undefined) dram.problem("channel_width", "must be given.");
  }
  const read = timingsOf(standard, inCycles, {}, (timing) => `dram.timing (${timing})`);
  issues.push(...read.issues);
  const busCycles = Object.fromEntries(
    commands.map((command, i) => [command, bus[i] ?? 1] as const),
  );
  const counts = Object.fromEntries(
    standard.levels.map((level, i) => [level, levels[i + 1] ?? 1] as const),
  );
  return {
    standard,
    ignored,
    ...defined({ constraints }),
    lists: { commands, counts: levels.slice(0, -2) },
    memory: {
      standard,
      timing: read.values,
      channels: 1,
      counts: countsOf(counts),
      busCycles,
      refreshes: refresh !== "NoRefresh",
      clockAlwaysOn: wck === "always_on",
    },
    document: {
      ...settings,
      standard: name,
      rate_MTps: rate,
      timing_cycles: read.values,
      command_bus_cycles: busCycles,
      ...defined({ read_latency: latency }),
      organization: {
        ...organizationOf(standard, counts),
        rows: levels.at(-2),
        device_columns: levels.at(-1),
        ...defined({ bus_width_bits: width, device_width: pins, bytes_per_access: bytes }),
      },
    },
  };
}

function numbersOf(group: Group, key: string, count: number): readonly number[] {
  const list = group.list(key);
  const isRight =
    list.length === count && list.every((one) => Number.isSafeInteger(one) && Number(one) >= 0);
  if (isRight) return list as readonly number[];
  group.problem(key, `must be a list of ${count} whole numbers, not ${formatValue(list)}.`);
  return [];
}

const levelKeys: Readonly<Record<LevelName, string>> = {
  "pseudo channel": "pseudo_channels",
  rank: "ranks_per_channel",
  "stack id": "stack_ids",
  "bank group": "bankgroups",
  bank: "banks_per_bankgroup",
};

/** Counts of the levels under the keys of a replay config. */
export function organizationOf(
  standard: MemoryStandard,
  counts: Readonly<Partial<Record<LevelName, number>>>,
): object {
  return Object.fromEntries(standard.levels.map((level) => [levelKeys[level], counts[level]]));
}

/** Queues, scheduler, row policy and mapper of a controller. */
function settingsOf(controller: Group, ignored: string[]): object {
  const priority = controller.whole("priority_buffer_size");
  if (priority !== undefined && priority < leastPriorityEntries) {
    const message = `${priority} has no counterpart in this model: this queue never fills, as with at least ${leastPriorityEntries}.`;
    controller.problem("priority_buffer_size", message);
  }
  const scheduler = controller.group("scheduler").choice("impl", ["FRFCFS", "FRFCFS-RowHit"]);
  const rows = controller.group("row_policy");
  const policy = rows.choice("impl", ["Open", "ClosedCAP"]);
  const cap = policy === "ClosedCAP" ? rows.whole("cap") : undefined;
  const mapper = controller
    .group("addr_mapper")
    .choice("impl", ["RoBaRaCoCh", "ChRaBaRoCo", "MOP4CLXOR"]);
  ignored.push(...pluginsOf(controller, "controller_plugins", ({ impl }) => impl));
  return {
    queues: {
      read: controller.whole("read_buffer_size") ?? 32,
      write: controller.whole("write_buffer_size") ?? 32,
    },
    row_policy: policy === "ClosedCAP" ? policy : "OpenRowPolicy",
    ...defined({
      scheduler,
      address_mapper: mapper,
      closed_row_cap: cap,
      write_low_watermark: controller.number("wr_low_watermark"),
      write_high_watermark: controller.number("wr_high_watermark"),
    }),
  };
}

/** The refresh of a replay config; a manager of another standard is a problem. */
function refreshOf(
  manager: Group,
  name: string,
  { controller }: Ramulator21File,
): "AllBank" | "PerBank" | "None" {
  manager.without(
    "scatter_interval",
    (value) => value === 0,
    "has no counterpart in this model: all ranks are refreshed at once, which is 0.",
  );
  if (manager.is("impl", "NoRefresh")) return "None";
  const isPerBank = manager.is("impl", "PerBank");
  const isOfStack = manager.is("impl", "HBM34PerBankRefresh");
  if (isPerBank && controller === "HBM34") {
    manager.problem("impl", `REFpb of ${name} are those of HBM34PerBankRefresh.`);
  }
  if (isOfStack && controller !== "HBM34") {
    manager.problem(
      "impl",
      `HBM34PerBankRefresh is of HBM3: ${name} has AllBank, PerBank or NoRefresh.`,
    );
  }
  return isPerBank || isOfStack ? "PerBank" : "AllBank";
}

const keys: Readonly<Record<string, string>> = {
  rate_MTps: "dram.timing (rate)",
  read_latency: "dram.read_latency",
  "organization.bus_width_bits": "dram.channel_width",
  "organization.device_width": "dram.org.dq",
  "organization.bytes_per_access": "dram.data_payload_bytes",
  semantics: "dram.impl",
  standard: "dram.impl",
  refresh: "refresh_manager.impl",
  row_policy: "row_policy.impl",
  closed_row_cap: "row_policy.cap",
  scheduler: "scheduler.impl",
  address_mapper: "addr_mapper.impl",
  write_low_watermark: "wr_low_watermark",
  write_high_watermark: "wr_high_watermark",
  "queues.read": "read_buffer_size",
  "queues.write": "write_buffer_size",
};

/** The key of the file for a key of the document. */
function keyOf({ aliases, files }: MemoryStandard, key: string): string {
  if (key === "" || key.startsWith("injection")) return key;
  if (key === "organization.channels") return "memory_system.controllers";
  const [group = "", item = ""] = key.split(".");
  const below = ((): string => {
    switch (group) {
      case "timing_cycles":
      case "timing_nCK": {
        const listed = files.ramulator21?.timings ?? [];
        const name = listed.find((one) => one === item || aliases[one]?.timing === item);
        return `dram.timing (${name ?? item})`;
      }
      case "command_bus_cycles":
        return `dram.command_cycles (${item})`;
      default:
        return keys[key] ?? (group === "organization" ? "dram.org.count" : key);
    }
  })();
  return `memory_system.controllers[0].${below}`;
}
