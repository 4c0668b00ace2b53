// SPDX-License-Identifier: Apache-2.0
// A MoE layer over many decode steps: drifting or recorded loads, the predictor, migration under the
// window, and every system on the same loads.

import { expertBytes, modelShape } from "../../../workload/shapes.ts";
import { LayerPlanner } from "../policy/baselines.ts";
import type { LayerLoad, LayerRun, System } from "../policy/baselines.ts";
import type { TriMoeMachine } from "../model/cost.ts";
import { paperMachine, type MachineOptions } from "../model/machine.ts";
import { balancedCold, type KnownStep } from "../policy/cold-limit.ts";
import {
  migrate,
  publishedMigration,
  type Migrated,
  type MigrationOptions,
  type PlaceChange,
} from "../policy/migration.ts";
import type { Planner } from "../policy/planner.ts";
import { initialPlacement, residentLimit, type Place } from "../policy/placement.ts";
import { hottest } from "../model/shares.ts";
import { hotLimit, hotShare } from "../../../lm/moe/expert-classes.ts";
import { publishedAlpha, updateAverage } from "../../../lm/moe/predictor.ts";
import { driftOfAccuracy } from "../model/accuracy.ts";
import { driftingLoads, driftKey, publishedDrift, type Drift } from "../model/trace.ts";
import { computingOf } from "../policy/use.ts";
import { outOfRange } from "../../../base/present.ts";
import { defined } from "../../../base/defined.ts";
import { RecentCache } from "../../../base/recent.ts";
import { seconds, type Bytes, type Seconds } from "../../../base/units.ts";

export interface LayerStudy {
  readonly model: string;
  readonly batch: number;
  readonly machine?: MachineOptions;
  /** Whether experts move with the predictor; otherwise the first placement stays. */
  readonly relayout: boolean;
  readonly migration?: Partial<MigrationOptions>;
  /** Places follow each step's own loads: the result of a perfect predictor and free moves. */
  readonly oracle?: boolean;
  readonly steps?: number;
  /** Another law or drift of the experts' popularity. */
  readonly drift?: Partial<Drift>;
  /** The part of experts that is hot; null where 256 tokens or more are. */
  readonly hotShare?: number | null;
  /** Weight of the newest load in the average; the paper's when absent. */
  readonly alpha?: number;
  /** Seed of the synthetic trace; 1 if absent. */
  readonly seed?: number;
  /** The planner and timer of every system; absent: equations 5 to 7. */
  readonly planner?: Planner;
  /** Most tokens of a cold expert, or the limit that balances the layer; that of `migration` when absent. */
  readonly cold?: ColdLimit;
  /**
   * One-step accuracy of the predictor, from 0 to 1, that the noise of the synthetic trace is scaled to; null or
   * absent where the noise is used as it is.
   */
  readonly accuracy?: number | null;
}

/** A number of tokens, or the limit whose training steps end first. */
export type ColdLimit = number | "balanced";

export interface DeviceShares {
  readonly gpu: number;
  readonly cpu: number;
  readonly ndp: number;
}

export interface StudyResult {
  /** Mean time of a layer's experts. */
  readonly time: Seconds;
  /** Mean share of the time in which GPU, CPU and the DIMMs together compute. */
  readonly use: DeviceShares;
  /** The same with waits for weights, and on DIMMs the reads that they serve for the host. */
  readonly occupied: DeviceShares;
  /** Mean changes of place a step. */
  readonly moves: number;
  readonly last: LayerRun | null;
  /** The place of each expert in the last step. */
  readonly places: readonly Place[];
  /** Most tokens of a cold expert. */
  readonly cold: number;
  /** Changes of place that the last step's loads lead to; none where places stay. */
  readonly next: readonly PlaceChange[];
}

/** Machines by their options: costs of experts are cached by machine, and the readings of a figure share a few. */
const machines = new RecentCache<TriMoeMachine>(16);

function machineOf(options: MachineOptions): TriMoeMachine {
  return machines.get(keyOf(options, ""), () => paperMachine(options));
}

/** Steps that only train the averages. */
const warmUp = 12;

/** Results by study and system: a figure has at most as many studies under all its readings, and figures share many. */
const known = new RecentCache<Map<System, StudyResult>>(256);

/** The mean over the steps after warm-up, for each system, on a synthetic trace. */
export function study(
  what: LayerStudy,
  names: readonly System[],
): ReadonlyMap<System, StudyResult> {
  const { experts } = modelShape(what.model, "the experiment");
  const routing = {
    experts: experts?.routed ?? 0,
    perToken: experts?.perToken ?? 0,
    batch: what.batch,
  };
  const base = { ...publishedDrift, ...what.drift };
  const { accuracy = null } = what;
  const drift = accuracy === null ? base : driftOfAccuracy(base, accuracy);
  const { drift: _, accuracy: __, ...others } = what;
  const key = keyOf(others, driftKey(drift, routing.experts));
  const results = known.get(key, () => new Map<System, StudyResult>());
  const missing = names.filter((name) => !results.has(name));
  if (missing.length > 0) {
    const trace = driftingLoads(routing, drift, warmUp + (what.steps ?? 48), what.seed ?? 1);
    const { steps: _steps, relayout: _relayout, cold: _cold, ...trained } = others;
    const trainedKey = keyOf(trained, driftKey(drift, routing.experts));
    const cold = what.cold === "balanced" ? balancedOf(what, trace, trainedKey) : what.cold;
    const made = studyTrace({ ...what, ...defined({ cold }) }, trace, warmUp, missing);
    for (const [name, result] of made) results.set(name, result);
  }
  return new Map(
    names.flatMap((name) => {
      const result = results.get(name);
      return result === undefined ? [] : [[name, result] as const];
    }),
  );
}

/** Cache of balancing limits, by the parameters of the training steps. */
const balanced = new Map<string, number>();

/** The limit that balances a synthetic trace; longer traces begin with the same training steps. */
function balancedOf(what: LayerStudy, trace: readonly Int32Array[], key: string): number {
  const cold = balanced.get(key) ?? balancedLimit(what, trace, warmUp);
  balanced.set(key, cold);
  return cold;
}

/** A key of options that does not depend on their order. Infinity, which JSON lacks, is a word. */
function keyOf(options: object, drift: string): string {
  const sorted = Object.entries(options).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([sorted, drift], (_, one: unknown) =>
    one === Infinity ? "Infinity" : one,
  );
}

/** A layer as a policy decided it, and the changes of place for the step after. */
export interface DecidedStep {
  readonly run: LayerRun;
  readonly next: readonly PlaceChange[];
}

/** The last step of a synthetic trace. */
export function lastStep(what: LayerStudy, system: System): DecidedStep {
  const studyResult = study(what, [system]).get(system);
  if (studyResult === undefined || studyResult.last === null)
    throw new RangeError("the study has no last layer");
  return { run: studyResult.last, next: studyResult.next };
}

/** The same over given loads of consecutive steps; the first `skipped` steps only train. */
export function studyTrace(
  { model, machine: options = {}, relayout, oracle = false, ...what }: LayerStudy,
  trace: readonly Int32Array[],
  skipped: number,
  names: readonly System[],
): ReadonlyMap<System, StudyResult> {
  const shape = modelShape(model, "the experiment");
  const size = expertBytes(shape);
  const machine = machineOf(options);
  const resident = residentLimit(shape, options.gpuMemory);
  const { planner = "equations" } = what;
  const hotOf = hotRule(what);
  const moving = { ...publishedMigration, resident, ...what.migration };
  const cold =
    what.cold === "balanced"
      ? balancedLimit({ model, machine: options, relayout, oracle, ...what }, trace, skipped)
      : (what.cold ?? moving.cold);
  const migration = { ...moving, cold, planner };
  const place = (loads: readonly number[]): readonly Place[] =>
    initialPlacement(loads, machine.dimms, migration.cold, migration.resident, hotOf(loads));
  let average: readonly number[] = Array.from(trace[0] ?? []);
  let places: readonly Place[] = [];
  let moves = 0;
  const migrated = (): Migrated =>
    migrate(machine, size, places, average, { ...migration, hot: hotOf(average) });
  const totals = names.map((name) => new Totals(name, machine, size, planner));
  trace.forEach((loads, t) => {
    if (t === skipped) places = place(average);
    if (t > skipped && relayout) {
      const moved = migrated();
      places = moved.places;
      moves += moved.moves;
    }
    if (oracle) places = place(Array.from(loads));
    if (t >= skipped) {
      const hot = hotOf(loads);
      for (const total of totals) total.add({ loads, places, hot });
    }
    average = updateAverage(average, loads, what.alpha ?? publishedAlpha);
  });
  const steps = Math.max(1, trace.length - skipped - 1);
  const next = relayout && trace.length > 0 ? migrated().changes : [];
  return new Map(
    totals.map((total) => [
      total.name,
      { ...total.summary(), moves: moves / steps, places, cold, next },
    ]),
  );
}

/** From how many tokens on an expert is hot, of some loads. */
function hotRule({ hotShare: share = hotShare }: Pick<LayerStudy, "hotShare">) {
  return (loads: ArrayLike<number>): number => (share === null ? hotLimit : hottest(loads, share));
}

/** Most tokens of a cold expert, by balance on the training steps. */
function balancedLimit(what: LayerStudy, trace: readonly Int32Array[], skipped: number): number {
  const { machine: options = {}, planner = "equations", oracle = false, migration } = what;
  const shape = modelShape(what.model, "the experiment");
  const known = knownSteps(trace, skipped, { ...what, oracle });
  return balancedCold(machineOf(options), expertBytes(shape), known, {
    planner,
    resident: migration?.resident ?? residentLimit(shape, options.gpuMemory),
    hotOf: hotRule(what),
  });
}

/**
 * The training steps after the first, with the averages before them; the first itself if it is the
 * only one.
 */
function knownSteps(
  trace: readonly Int32Array[],
  skipped: number,
  { alpha = publishedAlpha, oracle = false }: Pick<LayerStudy, "alpha" | "oracle">,
): readonly KnownStep[] {
  const first = trace[0];
  if (first === undefined) return [];
  let average: readonly number[] = Array.from(first);
  const known: KnownStep[] = [];
  for (const loads of trace.slice(1, skipped)) {
    known.push({ predicted: oracle ? Array.from(loads) : average, loads });
    average = updateAverage(average, loads, alpha);
  }
  return known.length === 0 ? [{ predicted: average, loads: first }] : known;
}

/** Sums over the layers of a system. A layer without tokens has no time and no utilisation. */
class Totals {
  public readonly name: System;
  private readonly machine: TriMoeMachine;
  private readonly size: Bytes;
  private count = 0;
  private time = 0;
  private readonly use = { gpu: 0, cpu: 0, ndp: 0 };
  private readonly occupied = { gpu: 0, cpu: 0, ndp: 0 };
  private readonly layer: LayerPlanner;

  public constructor(name: System, machine: TriMoeMachine, size: Bytes, planner: Planner) {
    this.name = name;
    this.machine = machine;
    this.size = size;
    this.layer = new LayerPlanner(name, machine, size, planner);
  }

  public add(load: LayerLoad): void {
    const { machine, size, use, occupied, layer } = this;
    const time = layer.plan(load);
    const { sums } = layer;
    this.count += 1;
    this.time += time;
    if (time <= 0) return;
    const busy = computingOf(layer.tokens, layer.codes, machine, size);
    use.gpu += busy.gpu / time;
    use.cpu += busy.cpu / time;
    use.ndp += busy.ndp / time;
    let dimms = 0;
    for (let d = 0; d < machine.dimms; d += 1) dimms += sums.dimms[d] ?? outOfRange();
    occupied.gpu += sums.gpu / time;
    occupied.cpu += sums.cpu / time;
    occupied.ndp += dimms / machine.dimms / time;
  }

  /** Means over the layers, and the last of them. */
  public summary(): Omit<StudyResult, "moves" | "places" | "cold" | "next"> {
    const { count, layer } = this;
    const shares = ({ gpu, cpu, ndp }: DeviceShares): DeviceShares => ({
      gpu: gpu / count,
      cpu: cpu / count,
      ndp: ndp / count,
    });
    return {
      time: seconds(this.time / count),
      use: shares(this.use),
      occupied: shares(this.occupied),
      last: count === 0 ? null : layer.run(),
    };
  }
}
