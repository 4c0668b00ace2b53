// SPDX-License-Identifier: Apache-2.0
// `neardata run`: runs a scenario, prints its table and leaves a run directory with results.json,
// report.html and timeline.json. Exit code 1 when a check fails.

import { defined } from "../../base/defined.ts";
import { caseLines } from "../../run/progress.ts";
import { remark } from "../../run/remark.ts";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import process from "node:process";
import { gzipSync } from "node:zlib";
import { Option, type Command } from "commander";
import { type ResolvedConfig, type Scenario, resolveConfig } from "../../scenario/resolve.ts";
import type { Fidelity } from "../../scenario/fidelities.ts";
import type { MemoryBackend } from "../../machine/dram/backends.ts";
import { NeardataError } from "../../base/errors.ts";
import { isNameTaken, startDirectory, type RunDirectory } from "../../base/files/run-directory.ts";
import { absenceOf, absentOf, plotPackages } from "../options/packages.ts";
import {
  type ResultDocument,
  resultContent,
  sealed,
  allChecksHold,
  casesOf,
} from "../../report/saved/document.ts";
import type { AnyKernel, SimulateOptions } from "../../run/kernel.ts";
import { type Simulated, ofScenario, loadWorkload, simulate } from "../../run/run-scenario.ts";
import { readText } from "../../run/files.ts";
import { interruptible } from "../terminal/interrupt.ts";
import {
  collect,
  fidelityOption,
  memoryBackendOption,
  rejectMisplaced,
  scenarioArgument,
  threadsOption,
} from "../options/options.ts";
import { failed as paintFailed } from "../terminal/paint.ts";
import { failCheck, printJson, printText } from "../terminal/output.ts";
import { example } from "../options/help.ts";
import { latencyText } from "../../report/latency-text.ts";
import { costText } from "../../report/cost-text.ts";
import { allPassed } from "../../report/checks-text.ts";
import { terminalTable } from "../../report/terminal.ts";
import { fileDigests } from "../../report/saved/digests.ts";
import { renderPage } from "../../report/html.ts";
import { headEstimate } from "../../papers/instinfer/model/head-estimate.ts";
import { runTimeline } from "../../report/run-timeline.ts";
import { buildScenarioUnits } from "../../run/scenario-units.ts";
import { kernelSchemas, customKernels } from "../../run/custom-kernel.ts";
import { parseScenario } from "../../scenario/parse.ts";

interface RunCommandOptions {
  readonly fidelity?: Fidelity;
  readonly memoryBackend?: MemoryBackend;
  readonly out?: string;
  readonly json?: boolean;
  readonly waves?: boolean;
  readonly threads?: number;
  readonly checked?: boolean;
  readonly buildOnly?: boolean;
  readonly kernel: readonly string[];
}

export function register(command: Command): void {
  command
    .addArgument(scenarioArgument())
    .addOption(fidelityOption("The fidelity, in place of the key of the scenario."))
    .addOption(memoryBackendOption("The DDR5 model, in place of the key of the scenario."))
    .option(
      "--out <directory>",
      "Write the results here; the directory must not exist (default: runs/NAME).",
    )
    .option("--json", "Print results.json and the name of its directory as JSON.")
    .option(
      "--kernel <file>",
      "Add the kernels that this module exports; may be repeated.",
      collect,
      [],
    )
    .option("--waves", "Write an FST waveform of the beginning of every run (rtl).")
    .addOption(threadsOption())
    .option(
      "--checked",
      "Simulate the cycles that quiet RTL would skip, and check that outputs are stable (rtl; slow).",
    )
    .addOption(
      new Option("--build-only", "Compile the RTL units of the run, then stop.").conflicts([
        "out",
        "waves",
        "threads",
        "checked",
      ]),
    )
    .addHelpText(
      "after",
      example("neardata run scenarios/main.yaml --fidelity cycle --out runs/first"),
    )
    .action(runScenario);
}

async function runScenario(file: string, options: RunCommandOptions): Promise<void> {
  const text = readText(file);
  const givenKernels =
    options.kernel.length === 0
      ? []
      : await (await import("../options/kernel-files.ts")).loadKernels(options.kernel);
  const kernels = customKernels(givenKernels);
  const schemas = kernelSchemas(givenKernels);
  const config = resolveConfig(file, parseScenario(file, text, schemas), {
    fidelity: options.fidelity,
    memoryBackend: options.memoryBackend,
    kernels: schemas,
  });
  rejectMisplaced(config.scenario.fidelity, [["--threads", options.threads, ["cycle", "rtl"]]]);
  rejectUnused(config.scenario, options);
  if (options.buildOnly === true) {
    const units = await ofScenario(file, async () => buildUnits(config, kernels));
    if (options.json === true) printJson({ outcome: "completed", units });
    else printText(builtLines(config.scenario, units).join("\n"));
    return;
  }
  const directory =
    options.out === undefined ? freeDirectory(config.scenario.name) : startDirectory(options.out);
  const { ran, document, path } = await interruptible((signal) =>
    runInto(directory, config, file, {
      signal,
      kernels,
      waves: options.waves === true,
      checked: options.checked === true,
      ...defined({ threads: options.threads }),
    }),
  );
  if (options.json === true) {
    printJson({ directory: path, ...document });
    if (document.outcome !== "completed") failCheck();
  } else show(ran, path);
}

/** @throws NeardataError `bad-input` with every option that nothing of a scenario would read */
function rejectUnused(
  { expert, fidelity, attention }: Scenario,
  { checked, waves, memoryBackend }: RunCommandOptions,
): void {
  const noRtl = !((expert !== null && fidelity === "rtl") || attention?.fidelity === "rtl");
  const noMemory = expert === null || fidelity === "analytic";
  const rtl = "nothing of this scenario runs at fidelity rtl.";
  const issues = [
    ...(checked === true && noRtl ? [{ where: "--checked", message: rtl }] : []),
    ...(waves === true && noRtl ? [{ where: "--waves", message: rtl }] : []),
    ...(memoryBackend !== undefined && noMemory
      ? [{ where: "--memory-backend", message: "nothing of this scenario simulates DDR5." }]
      : []),
  ];
  if (issues.length > 0) throw new NeardataError("bad-input", issues);
}

function builtLines({ attention, token }: Scenario, units: readonly string[]): readonly string[] {
  const late = attention?.fidelity === "rtl" && attention.source.kind !== "hta1";
  const lines = units.map((unit) => `built: ${unit}`);
  if (token?.fidelity === "rtl" && attention?.fidelity !== "rtl") {
    lines.push("The token's attention unit is built with the run, when its model has been read.");
  }
  if (late) lines.push("The attention unit is built with the run, when its heads have been read.");
  return lines.length > 0 ? lines : ["No RTL unit is needed at this fidelity."];
}

async function buildUnits(
  config: ResolvedConfig,
  kernels: readonly AnyKernel[],
): Promise<readonly string[]> {
  return buildScenarioUnits(config, kernels);
}

/** The results of a run, and the path of its directory. */
interface Ran {
  readonly ran: Simulated;
  readonly document: ResultDocument;
  readonly path: string;
}

async function runInto(
  directory: RunDirectory,
  config: ResolvedConfig,
  file: string,
  {
    kernels,
    ...options
  }: Pick<SimulateOptions, "signal" | "waves" | "checked" | "threads"> & {
    readonly kernels: readonly AnyKernel[];
  },
): Promise<Ran> {
  try {
    const ran = await ofScenario(file, async () => {
      await buildUnits(config, kernels);
      const inputs = { directory: dirname(file), onRemark: remark };
      const workload = await loadWorkload(config, inputs, kernels);
      return simulate(config, workload, {
        ...options,
        waveDirectory: directory.partial,
        progress: caseLines,
        timeline: true,
        cost: true,
      });
    });
    const document = await writeRun(ran, directory);
    return { ran, document, path: directory.keep() };
  } catch (error) {
    directory.discard();
    throw error;
  }
}

/** Writes all files of a run directory. @returns the content of results.json */
async function writeRun(
  { result, cost }: Simulated,
  directory: RunDirectory,
): Promise<ResultDocument> {
  const content = resultContent(result, cost);
  const timeline = runTimeline(result);
  const beside = [
    { file: "results.json", what: "every number, its unit and source" },
    { file: "timeline.json", what: "for ui.perfetto.dev", ...embedded(timeline) },
    ...readdirSync(directory.partial)
      .filter((name) => name.endsWith(".fst"))
      .sort()
      .map((file) => ({ file, what: "a waveform of the RTL" })),
  ];
  directory.write({ "timeline.json": timeline });
  if (absentOf(plotPackages).length === 0) {
    const { runPage } = await import("../../report/run.ts");
    const { areaSections } = await import("../../tools/area/page.ts");
    const waves = beside
      .filter(({ file }) => file.endsWith("-failure.fst"))
      .map(({ file }) => ({ file, bytes: readFileSync(join(directory.partial, file)) }));
    const page = await runPage(result, content, {
      cost,
      areaSections,
      beside,
      waves,
      estimate: headEstimate,
    });
    directory.write({ "report.html": renderPage(page) });
  }
  const document = sealed(content, await fileDigests(directory.partial));
  directory.write({ "results.json": `${JSON.stringify(document, null, 2)}\n` });
  return document;
}

/** Largest gzipped timeline that a page embeds, in bytes. */
const maxEmbedded = 1 << 20;

function embedded(timeline: string): { readonly content?: string } {
  const packed = gzipSync(timeline);
  return packed.length > maxEmbedded ? {} : { content: packed.toString("base64") };
}

function show({ result, cost }: Simulated, directory: string): void {
  const passed = allChecksHold(result);
  const checks = casesOf(result).flatMap((c) =>
    c.checks.map((check) => ({ title: c.title, check })),
  );
  const failed = checks.filter(({ check }) => !check.pass);
  const verdict = passed
    ? allPassed(checks.length)
    : failed
        .map(({ title, check }) => paintFailed(`FAILED: ${title}: ${check.title}: ${check.detail}`))
        .join("\n");
  const [absent] = absentOf(plotPackages);
  const report =
    absent === undefined
      ? `report: ${relative(process.cwd(), join(directory, "report.html"))}`
      : `results: ${relative(process.cwd(), join(directory, "results.json"))}\nno report: ${absenceOf(absent)}`;
  const parts = [result.title, terminalTable(result), latencyText(result), costText(cost), verdict];
  printText(`${parts.filter((part) => part !== "").join("\n\n")}\n${report}`);
  if (!passed) failCheck();
}

/** runs/NAME, or runs/NAME-2 and so on if that exists. */
function freeDirectory(name: string): RunDirectory {
  for (let number = 1; ; number += 1) {
    try {
      return startDirectory(join("runs", number === 1 ? name : `${name}-${number}`));
    } catch (error) {
      if (!isNameTaken(error)) throw error;
    }
  }
}
