// SPDX-License-Identifier: Apache-2.0
// `neardata machine`: what the machines of a scenario are made of, as text, JSON or a picture.

import { dirname } from "node:path";
import type { Command } from "commander";
import { readText } from "../../run/files.ts";
import { scenarioArgument } from "../options/options.ts";
import { printJson, printText } from "../terminal/output.ts";
import { example } from "../options/help.ts";

interface MachineCommandOptions {
  readonly svg?: string;
  readonly json?: boolean;
}

/** Adds `machine`. */
export function register(program: Command): void {
  program
    .command("machine")
    .description(
      "Show the parts of the machines of a scenario, their clocks, and the edges between them.",
    )
    .addArgument(scenarioArgument())
    .option("--svg <file>", "Draw the machines.")
    .option("--json", "Print every part, port and edge as JSON.")
    .addHelpText("after", example("neardata machine scenarios/main.yaml --svg machine.svg"))
    .action(showMachines);
}

async function showMachines(file: string, options: MachineCommandOptions): Promise<void> {
  const { checkOptionalOutput } = await import("../../base/files/output.ts");
  const { parseScenario } = await import("../../scenario/parse.ts");
  const { resolveConfig } = await import("../../scenario/resolve.ts");
  const { scenarioMachines } = await import("../../run/scenario-machines.ts");
  const { ofScenario } = await import("../../run/run-scenario.ts");
  const svg = checkOptionalOutput("--svg", options.svg, [file]);
  const config = resolveConfig(file, parseScenario(file, readText(file)), {});
  const machines = await ofScenario(file, async () =>
    scenarioMachines(config.scenario, dirname(file)),
  );
  const { familiesOf } = await import("../../machine/machine-families.ts");
  const families = machines.map(({ title, graph, time }) => ({
    title,
    machine: familiesOf(graph),
    ...(time === undefined ? {} : { time }),
  }));
  if (svg !== null) {
    const { machinesSvg } = await import("../../report/machine/machine-svg.ts");
    svg.write(machinesSvg(families));
  }
  if (options.json === true) {
    printJson({
      scenario: config.scenario.name,
      machines: machines.map(({ title, graph }) => ({ title, ...graph })),
      ...(options.svg === undefined ? {} : { svg: options.svg }),
    });
    return;
  }
  const { machineText } = await import("../../report/machine/machine-text.ts");
  const texts = families.map(({ title, machine }) => machineText(title, machine));
  printText(
    [...texts, ...(options.svg === undefined ? [] : [`drawn: ${options.svg}`])].join("\n\n"),
  );
}
