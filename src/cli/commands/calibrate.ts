// SPDX-License-Identifier: Apache-2.0
// `neardata calibrate`: a measured machine becomes a device of the models.

import { relative } from "node:path";
import process from "node:process";
import type { Command } from "commander";
import { inRepository } from "../../base/paths.ts";
import { checkOptionalOutput } from "../../base/files/output.ts";
import { readJsonFile } from "../json-file.ts";
import { printJson, printText } from "../terminal/output.ts";
import { example } from "../options/help.ts";
import { power, size } from "../../base/quantity.ts";
import { option } from "../../base/option.ts";
import { deviceText, parseDevice } from "../../machine/host/device-file.ts";
import { calibratedDevice } from "../../machine/host/reading.ts";

interface CalibrateOptions {
  readonly out?: string;
  readonly title?: string;
  readonly memory?: string;
  readonly power?: string;
  readonly json?: boolean;
}

/** The script that measures; it stays in the sources, since it runs where PyTorch is. */
const script = (): string => relative(process.cwd(), inRepository("tools", "measure.py"));

export function register(command: Command): void {
  command
    .argument("<measured>", "The output of tools/measure.py (JSON).")
    .option("--out <file>", "Write the device file here (default: standard output).")
    .option("--title <text>", "The name of the device.")
    .option("--memory <size>", 'Its memory, such as "512 GiB", if the measurement lacks it.')
    .option(
      "--power <watts>",
      'Its power under load, such as "350 W", if the measurement lacks it.',
    )
    .option("--json", "Print the device as JSON.")
    .addHelpText("after", () => `\nMeasure with: python3 ${script()} > measured.json`)
    .addHelpText(
      "after",
      example('neardata calibrate measured.json --title "My server" --out my-server.yaml'),
    )
    .action(calibrate);
}

function calibrate(path: string, options: CalibrateOptions): void {
  const out = checkOptionalOutput("--out", options.out, [path]);
  const device = calibratedDevice(readJsonFile(path), path, {
    title: options.title,
    memory: option("--memory", size, options.memory),
    watts: option("--power", power, options.power),
  });
  const text = deviceText(device);
  parseDevice(path, text);
  out?.write(text);
  if (options.json === true) printJson(device);
  else printText(options.out === undefined ? text : `${device.title}: ${options.out}`);
}
