// SPDX-License-Identifier: Apache-2.0
// All commands of the program, in the groups and the order of the help. The module of a command is loaded for this
// command alone.

import type { Command } from "commander";

/** A command of the program. */
export interface CommandEntry {
  readonly name: string;
  readonly description: string;
  /** Loads the function that adds options, action and subcommands. */
  readonly load: () => Promise<(command: Command) => void>;
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
        load: async () => (await import("./commands/init.ts")).register,
      },
      {
        name: "list",
        description: "List models, presets, devices, experiments, units and scenarios.",
        load: async () => (await import("./commands/list.ts")).register,
      },
      {
        name: "run",
        description: "Run a scenario: simulate, check the results, write a report.",
        load: async () => (await import("./commands/run.ts")).register,
      },
      {
        name: "watch",
        description:
          "Repeat a run when the scenario, its RTL or the program changes, and print the changed numbers.",
        load: async () => (await import("./commands/watch.ts")).register,
      },
      {
        name: "report",
        description: "Show a finished run, or compare several on one page.",
        load: async () => (await import("./commands/report.ts")).register,
      },
      {
        name: "machine",
        description:
          "Show the parts of the machines of a scenario, their clocks, and the edges between them.",
        load: async () => (await import("./commands/machine.ts")).register,
      },
      {
        name: "schema",
        description: "Print the JSON Schema of scenario files.",
        load: async () => (await import("./commands/schema.ts")).register,
      },
      {
        name: "sweep",
        description: "Run a grid, a list or a random sample of scenarios; resumable.",
        load: async () => (await import("./commands/sweep.ts")).register,
      },
      {
        name: "explore",
        description:
          "Search hardware parameters for Pareto-optimal designs in time and area, or pools of servers for cost and goodput.",
        load: async () => (await import("./commands/explore.ts")).register,
      },
    ],
  ],
  [
    "Parts of a machine:",
    [
      {
        name: "ndp",
        description: "Run the NDP unit of a DIMM alone.",
        load: async () => (await import("./commands/models/ndp.ts")).register,
      },
      {
        name: "sparf",
        description: "Run SparF attention alone.",
        load: async () => (await import("./commands/models/sparf.ts")).register,
      },
      {
        name: "dram",
        description: "Run the DDR5 model alone.",
        load: async () => (await import("./commands/memory/dram.ts")).register,
      },
      {
        name: "flash",
        description: "Run the flash model alone.",
        load: async () => (await import("./commands/memory/flash.ts")).register,
      },
      {
        name: "cxl",
        description: "Run a CXL link alone.",
        load: async () => (await import("./commands/memory/cxl.ts")).register,
      },
    ],
  ],
  [
    "Language models:",
    [
      {
        name: "lm",
        description: "Run trained language models on the simulated hardware.",
        load: async () => (await import("./commands/models/lm.ts")).register,
      },
    ],
  ],
  [
    "Papers:",
    [
      {
        name: "reproduce",
        description: "Compare the tables and figures of the papers with our numbers.",
        load: async () => (await import("./commands/reproduce.ts")).register,
      },
      {
        name: "policy",
        description: "Compute the policies of the papers alone.",
        load: async () => (await import("./commands/models/policy.ts")).register,
      },
      {
        name: "serve",
        description:
          "Serve requests on pools of GPUs or designed devices: goodput, time to first token, time between tokens, cost.",
        load: async () => (await import("./commands/serve.ts")).register,
      },
      {
        name: "calibrate",
        description: "Turn measurements of a CPU or GPU into a device file for the models.",
        load: async () => (await import("./commands/calibrate.ts")).register,
      },
    ],
  ],
  [
    "RTL:",
    [
      {
        name: "types",
        description: "Write TypeScript types of the ports of a unit, from its RTL.",
        load: async () => (await import("./commands/units/types.ts")).register,
      },
      {
        name: "area",
        description: "Synthesize a unit: area, gate equivalents, FPGA resources, critical path.",
        load: async () => (await import("./commands/units/area.ts")).register,
      },
      {
        name: "prove",
        description: "Prove properties of the RTL; two solvers must agree.",
        load: async () => (await import("./commands/units/prove.ts")).register,
      },
      {
        name: "coverage",
        description:
          "Merge the coverage counts of test runs. `make coverage` runs the tests first.",
        load: async () => (await import("./commands/units/coverage.ts")).register,
      },
    ],
  ],
  [
    "This machine:",
    [
      {
        name: "doctor",
        description: "List installed and missing tools, with the command that installs each.",
        load: async () => (await import("./commands/doctor.ts")).register,
      },
      {
        name: "bench",
        description:
          "Measure the speed of the models: ratios within one run, medians of repetitions.",
        load: async () => (await import("./commands/bench.ts")).register,
      },
      {
        name: "completion",
        description: "Print a completion script for a shell.",
        load: async () => (await import("./commands/completion.ts")).register,
        readsAll: true,
      },
    ],
  ],
];
