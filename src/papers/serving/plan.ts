// SPDX-License-Identifier: Apache-2.0
// LLMShare's pools for a plan: the GPUs of the host split into prefill and decode servers. Every split is simulated with
// all prompts waiting, and the fastest one is the plan; the fastest without a prefill pool is beside it.

import { present } from "../../base/present.ts";
import { inFile, NeardataError } from "../../base/errors.ts";
import { bytesPerSecond, seconds, type Seconds } from "../../base/units.ts";
import { embeddingBytes, sharedWeightBytes } from "../../workload/shapes.ts";
import {
  deviceMemory,
  oneOf,
  type DeviceMemory,
  type MemoryMap,
} from "../experiment/memory-map.ts";
import { gpuCount } from "../experiment/machines.ts";
import { withCapacityCheck, type Placed } from "../experiment/planned.ts";
import { defaultAssumptions } from "../llmshare/model/device.ts";
import { canServe, storedPerToken } from "../llmshare/model/iteration.ts";
import { simulateFile } from "./serve.ts";
import type { ServingPool, ServingSpec } from "./spec.ts";
import { noSuchModel } from "../plan/devices.ts";
import type { Plan } from "../plan/plan.ts";

/** LLMShare's part of a plan. */
export interface LlmShareRow extends Placed {
  /** GPUs of a server, and servers of both pools; null where no split fits. */
  readonly devices: number | null;
  readonly prefillServers: number | null;
  readonly decodeServers: number | null;
  /** From the beginning: half of the prompts, and all of them, have their first token. */
  readonly firstToken: { readonly p50: Seconds; readonly p99: Seconds } | null;
}

/** A split of GPUs into servers of `devices`; without prefill servers the decode servers do all. */
interface Split {
  readonly devices: number;
  readonly prefill: number;
  readonly decode: number;
}

/** Prompts of a plan, which are simulated one by one. */
const maxPrompts = 10_000;
/** Prompt tokens of a batch (Splitwise). */
const batchTokens = 2048;

/** Both kinds of pools. @throws NeardataError `bad-input` for a model with experts, and for larger batches. */
export function planLlmShare(plan: Plan): readonly LlmShareRow[] {
  const { file, model, batch, host } = plan;
  if (!canServe(model)) {
    const why = "the serving model has no routed experts and no latent attention.";
    throw noSuchModel(file, model, why);
  }
  if (batch > maxPrompts) {
    const message = `${batch} prompts are more than the ${maxPrompts} that LLMShare's simulator is given.`;
    throw inFile(file, [{ where: "batch", message }]);
  }
  const splits = splitsOf(gpuCount(host));
  const two = splits.filter(({ prefill }) => prefill > 0);
  return [
    ...(two.length === 0 ? [] : [rowOf("LLMShare", plan, two)]),
    rowOf(
      "one pool",
      plan,
      splits.filter(({ prefill }) => prefill === 0),
    ),
  ];
}

function splitsOf(gpus: number): readonly Split[] {
  const sizes = Array.from({ length: gpus }, (_, i) => i + 1).filter((d) => gpus % d === 0);
  return sizes.flatMap((devices) =>
    Array.from({ length: gpus / devices }, (_, prefill) => ({
      devices,
      prefill,
      decode: gpus / devices - prefill,
    })),
  );
}

interface Simulated {
  readonly split: Split;
  readonly time: number;
  readonly firstToken: { readonly p50: Seconds; readonly p99: Seconds };
}

function rowOf(system: string, plan: Plan, splits: readonly Split[]): LlmShareRow {
  const tried = splits.flatMap((split) => simulated(plan, split) ?? []);
  const best = tried.reduce<Simulated | null>(
    (fastest, one) => (fastest === null || one.time < fastest.time ? one : fastest),
    null,
  );
  const { batch, output } = plan;
  // If none fits, the one with the largest servers is nearest.
  const largest = splits.reduce((a, b) => (b.devices > a.devices ? b : a));
  const memory = mapOf(plan, best?.split ?? largest);
  const row = withCapacityCheck(system, memory, best === null ? null : "any", {
    latency: best === null ? null : seconds(best.time),
    throughput: best === null ? null : (batch * output) / best.time,
    joulesPerToken: null,
  });
  const { devices, prefill, decode } = best?.split ?? {
    devices: null,
    prefill: null,
    decode: null,
  };
  return {
    ...row,
    devices,
    prefillServers: prefill,
    decodeServers: decode,
    firstToken: best?.firstToken ?? null,
  };
}

/** The prompts on one split; null where the model or a prompt does not fit. */
function simulated(plan: Plan, split: Split): Simulated | null {
  const { batch, input, output } = plan;
  const requests = Array.from({ length: batch }, () => ({ arrival: 0, prompt: input, output }));
  try {
    const { numbers } = simulateFile(specOf(plan, split), requests);
    const of = (id: string): number => present(numbers.find((one) => one.id === id)?.value);
    const firstToken = { p50: seconds(of("firstTokenP50")), p99: seconds(of("firstTokenP99")) };
    return { split, time: of("servingTime"), firstToken };
  } catch (error) {
    if (error instanceof NeardataError && error.code === "bad-input") return null;
    throw error;
  }
}

function specOf({ file, model, host }: Plan, { devices, prefill, decode }: Split): ServingSpec {
  const device = {
    kind: "gpu",
    processor: host.gpu,
    link: host.group?.link ?? bytesPerSecond(1),
    price: null,
  } as const;
  const pool = (servers: number): ServingPool => ({ servers, devices, device });
  const { launches, linkLatency } = defaultAssumptions;
  return {
    file,
    model,
    prefill: prefill === 0 ? null : pool(prefill),
    decode: pool(decode),
    network: bytesPerSecond(50e9),
    batchTokens,
    helpers: true,
    launches,
    linkLatency,
    requests: { rate: "waiting" },
    objectives: null,
  };
}

/** One GPU of each pool: its part of the weights, and of the keys and values that its server has at once. */
function mapOf(plan: Plan, { devices, prefill, decode }: Split): MemoryMap {
  const { model, host, batch, input, output } = plan;
  const [weights, embeddings] = [sharedWeightBytes(model), embeddingBytes(model)];
  const capacity = host.gpu.memory;
  const token = storedPerToken(model, devices) / devices;
  const free = capacity - Math.ceil(weights / devices) - Math.ceil(embeddings / devices);
  const of = (name: string, servers: number, wanted: number, length: number): DeviceMemory => {
    const fit = Math.floor(Math.max(0, free) / (token * length));
    const sequences = Math.max(1, Math.min(fit, Math.ceil(batch / servers), wanted));
    const title = `${oneOf(servers * devices, "GPU")} of ${name} (${host.gpu.title})`;
    return deviceMemory(title, capacity, [
      [`1/${devices} of the weights`, weights / devices],
      [`1/${devices} of embeddings and output matrix`, embeddings / devices],
      [
        `1/${devices} of keys and values, ${sequences} sequences of ${length} tokens`,
        Math.floor(sequences * token * length),
      ],
    ]);
  };
  const prompts = Math.max(1, Math.floor(batchTokens / input));
  return [
    ...(prefill === 0 ? [] : [of("prefill", prefill, prompts, input)]),
    of("decode", decode, Infinity, input + output),
  ];
}
