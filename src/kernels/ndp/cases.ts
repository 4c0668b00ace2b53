// SPDX-License-Identifier: Apache-2.0
// A scenario's runs: every layout with every number of tokens, each checked against the golden
// model and against float64, each with its bounds named.

import { defined } from "../../base/defined.ts";
import { join } from "node:path";
import type { ExpertScenario, ResolvedConfig, Scenario } from "../../scenario/resolve.ts";
import { arrangements, rankMappings } from "../../machine/resolve/systems.ts";
import type { Layout } from "../../machine/resolve/systems.ts";
import { fromBits } from "../../golden/float16.ts";
import { bottleneckOf, boundsOf, expertWork } from "../../results/bounds.ts";
import { boundCheck, compareOutputs, outcomeCheck } from "../../results/checks.ts";
import { expertTimesCheck } from "../../results/latency/time-checks.ts";
import { hashOfValue } from "../../base/hash.ts";
import { expertLatency } from "../../results/latency/expert-latency.ts";
import { bytesRead, runMetrics } from "../../results/metrics.ts";
import type { Check } from "../../results/metric.ts";
import type { CaseResult } from "../../results/types.ts";
import { bytes, toSeconds } from "../../base/units.ts";
import type { ExpertWeights } from "../../workload/expert.ts";
import type { LowBitWeights } from "../../workload/low-bit.ts";
import { analyticTime } from "../../results/analytic.ts";
import { biasesAsColumns } from "../../workload/ndp/bias-columns.ts";
import type { WeightImages } from "../../workload/ndp/pack.ts";
import { placeExpert, prepareExpert, runExpert } from "./cold-expert.ts";
import type { ExpertRun, PreparedExpert } from "./cold-expert.ts";
import { arrivalInClosedForm, arrivalOf } from "../moe/expert-move.ts";
import { type Arrival } from "../../results/arrival.ts";
import { expectedOutputs, inputsOf } from "./expected.ts";
import type { Compute, Expected, ExpectedOutputs } from "./expected.ts";
import type { ExpertLayout } from "../../workload/ndp/layout.ts";
import type { GoldenExpert } from "./own-golden.ts";
import { overRefreshStarts } from "./refresh-starts.ts";
import type {
  NdpMachine,
  NdpSession,
  OpenSession,
  Progress,
  RunOptions,
} from "../../machine/types.ts";
import { traceFailure } from "./expert-failure.ts";
import { cancelledRun } from "../cancelled.ts";
import { withTaskGroup, coreSemaphore, type WhenCoresFree } from "../concurrency.ts";
import { beginningWaves } from "../waves.ts";

/** Inputs that all cases share: sessions, weights, caches and callbacks. */
export interface CaseContext {
  readonly open: OpenSession;
  readonly weights: ExpertWeights | LowBitWeights;
  /** The golden model of the unit. */
  readonly golden: GoldenExpert;
  readonly signal: AbortSignal;
  /** When the runs of each layout have theirs; without it one layout after another. */
  readonly whenCoresFree?: WhenCoresFree;
  /** Called when a run begins; the result reports the progress and the end of the run. */
  readonly onCase: (title: string) => {
    readonly update: (progress: Progress) => void;
    readonly end: () => void;
  };
  /** Cache of expected outputs, shared by runs over the same weights. */
  readonly expected: ExpectedOutputs;
  /** Computes expected values; a caller that times the computation wraps it here. */
  readonly compute?: Compute;
  /** An existing directory for waveforms. */
  readonly waveDirectory: string;
  /** Trace the beginning of every run, not only failures. */
  readonly waves: boolean;
  /** Also simulate the quiet cycles of the RTL, and compare its outputs in them with the model. */
  readonly checked?: boolean;
  /** False without a timeline: commands are not recorded. */
  readonly timeline?: boolean;
}

/** DRAM commands of each run that the timeline shows. */
const recordedCommands = 8000;

interface Case {
  readonly id: string;
  readonly title: string;
  readonly layout: Layout;
  readonly tokens: number;
  /** Sizes of the expert, without columns of biases. */
  readonly size: Pick<ExpertWeights, "hidden" | "intermediate">;
  readonly machine: NdpMachine;
  /** In addition to the run: the arrival of the expert's weights on the DIMM. */
  readonly arrival: Arrival;
}

/** All runs, in the order of the scenario's layouts and tokens. */
export async function runCases(
  config: ResolvedConfig,
  context: CaseContext,
): Promise<readonly CaseResult[]> {
  const { scenario } = config;
  const { expert } = scenario;
  if (expert === null) return [];
  if (scenario.fidelity === "analytic") return analyticCases(scenario, expert, context.weights);
  const { signal, whenCoresFree = coreSemaphore(1), weights } = context;
  const inputs = inputsOf(scenario, weights, context.expected);
  const results = await withTaskGroup(signal, async (startTask) =>
    Promise.all(
      scenario.layouts.map(async (layout) =>
        startTask(async (taskSignal) => {
          const watched = { ...context, signal: taskSignal };
          return whenCoresFree(async () => casesOf(scenario, expert, layout, inputs, watched), {
            signal: taskSignal,
          });
        }),
      ),
    ),
  );
  return results.flat();
}

/** The runs of one layout, one after another. */
async function casesOf(
  scenario: Scenario,
  expert: ExpertScenario,
  layout: Layout,
  inputs: Uint16Array,
  context: CaseContext,
): Promise<readonly CaseResult[]> {
  const { signal } = context;
  const machine = machineOf(scenario, layout);
  const { activation } = expert;
  const onUnit = biasesAsColumns(machine.unit, context.weights, inputs, activation);
  const { weights } = onUnit;
  // Columns of biases depend on the unit and on the gate function, so other runs cannot reuse their images.
  const imagesOfColumns: WeightImages = new Map();
  const images = weights === context.weights ? context.expected.images : imagesOfColumns;
  const task = { weights, tokens: 1, activation, arrangement: arrangements[layout] };
  const arrival = await arrivalOf(scenario.links, machine, placeExpert(machine, task), signal);
  const session = await context.open(machine);
  const ran: { readonly result: CaseResult; readonly prepared: PreparedExpert }[] = [];
  try {
    for (const tokens of scenario.tokens) {
      const one = caseOf(scenario, context.weights, { layout, tokens, machine, arrival });
      const prepared = prepareExpert(machine, {
        weights,
        inputs: onUnit.inputs.subarray(0, tokens * weights.hidden),
        activation,
        arrangement: arrangements[layout],
        images,
      });
      const ended = await runCase(session, one, prepared, context);
      if (ended.run.outcome.kind === "cancelled") {
        throw cancelledRun();
      }
      const wanted =
        ended.outputs === null ? null : expectedOutputs(scenario, expert, inputs, context);
      const result = simulatedResult(scenario, one, prepared, ended, wanted);
      ran.push({ result, prepared });
      await traceFailure(session, context, { result, prepared, ended, expected: wanted });
    }
  } finally {
    session.close();
  }
  const spread = await overRefreshStarts(
    scenario.customUnit === undefined ? { ...machine, engine: "cycle" } : machine,
    scenario.refreshStarts,
    ran.map(({ prepared }) => prepared),
    context.open,
    signal,
  );
  return ran.map(({ result }, i) => ({
    ...result,
    metrics: [...result.metrics, ...(spread[i] ?? [])],
  }));
}

function analyticCases(
  scenario: Scenario,
  { activation }: ExpertScenario,
  expertWeights: ExpertWeights | LowBitWeights,
): readonly CaseResult[] {
  return scenario.layouts.flatMap((layout) => {
    const machine = machineOf(scenario, layout);
    const noInputs = new Uint16Array();
    const { weights } = biasesAsColumns(machine.unit, expertWeights, noInputs, activation);
    return scenario.tokens.map((tokens) => {
      const task = { weights, tokens, activation, arrangement: arrangements[layout] };
      const placed = placeExpert(machine, task);
      const arrival = arrivalInClosedForm(scenario.links, machine, placed);
      const one = caseOf(scenario, expertWeights, { layout, tokens, machine, arrival });
      return analyticResult(one, placed);
    });
  });
}

/** The machine of a scenario with its ranks addressed for one layout. */
export function machineOf(scenario: Scenario, layout: Layout): NdpMachine {
  return {
    engine: scenario.fidelity === "rtl" ? "rtl" : "cycle",
    unit: scenario.unit,
    clock: scenario.clock,
    memory: { ...scenario.memory, mapping: rankMappings[layout] },
    ...defined({ host: scenario.host ?? undefined }),
  };
}

function caseOf(
  scenario: Scenario,
  { hidden, intermediate }: ExpertWeights | LowBitWeights,
  run: Pick<Case, "layout" | "tokens" | "machine" | "arrival">,
): Case {
  const { layout, tokens } = run;
  const count = `${tokens} ${tokens === 1 ? "token" : "tokens"}`;
  const title = scenario.layouts.length === 1 ? count : `${layout}, ${count}`;
  return { ...run, id: `${layout}-${tokens}`, title, size: { hidden, intermediate } };
}

async function runCase(
  session: NdpSession,
  one: Case,
  prepared: PreparedExpert,
  context: CaseContext,
): Promise<ExpertRun> {
  const line = context.onCase(one.title);
  const options: RunOptions = {
    signal: context.signal,
    onProgress: line.update,
    keepCommands: context.timeline === false ? 0 : recordedCommands,
    ...defined({
      checked: context.checked === true && one.machine.engine === "rtl" ? true : undefined,
      waveform:
        context.waves && one.machine.engine === "rtl"
          ? beginningWaves(join(context.waveDirectory, `${one.id}.fst`))
          : undefined,
    }),
  };
  try {
    return await runExpert(session, prepared, options);
  } finally {
    line.end();
  }
}

function simulatedResult(
  scenario: Scenario,
  one: Case,
  prepared: PreparedExpert,
  ended: ExpertRun,
  expected: Expected | null,
): CaseResult {
  const { machine } = one;
  const { run, outputs } = ended;
  const { format } = prepared.layout.shape;
  const { work, bounds, ...computed } = workOf(one, prepared.layout);
  const time = toSeconds(run.time);
  const bottleneck = bottleneckOf(work, bytes(bytesRead(run)), bounds, time);
  const compared =
    outputs === null || expected === null
      ? null
      : compareOutputs(
          outputs,
          Float64Array.from(outputs, (b) => fromBits(format, b)),
          expected,
          format === "fp16" ? "F16" : "BF16",
        );
  const limit = scenario.expect.boundShare[one.layout];
  const latency = run.outcome.kind === "completed" ? expertLatency(run, machine, bounds) : null;
  const checks: Check[] = [
    outcomeCheck(run),
    expertTimesCheck(run, latency),
    ...(compared?.checks ?? []),
  ];
  if (limit !== undefined && run.outcome.kind === "completed") {
    checks.push(boundCheck(bottleneck, limit));
  }
  return {
    id: one.id,
    title: one.title,
    layout: one.layout,
    fidelity: machine.engine,
    ...computed,
    work,
    machine,
    bounds,
    bottleneck,
    time,
    run,
    latency,
    accuracy: compared?.accuracy ?? null,
    outputHash: outputs === null ? null : hashOfValue(outputs),
    metrics: [...runMetrics(run, work, bounds, bottleneck, machine.memory), ...one.arrival.metrics],
    arrival: one.arrival.run,
    checks,
  };
}

function analyticResult(one: Case, layout: ExpertLayout): CaseResult {
  const { machine } = one;
  const { work, bounds, ...computed } = workOf(one, layout);
  const time = analyticTime(machine, layout);
  const passes = Math.ceil(one.tokens / layout.tokensPerPass);
  const read = bytes(passes * layout.passBursts * 64 * machine.unit.streams);
  const bottleneck = bottleneckOf(work, read, bounds, time);
  const derived = { unit: "us", source: "derived" } as const;
  return {
    id: one.id,
    title: one.title,
    layout: one.layout,
    fidelity: "analytic",
    ...computed,
    work,
    machine,
    bounds,
    bottleneck,
    time,
    run: null,
    latency: null,
    accuracy: null,
    outputHash: null,
    metrics: [
      { id: "time", title: "time in closed form", value: time * 1e6, ...derived },
      ...one.arrival.metrics,
    ],
    arrival: null,
    checks: [],
  };
}

function workOf(
  one: Case,
  layout: ExpertLayout,
): Pick<CaseResult, "work" | "bounds" | "operands" | "activation"> {
  const { format, lowBit, activation } = layout.shape;
  return {
    work: expertWork(one.tokens, one.size.hidden, one.size.intermediate),
    bounds: boundsOf(one.machine),
    operands: { inputs: format, weights: lowBit?.format ?? "wide" },
    activation,
  };
}
