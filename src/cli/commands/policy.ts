// SPDX-License-Identifier: Apache-2.0
// `neardata policy`: offloading, placement, scheduling and search models, on files of cases and on
// a host of the user's own.

import { dirname, resolve } from "node:path";
import type { Command } from "commander";
import type { PlanRow } from "../../policy/plan.ts";
import { checkOutputFile, readText } from "../files.ts";
import { readJsonFile, writeJsonFile } from "../json-file.ts";
import { printJson, printText } from "../output.ts";

interface SolveOptions {
  readonly out: string;
  readonly json?: boolean;
}

export function register(program: Command): void {
  const policy = program.command("policy").description("the papers' policies by themselves");
  policy
    .command("solve")
    .description("solve every case of a file; expected values in it are not needed and not read")
    .argument("<cases>", "file of cases (JSON; its field `oracle` says of which model)")
    .requiredOption("--out <file>", "where to write the results")
    .option("--json", "print a summary as JSON")
    .action(solveFile);
  policy
    .command("plan")
    .description("LIA's policy for a model on a host, and how long IPEX and FlexGen would take")
    .argument("<plan>", "model, host and load (YAML); devices by name, by file or in place")
    .option("--json", "print the plan as JSON")
    .action(planFile);
  policy
    .command("layer")
    .description("a MoE layer under TriMoE and its baselines on recorded expert activations")
    .argument("<trace>", "step, layer, expert, tokens: CSV with a header, or JSON lines")
    .requiredOption("--model <name>", "the model whose experts these are")
    .option("--gpu <device>", "a device file with measured times of an expert, for the paper's GPU")
    .option("--cpu <device>", "the same for its CPU")
    .option("--json", "print times as JSON")
    .action(layerFile);
}

async function solveFile(path: string, options: SolveOptions): Promise<void> {
  const { solveCases } = await import("../../policy/cases/solve.ts");
  checkOutputFile("--out", options.out);
  const results = await solveCases(readJsonFile(path), path);
  writeJsonFile(options.out, results);
  if (options.json === true) printJson({ cases: results.cases.length, out: options.out });
  else printText(`${results.cases.length} cases solved: ${options.out}`);
}

interface LayerOptions {
  readonly model: string;
  readonly gpu?: string;
  readonly cpu?: string;
  readonly json?: boolean;
}

async function layerFile(path: string, options: LayerOptions): Promise<void> {
  const { solveTrace } = await import("../../experiment/recorded-layers.ts");
  const { measuredExpert } = await import("../../host/reference.ts");
  const { gpu, cpu } = options;
  const layers = solveTrace(path, readText(path), options.model, {
    ...(gpu === undefined ? {} : { gpu: measuredExpert("--gpu", "gpu", gpu, readText) }),
    ...(cpu === undefined ? {} : { cpu: measuredExpert("--cpu", "cpu", cpu, readText) }),
  });
  if (options.json === true) {
    printJson({ model: options.model, layers });
    return;
  }
  const rows = layers.flatMap(({ layer, steps, systems }) => [
    `layer ${layer}, ${steps} step${steps === 1 ? "" : "s"}:`,
    ...systems.map((s) => `  ${s.system.padEnd(28)} ${Number((1e3 * s.time).toPrecision(4))} ms`),
  ]);
  printText(rows.join("\n"));
}

async function planFile(path: string, options: { readonly json?: boolean }): Promise<void> {
  const { parsePlan, solvePlan } = await import("../../policy/plan.ts");
  const plan = parsePlan(path, readText(path), (file) => readText(resolve(dirname(path), file)));
  const systems = solvePlan(plan);
  const { cpu, gpu, link } = plan.host;
  const host = { cpu: cpu.title, gpu: gpu.title, link: link.title };
  if (options.json === true) printJson({ model: plan.model, host, systems });
  else printText([`${plan.model} on ${host.cpu}, ${host.gpu}`, ...systems.map(line)].join("\n"));
}

function line({ system, prefill, decode, latency, throughput, joulesPerToken }: PlanRow): string {
  const digits = (x: number): string => String(Number(x.toPrecision(4)));
  return [
    `  ${system.padEnd(8)} prefill ${prefill}, decode ${decode} (1 is the CPU):`,
    `${digits(latency)} s, ${digits(throughput)} token/s, ${digits(joulesPerToken)} J/token`,
  ].join(" ");
}
