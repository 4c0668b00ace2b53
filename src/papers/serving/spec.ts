// SPDX-License-Identifier: Apache-2.0
// A serving file: a model, pools of servers, requests and objectives, for LLMShare's serving simulator.

import { z } from "zod";
import { dataRate, duration, size } from "../../base/quantity.ts";
import { parsedFile } from "../../base/issues.ts";
import { inFile, NeardataError, type Issue } from "../../base/errors.ts";
import { largestSeed } from "../../base/limits.ts";
import { effective, type Processor } from "../../machine/host/devices.ts";
import { findDevice, type ReadText } from "../../machine/host/reference.ts";
import { modelShape, type ModelShape } from "../../workload/shapes.ts";
import {
  bytes,
  bytesPerSecond,
  type Bytes,
  type BytesPerSecond,
  type Seconds,
} from "../../base/units.ts";
import { defaultAssumptions } from "../llmshare/model/device.ts";
import { canServe } from "../llmshare/model/iteration.ts";
import type { Pool } from "../llmshare/model/space.ts";

const whole = (most: number): z.ZodInt => z.int().min(1).max(most);

const designSchema = z.strictObject({
  links: whole(1024).meta({
    meaning: "number of links of a device; each link has 25 GB/s per direction",
    example: 18,
  }),
  memory: size.meta({ meaning: "main memory of a device", example: "80 GB" }),
  globalBuffer: size.meta({ meaning: "buffer that all cores share", example: "50 MiB" }),
  cores: whole(65_536).meta({ meaning: "cores of a device", example: 132 }),
  localBuffer: size.meta({ meaning: "buffer of a core", example: "256 KiB" }),
  lanes: whole(1024).meta({ meaning: "lanes of a core", example: 4 }),
  array: whole(4096).meta({ meaning: "rows and columns of a lane's systolic array", example: 16 }),
  vector: whole(4096).meta({ meaning: "width of a lane's vector unit", example: 32 }),
});

const poolSchema = z.strictObject({
  servers: whole(1000).meta({ meaning: "number of servers of the pool", example: 2 }),
  devices: whole(1024).meta({
    meaning: "number of devices of a server; all of them share the work of every layer",
    example: 4,
  }),
  gpu: z.unknown().optional().meta({
    meaning: "name of a built-in GPU, path of a device file, or the keys of a device file",
    otherwise: "none: `design` describes the device",
    example: "h100-80",
  }),
  link: dataRate.optional().meta({
    meaning: "rate from a GPU to all others of its server, in one direction",
    otherwise: "the link of the GPU's device file",
    example: "450 GB/s",
  }),
  price: z.number().positive().max(1e9).optional().meta({
    meaning: "price of one GPU in US dollars",
    otherwise: "the cost of the pool is not stated",
    example: 25_000,
  }),
  design: designSchema.optional().meta({
    meaning: "a device of LLMShare's design space, whose cost follows from its area",
    otherwise: "`gpu` names the device",
  }),
});

const requestsSchema = z.strictObject({
  trace: z.string().optional().meta({
    meaning: "a recorded trace (Azure, Mooncake or BurstGPT), relative to this file",
    otherwise: "requests are generated",
    example: "requests.csv",
  }),
  count: whole(100_000).optional().meta({
    meaning: "number of requests",
    otherwise: "generated: 1000; of a trace: all requests, at most 100,000",
    example: 500,
  }),
  rate: z
    .union([z.number().positive().max(1e6), z.literal("waiting")])
    .optional()
    .meta({
      meaning: "mean arrivals per second, or `waiting`: all requests wait at the beginning",
      otherwise: "from the trace; generated requests need a rate",
      example: 4,
    }),
  prompt: whole(1_000_000).optional().meta({
    meaning: "tokens of every generated prompt",
    otherwise: "sampled from the lengths of conversations",
    example: 1024,
  }),
  output: whole(1_000_000).optional().meta({
    meaning: "tokens of every generated output",
    otherwise: "sampled from the lengths of conversations",
    example: 128,
  }),
  seed: z
    .int()
    .min(0)
    .max(largestSeed)
    .optional()
    .meta({ meaning: "seed of generated requests", otherwise: "1", example: 1 }),
});

const objectivesSchema = z.strictObject({
  firstToken: duration.optional().meta({
    meaning: "maximum time from the arrival of a request to its first token",
    otherwise: "no limit",
    example: "2 s",
  }),
  betweenTokens: duration.optional().meta({
    meaning: "maximum of the mean time between two tokens of a request",
    otherwise: "no limit",
    example: "100 ms",
  }),
  share: z.number().gt(0).max(1).optional().meta({
    meaning:
      "the command searches for the highest request rate at which this share of the requests meets both objectives",
    otherwise: "the highest rate is not searched",
    example: 0.9,
  }),
});

const modelSchema = z.strictObject({
  layers: whole(1000).meta({ meaning: "number of layers", example: 80 }),
  hidden: whole(1_000_000).meta({ meaning: "width of the hidden state", example: 8192 }),
  heads: whole(10_000).meta({ meaning: "number of query heads", example: 64 }),
  kvHeads: whole(10_000).optional().meta({
    meaning: "number of heads of keys and values",
    otherwise: "as many as query heads",
    example: 8,
  }),
  headDim: whole(10_000).optional().meta({
    meaning: "width of a head",
    otherwise: "`hidden` divided by `heads`",
    example: 128,
  }),
  intermediate: whole(10_000_000).meta({
    meaning: "width of the feed-forward part",
    example: 28_672,
  }),
  gated: z.boolean().default(true).meta({
    meaning:
      "`true`: the feed-forward part has three matrices, with a gate (SwiGLU); `false`: two matrices",
    otherwise: "true",
    example: true,
  }),
});

/** The schema of serving files. */
export const servingSchema = z.strictObject({
  model: z.union([z.string(), modelSchema]).meta({
    meaning: "name of a model, or the keys of its shape",
    example: "llama2-70b",
  }),
  prefill: poolSchema.optional().meta({
    meaning: "servers for prompts",
    otherwise: "the servers of `decode` also compute the prompts",
  }),
  decode: poolSchema.meta({ meaning: "servers for generated tokens" }),
  network: dataRate.default(bytesPerSecond(50e9)).meta({
    meaning: "rate from a device to the other pool",
    otherwise: "50 GB/s (a port of 400 Gb/s, DGX H100)",
    example: "50 GB/s",
  }),
  batchTokens: whole(1_000_000).default(2048).meta({
    meaning: "maximum of prompt tokens in a batch",
    otherwise: "2048 (Splitwise)",
    example: 2048,
  }),
  helpers: z.boolean().default(true).meta({
    meaning: "whether servers help the other pool when its queue is long",
    otherwise: "true (Splitwise)",
    example: true,
  }),
  launches: duration.default(defaultAssumptions.launches).meta({
    meaning: "time to launch all kernels of a layer",
    otherwise: "315 us (LLMCompass, measured on an A100)",
    example: "30 us",
  }),
  linkLatency: duration.default(defaultAssumptions.linkLatency).meta({
    meaning: "latency of a message between two devices of a server",
    otherwise: "8.92 us (LLMCompass, NVLink 3)",
    example: "5 us",
  }),
  requests: requestsSchema.meta({ meaning: "requests to the pools" }),
  objectives: objectivesSchema.optional().meta({
    meaning: "service-level objectives",
    otherwise: "no goodput is stated",
  }),
});

/** A device of a pool: one with known rates, or one of LLMShare's design space. */
export type PoolDevice =
  | {
      readonly kind: "gpu";
      readonly processor: Processor;
      readonly link: BytesPerSecond;
      readonly price: number | null;
    }
  | { readonly kind: "design"; readonly pool: Pool };

export interface ServingPool {
  readonly servers: number;
  readonly devices: number;
  readonly device: PoolDevice;
}

/** Service-level objectives; null is not a limit. */
export interface Objectives {
  readonly firstToken: Seconds | null;
  readonly betweenTokens: Seconds | null;
  /** Null: the highest rate is not searched. */
  readonly share: number | null;
}

/** A serving file whose names were followed. */
export interface ServingSpec {
  readonly file: string;
  readonly model: ModelShape;
  /** Null: the servers of `decode` also compute the prompts. */
  readonly prefill: ServingPool | null;
  readonly decode: ServingPool;
  readonly network: BytesPerSecond;
  readonly batchTokens: number;
  readonly helpers: boolean;
  readonly launches: Seconds;
  readonly linkLatency: Seconds;
  readonly requests: z.output<typeof requestsSchema>;
  readonly objectives: Objectives | null;
}

/**
 * The content of a serving file; `read` returns the text of device files that it names.
 * @throws NeardataError `bad-input` with every problem.
 */
export function servingOf(file: string, content: unknown, read: ReadText): ServingSpec {
  const given = parsedFile(file, content, servingSchema);
  const issues: Issue[] = [];
  const valueOrNull = <T>(make: () => T): T | null => {
    try {
      return make();
    } catch (error) {
      if (!(error instanceof NeardataError) || error.code !== "bad-input") throw error;
      issues.push(...error.issues);
      return null;
    }
  };
  const model = valueOrNull(() => modelOf(given.model));
  const prefill =
    given.prefill === undefined
      ? undefined
      : valueOrNull(() => poolOf("prefill", given.prefill, read));
  const decode = valueOrNull(() => poolOf("decode", given.decode, read));
  issues.push(...requestIssues(given.requests));
  const { objectives } = given;
  const unlimited = objectives?.firstToken === undefined && objectives?.betweenTokens === undefined;
  if (objectives !== undefined && unlimited) {
    const message = "an objective needs firstToken, betweenTokens or both.";
    issues.push({ where: "objectives", message });
  }
  if (issues.length > 0 || model === null || decode === null || prefill === null) {
    throw inFile(file, issues);
  }
  const { network, batchTokens, helpers, launches, linkLatency, requests } = given;
  const settings = { network, batchTokens, helpers, launches, linkLatency, requests };
  return {
    file,
    model,
    decode,
    prefill: prefill ?? null,
    ...settings,
    objectives:
      objectives === undefined
        ? null
        : {
            firstToken: objectives.firstToken ?? null,
            betweenTokens: objectives.betweenTokens ?? null,
            share: objectives.share ?? null,
          },
  };
}

type GivenPool = z.output<typeof poolSchema>;

function poolOf(where: string, given: GivenPool | undefined, read: ReadText): ServingPool {
  if (given === undefined) throw new NeardataError("misuse", "a pool");
  const { servers, devices, gpu, link, price, design } = given;
  const issue = (key: string, message: string): Issue => ({ where: `${where}.${key}`, message });
  if ((gpu === undefined) === (design === undefined)) {
    const message = "a pool has either a gpu or a design.";
    throw new NeardataError("bad-input", [{ where, message }]);
  }
  if (design !== undefined) {
    const unread = (["link", "price"] as const).filter((key) => given[key] !== undefined);
    if (unread.length > 0) {
      const message = "a design has its own links and its own cost.";
      throw new NeardataError(
        "bad-input",
        unread.map((key) => issue(key, message)),
      );
    }
    return { servers, devices, device: { kind: "design", pool: designed(given, design) } };
  }
  const device = findDevice(`${where}.gpu`, "gpu", gpu, read);
  if (!device.ok) throw new NeardataError("bad-input", device.issues);
  const { processor, link: measured } = device.value;
  const rate = link ?? (measured === null ? null : bytesPerSecond(effective(measured.rate)));
  if (rate === null && devices > 1) {
    const message = `this is missing; the ${devices} GPUs of a server exchange sums, and the GPU has no measured link.`;
    throw new NeardataError("bad-input", [issue("link", message)]);
  }
  return {
    servers,
    devices,
    // A single GPU sends no sums.
    device: {
      kind: "gpu",
      processor,
      link: rate ?? bytesPerSecond(1),
      price: price ?? null,
    },
  };
}

/** The parameters in the units of LLMShare's table: GB, MiB and KiB. */
function designed({ servers, devices }: GivenPool, design: NonNullable<GivenPool["design"]>): Pool {
  const { links, memory, globalBuffer, cores, localBuffer, lanes, array, vector } = design;
  const sizes = { mm: memory / 1e9, gb: globalBuffer / 2 ** 20, lb: localBuffer / 2 ** 10 };
  return { sc: servers, dc: devices, links, ...sizes, cc: cores, lanes, ah: array, vw: vector };
}

function modelOf(given: string | z.output<typeof modelSchema>): ModelShape {
  const bad = (where: string, message: string): Error =>
    new NeardataError("bad-input", [{ where, message }]);
  if (typeof given === "string") {
    const shape = modelShape(given, "model");
    if (canServe(shape)) return shape;
    throw bad(
      "model",
      `${shape.title} has routed experts or latent attention, which the serving model does not have.`,
    );
  }
  const { layers, hidden, heads, kvHeads = heads, headDim, intermediate, gated } = given;
  if (heads % kvHeads !== 0) {
    throw bad(
      "model.kvHeads",
      `${kvHeads} is not a divisor of ${heads}, the number of query heads.`,
    );
  }
  const width = headDim ?? hidden / heads;
  if (!Number.isInteger(width)) {
    throw bad("model.headDim", `this is missing; ${hidden} is not a multiple of ${heads} heads.`);
  }
  return {
    name: "own",
    title: "the file's model",
    layers,
    hidden,
    attention: { kind: "heads", heads, kvHeads, headDim: width },
    dense: { intermediate, matrices: gated ? 3 : 2 },
    experts: null,
  };
}

function requestIssues({ trace, ...rest }: z.output<typeof requestsSchema>): readonly Issue[] {
  const at = (key: string, message: string): Issue => ({ where: `requests.${key}`, message });
  if (trace === undefined) {
    return rest.rate === undefined
      ? [at("rate", "this is missing; generated requests need a rate, or `waiting`.")]
      : [];
  }
  return (["prompt", "output", "seed"] as const)
    .filter((key) => rest[key] !== undefined)
    .map((key) => at(key, "requests of a trace are not generated."));
}

/** Memory of one device. */
export function memoryOf({ device }: ServingPool): Bytes {
  return device.kind === "gpu" ? device.processor.memory : bytes(Math.round(device.pool.mm * 1e9));
}
