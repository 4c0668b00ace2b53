// SPDX-License-Identifier: Apache-2.0
// `neardata run`: runs a scenario, prints its table and leaves a run directory with results.json,
// report.html and timeline.json. Exit code 1 when a check fails.

import { existsSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import process from "node:process";
import { Option } from "commander";
import type { Command } from "commander";
import type {
  ExpertScenario,
  ExpertSource,
  ResolvedConfig,
  Scenario,
} from "../../config/resolve.ts";
import type { Fidelity } from "../../config/schema.ts";
import { memoryBackends, type MemoryBackend } from "../../dram/backends.ts";
import { inRepository } from "../../native/paths.ts";
import type { RunResult } from "../../results/types.ts";
import type { AttentionHead } from "../../workload/attention-heads.ts";
import type { ExpertWeights } from "../../workload/expert.ts";
import { checkpointFile } from "../checkpoint.ts";
import { readWholeFile } from "../files.ts";
import { interruptible } from "../interrupt.ts";
import { failCheck, printJson, printText, remark } from "../output.ts";
import { progressLine, shareLine } from "../progress.ts";
import { version } from "../version.ts";

interface RunCommandOptions {
  readonly fidelity?: Fidelity;
  readonly memoryBackend?: MemoryBackend;
  readonly out?: string;
  readonly json?: boolean;
  readonly waves?: boolean;
}

/** Adds `run`. */
export function register(program: Command): void {
  program
    .command("run")
    .description("Run a scenario: simulate, check every number, write a report.")
    .argument("[scenario]", "a scenario file", inRepository("scenarios", "cold-expert.yaml"))
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
  const { parseScenario, resolveConfig } = await import("../../config/resolve.ts");
  const text = new TextDecoder().decode(readWholeFile(file));
  const config = resolveConfig(file, parseScenario(file, text), {
    fidelity: options.fidelity,
    memoryBackend: options.memoryBackend,
  });
  const { refuseExisting, writeDirectory } = await import("../../results/directory.ts");
  const directory = options.out ?? freeDirectory(config.scenario.name);
  refuseExisting(directory);
  const workload = await loadWorkload(config.scenario, dirname(file));
  const { path, value } = await interruptible((signal) =>
    writeDirectory(directory, async (partial) => {
      const result = await simulate(config, workload, signal, partial, options.waves === true);
      await writeRun(result, partial);
      return result;
    }),
  );
  await show(value, path, options.json === true);
}

/** What the kernels work on; null and empty for a kernel that the scenario does not have. */
interface Workload {
  readonly weights: ExpertWeights | null;
  readonly heads: readonly AttentionHead[];
}

async function simulate(
  config: ResolvedConfig,
  { weights, heads }: Workload,
  signal: AbortSignal,
  waveDirectory: string,
  waves: boolean,
): Promise<RunResult> {
  const { scenario, configHash } = config;
  const { runCases } = await import("../../driver/cases.ts");
  const { runAttentionCases } = await import("../../driver/attention-cases.ts");
  const { openSession } = await import("../../native/session.ts");
  const { openCsd } = await import("../csd.ts");
  const { casesOf } = await import("../../results/document.ts");
  const cases =
    weights === null
      ? []
      : await runCases(config, {
          open: openSession,
          weights,
          signal,
          onCase: (title) => progressLine(title),
          waveDirectory,
          waves,
        });
  const { attention: asked } = scenario;
  const attention =
    asked === null
      ? []
      : await runAttentionCases(scenario, asked, {
          open: openCsd,
          heads,
          signal,
          onCase: (title) => shareLine(title),
        });
  const result: RunResult = {
    scenario: scenario.name,
    title: scenario.title,
    configHash,
    seed: scenario.seed,
    versions: { neardata: version, node: process.versions.node },
    outcome: "completed",
    cases,
    attention,
  };
  const passed = casesOf(result).every((c) => c.checks.every((check) => check.pass));
  return passed ? result : { ...result, outcome: "failed" };
}

async function writeRun(result: RunResult, directory: string): Promise<void> {
  const [{ resultDocument }, { writeFiles }, { runPage }, { renderPage }, { runTimeline }] =
    await Promise.all([
      import("../../results/document.ts"),
      import("../../results/directory.ts"),
      import("../../report/run.ts"),
      import("../../report/html.ts"),
      import("../../report/run-timeline.ts"),
    ]);
  const document = resultDocument(result);
  await writeFiles(directory, {
    "results.json": `${JSON.stringify(document, null, 2)}\n`,
    "report.html": renderPage(runPage(result, document)),
    "timeline.json": runTimeline(result),
  });
}

async function show(result: RunResult, directory: string, json: boolean): Promise<void> {
  const { allChecksHold, casesOf, resultDocument } = await import("../../results/document.ts");
  const { terminalTable } = await import("../../results/terminal.ts");
  const passed = allChecksHold(result);
  if (json) {
    printJson(resultDocument(result));
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
    printText(`${result.title}\n\n${terminalTable(result)}\n\n${verdict}\nreport: ${report}`);
  }
  if (!passed) failCheck();
}

async function loadWorkload(scenario: Scenario, directory: string): Promise<Workload> {
  const { expert, attention, seed } = scenario;
  const { loadHeads } = await import("../attention-heads.ts");
  return {
    weights: expert === null ? null : await loadWeights(expert, seed, directory),
    heads: attention === null ? [] : await loadHeads(attention, directory),
  };
}

async function loadWeights(
  { name, source }: ExpertScenario,
  seed: number,
  directory: string,
): Promise<ExpertWeights> {
  if (source.kind === "checkpoint") return readCheckpoint(source, name, directory);
  const { generateExpert } = await import("../../workload/generate.ts");
  const { format, hidden, intermediate } = source;
  return generateExpert({ seed, name, format, hidden, intermediate });
}

async function readCheckpoint(
  source: ExpertSource & { readonly kind: "checkpoint" },
  name: string,
  directory: string,
): Promise<ExpertWeights> {
  const { readExpert } = await import("../../workload/expert.ts");
  const { allowNonfinite, format } = source;
  const checkpoint = checkpointFile(resolve(directory, source.path));
  if (allowNonfinite) remark("NaN and infinity in the weights are carried as IEEE 754 says.");
  return readExpert(checkpoint, name, { allowNonfinite, format: format ?? undefined });
}

/** runs/NAME, or runs/NAME-2 and so on when that is taken. */
function freeDirectory(name: string): string {
  for (let number = 1; ; number += 1) {
    const directory = join("runs", number === 1 ? name : `${name}-${number}`);
    if (!existsSync(directory)) return directory;
  }
}
