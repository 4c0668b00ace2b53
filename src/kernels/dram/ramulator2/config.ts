// SPDX-License-Identifier: Apache-2.0
// A Ramulator 2.0 configuration (YAML with Frontend and MemorySystem) as a replay config, where it
// describes a DDR5 system that this model has: GenericDRAM, DDR5, the Generic controller, FRFCFS. It is
// replayed with the semantics of Ramulator 2.0. Every key of MemorySystem is used, or named as one without
// a counterpart; requests are those of the command line, so of Frontend only the clock is used.

import { defined } from "../../../base/defined.ts";
import { inFile, type Issue } from "../../../base/errors.ts";
import { parseDramReplayConfig } from "../config.ts";
import type { DramReplayConfig } from "../replay-config.ts";
import { underKeys } from "../other-simulator.ts";
import { organizationOf, timingsOf } from "./ddr5.ts";
import { acceptsPerCycle, pluginsOf } from "./front.ts";
import { Group } from "./group.ts";

/** Whether a document is a configuration of Ramulator, 2.0 or 2.1. */
export function isRamulatorConfig(document: unknown): boolean {
  const names = ["Frontend", "MemorySystem", "frontend", "memory_system"];
  return (
    typeof document === "object" && document !== null && names.some((name) => name in document)
  );
}

/**
 * Reads a configuration.
 * @throws NeardataError `bad-input` with every key that is wrong or has no counterpart.
 */
export function parseRamulatorConfig(document: unknown, file: string): DramReplayConfig {
  const issues: Issue[] = [];
  const ignored: string[] = [];
  const top = new Group(document, [], issues);
  const frontend = top.group("Frontend");
  const system = top.group("MemorySystem");
  system.choice("impl", ["GenericDRAM"]);
  const accepts = acceptsPerCycle(frontend, system, "MemorySystem");
  ignored.push(...frontend.skipAll());
  const memory = memoryOf(system.group("DRAM"), ignored);
  const controller = controllerOf(system.group("Controller"), ignored);
  const mapper = mapperOf(system);
  top.end();
  if (issues.length > 0) throw inFile(file, issues);
  const replay = {
    name: "Ramulator 2",
    semantics: "ramulator-2.0",
    scheduler: "FRFCFS",
    ...memory,
    ...controller,
    address_mapper: mapper,
    injection: { policy: "global_fifo", max_accepts_per_cycle: accepts },
  };
  try {
    return { ...parseDramReplayConfig(replay, file), ignored };
  } catch (error) {
    throw underKeys(error, file, ramulatorKey);
  }
}

const organizationKeys: Readonly<Record<string, string>> = {
  channels: "channel",
  ranks_per_channel: "rank",
  bankgroups: "bankgroup",
  banks_per_bankgroup: "bank",
  rows: "row",
  device_columns: "column",
  device_width: "dq",
  device_density_Mb: "density",
  channel_width_bits: "channel_width",
  bus_width_bits: "channel_width",
  pseudo_channels: "pseudochannel",
};
const otherKeys: Readonly<Record<string, string>> = {
  rate_MTps: "DRAM.timing.rate",
  refresh: "Controller.RefreshManager.impl",
  row_policy: "Controller.RowPolicy.impl",
  address_mapper: "AddrMapper.impl",
  closed_row_cap: "Controller.RowPolicy.cap",
  write_low_watermark: "Controller.wr_low_watermark",
  write_high_watermark: "Controller.wr_high_watermark",
};

/** The key of the Ramulator configuration from which a key of a replay config is derived. */
export function ramulatorKey(key: string): string {
  const [group = "", name = ""] = key.split(".");
  const known =
    group === "timing_nCK" || group === "timing_cycles"
      ? `DRAM.timing.${name}`
      : group === "organization"
        ? `DRAM.org.${organizationKeys[name] ?? name}`
        : otherKeys[group];
  return known === undefined ? key : `MemorySystem.${known}`;
}

function memoryOf(dram: Group, ignored: string[]): object {
  dram.choice("impl", ["DDR5"]);
  const organization = organizationOf(dram.group("org"));
  const { rate, timings } = timingsOf(dram.group("timing"), organization);
  ignored.push(...deviceKeysOf(dram));
  return { rate_MTps: rate, timing_nCK: timings, organization };
}

/** Keys of the device that have no influence, by name; energy of its own is a problem. */
export function deviceKeysOf(dram: Group): readonly string[] {
  const ignored: string[] = [];
  // Both shape commands that no controller here issues.
  if (dram.has("RFM")) ignored.push(...dram.group("RFM").skipAll());
  if (dram.whole("RH_radius") !== undefined) ignored.push("MemorySystem.DRAM.RH_radius");
  dram.without(
    "drampower_enable",
    (value) => value === false,
    "has no counterpart in this model: dram replay has an estimate of energy of its own.",
  );
  for (const key of ["voltage", "current"]) {
    const supply = dram.group(key);
    supply.choice("preset", ["Default"], "Default");
  }
  return ignored;
}

export function mapperOf(system: Group): string | undefined {
  return system.group("AddrMapper").choice("impl", ["RoBaRaCoCh", "ChRaBaRoCo", "MOP4CLXOR"]);
}

/** The controller under the keys of a replay config. */
export function controllerOf(
  controller: Group,
  ignored: string[],
): { readonly refresh: "AllBank" | "None" } & Readonly<Record<string, unknown>> {
  controller.choice("impl", ["Generic"]);
  controller.group("Scheduler").choice("impl", ["FRFCFS"]);
  const refresh = controller.group("RefreshManager").choice("impl", ["AllBank", "NoRefresh"]);
  const rows = controller.group("RowPolicy");
  // Configurations of releases without row policies leave rows open.
  const policy = rows.choice("impl", ["OpenRowPolicy", "ClosedRowPolicy"], "OpenRowPolicy");
  const cap = policy === "ClosedRowPolicy" ? rows.whole("cap") : undefined;
  ignored.push(
    ...pluginsOf(controller, "plugins", ({ ControllerPlugin: plugin }) =>
      typeof plugin === "object" && plugin !== null
        ? (plugin as Readonly<Record<string, unknown>>)["impl"]
        : plugin,
    ),
  );
  const low = controller.number("wr_low_watermark");
  const high = controller.number("wr_high_watermark");
  return {
    refresh: refresh === "NoRefresh" ? "None" : "AllBank",
    row_policy: policy,
    ...defined({ closed_row_cap: cap, write_low_watermark: low, write_high_watermark: high }),
  };
}
