// SPDX-License-Identifier: Apache-2.0
// DDR5's constraints for the controller: the table of the standard, with the departures of Ramulator 2.0 that a
// configuration switches on.

import type { DramSemantics } from "../semantics.ts";
import type { DramTiming, TimingName } from "../timing.ts";
import {
  controllerRows,
  dataBusConstraints,
  isAccess,
  minus,
  type ControllerRow,
} from "./controller-rows.ts";
import { ddr5 } from "./ddr5.ts";
import type { Constraint } from "./table.ts";

/** Commands of the controller. It closes rows with PRE, so it issues no RDA and no WRA. */
export const controllerCommands = [
  "ACT",
  "PRE",
  "PREA",
  "RD",
  "WR",
  "REFab",
  "PREsb",
  "REFsb",
] as const;
export type ControllerCommand = (typeof controllerCommands)[number];

type Ddr5Constraint = Constraint<TimingName>;

/** Constraints that follow from the bursts on the data bus. */
export const ddr5DataBus: readonly Ddr5Constraint[] = dataBusConstraints(ddr5.dataBus);

/** Every constraint of JESD79-5, and those of the data bus. */
export const ddr5Constraints: readonly Ddr5Constraint[] = [...ddr5.constraints, ...ddr5DataBus];

const { read, write, burst, gap = [] } = ddr5.dataBus;

/** The constraint as Ramulator 2.0 has it, where it differs; undefined where Ramulator 2.0 has none. */
function departed(row: Ddr5Constraint, semantics: DramSemantics): Ddr5Constraint | undefined {
  switch (row.rule) {
    case "tPPD":
      return semantics.noPrechargeGap ? undefined : row;
    case "tRFCab": {
      if (!semantics.refreshIgnoresOpenCommands) return row;
      const ignored = (name: string): boolean =>
        name === "PRE" || name === "PREsb" || isAccess(name);
      return { ...row, to: row.to.filter((name) => !ignored(name)) };
    }
    case "rank switch (WR to WR)":
      return semantics.noWriteRankGap ? { ...row, wait: burst } : row;
    case "rank switch (RD to WR)":
      return semantics.swappedRankSwitch ? { ...row, wait: [...burst, ...gap] } : row;
    case "rank switch (WR to RD)":
      return semantics.swappedRankSwitch
        ? { ...row, wait: [...read, ...burst, ...gap, ...minus(write)] }
        : row;
    default:
      return row;
  }
}

/** The rows of a channel. */
export function ddr5Rows(
  timing: DramTiming,
  semantics: DramSemantics,
): readonly ControllerRow<ControllerCommand>[] {
  return controllerRows(ddr5, {
    commands: controllerCommands,
    constraints: ddr5Constraints.flatMap((row) => departed(row, semantics) ?? []),
    timing,
    isFirstCycle: semantics.firstCycleIntervals,
  });
}
