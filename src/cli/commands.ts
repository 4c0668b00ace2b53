// SPDX-License-Identifier: Apache-2.0
// All commands of the program, in the groups and the order of the help. The module of a command is loaded for this
// command alone.

import type { Command } from "commander";

/** A command of the program. */
export interface CommandEntry {
  readonly name: string;
  readonly description: string;
  /** `register` adds options, action and subcommands. */
  readonly load: () => Promise<{ readonly register: (command: Command) => void }>;
  /** Its action reads the options of every command. */
  readonly readsAll?: boolean;
}

/** A heading of the help and its commands. */
export type Group = readonly [heading: string, members: readonly CommandEntry[]];

export const commands: readonly Group[] = [
  [
    "Scenarios:",
    [
      {
        name: "init",
        description: "Write a commented scenario to start from.",
        load: async () => import("./commands/init.ts"),
      },
      {
        name: "list",
        description: "List models, presets, devices, experiments, units and scenarios.",
        load: async () => import("./commands/list.ts"),
      },
      {
        name: "run",
        description: "Run a scenario: simulate, check the results, write a report.",
        load: async () => import("./commands/run.ts"),
      },
      {
        name: "watch",
        description:
          "Repeat a run when the scenario, its RTL or the program changes, and print the changed numbers.",
        load: async () => import("./commands/watch.ts"),
      },
      {
        name: "report",
        description: "Show a finished run, or compare several on one page.",
        load: async () => import("./commands/report.ts"),
      },
      {
        name: "machine",
        description:
          "Show the parts of the machines of a scenario, their clocks, and the edges between them.",
        load: async () => import("./commands/machine.ts"),
      },
      {
        name: "schema",
        description: "Print the JSON Schema of scenario files.",
        load: async () => import("./commands/schema.ts"),
      },
      {
        name: "sweep",
        description: "Run a grid, a list or a random sample of scenarios; resumable.",
        load: async () => import("./commands/sweep.ts"),
      },
      {
        name: "explore",
        description:
          "Search hardware parameters for Pareto-optimal designs in time and area, or pools of servers for cost and goodput.",
        load: async () => import("./commands/explore.ts"),
      },
    ],
  ],
  [
    "Parts of a machine:",
    [
      {
        name: "ndp",
        description: "Run the NDP unit of a DIMM alone.",
        load: async () => import("./commands/models/ndp.ts"),
      },
      {
        name: "sparf",
        description: "Run SparF attention alone.",
        load: async () => import("./commands/models/sparf.ts"),
      },
      {
        name: "dram",
        description: "Run the DDR5 model alone.",
        load: async () => import("./commands/memory/dram.ts"),
      },
      {
        name: "flash",
        description: "Run the flash model alone.",
        load: async () => import("./commands/memory/flash.ts"),
      },
      {
        name: "cxl",
        description: "Run a CXL link alone.",
        load: async () => import("./commands/memory/cxl.ts"),
      },
    ],
  ],
  [
    "Language models:",
    [
      {
        name: "lm",
        description: "Run trained language models on the simulated hardware.",
        load: async () => import("./commands/models/lm.ts"),
      },
    ],
  ],
  [
    "Papers:",
    [
      {
        name: "reproduce",
        description: "Compare the tables and figures of the papers with our numbers.",
        load: async () => import("./commands/reproduce.ts"),
      },
      {
        name: "policy",
        description: "Compute the policies of the papers alone.",
        load: async () => import("./commands/models/policy.ts"),
      },
      {
        name: "serve",
        description:
          "Serve requests on pools of GPUs or designed devices: goodput, time to first token, time between tokens, cost.",
        load: async () => import("./commands/serve.ts"),
      },
      {
        name: "calibrate",
        description: "Turn measurements of a CPU or GPU into a device file for the models.",
        load: async () => import("./commands/calibrate.ts"),
      },
    ],
  ],
  [
    "RTL:",
    [
      {
        name: "types",
        description: "Write TypeScript types of the ports of a unit, from its RTL.",
        load: async () => import("./commands/units/types.ts"),
      },
      {
        name: "area",
        description: "Synthesize a unit: area, gate equivalents, FPGA resources, critical path.",
        load: async () => import("./commands/units/area.ts"),
      },
      {
        name: "prove",
        description: "Prove properties of the RTL; two solvers must agree.",
        load: async () => import("./commands/units/prove.ts"),
      },
      {
        name: "coverage",
        description:
          "Merge the coverage counts of test runs. `make coverage` runs the tests first.",
        load: async () => import("./commands/units/coverage.ts"),
      },
    ],
  ],
  [
    "This machine:",
    [
      {
        name: "doctor",
        description: "List installed and missing tools, with the command that installs each.",
        load: async () => import("./commands/doctor.ts"),
      },
      {
        name: "bench",
        description:
          "Measure the speed of the models: ratios within one run, medians of repetitions.",
        load: async () => import("./commands/bench.ts"),
      },
      {
        name: "completion",
        description: "Print a completion script for a shell.",
        load: async () => import("./commands/completion.ts"),
        readsAll: true,
      },
    ],
  ],
];
