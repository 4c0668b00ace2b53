// SPDX-License-Identifier: Apache-2.0
// A Ramulator 2.0 configuration (YAML with Frontend and MemorySystem) as a replay config, where it
// describes a DDR5 system that this model has: GenericDRAM, DDR5, the Generic controller, FRFCFS. It is
// replayed with the semantics of Ramulator 2.0. Every key of MemorySystem is used, or named as one without
// a counterpart; requests are those of the command line, so of Frontend only the clock is used.

import { defined } from "../../../base/defined.ts";
import { inFile, NeardataError, type Issue } from "../../../base/errors.ts";
import { parseDramReplayConfig } from "../config.ts";
import type { DramReplayConfig } from "../replay-config.ts";
import { organizationOf, timingsOf } from "./ddr5.ts";
import { Group } from "./group.ts";

/** Front ends that offer a request of a trace each time that they tick. */
const traceFrontends = ["LoadStoreTrace", "ReadWriteTrace"];

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
  if (typeof document === "object" && document !== null && "memory_system" in document) {
    const message =
      "this is a configuration of Ramulator 2.1, which is not read; one of Ramulator 2.0 is " +
      "(Frontend, MemorySystem), and docs/reference/file-formats.md has the keys of dram replay's own.";
    throw inFile(file, [{ where: "memory_system", message }]);
  }
  const issues: Issue[] = [];
  const ignored: string[] = [];
  const top = new Group(document, [], issues);
  const frontend = top.group("Frontend");
  const system = top.group("MemorySystem");
  system.choice("impl", ["GenericDRAM"]);
  const accepts = acceptsPerCycle(frontend, system);
  ignored.push(...frontend.skipAll());
  const memory = memoryOf(system.group("DRAM"), ignored);
  const controller = controllerOf(system.group("Controller"));
  const mapper = system
    .group("AddrMapper")
    .choice("impl", ["RoBaRaCoCh", "ChRaBaRoCo", "MOP4CLXOR"]);
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
    if (!(error instanceof NeardataError)) throw error;
    const prefix = `${file}: `;
    const issues = error.issues.map(({ message, where }) => ({
      message,
      where: ramulatorKey(where.startsWith(prefix) ? where.slice(prefix.length) : where),
    }));
    throw inFile(file, issues, { cause: error });
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
};
const otherKeys: Readonly<Record<string, string>> = {
  rate_MTps: "DRAM.timing.rate",
  closed_row_cap: "Controller.RowPolicy.cap",
  write_low_watermark: "Controller.wr_low_watermark",
  write_high_watermark: "Controller.wr_high_watermark",
};

/** The key of the Ramulator configuration from which a key of a replay config is derived. */
export function ramulatorKey(key: string): string {
  const [group = "", name = ""] = key.split(".");
  const known =
    group === "timing_nCK"
      ? `DRAM.timing.${name}`
      : group === "organization"
        ? `DRAM.org.${organizationKeys[name] ?? name}`
        : otherKeys[group];
  return known === undefined ? key : `MemorySystem.${known}`;
}

/**
 * Requests that a front end offers in a cycle of the memory: it ticks Frontend.clock_ratio times while the
 * memory ticks MemorySystem.clock_ratio times.
 */
function acceptsPerCycle(frontend: Group, system: Group): number {
  const memory = system.whole("clock_ratio") ?? 1;
  const isTrace = traceFrontends.some((name) => frontend.is("impl", name));
  if (!isTrace) return 1; // a model of cores; here a file provides one request per cycle
  frontend.choice("impl", traceFrontends);
  const ratio = frontend.whole("clock_ratio") ?? 1;
  const accepts = ratio / memory;
  if (Number.isInteger(accepts) && accepts >= 1) return accepts;
  frontend.problem(
    "clock_ratio",
    `${ratio} to ${memory} of MemorySystem is not a whole number of requests in a cycle of the memory.`,
  );
  return 1;
}

function memoryOf(dram: Group, ignored: string[]): object {
  dram.choice("impl", ["DDR5"]);
  const organization = organizationOf(dram.group("org"));
  const { rate, timings } = timingsOf(dram.group("timing"), organization);
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
  return { rate_MTps: rate, timing_nCK: timings, organization };
}

function controllerOf(controller: Group): object {
  controller.choice("impl", ["Generic"]);
  controller.group("Scheduler").choice("impl", ["FRFCFS"]);
  const refresh = controller.group("RefreshManager").choice("impl", ["AllBank", "NoRefresh"]);
  const rows = controller.group("RowPolicy");
  // Configurations of releases without row policies leave rows open.
  const policy = rows.choice("impl", ["OpenRowPolicy", "ClosedRowPolicy"], "OpenRowPolicy");
  const cap = policy === "ClosedRowPolicy" ? rows.whole("cap") : undefined;
  controller.without(
    "plugins",
    (value) => Array.isArray(value) && value.length === 0,
    "has no counterpart in this model: it has no plugins.",
  );
  const low = controller.number("wr_low_watermark");
  const high = controller.number("wr_high_watermark");
  return {
    refresh: refresh === "NoRefresh" ? "None" : "AllBank",
    row_policy: policy,
    ...defined({ closed_row_cap: cap, write_low_watermark: low, write_high_watermark: high }),
  };
}
