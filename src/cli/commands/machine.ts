// SPDX-License-Identifier: Apache-2.0
// `neardata machine`: prints the parts of the machines of a scenario, as text, JSON or a picture.

import { dirname } from "node:path";
import type { Command } from "commander";
import { defined } from "../../base/defined.ts";
import { readText } from "../../run/files.ts";
import { scenarioArgument } from "../options/options.ts";
import { printJson, printText } from "../terminal/output.ts";
import { example } from "../options/help.ts";
import { machineText } from "../../report/machine/machine-text.ts";
import { machinesSvg } from "../../report/machine/machine-svg.ts";
import { familiesOf } from "../../machine/machine-families.ts";
import { ofScenario } from "../../run/run-scenario.ts";
import { scenarioMachines } from "../../run/scenario-machines.ts";
import { resolveConfig } from "../../scenario/resolve.ts";
import { parseScenario } from "../../scenario/parse.ts";
import { checkOptionalOutput } from "../../base/files/output.ts";

interface MachineCommandOptions {
  readonly svg?: string;
  readonly json?: boolean;
}

export function register(command: Command): void {
  command
    .addArgument(scenarioArgument())
    .option("--svg <file>", "Draw the machines.")
    .option("--json", "Print every part, port and edge as JSON.")
    .addHelpText("after", example("neardata machine scenarios/main.yaml --svg machine.svg"))
    .action(showMachines);
}

async function showMachines(file: string, options: MachineCommandOptions): Promise<void> {
  const svg = checkOptionalOutput("--svg", options.svg, [file]);
  const config = resolveConfig(file, parseScenario(file, readText(file)), {});
  const machines = await ofScenario(file, async () =>
    scenarioMachines(config.scenario, dirname(file)),
  );
  const families = machines.map(({ title, graph, time }) => ({
    title,
    machine: familiesOf(graph),
    ...defined({ time }),
  }));
  if (svg !== null) {
    svg.write(machinesSvg(families));
  }
  if (options.json === true) {
    printJson({
      scenario: config.scenario.name,
      machines: machines.map(({ title, graph }) => ({ title, ...graph })),
      ...defined({ svg: options.svg }),
    });
    return;
  }
  const texts = families.map(({ title, machine }) => machineText(title, machine));
  printText(
    [...texts, ...(options.svg === undefined ? [] : [`drawn: ${options.svg}`])].join("\n\n"),
  );
}
