// SPDX-License-Identifier: Apache-2.0
// DDR4 on the simulated controller: recorded commands of Ramulator 2.0, the minimum distance of every pair of commands, and
// random traffic that the checker of command traces accepts. A wrong timing is found by both.

import { readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

import { describe, expect, it } from "vitest";

import { present } from "../../../src/base/present.ts";
import { cycles } from "../../../src/base/units.ts";
import { checkTrace, type CheckResult } from "../../../src/kernels/dram/check/check.ts";
import { replayMemory } from "../../../src/kernels/dram/check/config.ts";
import { replayConfigOf } from "../../../src/kernels/dram/config-file.ts";
import type { DramReplayConfig } from "../../../src/kernels/dram/replay-config.ts";
import { summarize } from "../../../src/kernels/dram/summary.ts";
import { levelFor } from "../../../src/machine/dram/standards/controller-rows.ts";
import {
  channelConstraints,
  controllerCommandsOf,
} from "../../../src/machine/dram/standards/controller.ts";
import { ddr4 } from "../../../src/machine/dram/standards/ddr4.ts";
import { memoryStandard, standardNames } from "../../../src/machine/dram/standards/standards.ts";
import { counted, sumOf, type Command } from "../../../src/machine/dram/standards/table.ts";
import { loadDram } from "../../../src/native/dram-binding.ts";
import { has, needs } from "../../helpers/needs.ts";
import { oraclePath } from "../../helpers/oracle.ts";
import { rejection } from "../../helpers/rejection.ts";
import { firstDifference } from "./first-difference.ts";
import { replayText, traceText } from "./replay-text.ts";

const configOf = (document: object): DramReplayConfig<string> =>
  replayConfigOf("a test", document).config;
const memory = { standard: "DDR4", preset: "DDR4-3200AA" };

describe("recorded sets of Ramulator 2.0", needs("oracle/dram-standards"), () => {
  const folder = oraclePath("dram-standards");
  const suffix = ".config.json";
  const names = has("oracle/dram-standards")
    ? readdirSync(folder)
        .filter((name) => name.startsWith("ddr4v20_") && name.endsWith(suffix))
        .map((name) => name.slice(0, -suffix.length))
    : [];
  const textOf = (name: string, kind: string): string =>
    gunzipSync(readFileSync(`${folder}/${name}.${kind}.csv.gz`)).toString();
  const linesOf = (text: string): readonly string[] => text.trimEnd().split("\n").slice(1);

  it.each(names)("%s: commands, completions and end", async (name) => {
    const document = JSON.parse(readFileSync(`${folder}/${name}${suffix}`, "utf8")) as {
      readonly total_cycles: number;
    };
    const config = configOf({ ...document, semantics: "ramulator-2.0" });
    const result = await replayText(config, textOf(name, "req"));
    // The recorded trace has a column for pseudo channels.
    const recorded = linesOf(textOf(name, "cmd")).map((line) =>
      line.split(",").toSpliced(3, 1).join(","),
    );
    expect(firstDifference(result.commands, recorded)).toBeUndefined();
    expect(firstDifference(result.completions, linesOf(textOf(name, "comp")))).toBeUndefined();
    expect(result.totalCycles).toBe(document.total_cycles);
  });
});

/** Requests in runs of a row with jumps, reads and writes mixed, some to an address of a moment ago. */
function traffic(seed: number, count: number): string {
  let state = seed;
  const random = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  let line = 0;
  let arrival = 0;
  const requests = Array.from({ length: count }, (_, id) => {
    const kind = random();
    if (kind < 0.3) line = Math.floor(random() * 2 ** 26);
    else if (kind < 0.9) line = (line + 1) % 2 ** 26;
    arrival += random() < 0.3 ? Math.floor(random() * 60) : 0;
    const op = random() < 0.6 ? ("R" as const) : ("W" as const);
    return { id, arrival, op, address: BigInt(64 * line) };
  });
  return traceText(requests);
}

async function checked(
  config: DramReplayConfig<string>,
  rules: DramReplayConfig<string>,
  seed: number,
): Promise<CheckResult> {
  const { commands, totalCycles } = await replayText(config, traffic(seed, 3000));
  const lines = ["cycle,ch,cmd,rank,bg,bank,row,col,req", ...commands];
  return checkTrace(
    { ...replayMemory(rules), end: totalCycles },
    "a test",
    lines.map((text, index) => ({ text, number: index + 1 })),
  );
}

describe("random traffic", () => {
  it.each([
    [1, { row_policy: "OpenRowPolicy" }],
    [2, { row_policy: "ClosedRowPolicy", closed_row_cap: 2 }],
    [3, { preset: "DDR4-1600K 4Gb x4", organization: { ranks_per_channel: 4 } }],
    [4, { preset: "DDR4-2400R 16Gb x8", address_mapper: "MOP4CLXOR" }],
    [5, { refresh: "None", organization: { ranks_per_channel: 1, channels: 2 } }],
  ])("of seed %d breaks no rule of JESD79-4", async (seed, changes) => {
    const config = configOf({ ...memory, ...changes });
    const { violations, commands } = await checked(config, config, seed);
    expect(violations).toEqual([]);
    expect(commands).toBeGreaterThan(3000);
  });

  it.each(["nRCD", "nRP", "nRAS", "nWR", "nCCDL", "nRRDL", "nFAW", "nWTRL", "nRFCab", "nCS"])(
    "with %s a cycle too short breaks a rule",
    async (name) => {
      const right = configOf(memory);
      const value = present(right.timing[name]) - 1;
      const wrong = { ...right, timing: { ...right.timing, [name]: cycles(value) } };
      const { violations } = await checked(wrong, right, 6);
      const rule = present(violations[0]).rule;
      const rows = channelConstraints(ddr4).filter((row) => row.wait.some((term) => term === name));
      expect([...rows.map((row) => row.rule), "rank switch gap"]).toContain(rule);
    },
  );
});

describe("pairs of commands", () => {
  const dram = loadDram();
  const config = { ...configOf(memory), refresh: "None" as const };
  const table: Readonly<Record<string, Command>> = ddr4.commands;
  const commands = controllerCommandsOf(ddr4);
  const issued = 1000;
  /** Rank, bank group and bank of the second command; the first addresses 0, 0, 0. */
  const places = {
    bank: [0, 0, 0],
    "bank group": [0, 0, 1],
    rank: [0, 1, 0],
    "other rank": [1, 0, 0],
  } as const;
  type Near = keyof typeof places;
  const reached: Readonly<Record<string, readonly Near[]>> = {
    channel: ["bank", "bank group", "rank", "other rank"],
    rank: ["bank", "bank group", "rank"],
    "bank group": ["bank", "bank group"],
    bank: ["bank"],
  };
  const pairs = commands.flatMap((from) =>
    commands.flatMap((to) => (Object.keys(places) as Near[]).map((near) => ({ from, to, near }))),
  );

  /** By the table alone; undefined without a rule. */
  function distance({ from, to, near }: (typeof pairs)[number]): number | undefined {
    const first = present(table[from.name]);
    const second = present(table[to.name]);
    const waits = channelConstraints(ddr4)
      .filter((row) => row.from.includes(from.name) && row.to.includes(to.name))
      .filter(({ window = 1 }) => window === 1)
      .filter(({ level, others = false }) =>
        others
          ? near === "other rank"
          : present(reached[levelFor(level, first, second)]).includes(near),
      )
      .map((row) => sumOf(row.wait, config.timing) + counted(first) - counted(second));
    return waits.length === 0 ? undefined : Math.max(...waits);
  }

  it("have the minimum distance of the table at every level", () => {
    expect(pairs).toHaveLength(144);
    const number = (name: string): number => commands.findIndex((one) => one.name === name);
    for (const pair of pairs) {
      const past = Float64Array.of(issued, number(pair.from.name), 0, 0, 0);
      const next = Float64Array.of(number(pair.to.name), ...places[pair.near]);
      const ready = dram.dramReadyAt(config, past, next) - issued;
      // Without a rule the command is ready at once.
      expect({ ...pair, ready: Math.max(ready, -issued) }).toEqual({
        ...pair,
        ready: distance(pair) ?? -issued,
      });
    }
  });
});

describe("configurations", () => {
  it("have no energy, because no currents are known", async () => {
    const config = configOf(memory);
    const summary = summarize(config, await replayText(config, traffic(7, 100)));
    expect(summary.channels.map(({ energyJoules }) => energyJoules)).toEqual([null]);
    const names = Object.keys(present(summary.channels[0]).commands);
    expect(names).toEqual(["ACT", "PRE", "PREA", "RD", "WR", "REFab"]);
  });

  it.each<[string, object, RegExp]>([
    ["another standard's timing", { timing_cycles: { nPPD: 2 } }, /nPPD: is not a timing of DDR4/],
    ["bus cycles", { command_bus_cycles: { ACT: 2 } }, /ACT: is 2, but that of DDR4 is 1/],
    ["a read latency", { read_latency: 5 }, /read_latency: is 5, but nCL \+ nBL is 26/],
    ["a key", { scheduller: "FRFCFS" }, /scheduller/],
    ["a key of queues", { queues: { nominal_sise: 32 } }, /queues.*nominal_sise/],
    ["a key of the injection", { injection: { polisy: "global_fifo" } }, /injection.*polisy/],
    ["refresh of single banks", { refresh: "SameBank" }, /refresh/],
    ["a row policy", { row_policy: "ClosedCAP" }, /row_policy/],
    ["bytes of an access", { organization: { bytes_per_access: 32, bus_width_bits: 64 } }, /is 32/],
  ])("with %s are refused", (_, changes, message) => {
    expect(() => configOf({ ...memory, ...changes })).toThrow(rejection("bad-input", message));
  });

  it("without a preset lack every timing and every count", () => {
    expect(() => configOf({ ...memory, preset: undefined })).toThrow(
      /preset: this is missing.*timing_cycles \(nBL, .*organization \(.*rows, .*rate_MTps/,
    );
  });

  it.each(standardNames)("of %s open with the default preset", (standard) => {
    const preset = memoryStandard(standard)?.defaultPreset;
    expect(() => configOf({ standard, preset })).not.toThrow();
  });
});
