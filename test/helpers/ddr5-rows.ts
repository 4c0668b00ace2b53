// SPDX-License-Identifier: Apache-2.0
// Constraints of DDR5-4800 as the C++ checks of whole machines read them (test/sim/table1_dimm.h).

import { dramPreset } from "../../src/machine/dram/presets.ts";
import { dramSemantics } from "../../src/machine/dram/semantics.ts";
import { controllerCommands, ddr5Rows } from "../../src/machine/dram/standards/ddr5-rows.ts";

/** In the order of sim/dram/constraints.h. */
const levels = ["channel", "rank", "bank group", "bank"];

const { timing } = dramPreset("TriMoE", "a test");

/** A row in a line: numbers of both commands, level, other ranks, window and wait. */
export const ddr5Rows4800: string = ddr5Rows(timing, dramSemantics("jedec"))
  .map(({ from, to, level, others, window, wait }) =>
    [
      controllerCommands.indexOf(from),
      controllerCommands.indexOf(to),
      levels.indexOf(level),
      Number(others),
      window,
      wait,
    ].join(" "),
  )
  .join("\n");
