// SPDX-License-Identifier: Apache-2.0
// The controller applies the constraint rows of its config and no others: a row that is changed or removed affects its
// pair of commands only. Rows that it cannot apply are an error.

import { describe, expect, it } from "vitest";

import { parseDramReplayConfig } from "../../../src/kernels/dram/config.ts";
import {
  controllerCommands,
  type ControllerCommand as Name,
} from "../../../src/machine/dram/standards/ddr5-rows.ts";
import { controllerCommandsOf } from "../../../src/machine/dram/standards/controller.ts";
import { ddr5 } from "../../../src/machine/dram/standards/ddr5.ts";
import { loadAddon } from "../../../src/native/addon.ts";
import { derivedOf } from "../../../src/native/dram-binding.ts";
import type { Native } from "../../../src/native/layout.ts";
import { flatOf, rowsOf } from "../../../src/native/record.ts";
import { rejection } from "../../helpers/rejection.ts";

type NumberedRow = Native<"DramConstraint">;
type Row = Omit<NumberedRow, "from" | "to"> & { readonly from: Name; readonly to: Name };

const config = parseDramReplayConfig(
  { preset: "TriMoE", semantics: "jedec", organization: { ranks_per_channel: 2 } },
  "a test",
);
const derived = derivedOf(config);
const nameOf = (number: number): Name => controllerCommands[number] ?? "ACT";
const rows = rowsOf("DramConstraint", derived.constraints).map((row) => ({
  ...row,
  from: nameOf(row.from),
  to: nameOf(row.to),
}));
const flat = (given: readonly Row[]): Float64Array =>
  flatOf(
    "DramConstraint",
    given.map((row) => ({
      ...row,
      from: controllerCommands.indexOf(row.from),
      to: controllerCommands.indexOf(row.to),
    })),
  );
const addon = loadAddon();
const issued = 1000;

/** Cycles from a command to bank 0 of rank 0 to the first cycle of another command to the same bank. */
function distance(from: Name, to: Name, given: readonly Row[]): number {
  const constraints = flat(given);
  const fields = (name: Name): readonly number[] => [controllerCommands.indexOf(name), 0, 0, 0];
  const past = Float64Array.of(issued, ...fields(from));
  const next = Float64Array.from(fields(to));
  const memory = { ...config, ...derived, constraints, refresh: "None" as const };
  return addon.dramReadyAt(memory, past, next) - issued;
}

const every = controllerCommands.flatMap((from) => controllerCommands.map((to) => ({ from, to })));
const isPair = (row: Row, from: Name, to: Name): boolean => row.from === from && row.to === to;

describe("rows of constraints", () => {
  it("of one rank: a longer wait from REFab to REFab changes this pair alone", () => {
    const longer = rows.map((row) =>
      isPair(row, "REFab", "REFab") ? { ...row, wait: row.wait + 7 } : row,
    );
    expect(rows.filter((row) => isPair(row, "REFab", "REFab"))).toHaveLength(1);
    for (const { from, to } of every) {
      const added = from === "REFab" && to === "REFab" ? 7 : 0;
      const before = distance(from, to, rows);
      expect(distance(from, to, longer)).toBe(before + added);
    }
  });

  it("are all that a channel has: a pair without a row has no minimum distance", () => {
    for (const { from, to } of every) {
      const without = rows.filter((row) => !isPair(row, from, to));
      expect(distance(from, to, without)).toBe(-issued);
    }
  });

  it("name the commands by their numbers", () => {
    expect(controllerCommandsOf(ddr5).map(({ name }) => name)).toEqual(controllerCommands);
    expect(() => openWith(Float64Array.of(8, 0, 0, 0, 1, 1))).toThrow(
      rejection("bad-input", /must have commands of the channel/),
    );
  });

  it("without refresh time are an error only for a memory that refreshes", () => {
    const constraints = flat(rows.filter((row) => !isPair(row, "REFab", "ACT")));
    const open = (refresh: "AllBank" | "None") => (): unknown =>
      addon.dramReplayOpen({
        ...config,
        ...derived,
        constraints,
        refresh,
        commands: false,
        completions: false,
      });
    expect(open("None")).not.toThrow();
    expect(open("AllBank")).toThrow(rejection("bad-input", /from the refresh to ACT/));
  });

  it.each<[string, readonly Row[], RegExp]>([
    ["none", [], /must have timing constraints/],
    ["a wait too long", [row({ wait: 10_000_001 })], /10\^7 cycles/],
    ["a wait too short", [row({ wait: -10_000_001 })], /10\^7 cycles/],
    ["a window of none", [row({ window: 0 })], /window of 1 to 1024/],
    ["a window too long", [row({ window: 1025 })], /window of 1 to 1024/],
    ["a window of a bank", [row({ window: 4, level: "bank" })], /level of ranks/],
    ["other bank groups", [row({ others: true, level: "bankGroup" })], /level of ranks/],
    ["a window over other ranks", [row({ others: true, window: 4 })], /window over other ranks/],
    ["a rank's command at a bank", [row({ to: "PREA", level: "bank" })], /level of a rank/],
    ["REFsb at a bank group", [row({ from: "REFsb", level: "bankGroup" })], /level of a rank/],
  ])("%s", (_, given, message) => {
    const constraints = flat(given);
    expect(() => openWith(constraints)).toThrow(rejection("bad-input", message));
  });

  it.each<[string, readonly number[], RegExp]>([
    ["half a row", [0, 0, 1], /no whole rows of 6 numbers/],
    ["a command beyond all numbers", [256, 0, 0, 0, 1, 1], /row 0 without a legal from/],
    ["a level between two", [0, 0, 1.5, 0, 1, 1], /row 0 without a legal level/],
    ["a flag of two", [0, 0, 0, 2, 1, 1], /row 0 without a legal others/],
    ["a wait that is not a number", [0, 0, 0, 0, 1, NaN], /row 0 without a legal wait/],
  ])("%s is an error of the caller", (_, numbers, message) => {
    const open = (): unknown => openWith(Float64Array.from(numbers));
    expect(open).toThrow(rejection("misuse", message));
  });
});

function openWith(constraints: Float64Array): unknown {
  const all = { ...config, ...derived, constraints };
  return addon.dramReplayOpen({ ...all, refresh: "None", commands: false, completions: false });
}

function row(changes: Partial<Row>): Row {
  return { from: "ACT", to: "ACT", level: "rank", others: false, window: 1, wait: 8, ...changes };
}
