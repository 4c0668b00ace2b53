// SPDX-License-Identifier: Apache-2.0
// A job under LIA, IPEX or FlexGen on a host, with its memory map: the resident layers or sublayers in GPU
// memory, the memories of weights and caches, and the time. A job whose data do not fit is refused.

import { gpuCount, type Host } from "../../experiment/machines.ts";
import { bytes, bytesPerSecond, scale, type Bytes } from "../../../base/units.ts";
import {
  deviceMemory,
  largestBatch,
  capacityError,
  oneOf,
  shortagesOf,
  type MemoryMap,
  type Shortage,
} from "../../experiment/memory-map.ts";
import { onCpu, type PolicyBits } from "../model/cost.ts";
import { type LiaMachine, type MemoryRates } from "../../experiment/machines.ts";
import { layerOf, weightBytes, type Stage } from "../model/layer.ts";
import { parameterRate, type MemoryHome } from "../model/memory.ts";
import { optimum } from "./optimum.ts";
import {
  activationBytes,
  gpuMemoryBudget,
  layerCache,
  residentBytes,
  workingSet,
  type GpuMemoryBudget,
} from "./gpu-memory.ts";
import {
  residentKinds,
  residentLayers,
  runLia,
  type LiaJob,
  type LiaRun,
  type ResidentKinds,
} from "./run.ts";
import { allCpu, allGpu, attentionOnCpu, machineUnder, type LiaSystem } from "./systems.ts";

/** The memories of weights, and of caches, of layers that are not resident. */
export interface Homes {
  readonly weights: MemoryHome;
  readonly caches: MemoryHome;
}
const inDdr: Homes = { weights: "ddr", caches: "ddr" };

interface Policies {
  readonly prefill: PolicyBits;
  readonly decode: PolicyBits;
}

/** A reading of a host, in addition to its devices' rates. */
export interface HostReading {
  readonly rates: (machine: LiaMachine, system: LiaSystem) => LiaMachine;
  /** Share of the GPU's free memory that LIA fills with layers, and FlexGen with sublayers. */
  readonly room: (system: LiaSystem) => number;
  /** LIA's policies; by default the best ones by these rates. */
  readonly policies?: Policies;
  /** All in DDR when absent. */
  readonly homes?: Homes;
  /**
   * The paper's latency model (section 7, starred results) ignores the capacity of host memory, but
   * not that of the GPU. A user's plan includes the host's capacity.
   */
  readonly hostMemory?: "as large as needed";
  /**
   * Layers stay in GPU memory without their caches, which the paper's own share of 62 % implies
   * (section 5.2).
   */
  readonly residentCaches?: "left out";
  /** Share of a GPU's memory that layers never fill; `workingSet` when absent. */
  readonly freeShare?: number;
}

const asGiven: HostReading = { rates: (machine) => machine, room: () => 1 };

/** The run of a job under a system, with its memory. */
export interface SystemPlan {
  readonly run: LiaRun;
  readonly memory: MemoryMap;
  /** Devices that are too small. */
  readonly shortages: readonly Shortage[];
  /** Whole layers in GPU memory (LIA). */
  readonly resident: number;
  /** Sublayers (0 to 5) in GPU memory in every layer (FlexGen). */
  readonly residentSublayers: readonly number[];
  /** Parts into which the GPU splits a batch. */
  readonly miniBatches: number;
}

/** A job under one system, whether it fits or not. */
export function planSystem(
  system: LiaSystem,
  host: Host,
  job: LiaJob,
  reading: HostReading = asGiven,
): SystemPlan {
  const machine = ratesOf(system, host, reading);
  const stored = storedUnder(system, host, machine, job, reading);
  const { prefill, decode, resident, kinds, room, memory } = stored;
  const run = runLia(machine, job, {
    prefill,
    decode,
    resident,
    residentSublayers: kinds.kinds,
    overlap: system !== "IPEX",
  });
  const shortages = shortagesOf(memory);
  const miniBatches = system === "IPEX" ? 1 : room.miniBatches;
  return { run, memory, shortages, resident, residentSublayers: kinds.kinds, miniBatches };
}

/** The most sequences that fit; null where one does not. */
export function largestBatchOf(
  system: LiaSystem,
  host: Host,
  job: LiaJob,
  reading: HostReading = asGiven,
): number | null {
  const machine = ratesOf(system, host, reading);
  return largestBatch(
    (batch) => storedUnder(system, host, machine, { ...job, batch }, reading).memory,
  );
}

/**
 * A job under one system.
 * @throws NeardataError `bad-input` if a device is too small, with its shortage and the largest
 * batch
 */
export function runSystem(
  system: LiaSystem,
  host: Host,
  job: LiaJob,
  reading: HostReading = asGiven,
): LiaRun {
  const { run, shortages } = planSystem(system, host, job, reading);
  if (shortages.length === 0) return run;
  throw capacityError("batch", system, shortages, largestBatchOf(system, host, job, reading));
}

/** The host's rates under a system, with those of CXL memory for its contents. */
function ratesOf(system: LiaSystem, host: Host, { rates, homes = inDdr }: HostReading): LiaMachine {
  const machine = rates(machineUnder(system, host), system);
  const { cxl } = host;
  if (cxl === undefined) return machine;
  const behind: MemoryRates = {
    link: parameterRate(machine.pcie, cxl.rate, cxl.expanders),
    cpu: bytesPerSecond(cxl.rate * cxl.expanders),
  };
  return {
    ...machine,
    ...(homes.weights === "cxl" ? { parameters: behind } : {}),
    ...(homes.caches === "cxl" ? { caches: behind } : {}),
  };
}

function policiesOf(
  system: LiaSystem,
  machine: LiaMachine,
  job: LiaJob,
  given: Policies | undefined,
): Policies {
  switch (system) {
    case "LIA": {
      if (given !== undefined) return given;
      const { shape, batch, input, output } = job;
      const best = (stage: Stage, length: number): PolicyBits =>
        optimum(machine, layerOf(shape, { stage, batch, length }), "hidden").best.policy;
      return { prefill: best("prefill", input), decode: best("decode", input + output / 2) };
    }
    case "IPEX":
      return { prefill: allCpu, decode: allCpu };
    case "FlexGen":
      return { prefill: allGpu, decode: job.batch === 1 ? allGpu : attentionOnCpu };
  }
}

interface Stored extends Policies {
  readonly resident: number;
  readonly kinds: ResidentKinds;
  readonly room: GpuMemoryBudget;
  readonly memory: MemoryMap;
}

const noKinds: ResidentKinds = { kinds: [], bytes: bytes(0) };

/** Policies, the resident part on the GPU, and the memory map. */
function storedUnder(
  system: LiaSystem,
  host: Host,
  machine: LiaMachine,
  job: LiaJob,
  reading: HostReading,
): Stored {
  const policies = policiesOf(system, machine, job, reading.policies);
  const gpus = gpuCount(host);
  const { memory: whole } = host.gpu;
  const left = reading.freeShare === undefined ? workingSet : scale(whole, reading.freeShare);
  const room = gpuMemoryBudget(whole, job, policies.decode, gpus, left);
  const free = bytes(Math.floor(gpus * room.layers * reading.room(system)));
  const perLayer =
    reading.residentCaches === undefined ? residentBytes(job) : weightBytes(job.shape);
  const resident = system === "LIA" ? Math.min(job.layers, residentLayers(free, perLayer)) : 0;
  const kinds = system === "FlexGen" ? residentKinds(free, job.shape, job.layers) : noKinds;
  const memory = memoryOf(system, host, job, { ...policies, resident, kinds, room }, reading);
  return { ...policies, resident, kinds, room, memory };
}

function memoryOf(
  system: LiaSystem,
  host: Host,
  job: LiaJob,
  stored: Omit<Stored, "memory">,
  { homes = inDdr, hostMemory, residentCaches }: HostReading,
): MemoryMap {
  const { shape, layers, batch, input, output, embeddings = bytes(0) } = job;
  const { resident, kinds, room, prefill } = stored;
  const cached = (count: number): string =>
    `keys and values of ${count} layers, ${batch} sequences of ${input + output} tokens`;
  const gpus = gpuCount(host);
  const shareText = gpus === 1 ? "" : `1/${gpus} of the `;
  const gpu = deviceMemory(`${oneOf(gpus, "GPU")} (${host.gpu.title})`, host.gpu.memory, [
    [
      `${shareText}weights of ${resident} of ${layers} layers`,
      (resident * weightBytes(shape)) / gpus,
    ],
    [
      `${shareText}${cached(resident)}`,
      residentCaches === undefined ? (resident * layerCache(job)) / gpus : 0,
    ],
    [
      `${shareText}weights of sublayers ${kinds.kinds.map((i) => i + 1).join(", ")}`,
      (layers * kinds.bytes) / gpus,
    ],
    ["two buffers for the weights of a sublayer", room.buffers],
    [`activations of ${Math.ceil(batch / room.miniBatches)} sequences`, room.activations],
    ["working space: scores, framework", room.working],
  ]);
  const here = layers - resident;
  // The CPU has no mini-batches. If the GPU computes all sublayers, the host stores only hidden states.
  const onHost = [0, 1, 2, 3, 4, 5].some((i) => onCpu(prefill, i));
  const tokens = batch * input;
  const weights: MemoryUse = ["weights of all layers", layers * weightBytes(shape)];
  const caches: MemoryUse = [cached(here), here * layerCache(job)];
  const ddr = deviceMemory(
    `DDR of the CPU (${host.cpu.title})`,
    hostMemory === undefined ? host.cpu.memory : bytes(Infinity),
    [
      ...(homes.weights === "ddr" ? [weights] : []),
      ["embeddings and output matrix", embeddings],
      ...(homes.caches === "ddr" ? [caches] : []),
      onHost
        ? ["activations of the batch", activationBytes(shape, tokens)]
        : ["hidden states of the batch", 2 * tokens * shape.width],
    ],
  );
  const cxl = deviceMemory(
    host.cxl?.title ?? "CXL memory",
    host.cxl === undefined ? bytes(0) : totalOf(host.cxl),
    [...(homes.weights === "cxl" ? [weights] : []), ...(homes.caches === "cxl" ? [caches] : [])],
  );
  return [...(system === "IPEX" ? [] : [gpu]), ddr, ...(cxl.uses.length === 0 ? [] : [cxl])];
}

type MemoryUse = readonly [what: string, amount: number];

function totalOf({ capacity, expanders }: { capacity: Bytes; expanders: number }): Bytes {
  return scale(capacity, expanders);
}
