// SPDX-License-Identifier: Apache-2.0
// FlexGen's own policy for a plan: its linear program on the plan's host, the best block of all shapes, and the
// block's data in GPU memory, host memory and on disk. A batch that is larger than the block runs block by block.

import type { FlexGenLoad, FlexGenModel, Placement } from "../model/cost.ts";
import type { FlexGenMachine } from "../../experiment/machines.ts";
import { layerWeights } from "../model/cost.ts";
import { memoryRows } from "../model/memory.ts";
import { loadSolver, solveBlock, type LpSolver, type SearchProblem } from "../policy/search.ts";
import { deviceMemory, type DeviceMemory, type MemoryMap } from "../../experiment/memory-map.ts";
import type { Plan } from "../../plan/plan.ts";
import { withCapacityCheck, type Placed } from "../../experiment/planned.ts";
import { inputError } from "../../../base/errors.ts";
import { paretoFront } from "../../../base/pareto.ts";
import { embeddingBytes } from "../../../workload/shapes.ts";
import { bytes, seconds, type Bytes, type Seconds } from "../../../base/units.ts";
import { machineWith } from "../figures/own-device.ts";
import { devicesOf, plainDecoder } from "../../plan/devices.ts";

/** FlexGen's part of a plan: the placement in shares, and the block. */
export interface FlexGenRow extends Placed {
  readonly placement: Placement | null;
  readonly block: { readonly gpuBatch: number; readonly batches: number } | null;
  /** Number of blocks of the batch. */
  readonly blocks: number | null;
  /** Blocks of up to the whole batch that no other beats in latency and throughput (figure 1), by latency. */
  readonly frontier: readonly FrontierBlock[];
}

/** A block on the frontier of latency and throughput. */
export interface FrontierBlock {
  readonly gpuBatch: number;
  readonly batches: number;
  readonly placement: Placement;
  /** From the first prompt of the block to its last token. */
  readonly latency: Seconds;
  /** Generated tokens per second. */
  readonly throughput: number;
}

interface Block {
  readonly gpuBatch: number;
  readonly batches: number;
  readonly blocks: number;
  readonly placement: Placement;
  /** Seconds of one block, and of all blocks of the batch. */
  readonly latency: number;
  readonly time: number;
}

/**
 * The best of all blocks that end within `latency`.
 * @throws NeardataError `bad-input` for models of another kind, and where no block ends so soon
 */
export async function planFlexGen(
  plan: Plan,
  latency: Seconds | null = null,
): Promise<readonly FlexGenRow[]> {
  const { layers, hidden, heads } = plainDecoder(plan.file, plan.model, "FlexGen");
  const model: FlexGenModel = { layers, hidden, intermediate: 4 * hidden, heads };
  const solver = await loadSolver();
  const problem = problemOf(plan, model);
  const all = blocksOf(solver, problem, plan.batch);
  const best = bestBlock(all, latency);
  const fastest = Math.min(...all.map((block) => block.latency));
  if (best === null && latency !== null && all.length > 0) {
    const message = `no block of ${plan.model.title} ends within ${latency} s; the fastest takes ${Number(fastest.toPrecision(4))} s.`;
    throw inputError("--latency", message);
  }
  const frontier = frontierOf(all, plan.output);
  if (best === null) {
    const memory = closestMap(solver, problem, plan);
    const none = { latency: null, throughput: null, joulesPerToken: null };
    return [
      {
        ...withCapacityCheck("FlexGen", memory, null, none),
        placement: null,
        block: null,
        blocks: null,
        frontier,
      },
    ];
  }
  const { gpuBatch, batches, blocks, placement, time } = best;
  const load: FlexGenLoad = { prompt: plan.input, output: plan.output, gpuBatch, batches };
  const memory = mapOf(problem.machine, model, load, placement, plan);
  const outcome = {
    latency: seconds(time),
    throughput: (plan.batch * plan.output) / time,
    joulesPerToken: null,
  };
  return [
    {
      ...withCapacityCheck("FlexGen", memory, "any", outcome),
      placement,
      block: { gpuBatch, batches },
      blocks,
      frontier,
    },
  ];
}

/** The released cost model, without the disk of its instance where the plan has none. */
function problemOf(plan: Plan, model: FlexGenModel): SearchProblem {
  const given = machineWith(devicesOf(plan));
  const embeddings = embeddingBytes(plan.model);
  const machine: FlexGenMachine = {
    ...given,
    cpuMemory: bytes(Math.max(0, given.cpuMemory - embeddings)),
    ...(plan.storage === null ? { diskMemory: bytes(0) } : {}),
  };
  return {
    ...({ variant: "runtime", machine, model, relax: 1, noHiddenOnDisk: true } as const),
    prompt: plan.input,
    output: plan.output,
  };
}

/** Section 4.3: GPU batches are multiples of 4 (or one sequence), and a block has fewer than 20 of them. */
const maxBatches = 19;

function shapesFor(batch: number): readonly (readonly [gpuBatch: number, batches: number])[] {
  const gpuBatches = [1, 4, 8, 12, 16, 24, 32, 48, 64, 96].filter((size) => size <= batch);
  const counts = [1, 2, 4, 8, 12, 16, maxBatches];
  return gpuBatches.flatMap((size) => {
    const whole = Math.ceil(batch / size);
    const wanted = counts.filter((n) => n <= whole);
    const all = whole <= maxBatches && !wanted.includes(whole) ? [...wanted, whole] : wanted;
    return all.map((n) => [size, n] as const);
  });
}

/** Every block shape that fits, each with its best placement. */
function blocksOf(solver: LpSolver, problem: SearchProblem, batch: number): readonly Block[] {
  return shapesFor(batch).flatMap(([gpuBatch, batches]): Block[] => {
    const solved = solveBlock(solver, problem, gpuBatch, batches);
    if (solved === null) return [];
    const blocks = Math.ceil(batch / (gpuBatch * batches));
    const latency = solved.objective * gpuBatch * batches;
    const { placement } = solved;
    return [{ gpuBatch, batches, blocks, placement, latency, time: latency * blocks }];
  });
}

/** The fastest for the whole batch. The placement of least time is also that of most throughput for its block. */
function bestBlock(all: readonly Block[], bound: Seconds | null): Block | null {
  return all
    .filter(({ latency }) => latency <= (bound ?? Infinity))
    .reduce<Block | null>(
      (best, one) => (best === null || one.time < best.time ? one : best),
      null,
    );
}

function frontierOf(all: readonly Block[], output: number): readonly FrontierBlock[] {
  const frontierBlocks = all.map(({ gpuBatch, batches, placement, latency }): FrontierBlock => {
    const throughput = (gpuBatch * batches * output) / latency;
    return { gpuBatch, batches, placement, latency: seconds(latency), throughput };
  });
  return paretoFront(frontierBlocks.map(({ latency, throughput }) => [latency, -throughput]))
    .flatMap((i) => frontierBlocks[i] ?? [])
    .toSorted((a, b) => a.latency - b.latency);
}

/**
 * The memory of one sequence: a GPU that just fits its working sets, and host memory that just fits
 * the rest.
 */
function closestMap(solver: LpSolver, problem: SearchProblem, plan: Plan): MemoryMap {
  const { machine } = problem;
  const solvedWith = (sizes: Partial<FlexGenMachine>): Placement | null =>
    solveBlock(solver, { ...problem, machine: { ...machine, ...sizes } }, 1, 1)?.placement ?? null;
  const least = (key: "gpuMemory" | "cpuMemory", others: Partial<FlexGenMachine>): Bytes => {
    const fits = (size: number): boolean => solvedWith({ ...others, [key]: bytes(size) }) !== null;
    if (fits(machine[key])) return machine[key];
    let [low, high] = [machine[key], Math.max(1e9, 2 * machine[key])];
    while (!fits(high) && high < enough) [low, high] = [bytes(high), 2 * high];
    for (let i = 0; i < 24; i += 1) {
      const middle = bytes((low + high) / 2);
      if (fits(middle)) high = middle;
      else low = middle;
    }
    return bytes(high);
  };
  const gpuMemory = least("gpuMemory", { cpuMemory: bytes(enough) });
  const cpuMemory = least("cpuMemory", { gpuMemory });
  const placement = solvedWith({ gpuMemory, cpuMemory }) ?? onGpu;
  const load = { prompt: plan.input, output: plan.output, gpuBatch: 1, batches: 1 };
  return mapOf(machine, problem.model, load, placement, plan);
}
/** More than any plan needs. */
const enough = 1e18;
const onGpu: Placement = { wg: 1, wc: 0, wn: 0, cg: 1, cc: 0, cn: 0, hg: 1, hc: 0, hn: 0 };

/** Rounding that a placement at the edge of a capacity may show. */
const capacitySlack = 1e-9;

/** The contents of each tier, and the working sets of its worse phase. */
function mapOf(
  machine: FlexGenMachine,
  model: FlexGenModel,
  load: FlexGenLoad,
  at: Placement,
  plan: Plan,
): MemoryMap {
  const rows = memoryRows("runtime", model, load, at);
  const sequences = load.gpuBatch * load.batches;
  const weights = model.layers * layerWeights(model);
  const cache = 4 * (load.prompt + load.output) * model.hidden * sequences * model.layers;
  const tierOf = (
    name: "gpu" | "cpu" | "disk",
    title: string,
    capacity: number,
    shares: readonly [weights: number, cache: number],
    extra: readonly (readonly [string, number])[] = [],
  ): DeviceMemory => {
    const peak = Math.max(...rows.filter(({ tier }) => tier === name).map((row) => row.bytes));
    const slack = 1 - capacitySlack;
    const [w, c] = [shares[0] * weights * slack, shares[1] * cache * slack];
    const rest = Math.max(0, peak * slack - w - c);
    return deviceMemory(title, bytes(capacity), [
      [`weights, ${percent(shares[0])} of ${model.layers} layers`, Math.floor(w)],
      [`keys and values, ${percent(shares[1])} of ${sequences} sequences`, Math.floor(c)],
      ["hidden states, buffers and working sets at the peak", Math.floor(rest)],
      ...extra,
    ]);
  };
  const embeddings = embeddingBytes(plan.model);
  const { host, storage } = plan;
  return [
    tierOf("gpu", `GPU (${host.gpu.title})`, machine.gpuMemory, [at.wg, at.cg]),
    tierOf(
      "cpu",
      `DDR of the CPU (${host.cpu.title})`,
      host.cpu.memory,
      [at.wc, at.cc],
      [["embeddings and output matrix", embeddings]],
    ),
    ...(storage === null
      ? []
      : [
          tierOf(
            "disk",
            `storage (${storage.devices} ${storage.devices === 1 ? "device" : "devices"})`,
            machine.diskMemory,
            [at.wn, at.cn],
          ),
        ]),
  ];
}

function percent(share: number): string {
  return `${Number((100 * share).toPrecision(4))} %`;
}
