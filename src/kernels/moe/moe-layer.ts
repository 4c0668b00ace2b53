// SPDX-License-Identifier: Apache-2.0
// A whole MoE layer as work for the simulated machine: cold experts as descriptors of their DIMMs, the
// CPU's and the GPU's experts as chunks that are really read through the host's sub-channels, and
// concurrent moves of experts.

import { defined } from "../../base/defined.ts";
import { nativeLink } from "../../native/links.ts";
import { nativeConfig } from "../../native/ndp/ndp-machine.ts";
import type { NativeDeviceTask, NativeMoeSpec, NativeMove } from "../../native/ndp/moe-binding.ts";
import { bytes, type Bytes, type Seconds } from "../../base/units.ts";
import { present } from "../../base/present.ts";
import { unitBursts, unitsOf, type PlacedExpert, type WeightPlace } from "./expert-places.ts";
import {
  descriptorWords,
  layOutExpert,
  type ExpertLayout,
  type ExpertShape,
} from "../../workload/ndp/layout.ts";
import type { PacketLink } from "../../machine/csd/csd-machine.ts";
import type { NdpMachine, StreamPiece } from "../../machine/types.ts";

/** Bursts between the regions of two experts in every rank. */
export const regionBursts: number = 1 << 18;

/** One expert of a layer: the device that computes it and the place of its weights. */
export interface LayerExpert {
  readonly id: number;
  readonly tokens: number;
  readonly device: "GPU" | "CPU" | "NDP";
  /** Null if GPU memory has a copy. */
  readonly weights: WeightPlace | null;
  /** Compute alone, on GPU or CPU. */
  readonly compute: Seconds;
}

export interface LayerMachine {
  readonly ndp: NdpMachine;
  readonly dimms: number;
  /** Of the GPU. */
  readonly pcie: PacketLink;
  /** Its links, and the host between groups of DIMMs; without `forwarding` none is between them. */
  readonly network: NativeMoeSpec["network"];
  readonly forwarding?: NativeMoeSpec["forwarding"];
}

/** Real weights and inputs of one cold expert, whose outputs are wanted. */
interface CheckedExpert {
  readonly id: number;
  readonly streams: readonly (readonly StreamPiece[])[];
}

/** An expert that is not computed here, and the source of its weights. */
interface Prefetched {
  readonly id: number;
  readonly weights: WeightPlace;
}

export interface LayerWork {
  readonly shape: Omit<ExpertShape, "tokens">;
  readonly experts: readonly LayerExpert[];
  readonly moves: readonly NativeMove[];
  /** Experts whose weights are fetched into GPU memory for a later layer. */
  readonly prefetched?: readonly Prefetched[];
  /**
   * Time before the layer's experts begin. Moves and prefetches begin with it, prefetches before all that this layer
   * fetches. Without a window they begin with the experts, prefetches behind all that this layer fetches.
   */
  readonly window?: Seconds;
  /** Whether the GPU loads missing weights while it computes resident experts, instead of afterwards. */
  readonly prefetch?: boolean;
  readonly checked?: readonly CheckedExpert[];
  /** The Verilated unit that some DIMMs have instead of the model. */
  readonly rtl?: { readonly dimms: readonly number[]; readonly plugin: string };
  /** Threads of the machine at most; default 1. */
  readonly threads?: number;
}

/** Words of a descriptor that are bursts: input, gate, up, down, output. */
const addressWords = [7, 9, 10, 12, 14];
const hostChunk = 256;
const homeChunk = 512;
const ranks = 4;
/** Chunks that a device has buffers for. */
const buffers = 8;
const burstBytes = 64;

/** The layout of an expert for so many tokens. */
export function layoutFor(
  machine: LayerMachine,
  shape: LayerWork["shape"],
  tokens: number,
): ExpertLayout {
  return layOutExpert(machine.ndp.unit, { ...shape, tokens }, "interleaved");
}

/** Bytes of weights, padding included. */
export function weightBytes(layout: ExpertLayout): Bytes {
  return bytes(unitsOf(layout) * unitBursts * burstBytes);
}

/** The machine and its work in the addon's format. */
export function layerSpec(machine: LayerMachine, work: LayerWork): NativeMoeSpec {
  const cold = work.experts.filter((e) => e.device === "NDP");
  const on = (dimm: number): readonly LayerExpert[] => cold.filter((e) => homeOf(e) === dimm);
  const numbers = Array.from({ length: machine.dimms }, (_, d) => d);
  const layout = layoutFor(machine, work.shape, 1);
  const placed = (id: number): PlacedExpert => ({ layout, base: id * regionBursts });
  const start = Math.round((work.window ?? 0) * 1e15);
  const taskOf = (expert: LayerExpert): NativeDeviceTask => ({
    compute: Math.round(expert.compute * 1e15),
    chunks: chunksOf(placed(expert.id), expert.weights, machine.dimms),
    start,
  });
  const tasks = (
    device: "GPU" | "CPU",
    which: (e: LayerExpert) => boolean = () => true,
  ): readonly NativeDeviceTask[] =>
    work.experts.filter((e) => e.device === device && which(e)).map(taskOf);
  const late = (e: LayerExpert): boolean => fetchedMeanwhile(work, e);
  const meanwhile = fetchedInOrder(work).map((expert): NativeDeviceTask => {
    if ("device" in expert) return taskOf(expert);
    return { compute: 0, chunks: chunksOf(placed(expert.id), expert.weights, machine.dimms) };
  });
  return {
    dimm: nativeConfig({ ...machine.ndp, engine: work.rtl ? "rtl" : "cycle" }, work.rtl?.plugin),
    dimms: machine.dimms,
    ...defined({
      rtlDimms: work.rtl === undefined ? undefined : Uint32Array.from(work.rtl.dimms),
      threads: work.threads,
    }),
    network: machine.network,
    ...defined({ forwarding: machine.forwarding }),
    jobs: numbers.map((d) => descriptors(machine, work, on(d))),
    jobsStart: start,
    moves: work.moves,
    seed: 1,
    devices: [
      { name: "CPU", buffers, tasks: tasks("CPU") },
      {
        name: "GPU",
        pcie: nativeLink(machine.pcie),
        buffers,
        tasks: tasks("GPU", (e) => !late(e)),
        ...(meanwhile.length > 0 ? { fetched: meanwhile } : {}),
      },
    ],
    ...contentsOf(machine, work, on),
  };
}

/**
 * Whether the GPU fetches weights while it computes other experts. With `prefetch` this applies to
 * all missing weights. Without it, it applies to the weights of one DIMM, which occupy only that
 * DIMM's two sub-channels and have a separate copy stream.
 */
export function fetchedMeanwhile(
  { prefetch }: Pick<LayerWork, "prefetch">,
  { weights }: Pick<LayerExpert, "weights">,
): boolean {
  return weights !== null && (prefetch === true || weights !== "striped");
}

/**
 * Experts whose weights are fetched during computation, in order: those of this layer and the
 * prefetched ones.
 */
export function fetchedInOrder(work: LayerWork): readonly (LayerExpert | Prefetched)[] {
  const late = work.experts.filter((e) => e.device === "GPU" && fetchedMeanwhile(work, e));
  const { prefetched = [], window = 0 } = work;
  return window > 0 ? [...prefetched, ...late] : [...late, ...prefetched];
}

/** The DIMM that stores a localized expert. */
function homeOf({ weights }: LayerExpert): number | null {
  return weights === null || weights === "striped" ? null : weights.home;
}

function descriptors(
  machine: LayerMachine,
  { shape }: LayerWork,
  experts: readonly LayerExpert[],
): Uint32Array {
  const words = new Uint32Array(experts.length * descriptorWords);
  experts.forEach(({ id, tokens }, i) => {
    const descriptor = layoutFor(machine, shape, tokens).descriptor.slice();
    for (const at of addressWords) descriptor[at] = present(descriptor[at]) + id * regionBursts;
    words.set(descriptor, i * descriptorWords);
  });
  return words;
}

function contentsOf(
  machine: LayerMachine,
  { shape, checked = [] }: LayerWork,
  on: (dimm: number) => readonly LayerExpert[],
): Pick<NativeMoeSpec, "contents" | "outputs"> {
  const placed = checked.flatMap(({ id, streams }) =>
    Array.from({ length: machine.dimms }, (_, dimm) => {
      const job = on(dimm).findIndex((e) => e.id === id);
      const expert = on(dimm)[job];
      return expert === undefined ? [] : [{ dimm, job, expert, streams }];
    }).flat(),
  );
  return {
    contents: placed.flatMap(({ dimm, expert, streams }) =>
      streams.flatMap((pieces, stream) =>
        pieces.map(({ burst, data }) => ({
          dimm,
          stream,
          data,
          burst: expert.id * regionBursts + burst,
        })),
      ),
    ),
    outputs: placed.map(({ dimm, job, expert: { id, tokens } }) => {
      const { output } = layoutFor(machine, shape, tokens);
      const burst = id * regionBursts + output.base;
      return { dimm, job, burst, bursts: tokens * output.stride };
    }),
  };
}

function chunksOf(placed: PlacedExpert, weights: WeightPlace | null, dimms: number): Uint32Array {
  if (weights === null) return new Uint32Array(0);
  return Uint32Array.from(
    weights === "striped" ? stripedChunks(placed, dimms) : homeChunks(placed, weights.home),
  );
}

/** A chunk of a striped expert: the same 256 bursts of one rank on every sub-channel. */
function stripedChunks({ layout, base }: PlacedExpert, dimms: number): readonly number[] {
  const bursts = Math.ceil(unitsOf(layout) / dimms) * unitBursts;
  return Array.from({ length: Math.ceil(bursts / hostChunk) }, (_, chunk) => {
    const rank = (chunk % 2) * ranks + (Math.floor(chunk / 2) % ranks);
    const burst = base + Math.floor(chunk / (2 * ranks)) * hostChunk;
    const count = Math.min(hostChunk, bursts - chunk * hostChunk);
    return Array.from({ length: dimms }, (_sub, k) => [chunk, k, rank, burst, count]).flat();
  }).flat();
}

/** A chunk of a localized expert: the same bursts of a rank on both sub-channels of its DIMM. */
function homeChunks({ layout, base }: PlacedExpert, home: number): readonly number[] {
  const { gate, down, streams } = layout;
  const regions = [
    { first: gate.base, bursts: Math.ceil(gate.rows / streams) * gate.stride },
    { first: down.base, bursts: Math.ceil(down.rows / streams) * down.stride },
  ];
  const words: number[] = [];
  let chunk = 0;
  for (const { first, bursts } of regions) {
    for (let at = 0; at < bursts; at += homeChunk) {
      const count = Math.min(homeChunk, bursts - at);
      for (let r = 0; r < ranks; r += 1) {
        const rank = (home % 2) * ranks + r;
        for (const half of [0, 1]) {
          words.push(chunk, 2 * Math.floor(home / 2) + half, rank, base + first + at, count);
        }
        chunk += 1;
      }
    }
  }
  return words;
}
