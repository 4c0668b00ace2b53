// SPDX-License-Identifier: Apache-2.0
// Constraints of DDR5-4800 as the C++ checks of whole machines read them (test/sim/table1_dimm.h).

import { dramPreset } from "../../src/machine/dram/presets.ts";
import { dramSemantics } from "../../src/machine/dram/semantics.ts";
import { channelRows, controllerCommandsOf } from "../../src/machine/dram/standards/controller.ts";
import { ddr5 } from "../../src/machine/dram/standards/ddr5.ts";

/** In the order of sim/dram/constraints.h and sim/dram/types.h. */
const levels = ["channel", "rank", "bank group", "bank"];
const actions = ["open", "close", "read", "write", "refresh"];
const reaches = ["bank", "same bank", "rank"];

const { timing } = dramPreset("TriMoE", "a test");
const commands = controllerCommandsOf(ddr5);
const numberOf = (name: string): number => commands.findIndex((command) => command.name === name);

/**
 * The number of commands; name, action, reach and bus cycles of each; then rows: numbers of both commands, level, other
 * ranks, window and wait.
 */
export const ddr5Rows4800: string = [
  [commands.length],
  ...commands.map(({ name, action, reach, cycles }) => [
    name,
    actions.indexOf(action),
    reaches.indexOf(reach),
    cycles,
  ]),
  ...channelRows(ddr5, timing, dramSemantics("jedec")).map(
    ({ from, to, level, others, window, wait }) => [
      numberOf(from),
      numberOf(to),
      levels.indexOf(level),
      Number(others),
      window,
      wait,
    ],
  ),
]
  .map((fields) => fields.join(" "))
  .join("\n");
