// SPDX-License-Identifier: Apache-2.0
// All commands of the program, in the groups and the order of the help. A command imports large
// modules when it runs, so that `--help` starts fast.

import type { Command } from "commander";
import { register as watch } from "./commands/watch.ts";
import { register as types } from "./commands/units/types.ts";
import { register as list } from "./commands/list.ts";
import { register as init } from "./commands/init.ts";
import { register as completion } from "./commands/completion.ts";
import { register as area } from "./commands/units/area.ts";
import { register as coverage } from "./commands/units/coverage.ts";
import { register as doctor } from "./commands/doctor.ts";
import { register as bench } from "./commands/bench.ts";
import { register as calibrate } from "./commands/calibrate.ts";
import { register as cxl } from "./commands/memory/cxl.ts";
import { register as dram } from "./commands/memory/dram.ts";
import { register as explore } from "./commands/explore.ts";
import { register as flash } from "./commands/memory/flash.ts";
import { register as lm } from "./commands/models/lm.ts";
import { register as machine } from "./commands/machine.ts";
import { register as ndp } from "./commands/models/ndp.ts";
import { register as prove } from "./commands/units/prove.ts";
import { register as policy } from "./commands/models/policy.ts";
import { register as report } from "./commands/report.ts";
import { register as reproduce } from "./commands/reproduce.ts";
import { register as run } from "./commands/run.ts";
import { register as serve } from "./commands/serve.ts";
import { register as schema } from "./commands/schema.ts";
import { register as sparf } from "./commands/models/sparf.ts";
import { register as sweep } from "./commands/sweep.ts";

/** Adds one command, with its options and its action, to the program. */
export type Register = (program: Command) => void;

/** A heading of the help and its commands. */
export type Group = readonly [heading: string, members: readonly Register[]];

export const commands: readonly Group[] = [
  ["Scenarios:", [init, list, run, watch, report, machine, schema, sweep, explore]],
  ["Parts of a machine:", [ndp, sparf, dram, flash, cxl]],
  ["Language models:", [lm]],
  ["Papers:", [reproduce, policy, serve, calibrate]],
  ["RTL:", [types, area, prove, coverage]],
  ["This machine:", [doctor, bench, completion]],
];
