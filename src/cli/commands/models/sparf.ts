// SPDX-License-Identifier: Apache-2.0
// `neardata sparf eval`: sparse attention of a dataset's cases on an engine of choice.

import { counted } from "../../../base/format-value.ts";
import { dirname, resolve } from "node:path";
import type { Command } from "commander";
import { engineNames, type EngineName } from "../../../kernels/csd/engine-names.ts";
import { checkOutput } from "../../../base/files/output.ts";
import type { ByteSource } from "../../../base/bytes.ts";
import { fileSource } from "../../../run/files.ts";
import { exitOnSignal } from "../../terminal/interrupt.ts";
import { readJsonFile } from "../../json-file.ts";
import { fidelityOption } from "../../options/options.ts";
import { printJson, printText } from "../../terminal/output.ts";
import { example } from "../../options/help.ts";
import { csdsOn } from "../../../run/csd.ts";
import { parseSparfDatasets } from "../../../workload/sparf-dataset.ts";
import { evaluate } from "../../../kernels/csd/attention/sparf-eval.ts";
import { attentionEngine } from "../../../kernels/csd/attention/attention-engine.ts";

interface EvalOptions {
  readonly fidelity: EngineName;
  readonly out: string;
  readonly json?: boolean;
}

export function register(sparf: Command): void {
  sparf.addHelpText("after", example("neardata sparf eval heads.json --out selections.json"));
  sparf
    .command("eval")
    .description(
      "Compute sparse attention for every case of a data set: selections, outputs, pages read.",
    )
    .argument("<dataset>", "The data set (format sparf-vectors-1); expected values are optional.")
    .addOption(fidelityOption("The engine.", engineNames).default("golden"))
    .requiredOption("--out <file>", "Write the results here.")
    .option("--json", "Print a summary as JSON.")
    .addHelpText(
      "after",
      example("neardata sparf eval heads.json --fidelity cycle --out selections.json"),
    )
    .action(evalDataset);
}

async function evalDataset(path: string, options: EvalOptions): Promise<void> {
  const engine = attentionEngine(options.fidelity, csdsOn());
  checkOutput("--out", options.out, [path]);
  const inputs = [path];
  const openBeside = (name: string): ByteSource => {
    const file = resolve(dirname(path), name);
    inputs.push(file);
    return fileSource(file);
  };
  const datasets = parseSparfDatasets(readJsonFile(path), openBeside, path);
  const output = checkOutput("--out", options.out, inputs);
  const result = await exitOnSignal(() => evaluate(engine, datasets));
  output.writeJson(result);
  if (options.json === true) printJson({ engine: engine.name, cases: result.cases.length });
  else
    printText(`${counted(result.cases.length, "case")} on engine ${engine.name}: ${options.out}`);
}
