// SPDX-License-Identifier: Apache-2.0
// `neardata serve`: LLMShare's serving simulator on a serving file. Exit code 1 where a check of the simulation fails.

import type { Command } from "commander";
import { hashOfValue } from "../../base/hash.ts";
import { readText } from "../../run/files.ts";
import { remark } from "../../run/remark.ts";
import { example } from "../options/help.ts";
import { inputPath } from "../options/options.ts";
import { exitOnSignal } from "../terminal/interrupt.ts";
import { judgeChecks, printJson, printText } from "../terminal/output.ts";
import { readerNextTo, traceOf } from "../explore/serving-files.ts";
import { parseYaml } from "../../base/yaml.ts";
import { requestsOf, servingText, simulateFile } from "../../papers/serving/serve.ts";
import { servingOf } from "../../papers/serving/spec.ts";

export function register(command: Command): void {
  command
    .argument("<file>", "A serving file (YAML): model, pools, requests, objectives.", inputPath)
    .option("--json", "Print the result as JSON.")
    .addHelpText("after", example("neardata serve scenarios/serve-llama2-70b.yaml"))
    .addHelpText(
      "after",
      "\ndocs/guides/serving.md explains the file, docs/reference/scenarios.md lists its keys.",
    )
    .action(serveFile);
}

async function serveFile(path: string, options: { readonly json?: boolean }): Promise<void> {
  const spec = servingOf(path, parseYaml(path, readText(path)), readerNextTo(path));
  const trace = await traceOf(spec);
  for (const note of trace?.notes ?? []) remark(`${trace?.file ?? ""}: ${note}`);
  const outcome = await exitOnSignal(() => simulateFile(spec, requestsOf(spec, trace)));
  if (options.json === true) {
    const { pools, numbers, checks, notes, requests } = outcome;
    printJson({
      model: spec.model.title,
      configHash: hashOfValue(spec),
      resultHash: hashOfValue(numbers),
      requests: { count: requests, source: trace === null ? "generated" : trace.format },
      numbers,
      pools,
      checks,
      notes,
    });
  } else printText(servingText(spec, outcome));
  judgeChecks(outcome.checks);
}
