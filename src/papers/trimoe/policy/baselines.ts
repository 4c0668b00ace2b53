// SPDX-License-Identifier: Apache-2.0
// One layer's expert time under TriMoE and under the systems it is compared with.

import { seconds, transferTime, type Bytes, type Seconds } from "../../../base/units.ts";
import { outOfRange, present } from "../../../base/present.ts";
import type { Expert, ExpertCost, TriMoeMachine } from "../model/cost.ts";
import { devicesOf, type Assignment } from "./makespan.ts";
import { cheapestCodes, cpuCode, gpuCode, LayerCosts, ndpCode, Sums } from "./layer-costs.ts";
import { refineLayer, type RefineLayerOptions } from "./refine-layer.ts";
import { costing, plannedLoad, type Costing, type PlannedLoad, type Planner } from "./planner.ts";
import { descending, inGpuKey, isResident, onDimm, placeKey, placeOfKey } from "./placement.ts";
import { stripedKey, type Place } from "./placement.ts";
import { classOf, coldLimit } from "../../../lm/moe/expert-classes.ts";

export const systems = [
  "Klotski",
  "En-KTransformers",
  "En-KTransformers, balanced",
  "En-KTransformers, on demand",
  "MoNDE",
  "GPU-NDP",
  "+CPU",
  "TriMoE",
] as const;

export type System = (typeof systems)[number];

/** Systems whose CPU and GPU both read the host's memory channels. */
const bothRead: readonly System[] = [
  "En-KTransformers",
  "En-KTransformers, balanced",
  "En-KTransformers, on demand",
  "+CPU",
  "TriMoE",
];

/** A layer's time and how long each device worked in it. */
export interface LayerRun {
  readonly time: Seconds;
  readonly load: PlannedLoad;
  readonly assignment: Assignment;
  readonly experts: readonly Expert[];
  readonly costs: readonly ExpertCost[];
}

export interface LayerLoad {
  /** Tokens of each expert. */
  readonly loads: ArrayLike<number>;
  /** The place of each expert. */
  readonly places: readonly Place[];
  /** Tokens from which on an expert is hot. */
  readonly hot?: number;
}

/**
 * Runs one layer. `places` are those of the experts; systems without NDP units stripe all of them.
 * Experts of `hot` tokens or more are hot. The same `planner` plans and times every system.
 */
export function runLayer(
  system: System,
  machine: TriMoeMachine,
  { size, planner, ...layer }: LayerLoad & { readonly size: Bytes; readonly planner?: Planner },
): LayerRun {
  const planned = new LayerPlanner(system, machine, size, planner);
  planned.plan(layer);
  return planned.run();
}

/** Plans layer after layer of one system in the same arrays. Its fields are those of the last layer. */
export class LayerPlanner {
  /** Tokens of the experts that have any. */
  public readonly tokens: number[] = [];
  public readonly sums: Sums;
  private readonly system: System;
  private readonly machine: TriMoeMachine;
  private readonly size: Bytes;
  private readonly costing: Costing;
  private readonly refineOptions: RefineLayerOptions;
  private readonly ids: number[] = [];
  private readonly places: number[] = [];
  private layer: LayerCosts;
  private time: Seconds = seconds(0);
  private codesOfAll: Uint8Array;

  public constructor(
    system: System,
    machine: TriMoeMachine,
    size: Bytes,
    planner: Planner = "equations",
  ) {
    this.system = system;
    this.machine = machine;
    this.size = size;
    this.costing = costing(planner, machine, size, bothRead.includes(system));
    this.sums = new Sums(this.costing.resources);
    this.layer = new LayerCosts(0, this.costing.reads);
    this.codesOfAll = new Uint8Array(0);
    this.refineOptions = {
      readers: planner === "channels",
      among: system === "En-KTransformers, balanced" ? [gpuCode, cpuCode] : undefined,
    };
  }

  /** The codes of the devices of the experts that have tokens. */
  public get codes(): Uint8Array {
    return this.codesOfAll.subarray(0, this.layer.count);
  }

  /** The layer as `runLayer` returns it. */
  public run(): LayerRun {
    const { machine, sums, tokens, places } = this;
    const experts = this.ids.map((id, i): Expert => {
      const { layout, home, resident } = placeOfKey(present(places[i]));
      return { id, load: present(tokens[i]), layout, home, resident };
    });
    return {
      time: this.time,
      load: plannedLoad(sums, machine.dimms),
      assignment: devicesOf(this.codes),
      experts,
      costs: experts.map(({ load }, i) => this.costing.costAt(load, present(places[i]))),
    };
  }

  /** Plans a layer, and returns its time. */
  public plan(layer: LayerLoad): Seconds {
    this.time = seconds(this.timeOf(layer));
    return this.time;
  }

  private timeOf({ loads, places: placed, hot }: LayerLoad): number {
    this.gather(loads, placed);
    const { system, layer, codes, sums, tokens, places } = this;
    switch (system) {
      case "Klotski":
        codes.fill(gpuCode);
        sums.add(layer, codes);
        sums.gpu = this.klotskiTime();
        return sums.gpu;
      case "En-KTransformers":
      case "En-KTransformers, balanced":
        for (let e = 0; e < layer.count; e += 1) {
          codes[e] = isResident(places[e] ?? outOfRange()) ? gpuCode : cpuCode;
        }
        if (system === "En-KTransformers") sums.add(layer, codes);
        else refineLayer(layer, codes, sums, this.refineOptions);
        break;
      case "En-KTransformers, on demand":
        for (let e = 0; e < layer.count; e += 1) {
          const isHot = classOf(tokens[e] ?? outOfRange(), coldLimit, hot) === "hot";
          codes[e] = isHot || isResident(places[e] ?? outOfRange()) ? gpuCode : cpuCode;
        }
        sums.add(layer, codes);
        break;
      case "MoNDE":
      case "GPU-NDP":
        this.split();
        break;
      case "+CPU":
        cheapestCodes(layer, codes);
        sums.add(layer, codes);
        break;
      case "TriMoE":
        cheapestCodes(layer, codes);
        refineLayer(layer, codes, sums, this.refineOptions);
    }
    return sums.makespan;
  }

  /** Collects the experts that have tokens, and their costs. */
  private gather(loads: ArrayLike<number>, placed: readonly Place[]): void {
    const { system, machine, tokens, ids, places } = this;
    if (placed.length > this.codesOfAll.length) {
      this.layer = new LayerCosts(placed.length, this.costing.reads);
      this.codesOfAll = new Uint8Array(placed.length);
    }
    const { layer } = this;
    layer.count = 0;
    for (let id = 0; id < placed.length; id += 1) {
      const load = loads[id] ?? outOfRange();
      if (load === 0) continue;
      const place = keyUnder(system, placed[id] ?? outOfRange(), id, machine.dimms);
      const at = layer.count;
      ids[at] = id;
      tokens[at] = load;
      places[at] = place;
      this.costing.append(layer, load, place);
    }
    ids.length = layer.count;
    tokens.length = layer.count;
    places.length = layer.count;
  }

  /** Klotski's layer: transfers of missing experts run under the compute of all others. */
  private klotskiTime(): Seconds {
    const { tokens, places } = this;
    const resident = new LayerCosts(tokens.length, this.costing.reads);
    let compute = 0;
    let missing = 0;
    for (let i = 0; i < places.length; i += 1) {
      // Without NDP units, all experts are striped.
      this.costing.append(resident, tokens[i] ?? outOfRange(), inGpuKey);
      compute += resident.gpu[i] ?? outOfRange();
      if (!isResident(places[i] ?? outOfRange())) missing += 1;
    }
    return seconds(Math.max(compute, missing * transferTime(this.size, this.machine.pcie)));
  }

  /** MoNDE's balance: the k heaviest experts move to the GPU, k chosen for the least makespan. */
  private split(): void {
    const { layer, codes, sums, tokens, places } = this;
    for (let e = 0; e < layer.count; e += 1) {
      const isNear = !Number.isNaN(layer.ndp[e]) && !isResident(places[e] ?? outOfRange());
      codes[e] = isNear ? ndpCode : gpuCode;
    }
    const trial = new Sums(sums.dimms.length).add(layer, codes);
    const best = codes.slice();
    let least = trial.makespan;
    let { gpu } = trial;
    for (const e of descending(tokens)) {
      const from = codes[e] ?? outOfRange();
      if (from === ndpCode) gpu += layer.gpu[e] ?? outOfRange();
      codes[e] = gpuCode;
      // The GPU alone is slower, and it only gets more. The margin covers sums in another order.
      if (gpu > 1.001 * least) break;
      const time = trial.add(layer, codes).makespan;
      if (time >= least) continue;
      best.set(codes);
      least = time;
    }
    codes.set(best);
    sums.add(layer, codes);
  }
}

/** The places of all experts under a system. */
export function placementUnder(
  system: System,
  places: readonly Place[],
  dimms: number,
): readonly Place[] {
  return places.map((place, id) => placeOfKey(keyUnder(system, place, id, dimms)));
}

/**
 * The key of an expert's place. Without a CPU, every expert that is not resident is whole on a DIMM; without NDP
 * units, all are striped.
 */
function keyUnder(system: System, place: Place, id: number, dimms: number): number {
  switch (system) {
    case "Klotski":
    case "En-KTransformers":
    case "En-KTransformers, balanced":
    case "En-KTransformers, on demand":
      return place.resident ? inGpuKey : stripedKey;
    case "MoNDE":
    case "GPU-NDP":
      return placeKey(place.resident ? place : onDimm(place.home ?? id % dimms));
    case "+CPU":
    case "TriMoE":
      return placeKey(place);
  }
}
