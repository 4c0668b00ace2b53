// SPDX-License-Identifier: Apache-2.0
// `neardata reproduce`: the papers' tables and figures, published beside ours, with a verdict each.
// Exit code 1 if a number that follows by arithmetic (class A) differs, or our own models disagree.
// Other differences are results and only reported. LLMShare's study of searches needs minutes and
// runs only by name; all other experiments together need about one minute.

import { availableParallelism } from "node:os";
import { Argument, Option, type Command } from "commander";
import { defined } from "../../base/defined.ts";
import type { Fidelity } from "../../scenario/fidelities.ts";
import { inputError } from "../../base/errors.ts";
import { didYouMean } from "../../base/nearest.ts";
import { formatValue as quoted } from "../../base/format-value.ts";
import type {
  Experiment,
  Outcome,
  SimulatedExperiment,
} from "../../papers/experiment/experiment.ts";
import { type Done, countsOf, recordsOf } from "../../papers/reproduction/record.ts";
import type { RtlDimms } from "../../papers/trimoe/figures/rtl.ts";
import { type Reproduction, reproductionHash } from "../../papers/reproduction/reproduction.ts";
import { startPages, type Pages } from "../../base/files/pages.ts";
import { papers, type Paper } from "../../papers/experiment/fact.ts";
import { readMaybeGzip } from "../../base/files/input.ts";
import { readText } from "../../run/files.ts";
import { exitOnSignal } from "../terminal/interrupt.ts";
import {
  defaultSteps,
  cachedExperiments,
  layersByPlanner,
  manySteps,
  plannersOnly,
  searches,
  stepsOnly,
} from "../reproduce/long-experiments.ts";
import {
  fidelityOption,
  inputPath,
  rejectMisplaced,
  rejectUnread,
  rtlDimmsOption,
  threadsOption,
  wholeNumber,
} from "../options/options.ts";
import { failCheck, printJson, printText } from "../terminal/output.ts";
import { shareLine } from "../../run/progress.ts";
import { plotPackages, requirePackages } from "../options/packages.ts";
import { withRequests } from "../reproduce/reproduce-inputs.ts";
import { version } from "../../base/version.ts";
import { example } from "../options/help.ts";
import { perfettoJson } from "../../report/perfetto.ts";
import { renderPage } from "../../report/html.ts";
import { agrees } from "../../papers/experiment/finding.ts";
import { experimentText } from "../../papers/reproduction/terminal.ts";
import { hashOfValue, sha256 } from "../../base/hash.ts";

interface ReproduceOptions {
  readonly fidelity: Fidelity;
  readonly only?: string;
  readonly rtlDimms?: RtlDimms;
  readonly threads?: number;
  readonly out?: string;
  readonly json?: boolean;
  readonly seeds: number;
  readonly steps?: number;
  readonly requests?: string;
  readonly trace?: string;
  readonly device: readonly string[];
}

const pageNames = [
  ...cachedExperiments,
  ...papers.flatMap((paper) => [`${paper}.html`, `${paper}.timeline.json`]),
];

export function register(command: Command): void {
  command
    .addArgument(new Argument("[paper]", "The paper (default: all).").choices(papers))
    .addOption(
      fidelityOption(
        "The equations, the machine simulated on cycle models, or a part of it on RTL.",
      ).default("analytic"),
    )
    .option("--only <id>", "Run one experiment, such as trimoe/figure-6.")
    .option("--out <dir>", "Write a page and timelines for each paper.")
    .option("--json", "Print all comparisons as JSON.")
    .addOption(
      new Option(
        "--seeds <n>",
        "Searches of each method in LLMShare's comparison, cached under --out.",
      )
        .argParser(wholeNumber("--seeds", 1, 1000))
        .default(2),
    )
    .addOption(
      new Option(
        "--steps <n>",
        "Steps that trimoe/steps simulates at fidelity cycle, cached under --out; ten minutes each on two cores (default: 3).",
      ).argParser(wholeNumber("--steps", 1, 1000)),
    )
    .addOption(rtlDimmsOption())
    .addOption(threadsOption())
    .option("--requests <csv>", "Lengths of LLMShare's requests, from a trace as of `lm batch`.")
    .option(
      "--trace <csv>",
      "Choices of a real router for TriMoE: columns window, layer, position, expert0 and so on.",
    )
    .option(
      "--device <file>",
      "Your GPU, CPU, NDP unit or storage device in the papers' machines; repeatable, one of each kind.",
      (path: string, before: readonly string[]) => [...before, inputPath(path)],
      [],
    )
    .addHelpText("after", example("neardata reproduce trimoe --only trimoe/figure-6"))
    .action(reproduce);
}

async function reproduce(
  paper: Paper | undefined,
  options: ReproduceOptions,
  command: Command,
): Promise<void> {
  const requests = options.requests === undefined ? null : readMaybeGzip(options.requests);
  const { only, fidelity } = options;
  const searched = paper === "llmshare" || only?.startsWith("llmshare/") === true;
  rejectMisplaced(options.fidelity, [
    ["--rtl-dimms", options.rtlDimms, ["rtl"]],
    ["--threads", options.threads, ["cycle", "rtl"]],
    ["--steps", options.steps, ["cycle"]],
    ["--trace", options.trace, ["analytic"]],
    ["--device", options.device[0], ["analytic"]],
    ["--requests", options.requests, ["analytic"]],
  ]);
  const others = !searched && (paper !== undefined || only !== undefined);
  rejectUnread(command, [
    ["seeds", !searched, "LLMShare's searches run by name: neardata reproduce llmshare."],
    ["steps", only !== stepsOnly, `it is for --only ${stepsOnly}.`],
    ["device", only?.endsWith("/device") === false, "it is for experiments PAPER/device."],
    ["requests", others, "lengths of requests are for experiments of llmshare."],
  ]);
  if (options.out !== undefined) requirePackages(...plotPackages);
  const trace = traceOf(paper, options);
  const devices = options.device.map((file) => [file, readText(file)] as const);
  const { simulated, units } = await withDevices(devices, paper);
  const inputs = [options.requests, options.trace, ...options.device].filter(
    (file) => file !== undefined,
  );
  const pages =
    options.out === undefined ? null : startPages("--out", options.out, pageNames, inputs);
  const added = [...(await onTrace(trace, options.trace)), ...simulated];
  const experimentsOf = async (
    among: readonly Paper[],
  ): Promise<readonly (Experiment | SimulatedExperiment)[]> => {
    const known = await experimentsAt(options, { among, searched }, requests, pages);
    return [...known, ...added].filter((e) => paper === undefined || e.paper === paper);
  };
  const named = await experimentsOf(papers.filter((one) => isAsked(one, paper, only)));
  const chosen = named.filter((e) => only === undefined || e.id === only);
  // An unknown name is answered with the names of all experiments.
  const ofPaper = chosen.length > 0 || paper !== undefined ? named : await experimentsOf(papers);
  if (ofPaper.length === 0) {
    throw inputError("--fidelity", `no experiment of ${paper ?? "a paper"} is for ${fidelity}.`);
  }
  if (only !== undefined && chosen.length === 0) {
    const ids = ofPaper.map((e) => e.id);
    throw inputError(
      "--only",
      `there is no experiment ${quoted(only)}; known are ${ids.join(", ")}.${didYouMean(only, ids)}`,
    );
  }
  const done = await exitOnSignal(() => runAll(chosen, options.fidelity !== "analytic"));
  const asked: Reproduction = {
    version,
    fidelity: options.fidelity,
    paper: paper ?? null,
    only: only ?? null,
    seeds: options.seeds,
    requests: requests === null ? null : sha256(requests),
    trace: trace === null ? null : sha256(trace),
    rtlDimms: options.fidelity === "rtl" ? (options.rtlDimms ?? "lightest") : null,
    steps: options.only === stepsOnly ? (options.steps ?? defaultSteps) : null,
    devices: [...devices.map(([, text]) => sha256(text)), ...units],
  };
  if (pages !== null) await writePages(pages, done, asked);
  if (options.json === true) {
    const counts = papers.map((name) => {
      const ofPaper = done.filter((d) => d.experiment.paper === name);
      return [name, countsOf(recordsOf(ofPaper))] as const;
    });
    const document = {
      configHash: reproductionHash(asked, done),
      counts: Object.fromEntries(counts),
      experiments: done.map((one) => ({
        ...headOf(one),
        findings: recordsOf([one]),
        checks: one.outcome.checks ?? [],
        ...defined({ rows: one.outcome.rows }),
      })),
    };
    printJson({ ...asked, resultHash: hashOfValue(document), ...document });
  } else {
    printText(
      [...done.map(experimentText), ...(searched ? [] : notRun(paper, options))].join("\n"),
    );
  }
  const holds = ({ findings, checks = [] }: Outcome): boolean =>
    agrees(findings) && checks.every((check) => check.holds);
  if (!done.every((d) => holds(d.outcome))) failCheck();
}

/** Whether the experiments that are asked for can be of the paper `one`. */
function isAsked(one: Paper, paper: Paper | undefined, only: string | undefined): boolean {
  return paper === undefined ? only === undefined || only.startsWith(`${one}/`) : paper === one;
}

/** The file of a router's choices. @throws NeardataError `bad-input` where no experiment reads it. */
function traceOf(paper: Paper | undefined, { trace }: ReproduceOptions): string | null {
  if (trace === undefined) return null;
  if (paper !== undefined && paper !== "trimoe") {
    throw inputError("--trace", `choices of a router are for trimoe, not ${paper}.`);
  }
  return readText(trace);
}

async function onTrace(text: string | null, file: string = ""): Promise<readonly Experiment[]> {
  if (text === null) return [];
  const [{ routerExperiment }, { parseRoutes }] = await Promise.all([
    import("../../papers/trimoe/figures/router/router.ts"),
    import("../../papers/trimoe/model/routes.ts"),
  ]);
  return [routerExperiment(file, parseRoutes(file, text))];
}

/** The policies on the user's devices, and the hashes of their RTL units. */
async function withDevices(
  files: readonly (readonly [file: string, text: string])[],
  paper: Paper | undefined,
): Promise<{
  readonly simulated: readonly SimulatedExperiment[];
  readonly units: readonly string[];
}> {
  if (files.length === 0) return { simulated: [], units: [] };
  const [{ deviceExperiments }, { parseDevices }, { measureUnit }] = await Promise.all([
    import("../../papers/reproduction/own-devices.ts"),
    import("../../machine/host/near-device-file.ts"),
    import("../explore/device-unit.ts"),
  ]);
  const devices = await parseDevices(files, measureUnit);
  const digests = [devices.ndp?.digest ?? null, devices.csd?.digest ?? null];
  const units = digests.filter((digest) => digest !== null);
  return { simulated: deviceExperiments(devices, paper), units };
}

async function experimentsAt(
  options: ReproduceOptions,
  { among, searched }: { readonly among: readonly Paper[]; readonly searched: boolean },
  requests: string | null,
  pages: Pages | null,
): Promise<readonly (Experiment | SimulatedExperiment)[]> {
  const { fidelity, rtlDimms = "lightest", threads } = options;
  if (fidelity !== "analytic") {
    const { cycleExperiments, rtlExperiments } =
      await import("../../papers/reproduction/simulated.ts");
    // Two threads are no faster than one, because the memory models, not the RTL, dominate the
    // time.
    if (fidelity === "rtl") return rtlExperiments({ dimms: rtlDimms, threads: threads ?? 1 });
    const workers = threads ?? availableParallelism();
    if (options.only === stepsOnly) {
      return [await manySteps(options.steps ?? defaultSteps, workers, pages)];
    }
    if (options.only === plannersOnly) return [await layersByPlanner(workers, pages)];
    return cycleExperiments(workers);
  }
  const { experimentsOf } = await import("../../papers/reproduction/experiments-of.ts");
  const known = await experimentsOf(among);
  const experiments =
    requests === null ? known : await withRequests(known, options.requests, requests);
  return searched ? [...experiments, ...(await searches(options, requests, pages))] : experiments;
}

/** Runs the experiments; simulated ones side by side, so that no core waits for the end of another's. */
async function runAll(
  chosen: readonly (Experiment | SimulatedExperiment)[],
  together: boolean,
): Promise<readonly Done[]> {
  const line = shareLine("experiments");
  let ended = 0;
  const run = async (experiment: Experiment | SimulatedExperiment): Promise<Done> => {
    const outcome = await experiment.run();
    ended += 1;
    line.update(ended / chosen.length);
    return { experiment, outcome };
  };
  const done: Done[] = [];
  if (together) done.push(...(await Promise.all(chosen.map(run))));
  else for (const experiment of chosen) done.push(await run(experiment));
  line.end();
  return done;
}

/** Experiments that a run of everything omits, with their commands. */
function notRun(paper: Paper | undefined, { fidelity, only }: ReproduceOptions): readonly string[] {
  if (only !== undefined || fidelity === "rtl") return [];
  if (fidelity === "cycle" && (paper === undefined || paper === "trimoe")) {
    return [
      "Many steps of TriMoE's layers take half an hour: neardata reproduce trimoe --fidelity cycle --only trimoe/steps",
    ];
  }
  return paper === undefined
    ? ["LLMShare's searches take minutes: neardata reproduce llmshare"]
    : [];
}

function headOf({ experiment }: Done): object {
  const { id, paper, title } = experiment;
  return { id, paper, title };
}

async function writePages(pages: Pages, done: readonly Done[], asked: Reproduction): Promise<void> {
  const [{ pageOf }, { loadDrawing }] = await Promise.all([
    import("../../papers/reproduction/page.ts"),
    import("../../papers/experiment/drawing.ts"),
  ]);
  await loadDrawing();
  const files: (readonly [string, string])[] = [];
  for (const paper of new Set(done.map((d) => d.experiment.paper))) {
    const ofPaper = done.filter((d) => d.experiment.paper === paper);
    const page = renderPage(pageOf(paper, ofPaper, asked));
    files.push([`${paper}.html`, page]);
    const spans = ofPaper.flatMap((d) => d.outcome.timeline);
    if (spans.length === 0) continue;
    files.push([`${paper}.timeline.json`, perfettoJson(spans)]);
  }
  pages.write(files);
}
