// SPDX-License-Identifier: Apache-2.0
// Every timing constraint of the model, isolated: rejected at t - 1, accepted at t. The parameters of a constraint are
// large and all others small, so that no other constraint delays the command.

import { describe, expect, it } from "vitest";

import { loadDram } from "../../../src/native/dram-binding.ts";
import type { DramReplayConfig } from "../../../src/kernels/dram/replay-config.ts";
import { parseDramReplayConfig } from "../../../src/kernels/dram/config.ts";
import type { SemanticsName } from "../../../src/machine/dram/semantics.ts";
import type { CommandKind } from "./bus-history.ts";
import {
  constraintPairs,
  nextBanks,
  timingWith,
  twoCycleCorrection,
  type ConstraintRow,
  type Timing,
} from "./constraint-rows.ts";

/** Commands in the order of sim/dram/types.h. */
const numbered: readonly CommandKind[] = [
  "ACT",
  "PRE",
  "PREA",
  "RD",
  "WR",
  "REFab",
  "PREsb",
  "REFsb",
];

interface Placed {
  readonly kind: CommandKind;
  readonly rank: number;
  readonly group: number;
  readonly bank: number;
}

const fields = ({ kind, rank, group, bank }: Placed): number[] => [
  numbered.indexOf(kind),
  rank,
  group,
  bank,
];

function configOf(semantics: SemanticsName, timing: Record<string, number>): DramReplayConfig {
  return parseDramReplayConfig(
    { preset: "TriMoE", semantics, timing_nCK: timing, organization: { ranks_per_channel: 2 } },
    "constraint",
  );
}

/** The first cycle for `next` after commands at given cycles. */
function readyAt(
  config: DramReplayConfig,
  past: readonly (readonly [cycle: number, command: Placed])[],
  next: Placed,
): number {
  const flat = past.flatMap(([cycle, command]) => [cycle, ...fields(command)]);
  return loadDram().dramReadyAt(config, Float64Array.from(flat), Float64Array.from(fields(next)));
}

const long = 500;
const issued = 1000;

/** The wait of a row for one pair, with the correction of the semantics. */
function waitOf(
  row: ConstraintRow,
  last: CommandKind,
  next: CommandKind,
  semantics: SemanticsName,
): number {
  const timing = timingWith(row.only, long) as Timing;
  // The distance of bursts of two ranks on the data bus does not depend on the cycles of their commands.
  const corrected = semantics === "jedec" ? twoCycleCorrection(last, next) : 0;
  return row.wait(timing) + corrected;
}

for (const semantics of ["ramulator-2.0", "jedec"] as const) {
  describe(`timing constraints, ${semantics}`, () => {
    it.each(constraintPairs(semantics))("%s", (_, { row, last, next }) => {
      const config = configOf(semantics, timingWith(row.only, long));
      const first = { kind: last, ...nextBanks.bank };
      const second = { kind: next, ...nextBanks[row.near] };
      const ready = readyAt(config, [[issued, first]], second);
      expect(ready - issued).toBe(waitOf(row, last, next, semantics));
    });

    it("nFAW: the fifth ACT of a rank waits for the first", () => {
      const config = configOf(semantics, timingWith(["nFAW"], long));
      const act = (group: number, rank = 0): Placed => ({ kind: "ACT", rank, group, bank: 0 });
      const four = [0, 1, 2, 3].map((group) => [issued + 10 * group, act(group)] as const);
      expect(readyAt(config, four.slice(0, 3), act(4))).toBeLessThan(issued + 100);
      expect(readyAt(config, four, act(4))).toBe(issued + long);
      expect(readyAt(config, four, act(4, 1))).toBeLessThan(issued + 100);
    });

    it.each(["ACT", "RD", "WR"] as const)("%s keeps the command bus for two cycles", (kind) => {
      const config = configOf(semantics, timingWith([], 0));
      const elsewhere = { kind: "PREA", rank: 1, group: 0, bank: 0 } as const;
      expect(readyAt(config, [[issued, { kind, ...nextBanks.bank }]], elsewhere)).toBe(issued + 2);
    });

    it.each(["PRE", "PREA", "REFab"] as const)("%s keeps the command bus for one", (kind) => {
      const config = configOf(semantics, timingWith([], 0));
      const elsewhere = { kind: "PREA", rank: 1, group: 0, bank: 0 } as const;
      expect(
        readyAt(config, [[issued, { kind, ...nextBanks.bank }]], elsewhere),
      ).toBeLessThanOrEqual(issued + 1);
    });
  });
}

describe("where the two semantics part", () => {
  const after = (kind: CommandKind, next: CommandKind, rank: number, s: SemanticsName): number =>
    readyAt(configOf(s, {}), [[issued, { kind, ...nextBanks.bank }]], {
      kind: next,
      rank,
      group: 0,
      bank: 0,
    }) - issued;

  it("REFab holds RD, WR and PRE back with jedec only", () => {
    expect(after("REFab", "PRE", 0, "ramulator-2.0")).toBeLessThanOrEqual(1);
    expect(after("REFab", "PRE", 0, "jedec")).toBe(708);
  });

  it("WR to RD of another rank", () => {
    expect(after("WR", "RD", 1, "ramulator-2.0")).toBe(40 + 8 + 2 - 38);
    expect(after("WR", "RD", 1, "jedec")).toBe(38 + 8 + 2 - 40);
  });

  it("RD to WR of another rank", () => {
    expect(after("RD", "WR", 1, "ramulator-2.0")).toBe(8 + 2);
    expect(after("RD", "WR", 1, "jedec")).toBe(40 + 8 + 2 - 38);
  });

  it("PRE to PRE of a rank", () => {
    expect(after("PRE", "PRE", 0, "ramulator-2.0")).toBeLessThanOrEqual(1);
    expect(after("PRE", "PRE", 0, "jedec")).toBe(2);
  });
});
