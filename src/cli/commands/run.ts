// SPDX-License-Identifier: Apache-2.0
// `neardata run`: runs a scenario, prints its table and leaves a run directory with results.json,
// report.html and timeline.json. Exit code 1 when a check fails.

import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import process from "node:process";
import { Option } from "commander";
import type { Command } from "commander";
import type { Fidelity } from "../../config/schema.ts";
import { memoryBackends, type MemoryBackend } from "../../dram/backends.ts";
import { inRepository } from "../../native/paths.ts";
import type { RunCost, RunResult } from "../../results/types.ts";
import { readText } from "../files.ts";
import { interruptible } from "../interrupt.ts";
import { failCheck, printJson, printText } from "../output.ts";

interface RunCommandOptions {
  readonly fidelity?: Fidelity;
  readonly memoryBackend?: MemoryBackend;
  readonly out?: string;
  readonly json?: boolean;
  readonly waves?: boolean;
}

interface Ran {
  readonly result: RunResult;
  readonly cost: RunCost | null;
}

/** Adds `run`. */
export function register(program: Command): void {
  program
    .command("run")
    .description("Run a scenario: simulate, check every number, write a report.")
    .argument("[scenario]", "a scenario file", inRepository("scenarios", "main.yaml"))
    .addOption(
      new Option("--fidelity <rung>", "instead of the scenario's").choices([
        "rtl",
        "cycle",
        "analytic",
      ]),
    )
    .addOption(
      new Option("--memory-backend <name>", "instead of the scenario's").choices(memoryBackends),
    )
    .option("--out <directory>", "where the results go; must not exist (default: runs/NAME)")
    .option("--json", "print results.json on stdout and nothing else")
    .option("--waves", "write an FST waveform of the beginning of every run (rtl)")
    .action(runScenario);
}

async function runScenario(file: string, options: RunCommandOptions): Promise<void> {
  const { parseScenario } = await import("../../config/parse.ts");
  const { resolveConfig } = await import("../../config/resolve.ts");
  const text = readText(file);
  const config = resolveConfig(file, parseScenario(file, text), {
    fidelity: options.fidelity,
    memoryBackend: options.memoryBackend,
  });
  const { refuseExisting, writeDirectory } = await import("../../results/directory.ts");
  const directory = options.out ?? freeDirectory(config.scenario.name);
  refuseExisting(directory);
  const { loadWorkload, simulate } = await import("../run-scenario.ts");
  const workload = await loadWorkload(config.scenario, dirname(file));
  const { path, value } = await interruptible((signal) =>
    writeDirectory(directory, async (partial) => {
      const result = await simulate(config, workload, {
        signal,
        waveDirectory: partial,
        waves: options.waves === true,
        timeline: true,
      });
      const { costOfRun } = await import("../cost.ts");
      const cost = costOfRun(result, config.scenario);
      await writeRun(result, cost, partial);
      return { result, cost };
    }),
  );
  await show(value, path, options.json === true);
}

async function writeRun(result: RunResult, cost: RunCost | null, directory: string): Promise<void> {
  const [{ resultDocument }, { writeFiles }, { runPage }, { renderPage }, { runTimeline }] =
    await Promise.all([
      import("../../results/document.ts"),
      import("../../results/directory.ts"),
      import("../../report/run.ts"),
      import("../../report/html.ts"),
      import("../../report/run-timeline.ts"),
    ]);
  const document = resultDocument(result, cost);
  await writeFiles(directory, {
    "results.json": `${JSON.stringify(document, null, 2)}\n`,
    "report.html": renderPage(runPage(result, document, cost)),
    "timeline.json": runTimeline(result),
  });
}

async function show({ result, cost }: Ran, directory: string, json: boolean): Promise<void> {
  const { allChecksHold, casesOf, resultDocument } = await import("../../results/document.ts");
  const { terminalTable } = await import("../../results/terminal.ts");
  const passed = allChecksHold(result);
  if (json) {
    printJson(resultDocument(result, cost));
  } else {
    const checks = casesOf(result).flatMap((c) =>
      c.checks.map((check) => ({ title: c.title, check })),
    );
    const failed = checks.filter(({ check }) => !check.pass);
    const verdict = passed
      ? `all ${checks.length} checks hold`
      : failed
          .map(({ title, check }) => `FAILED: ${title}: ${check.title}: ${check.detail}`)
          .join("\n");
    const report = relative(process.cwd(), join(directory, "report.html"));
    const { costText } = await import("../../results/cost-text.ts");
    const { latencyText } = await import("../../results/latency-text.ts");
    const parts = [
      result.title,
      terminalTable(result),
      latencyText(result),
      costText(cost),
      verdict,
    ];
    printText(`${parts.filter((part) => part !== "").join("\n\n")}\nreport: ${report}`);
  }
  if (!passed) failCheck();
}

/** runs/NAME, or runs/NAME-2 and so on when that is taken. */
function freeDirectory(name: string): string {
  for (let number = 1; ; number += 1) {
    const directory = join("runs", number === 1 ? name : `${name}-${number}`);
    if (!existsSync(directory)) return directory;
  }
}
