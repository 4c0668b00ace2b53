// SPDX-License-Identifier: Apache-2.0
// A MoE layer as a policy decided it, on the simulated machine: cold experts on DIMMs of cycle models,
// the CPU's and the GPU's reads as requests of the host, PCIe, and the changes of place that the policy decided for the
// step after: experts that move over DIMM-Link or into GPU memory, all at once. They begin with the attention and
// the MLP before the experts (section 5.5). Changes that outlast this window run beside the experts. The window is
// time of the GPU alone: the paper prints no bytes of keys and values that attention reads from host memory in it.
// DIMMs may have the RTL of their unit instead of the model.

import { defined } from "../../../../base/defined.ts";
import { moeDimms, publishedLinks } from "../../../../machine/resolve/dimm-links.ts";
import type { DimmLinks } from "../../../../machine/resolve/dimm-links.ts";
import { gpuLink } from "../../../../machine/resolve/links.ts";
import { hostPath, paperMachine as ndpMachine } from "../../../../machine/resolve/systems.ts";
import {
  fetchedInOrder,
  fetchedMeanwhile,
  layerSpec,
  layoutFor,
  regionBursts,
} from "../../../../kernels/moe/moe-layer.ts";
import type { LayerExpert, LayerMachine, LayerWork } from "../../../../kernels/moe/moe-layer.ts";
import { joinedDimms } from "../../../../kernels/moe/dimm-links.ts";
import { nativeMove } from "../../../../kernels/moe/relayout.ts";
import { curveTime, type TimeCurve } from "../../../../machine/host/curve.ts";
import type { TaskRun } from "../../../../base/timeline.ts";
import { expertBytes, modelShape } from "../../../../workload/shapes.ts";
import { runMoe, type NativeMoeResult } from "../../../../native/ndp/moe-binding.ts";
import { hostMoments } from "../../../../native/ndp/ndp-run.ts";
import type { Native, Rows } from "../../../../native/layout.ts";
import { rowsOf } from "../../../../native/record.ts";
import type { WeightPlace } from "../../../../kernels/moe/expert-places.ts";
import type { LayerRun } from "../../policy/baselines.ts";
import type { Expert, TriMoeMachine } from "../../model/cost.ts";
import type { Device } from "../../policy/makespan.ts";
import { publishedMigration, type PlaceChange } from "../../policy/migration.ts";
import { paperMachine, type MachineOptions } from "../../model/machine.ts";
import type { LayerCounts } from "../../../../results/energy/layer-energy.ts";
import { scale, seconds, type Bytes, type Seconds } from "../../../../base/units.ts";
import type { RankMemory } from "../../../../machine/types.ts";

const femto = 1e-15;
/** DIMMs of the machine, whether or not they have an NDP unit. */
export const machineDimms: number = moeDimms;
const linksEach = 3;
/** The lane of experts that are fetched into GPU memory for a later step. */
const prefetchLane = "prefetch";
/** The lane of the window before the experts. */
const windowLane = "window";

/** The machine of Table 1. */
const paperLayerMachine = machineOf();

/** Differences from the machine of Table 1. The policy that decides a layer does not know them. */
export interface MachineChanges {
  /** Topology of the DIMM-Links; default: that of DIMM-Link. */
  readonly links?: DimmLinks;
  /**
   * One command bus for the ranks of a sub-channel in NDP mode; by default each rank has its own.
   */
  readonly commandBus?: "shared";
  /** False: inputs and descriptors are in the DIMMs at the start, and the host reads no outputs. */
  readonly hostTransfers?: false;
  /** Bursts of each stream queue of the NDP units; default: 128. */
  readonly queueBursts?: number;
  readonly refreshPhase?: RankMemory["refreshPhase"];
  /** Header of each PCIe packet of 256 bytes; default: 20 bytes. */
  readonly pcieHeader?: Bytes;
}

/** Options of a layer's run, in addition to the policy's decisions. */
export interface SimulationOptions {
  /** The machine of the policy. Fewer NDP units than DIMMs are spread evenly over the DIMMs. */
  readonly machine?: MachineOptions;
  /** Changes of place for the step after; none when absent. */
  readonly moves?: readonly PlaceChange[];
  /** From the start of the changes to the start of the experts; default: that of section 5.5. */
  readonly window?: Seconds | undefined;
  readonly changes?: MachineChanges | undefined;
  /** Whether the GPU fetches missing weights while it computes resident experts. */
  readonly prefetch?: boolean;
  readonly checked?: LayerWork["checked"];
  readonly rtl?: LayerWork["rtl"];
  readonly threads?: LayerWork["threads"];
}

/** A layer that was run. Ends are from the begin of its experts; 0 of a device without work. */
export interface SimulatedLayer {
  readonly model: string;
  readonly run: LayerRun;
  readonly result: NativeMoeResult;
  readonly gpu: Seconds;
  readonly cpu: Seconds;
  readonly dimms: readonly Seconds[];
  /** The last end of a device; moves and prefetches are not waited for. */
  readonly time: Seconds;
  /** From the start of the window to the end of the last move or prefetch; 0 without any. */
  readonly moves: Seconds;
  /**
   * Experts that were moved over links between DIMMs, and those that were fetched into GPU memory.
   */
  readonly moved: number;
  readonly prefetched: number;
  /**
   * Refreshes of a rank by the end, from host and NDP units: the number due, and the fewest and
   * most of all ranks.
   */
  readonly refreshes: { readonly due: number; readonly fewest: number; readonly most: number };
  /** Counters for its energy. */
  readonly counts: LayerCounts;
  /** Sums over the experts of a device: the time of their arithmetic, without waits for memory. */
  readonly arithmetic: { readonly cpu: Seconds; readonly gpu: Seconds };
  /** By device: window, GPU, CPU, DIMMs, relayout; from the begin of the window. */
  readonly tasks: readonly TaskRun[];
}

/** Of the experts of all models. */
const activation = "silu";

/** The shape of the model's experts in the NDP unit's format. */
export function weightShapeOf(model: string): LayerWork["shape"] {
  const { hidden, experts } = modelShape(model, "the layer");
  const intermediate = experts?.intermediate ?? 0;
  return { hidden, intermediate, format: "fp16", activation };
}

/** The machine on which layers run. */
export function simulatedMachine(): LayerMachine {
  return paperLayerMachine;
}

/** Runs the layer of one step. @throws NeardataError as `runMoe` does. */
export async function simulateLayer(
  model: string,
  run: LayerRun,
  options: SimulationOptions = {},
): Promise<SimulatedLayer> {
  const work = workOf(model, run, options);
  const changed = machineOf(options.changes);
  const result = await runMoe(layerSpec(changed, work));
  const tasks = tasksOf(work, result);
  const window = work.window ?? seconds(0);
  /** From the begin of the experts. */
  const lastEnd = (of: readonly TaskRun[]): Seconds =>
    seconds(Math.max(0, ...of.map((t) => t.end - window)));
  const end = (device: string): Seconds => lastEnd(tasks.filter((t) => t.device === device));
  const dimms = Array.from({ length: machineDimms }, (_, d) => end(`DIMM ${d}`));
  const background = tasks.filter(
    ({ device }) => device.startsWith("relayout") || device === prefetchLane,
  );
  const experts = tasks.filter((t) => !background.includes(t));
  const ranks = result.ports.flatMap((streams) => rowsOf("PortCounters", streams));
  return {
    model,
    run,
    result,
    gpu: end("GPU"),
    cpu: end("CPU"),
    dimms,
    time: lastEnd(experts),
    moves: seconds(Math.max(0, ...background.map((t) => t.end))),
    moved: work.moves.length,
    prefetched: work.prefetched?.length ?? 0,
    refreshes: refreshesOf(ranks),
    counts: countsOf(changed.ndp, result, ranks, window),
    arithmetic: arithmeticOf(model, run, paperMachine(options.machine)),
    tasks: window > 0 ? [windowTask(window), ...tasks] : tasks,
  };
}

function machineOf(changes: MachineChanges = {}): LayerMachine {
  const { links = publishedLinks, queueBursts, hostTransfers, pcieHeader } = changes;
  const { unit, memory, ...ndp } = ndpMachine("cycle");
  const { commandBus, refreshPhase } = changes;
  return {
    ndp: {
      ...ndp,
      unit: { ...unit, ...defined({ queueBursts }) },
      memory: { ...memory, ...defined({ commandBus, refreshPhase }) },
      ...defined({ host: hostTransfers === false ? undefined : hostPath }),
    },
    dimms: machineDimms,
    pcie: { ...gpuLink, ...defined({ header: pcieHeader }) },
    ...joinedDimms(links, hostPath),
  };
}

type Rank = Native<"PortCounters">;

function countsOf(
  machine: LayerMachine["ndp"],
  { end, host, links, pcie, units }: NativeMoeResult,
  ranks: readonly Rank[],
  window: Seconds,
): LayerCounts {
  const wires = (of: Rows<"Link">): number =>
    rowsOf("Link", of).reduce((sum, { wireBytes }) => sum + wireBytes, 0);
  return {
    machine,
    activation,
    time: seconds(end * femto - window),
    units: rowsOf("NdpCounts", units),
    ranks,
    host: rowsOf("HostCounters", host),
    dimmLinkBytes: wires(links),
    pcieBytes: wires(pcie),
  };
}

function refreshesOf(ranks: readonly Rank[]): SimulatedLayer["refreshes"] {
  const sent = ranks.map((rank) => rank.rankRefreshes);
  return {
    due: Math.max(0, ...ranks.map((rank) => rank.refreshesDue)),
    fewest: Math.min(...sent),
    most: Math.max(...sent),
  };
}

function windowTask(window: Seconds): TaskRun {
  const id = "attention and MLP";
  return { id, device: windowLane, after: [], start: seconds(0), end: window, time: window };
}

function workOf(model: string, run: LayerRun, options: SimulationOptions): LayerWork {
  const { moves = [], window = publishedMigration.window } = options;
  const shape = weightShapeOf(model);
  const machine = paperMachine(options.machine);
  const factor = expertBytes(modelShape(model, "the layer")) / machine.curveBytes;
  const names = { G: "GPU", C: "CPU", N: "NDP" } as const;
  const dimmStride = machineDimms / machine.dimms;
  const experts = run.experts.map(({ id, load, layout, home, resident }, i): LayerExpert => {
    const device = names[run.assignment[i] ?? "G"];
    const place = weightPlace({ layout, home }, dimmStride);
    return {
      id,
      tokens: load,
      device,
      weights: device === "GPU" && resident ? null : place,
      compute: scale(curveTime(device === "CPU" ? machine.cpu : machine.gpu, load), factor),
    };
  });
  return {
    shape,
    experts,
    ...backgroundOf(shape, model, moves, dimmStride),
    ...(moves.length > 0 ? { window } : {}),
    prefetch: options.prefetch === true,
    ...defined({ checked: options.checked, rtl: options.rtl, threads: options.threads }),
  };
}

function arithmeticOf(
  model: string,
  { experts, assignment }: LayerRun,
  { cpu, cpuCompute = cpu, gpu, curveBytes }: TriMoeMachine,
): SimulatedLayer["arithmetic"] {
  const factor = expertBytes(modelShape(model, "the layer")) / curveBytes;
  const total = (device: Device, curve: TimeCurve): Seconds =>
    seconds(
      experts
        .filter((_, i) => assignment[i] === device)
        .reduce((sum, { load }) => sum + factor * curveTime(curve, load), 0),
    );
  return { cpu: total("C", cpuCompute), gpu: total("G", gpu) };
}

/** The place of an expert's weights on a machine whose NDP units are `dimmStride` DIMMs apart. */
function weightPlace(
  { layout, home }: Pick<Expert, "layout" | "home">,
  dimmStride: number,
): WeightPlace {
  return layout === "striped" || home === null ? "striped" : { home: home * dimmStride };
}

/** Changes over one path; two changes of an expert become one from its first place to its last. */
function merged(
  changes: readonly PlaceChange[],
  over: PlaceChange["over"],
): readonly PlaceChange[] {
  const byExpert = new Map<number, PlaceChange>();
  for (const change of changes.filter((one) => one.over === over)) {
    const before = byExpert.get(change.expert);
    byExpert.set(change.expert, before === undefined ? change : { ...before, to: change.to });
  }
  return [...byExpert.values()];
}

/**
 * Moves and prefetches during a layer. The copy of a moved expert is stored after the regions of
 * all experts.
 */
function backgroundOf(
  shape: LayerWork["shape"],
  model: string,
  changes: readonly PlaceChange[],
  dimmStride: number,
): Pick<LayerWork, "moves" | "prefetched"> {
  const layout = layoutFor(paperLayerMachine, shape, 1);
  const routed = modelShape(model, "the layer").experts?.routed ?? 0;
  const behind = Math.max(routed, ...changes.map(({ expert }) => expert + 1));
  const moves = merged(changes, "link").map(({ expert, from, to }, i) =>
    nativeMove(
      {
        expert: { layout, base: expert * regionBursts },
        from: weightPlace(from, dimmStride),
        to: weightPlace(to, dimmStride),
        targetBase: (behind + i) * regionBursts,
        links: linksEach,
      },
      machineDimms,
    ),
  );
  const prefetched = merged(changes, "pcie").map(({ expert, from }) => ({
    id: expert,
    weights: weightPlace(from, dimmStride),
  }));
  return { moves, prefetched };
}

/** Timeline of the devices, with the names of experts. */
function tasksOf(work: LayerWork, result: NativeMoeResult): readonly TaskRun[] {
  const on = (
    device: string,
    spans: Float64Array | undefined,
    names: readonly Named[],
  ): TaskRun[] =>
    names.flatMap(({ id, tokens }, i): readonly TaskRun[] => {
      const [begin = -1, end = -1] = spans?.subarray(2 * i, 2 * i + 2) ?? [];
      if (end < begin || begin < 0) return [];
      const time = seconds((end - begin) * femto);
      const at = { start: seconds(begin * femto), end: seconds(end * femto), time };
      return [{ id, device, after: [], ...at, ...defined({ tokens }) }];
    });
  const named = (list: readonly LayerExpert[]): readonly Named[] =>
    list.map(({ id, tokens }) => ({ id: `expert ${id}`, tokens }));
  const of = (device: LayerExpert["device"]): readonly LayerExpert[] =>
    work.experts.filter((e) => e.device === device);
  const [cpu, gpu, fetched] = result.devices;
  const late = (e: LayerExpert): boolean => fetchedMeanwhile(work, e);
  const home = ({ weights }: LayerExpert): number =>
    weights === null || weights === "striped" ? -1 : weights.home;
  return [
    ...on("GPU", gpu, named(of("GPU").filter((e) => !late(e)))),
    ...fetchedInOrder(work).flatMap((expert, i) =>
      on("device" in expert ? "GPU" : prefetchLane, fetched?.subarray(2 * i, 2 * i + 2), [
        { id: `expert ${expert.id}`, tokens: "device" in expert ? expert.tokens : undefined },
      ]),
    ),
    ...on("CPU", cpu, named(of("CPU"))),
    ...result.jobs.flatMap((spans, d) =>
      on(`DIMM ${d}`, spans, named(of("NDP").filter((e) => home(e) === d))),
    ),
    // From the end of a DIMM's experts to their outputs at the host.
    ...result.hostJobs.flatMap((moments, d) => {
      const at = hostMoments(moments);
      if (at === null) return [];
      const back = Float64Array.of(at.ended, at.outputs);
      return on(`DIMM ${d}`, back, [{ id: "outputs to the host" }]);
    }),
    ...Array.from({ length: result.moves.length / 2 }, (_, i) =>
      on(`relayout ${i}`, result.moves.subarray(2 * i, 2 * i + 2), [{ id: "to its next place" }]),
    ).flat(),
  ];
}

interface Named {
  readonly id: string;
  readonly tokens?: number | undefined;
}
