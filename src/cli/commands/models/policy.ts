// SPDX-License-Identifier: Apache-2.0
// `neardata policy`: offloading, placement, scheduling and search models, on files of cases and on
// a host of the user's own.

import { counted } from "../../../base/format-value.ts";
import { dirname, resolve } from "node:path";
import { Option, type Command } from "commander";
import { defined } from "../../../base/defined.ts";
import type { RecordedLayer } from "../../../papers/trimoe/figures/cycle/recorded-layers.ts";
import type { SimulatedStep } from "../../../papers/trimoe/figures/cycle/recorded-simulation.ts";
import type { RtlDimms } from "../../../papers/trimoe/figures/rtl.ts";
import type { MachineOptions } from "../../../papers/trimoe/model/machine.ts";
import type { ConclusionRow } from "../../../papers/trimoe/figures/router/conclusions.ts";
import { inputError } from "../../../base/errors.ts";
import { checkOutput } from "../../../base/files/output.ts";
import { readMaybeGzip } from "../../../base/files/input.ts";
import { readText } from "../../../run/files.ts";
import { exitOnSignal } from "../../terminal/interrupt.ts";
import { readJsonFile } from "../../json-file.ts";
import {
  fidelityOption,
  inputPath,
  rejectMisplaced,
  rtlDimmsOption,
  threadsOption,
  quantity,
} from "../../options/options.ts";
import { notesOf, planPolicies, textOfPlan, type PlanPolicy } from "../../plan/plan-text.ts";
import { printJson, printText } from "../../terminal/output.ts";
import {
  accuracyOption,
  coldLimitOption,
  plannerChoice,
  plannerOption,
  type PlannerOptions,
} from "../../options/planner-options.ts";
import { remark } from "../../../run/remark.ts";
import { example } from "../../options/help.ts";
import { duration } from "../../../base/quantity.ts";
import { solvePolicy } from "../../plan/solve-plan.ts";
import { gpuCount } from "../../../papers/experiment/machines.ts";
import { requireOneThatFits } from "../../../papers/experiment/planned.ts";
import { parsePlan } from "../../../papers/plan/plan.ts";
import { measuredExpert } from "../../../machine/host/reference.ts";

interface SolveOptions {
  readonly out: string;
  readonly json?: boolean;
}

export function register(policy: Command): void {
  policy.addHelpText("after", example("neardata policy plan scenarios/plan-opt-13b.yaml"));
  policy
    .command("solve")
    .description("Solve every case of a file.")
    .argument("<cases>", "The cases (JSON); the field `oracle` names the model.")
    .requiredOption("--out <file>", "Write the results here.")
    .option("--json", "Print a summary as JSON.")
    .addHelpText("after", example("neardata policy solve cases.json --out solutions.json"))
    .action(solveFile);
  policy
    .command("plan")
    .description("Compute a policy for a model on a host, with the memory map of each device.")
    .argument(
      "<plan>",
      "The model, host and load (YAML); devices by name, by file or in place.",
      inputPath,
    )
    .addOption(
      new Option(
        "--policy <name>",
        "The planner: LIA beside IPEX and FlexGen by LIA's equations, FlexGen's linear program, TriMoE and " +
          "its baselines, InstInfer and its baselines, or LLMShare's pools.",
      )
        .choices(planPolicies)
        .default("lia"),
    )
    .option(
      "--latency <time>",
      'The most time of a block of FlexGen, such as "600 s" (default: no limit).',
    )
    .addOption(plannerOption())
    .addOption(coldLimitOption())
    .addOption(accuracyOption())
    .option("--json", "Print the plan as JSON.")
    .addHelpText("after", planExamples)
    .action(planFile);
  policy
    .command("layer")
    .description(
      "Run a mixture-of-experts layer under TriMoE and its baselines on recorded expert activations.",
    )
    .argument(
      "<trace>",
      "The routes: CSV or JSON lines (step, layer, expert, tokens; layer, expert, count; layer, expert), or JSON of SGLang or vLLM.",
    )
    .requiredOption("--model <name>", "The model of the experts.")
    .option(
      "--gpu <device>",
      "A device file with measured times of an expert, in place of the paper's GPU.",
    )
    .option(
      "--cpu <device>",
      "A device file with measured times of an expert, in place of the paper's CPU.",
    )
    .addOption(plannerOption())
    .addOption(coldLimitOption())
    .option("--conclusions", "Also judge every conclusion of TriMoE's paper on these routes.")
    .addOption(
      fidelityOption(
        "The equations; at cycle also the last step of each layer on the simulated machine, at rtl with cold experts on RTL.",
      ).default("analytic"),
    )
    .addOption(rtlDimmsOption())
    .addOption(threadsOption())
    .option("--json", "Print times as JSON.")
    .addHelpText("after", example("neardata policy layer routes.csv --model qwen3-235b-a22b"))
    .action(layerFile);
}

async function solveFile(path: string, options: SolveOptions): Promise<void> {
  const { solveCases } = await import("../../../papers/solve-cases.ts");
  const output = checkOutput("--out", options.out, [path]);
  const results = await exitOnSignal(() => solveCases(readJsonFile(path), path));
  output.writeJson(results);
  if (options.json === true) printJson({ cases: results.cases.length, out: options.out });
  else printText(`${counted(results.cases.length, "case")} solved: ${options.out}`);
}

interface LayerOptions extends PlannerOptions {
  readonly model: string;
  readonly gpu?: string;
  readonly cpu?: string;
  readonly fidelity: "analytic" | "cycle" | "rtl";
  readonly rtlDimms?: RtlDimms;
  readonly threads?: number;
  readonly conclusions?: boolean;
  readonly json?: boolean;
}

async function layerFile(path: string, options: LayerOptions): Promise<void> {
  rejectMisplaced(options.fidelity, [
    ["--rtl-dimms", options.rtlDimms, ["rtl"]],
    ["--threads", options.threads, ["rtl"]],
  ]);
  const { conclusionsOnTrace, solveTrace } =
    await import("../../../papers/trimoe/figures/cycle/recorded-layers.ts");
  const { gpu, cpu } = options;
  const machine = {
    ...defined({
      gpu: gpu === undefined ? undefined : measuredExpert("--gpu", "gpu", gpu, readText),
      cpu: cpu === undefined ? undefined : measuredExpert("--cpu", "cpu", cpu, readText),
    }),
  };
  const { layers, notes, simulated } = await exitOnSignal(async () => {
    const choice = plannerChoice(options);
    const solved = solveTrace(path, readMaybeGzip(path), options.model, machine, choice);
    return { ...solved, simulated: await simulatedSteps(solved.layers, options, machine) };
  });
  for (const note of notes) remark(`${path}: ${note}`);
  const conclusions =
    options.conclusions === true
      ? conclusionsOnTrace(layers, options.model, { machine, ...plannerChoice(options) })
      : null;
  if (options.json === true) {
    const printed = layers.map(({ layer, loads, systems, cold }, i) => {
      const steps = loads.length;
      return { layer, steps, systems, cold, ...defined({ simulated: simulated[i] ?? undefined }) };
    });
    printJson({
      model: options.model,
      layers: printed,
      ...defined({ conclusions: conclusions ?? undefined }),
    });
    return;
  }
  const ms = (time: number): string => `${Number((1e3 * time).toPrecision(4))} ms`;
  const rows = layers.flatMap(({ layer, loads, systems, cold }, i) => {
    const step = simulated[i] ?? null;
    const steps = loads.length;
    return [
      `layer ${layer}, ${steps} step${steps === 1 ? "" : "s"}, cold experts up to ${cold} tokens:`,
      ...systems.map((s) => `  ${s.system.padEnd(28)} ${ms(s.time)}`),
      ...(step === null
        ? []
        : [
            `  last step, TriMoE simulated   ${ms(step.time)} (planned: ${ms(step.equation)}); ${movesText(step)}`,
          ]),
    ];
  });
  rows.push(...(conclusions ?? []).map(conclusionText));
  printText(rows.join("\n"));
}

/** Transfers during the step. */
function movesText({ moved, prefetched, moves }: SimulatedStep): string {
  const end = moved + prefetched === 0 ? "" : ` until ${Number((1e3 * moves).toPrecision(4))} ms`;
  return `for the step after, ${counted(moved, "expert")} moved between DIMMs and ${prefetched} into GPU memory${end}`;
}

function conclusionText(row: ConclusionRow): string {
  const digits = (key: string): string => String(Number(Number(row[key]).toPrecision(3)));
  const range = `${digits("least")} to ${digits("most")}`;
  return `${String(row["conclusion"])}: published ${String(row["published"])}, generated trace ${digits("generator")}, these routes ${digits("router")} (${range}) ${String(row["unit"])}; ${String(row["agree"])} of ${String(row["layers"])} layers agree`;
}

async function simulatedSteps(
  layers: readonly RecordedLayer[],
  { model, fidelity, rtlDimms = "lightest", threads = 1 }: LayerOptions,
  machine: MachineOptions,
): Promise<readonly (SimulatedStep | null)[]> {
  if (fidelity === "analytic") return [];
  const { simulateRecorded } =
    await import("../../../papers/trimoe/figures/cycle/recorded-simulation.ts");
  const steps: (SimulatedStep | null)[] = [];
  const rtl = fidelity === "rtl" ? { dimms: rtlDimms, threads } : null;
  for (const layer of layers) steps.push(await simulateRecorded(layer, model, machine, rtl));
  return steps;
}

const planExamples = `${example("neardata policy plan scenarios/plan-opt-13b.yaml --policy flexgen")}
  neardata policy plan scenarios/plan-opt-13b.yaml --policy flexgen --latency "300 s"`;

interface PlanOptions extends PlannerOptions {
  readonly accuracy?: number;
  readonly policy: PlanPolicy;
  readonly latency?: string;
  readonly json?: boolean;
}

async function planFile(path: string, options: PlanOptions): Promise<void> {
  const { policy, accuracy } = options;
  const latency =
    options.latency === undefined ? null : quantity("--latency", duration, options.latency);
  const plan = parsePlan(path, readText(path), (file) => readText(resolve(dirname(path), file)));
  if (latency !== null && policy !== "flexgen") {
    throw inputError("--latency", "this option is for --policy flexgen.");
  }
  const choice = {
    ...plannerChoice(options),
    ...defined({ accuracy }),
  };
  if (policy !== "trimoe" && Object.keys(choice).length > 0) {
    const message = `--planner, --cold-limit and --accuracy are for --policy trimoe, not ${policy}.`;
    throw inputError("--policy", message);
  }
  const systems = await exitOnSignal(() => solvePolicy(policy, plan, { latency, choice }));
  requireOneThatFits(path, systems.rows);
  if (options.json !== true) {
    printText(textOfPlan(plan, systems));
    return;
  }
  const { cpu, gpu, link } = plan.host;
  const host = { cpu: cpu.title, gpu: gpu.title, gpus: gpuCount(plan.host), link: link.title };
  printJson({
    policy,
    model: plan.model.name,
    host,
    systems: systems.rows,
    notes: notesOf(policy),
  });
}
