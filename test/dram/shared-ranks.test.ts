// SPDX-License-Identifier: Apache-2.0
// Ranks that change hands between the host's channel and the private channels of NDP mode. The
// banks are one: what both send to a rank must be legal as if one had sent it.

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { loadDram } from "../../src/dram/binding.ts";
import { parseDramReplayConfig, type DramReplayConfig } from "../../src/dram/config.ts";
import type { CommandKind } from "./bus-history.ts";
import { checkCommands } from "./command-checker.ts";

const kinds: readonly CommandKind[] = ["ACT", "PRE", "PREA", "RD", "WR", "REFab", "PREsb", "REFsb"];
const whats = ["host read", "host write", "ndp read", "ndp write", "to ndp", "to host"] as const;

interface Step {
  readonly cycle: number;
  readonly what: (typeof whats)[number];
  readonly rank: number;
  readonly group?: number;
  readonly bank?: number;
  readonly row?: number;
  readonly column?: number;
}

interface SharedCommand {
  readonly cycle: number;
  readonly user: "host" | "ndp";
  readonly kind: CommandKind | undefined;
  readonly place: readonly number[];
  readonly step: number;
}

const config: DramReplayConfig = parseDramReplayConfig(
  { preset: "TriMoE", semantics: "jedec", organization: { ranks_per_channel: 4 } },
  "shared ranks",
);
const { nRP, nRCD, nRFC1 } = config.timing;

function run(steps: readonly Step[]): {
  readonly commands: readonly SharedCommand[];
  readonly completed: ReadonlyMap<number, number>;
} {
  const flat = steps.flatMap(({ cycle, what, rank, group = 0, bank = 0, row = 0, column = 0 }) => [
    cycle,
    whats.indexOf(what),
    rank,
    group,
    bank,
    row,
    column,
  ]);
  const { commands, completions } = loadDram().dramSharedRanks(config, Float64Array.from(flat));
  const rows = (all: Float64Array, width: number): number[][] =>
    Array.from({ length: all.length / width }, (_, i) => [
      ...all.subarray(i * width, (i + 1) * width),
    ]);
  return {
    commands: rows(commands, 9).map(([cycle = 0, user, kind = 0, ...rest]) => ({
      cycle,
      user: user === 1 ? "ndp" : "host",
      kind: kinds[kind],
      place: rest.slice(0, 5),
      step: rest[5] ?? -1,
    })),
    completed: new Map(rows(completions, 2).map(([step = 0, cycle = 0]) => [step, cycle])),
  };
}

/** Rules that the commands of both users break on one rank, taken as one stream. */
function brokenRules(commands: readonly SharedCommand[], rank: number): readonly string[] {
  const alone = { ...config, organization: { ...config.organization, ranks: 1 } };
  const lines = commands
    .filter(({ place }) => place[0] === rank)
    .sort((a, b) => a.cycle - b.cycle)
    .map(({ cycle, kind, place, step }) => {
      const whole = kind === "PREA" || kind === "REFab";
      const [, group, bank, row, column] = place;
      return [cycle, 0, kind, 0, whole ? -1 : group, whole ? -1 : bank, row, column, step].join();
    });
  return checkCommands(alone, lines, [])
    .map(({ rule }) => rule)
    .filter((rule) => rule !== "unknown request");
}

describe("hand-over of a rank", () => {
  it("costs a PREA and nRP", () => {
    const { commands, completed } = run([
      { cycle: 10, what: "host read", rank: 1, row: 5 },
      { cycle: 300, what: "to ndp", rank: 1 },
      { cycle: 300, what: "ndp read", rank: 1, row: 5 },
    ]);
    const sent = commands.map(({ cycle, user, kind }) => [cycle, user, kind]);
    // JEDEC counts nRP from the one-cycle PREA to the two-cycle ACT: a cycle less.
    const act = 301 + nRP - 1;
    expect(sent).toEqual([
      [11, "host", "ACT"],
      [11 + nRCD, "host", "RD"],
      [301, "host", "PREA"],
      [act, "ndp", "ACT"],
      [act + nRCD, "ndp", "RD"],
    ]);
    expect([...completed.keys()]).toEqual([0, 2]);
  });

  it("waits for what the old user has taken", () => {
    const { commands } = run([
      ...[0, 1, 2, 3].map((row) => ({ cycle: 0, what: "host write", rank: 0, row }) as const),
      { cycle: 0, what: "to ndp", rank: 0 },
      { cycle: 0, what: "ndp read", rank: 0, row: 9 },
    ]);
    const handover = commands.findIndex(({ kind }) => kind === "PREA");
    const before = commands.slice(0, handover).filter(({ kind }) => kind === "WR");
    expect(before).toHaveLength(4);
    expect(commands.slice(handover + 1).every(({ user }) => user === "ndp")).toBe(true);
  });

  it("takes the duty of refresh along", () => {
    const { commands } = run([
      { cycle: 0, what: "to ndp", rank: 2 },
      { cycle: 5 * config.timing.nREFI, what: "ndp read", rank: 2 },
    ]);
    const refreshes = commands.filter(({ kind, place }) => kind === "REFab" && place[0] === 2);
    expect(refreshes.map(({ user }) => user)).toEqual(["ndp", "ndp", "ndp", "ndp", "ndp"]);
    expect(nRFC1).toBeGreaterThan(0);
  });

  it("whatever the traffic, both together obey every rule and everything is served", () => {
    const place = {
      rank: fc.integer({ min: 0, max: 3 }),
      group: fc.integer({ min: 0, max: 1 }),
      bank: fc.integer({ min: 0, max: 1 }),
      row: fc.integer({ min: 0, max: 2 }),
      column: fc.integer({ min: 0, max: 3 }),
    };
    const wish = fc.record({
      gap: fc.constantFrom(0, 0, 1, 20, 200, 3000),
      change: fc.integer({ min: 0, max: 5 }),
      write: fc.boolean(),
      ...place,
    });
    fc.assert(
      fc.property(fc.array(wish, { minLength: 1, maxLength: 120 }), (wishes) => {
        const users = new Map<number, "host" | "ndp">();
        let cycle = 0;
        const steps = wishes.map(({ gap, change, write, ...at }): Step => {
          cycle += gap;
          const user = users.get(at.rank) ?? "host";
          if (change > 0) return { cycle, what: `${user} ${write ? "write" : "read"}`, ...at };
          const next = user === "host" ? "ndp" : "host";
          users.set(at.rank, next);
          return { cycle, what: `to ${next}`, ...at };
        });
        const { commands, completed } = run(steps);
        for (const rank of [0, 1, 2, 3]) expect(brokenRules(commands, rank)).toEqual([]);
        const accesses = steps.flatMap(({ what }, i) => (what.startsWith("to") ? [] : [i]));
        expect([...completed.keys()].sort((a, b) => a - b)).toEqual(accesses);
        for (const { step, user } of commands) {
          if (step >= 0) expect(steps[step]?.what.startsWith(user)).toBe(true);
        }
      }),
      { numRuns: 150 },
    );
  });
});
