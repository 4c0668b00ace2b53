// SPDX-License-Identifier: Apache-2.0
// Assumptions where a unit ends: at its ports and its memories.

import { inputArrival, memoryHold, outputMargin } from "../timing.ts";
import { constantTable, Table, type ByEdge, type Delay } from "./cell-timing.ts";

/** Assumptions at the borders of a unit, ps and fF. */
export interface Borders {
  readonly inputArrival: number;
  readonly outputMargin: number;
  /** Load of a pin of a memory macro, and of an output of the unit. */
  readonly load: number;
  /** Hold of a pin of a memory after the clock in ps; null if unknown. */
  readonly memoryHold: number | null;
  /** The driver of inputs of the unit and outputs of memories; null where loads do not matter. */
  readonly driver: Delay | null;
}

/** The same borders as for slices (src/tools/synth/timing.ts); mapping assumes 4 fF at an output. */
export function chipBorders(driver: Delay): Borders {
  return { inputArrival, outputMargin, load: 4, memoryHold, driver };
}

/** Yosys' `sta` counts an FPGA's ports from 0. */
export const fpgaBorders: Borders = {
  inputArrival: 0,
  outputMargin: 0,
  load: 0,
  memoryHold: null,
  driver: null,
};

/** An arrival so long after the clock at the borders' load; later at a larger one. */
export function arrivalAt(ps: number, { driver, load }: Borders): Delay {
  const [arrival, atOnce] = [constantTable(ps), constantTable(0)];
  if (driver === null) {
    return {
      sense: "positive",
      class: "register",
      delay: [arrival, arrival],
      slew: [atOnce, atOnce],
    };
  }
  const more = load + 1;
  const along = (table: Table, before: (base: number) => number): Table => {
    const [base, next] = [table.at(0, load), table.at(0, more)];
    return new Table([0], [load, more], [before(base), before(base) + next - base]);
  };
  const byEdge = (tables: ByEdge, before: (base: number) => number): ByEdge => [
    along(tables[0], before),
    along(tables[1], before),
  ];
  return {
    sense: "positive",
    class: "register",
    delay: byEdge(driver.delay, () => ps),
    slew: byEdge(driver.slew, (base) => base),
  };
}
