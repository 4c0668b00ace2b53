// SPDX-License-Identifier: Apache-2.0
// A serving file on LLMShare's simulator: latencies, throughput, goodput, cost, and the memory map of both pools.

import { counted } from "../../base/format-value.ts";
import { inFile, type Issue } from "../../base/errors.ts";
import { bytes, seconds, type Seconds } from "../../base/units.ts";
import type { Check, Source } from "../../results/metric.ts";
import { effective } from "../../machine/host/devices.ts";
import type { RequestTrace } from "../../workload/request-trace.ts";
import { embeddingBytes, sharedWeightBytes } from "../../workload/shapes.ts";
import {
  deviceMemory,
  oneOf,
  shortagesOf,
  shortageText,
  sizeText,
  type DeviceMemory,
} from "../experiment/memory-map.ts";
import { serveRequests, type ClusterPool, type Served } from "../llmshare/model/cluster.ts";
import { poolCost } from "../llmshare/model/cost.ts";
import { serverOf, defaultAssumptions } from "../llmshare/model/device.ts";
import { gapPercentile } from "../llmshare/model/gaps.ts";
import { serve, type ServedModel } from "../llmshare/model/iteration.ts";
import { serveByRates } from "../llmshare/model/rates.ts";
import {
  allWaiting,
  conversationLengths,
  drawRequests,
  type Request,
} from "../llmshare/model/requests.ts";
import { percentiles } from "../llmshare/model/simulate.ts";
import { memoryOf, type Objectives, type ServingPool, type ServingSpec } from "./spec.ts";

/** A number of a result. Times of the simulation are `measured`; prices and counts are `derived`. */
export interface ServingNumber {
  readonly id: string;
  readonly title: string;
  readonly value: number;
  readonly unit: string;
  readonly source: Source;
}

/** A pool with the memory of one of its devices. */
export interface ServedPool {
  readonly pool: "prefill" | "decode";
  readonly servers: number;
  readonly devices: number;
  readonly device: string;
  /** Tokens whose keys and values fit on a server. */
  readonly tokens: number;
  readonly memory: DeviceMemory;
}

export interface ServingOutcome {
  readonly requests: number;
  readonly pools: readonly ServedPool[];
  readonly numbers: readonly ServingNumber[];
  readonly checks: readonly Check[];
  /** Remarks for a reader of the numbers. */
  readonly notes: readonly string[];
}

/** Requests of a file that names no trace. */
const defaultCount = 1000;

/** The requests of a serving file; `trace` is the trace that it names, if any. */
export function requestsOf(
  { requests }: ServingSpec,
  trace: RequestTrace | null,
): readonly Request[] {
  const { rate, prompt, output, seed = 1 } = requests;
  if (trace !== null) {
    const { count = trace.requests.length } = requests;
    const recorded = trace.requests
      .slice(0, count)
      .map(({ arrival, prompt: length, generated }) => ({
        arrival,
        prompt: length,
        output: generated,
      }));
    if (rate === undefined) return recorded;
    return rate === "waiting" ? allWaiting(recorded) : atRate(recorded, rate);
  }
  const usual = conversationLengths();
  const lengths = {
    prompts: prompt === undefined ? usual.prompts : [prompt],
    outputs: output === undefined ? usual.outputs : [output],
  };
  const { count = defaultCount } = requests;
  const waiting = rate === "waiting" || rate === undefined;
  const drawn = drawRequests(lengths, count, waiting ? 1 : rate, seed);
  return waiting ? allWaiting(drawn) : drawn;
}

/** The same requests at a mean rate per second: all intervals change by one factor. */
function atRate(requests: readonly Request[], rate: number): readonly Request[] {
  const last = requests.at(-1)?.arrival ?? 0;
  return last === 0 ? requests : paced(requests, (rate * last) / requests.length);
}

function paced(requests: readonly Request[], pace: number): readonly Request[] {
  return requests.map((request) => ({ ...request, arrival: request.arrival / pace }));
}

/** Both pools with the model on them. */
interface Cluster {
  readonly prefill: ClusterPool;
  readonly decode: ClusterPool;
  readonly pools: readonly ServedPool[];
}

/**
 * Serves the requests.
 * @throws NeardataError `bad-input` where the model or the longest request does not fit, with every such pool
 */
export function simulateFile(spec: ServingSpec, requests: readonly Request[]): ServingOutcome {
  const cluster = clusterOf(spec, requests);
  const run = (given: readonly Request[]): Served => servedOn(cluster, spec, given);
  const served = run(requests);
  const numbers = [
    ...loadNumbers(requests, served),
    ...latencyNumbers(served),
    ...costNumbers(spec),
    ...objectiveNumbers(spec, requests, served, run),
  ];
  return {
    requests: requests.length,
    pools: cluster.pools,
    numbers,
    checks: checksOf(requests, served),
    notes: notesOf(spec),
  };
}

function servedOn(
  { prefill, decode }: Cluster,
  { helpers, batchTokens }: ServingSpec,
  requests: readonly Request[],
): Served {
  const served = serveRequests(prefill, decode, requests, helpers, batchTokens);
  if (served === null) throw new RangeError("a request that was checked does not fit.");
  return served;
}

function clusterOf(spec: ServingSpec, requests: readonly Request[]): Cluster {
  const { file, prefill, decode } = spec;
  const issues: Issue[] = [];
  const placedOn = (name: ServedPool["pool"], pool: ServingPool): ClusterPool & ServedPool => {
    const model = modelOn(spec, pool);
    const memory = mapOf(name, spec, pool);
    const tokens = model === null ? 0 : Math.floor(model.room / model.cacheBytes);
    const shortages = shortagesOf([memory]);
    for (const shortage of shortages) issues.push({ where: name, message: shortageText(shortage) });
    const large = requests.findIndex((one) => one.prompt + one.output > tokens);
    const { prompt = 0, output = 0 } = requests[large] ?? {};
    if (shortages.length === 0 && large >= 0) {
      const message =
        `a server stores keys and values of ${tokens} tokens, and request ${large + 1} needs ` +
        `${prompt + output} (prompt ${prompt}, output ${output}).`;
      issues.push({ where: name, message });
    }
    const { servers, devices } = pool;
    return {
      pool: name,
      servers,
      devices,
      device: titleOf(pool),
      tokens,
      memory,
      model: model ?? nothing,
      networkRate: spec.network * devices,
    };
  };
  const decoding = placedOn("decode", decode);
  const prompting = prefill === null ? null : placedOn("prefill", prefill);
  if (issues.length > 0) throw inFile(file, issues);
  const pools = (prompting === null ? [decoding] : [prompting, decoding]).map(
    ({ model: _, networkRate: __, ...shown }): ServedPool => shown,
  );
  return { decode: decoding, prefill: prompting ?? { ...decoding, servers: 0 }, pools };
}

/** Placeholder for a model that does not fit, until the error is reported. */
const nothing: ServedModel = {
  room: bytes(0),
  cacheBytes: bytes(1),
  layers: 1,
  linear: () => seconds(0),
  promptAttention: () => seconds(0),
  attentionPerToken: seconds(0),
};

function modelOn(spec: ServingSpec, { devices, device }: ServingPool): ServedModel | null {
  const { model, launches, linkLatency } = spec;
  const reserved = embeddingBytes(model);
  if (device.kind === "design") {
    const server = serverOf(device.pool, { ...defaultAssumptions, launches, linkLatency });
    return serve(server, model, reserved);
  }
  const { compute, bandwidth, memory } = device.processor;
  const rates = { compute: effective(compute), bandwidth: effective(bandwidth) };
  const server = { devices, ...rates, memory, link: device.link };
  return serveByRates(server, model, { launches, linkLatency }, reserved);
}

function titleOf({ device }: ServingPool): string {
  return device.kind === "gpu" ? device.processor.title : "designed device";
}

/** One device of a pool: weights and embeddings are split over all devices of its server. */
function mapOf(name: string, { model }: ServingSpec, pool: ServingPool): DeviceMemory {
  const { servers, devices } = pool;
  const capacity = memoryOf(pool);
  const perDevice = (amount: number): number => amount / devices;
  const [weights, embeddings] = [
    perDevice(sharedWeightBytes(model)),
    perDevice(embeddingBytes(model)),
  ];
  const left = capacity - Math.ceil(weights) - Math.ceil(embeddings);
  const title = `${oneOf(servers * devices, "device")} of ${name} (${titleOf(pool)})`;
  return deviceMemory(title, capacity, [
    [`weights, 1/${devices} of the model`, weights],
    [`embeddings and output matrix, 1/${devices}`, embeddings],
    ["keys and values of running requests, all that is left", left],
  ]);
}

const of = (
  id: string,
  title: string,
  value: number,
  unit: string,
  source: Source = "measured",
): ServingNumber => ({ id, title, value, unit, source });

function loadNumbers(
  requests: readonly Request[],
  { servingTime, tokens, helped }: Served,
): readonly ServingNumber[] {
  const last = requests.reduce((most, { arrival }) => Math.max(most, arrival), 0);
  const first = requests.reduce((least, { arrival }) => Math.min(least, arrival), Infinity);
  const span = last - first;
  return [
    of("requests", "requests", requests.length, "requests", "derived"),
    ...(span > 0
      ? [of("arrivalRate", "arrivals", requests.length / span, "requests/s", "derived")]
      : []),
    of("servingTime", "from the first arrival to the last token", servingTime, "s"),
    of("requestRate", "served", requests.length / servingTime, "requests/s"),
    of("tokenRate", "generated", tokens / servingTime, "tokens/s"),
    of("helpedPrompts", "prompts that decode servers computed", helped.prompts, "requests"),
    of("helpedDecodes", "outputs that prefill servers generated", helped.decodes, "requests"),
  ];
}

function latencyNumbers({ firstToken, endToEnd, gaps }: Served): readonly ServingNumber[] {
  const shares = [
    ["P50", 0.5],
    ["P90", 0.9],
    ["P99", 0.99],
  ] as const;
  const whole = (
    id: string,
    title: string,
    values: readonly number[],
  ): readonly ServingNumber[] => {
    const { mean, p50, p90, p99 } = percentiles(values);
    return [
      of(`${id}Mean`, `${title}, mean`, mean, "s"),
      of(`${id}P50`, `${title}, 50 % of requests below`, p50, "s"),
      of(`${id}P90`, `${title}, 90 % of requests below`, p90, "s"),
      of(`${id}P99`, `${title}, 99 % of requests below`, p99, "s"),
    ];
  };
  return [
    ...whole("firstToken", "time to first token", firstToken),
    ...shares.map(([name, share]) =>
      of(
        `betweenTokens${name}`,
        `time between tokens, ${100 * share} % of tokens below`,
        gapPercentile(gaps, share),
        "s",
      ),
    ),
    ...whole("endToEnd", "time to last token", endToEnd),
  ];
}

/** Dollars of a pool's devices; null without a known price. */
function dollarsOf({ servers, devices, device }: ServingPool): number | null {
  if (device.kind === "design") return poolCost(device.pool);
  return device.price === null ? null : servers * devices * device.price;
}

/** Dollars of all devices; null if one price is unknown. */
export function costOfFile({ prefill, decode }: ServingSpec): number | null {
  const parts = [prefill, decode].flatMap((pool) => (pool === null ? [] : [dollarsOf(pool)]));
  return parts.reduce<number | null>(
    (total, part) => (total === null || part === null ? null : total + part),
    0,
  );
}

function devicesOf({ prefill, decode }: ServingSpec): number {
  return [prefill, decode].reduce(
    (total, pool) => total + (pool === null ? 0 : pool.servers * pool.devices),
    0,
  );
}

function costNumbers(spec: ServingSpec): readonly ServingNumber[] {
  const cost = costOfFile(spec);
  return [
    of("devices", "devices of both pools", devicesOf(spec), "devices", "derived"),
    ...(cost === null ? [] : [of("cost", "devices with their memory", cost, "$", "derived")]),
  ];
}

/** Share of the requests that meet both objectives. */
function attained(
  { firstToken, betweenTokens }: Objectives,
  requests: readonly Request[],
  served: Served,
): number {
  const matchingRequests = requests.filter(({ output }, i) => {
    const [first = Infinity, last = Infinity] = [served.firstToken[i], served.endToEnd[i]];
    const between = output > 1 ? (last - first) / (output - 1) : 0;
    return first <= (firstToken ?? Infinity) && between <= (betweenTokens ?? Infinity);
  });
  return matchingRequests.length / requests.length;
}

function objectiveNumbers(
  spec: ServingSpec,
  requests: readonly Request[],
  served: Served,
  run: (requests: readonly Request[]) => Served,
): readonly ServingNumber[] {
  const { objectives } = spec;
  if (objectives === null) return [];
  const share = attained(objectives, requests, served);
  const goodput = (share * requests.length) / served.servingTime;
  const cost = costOfFile(spec);
  const wanted = objectives.share;
  const highest =
    wanted === null
      ? null
      : highestRate(
          requests,
          share >= wanted,
          (given) => attained(objectives, given, run(given)) >= wanted,
        );
  return [
    of("attainedShare", "requests that meet the objectives, of all", share, ""),
    of("goodput", "requests that meet the objectives", goodput, "requests/s"),
    of("goodputPerDevice", "of one device", goodput / devicesOf(spec), "requests/s"),
    ...(cost === null
      ? []
      : [of("goodputPerCost", "for 1000 $ of devices", (1000 * goodput) / cost, "requests/s")]),
    ...(highest === null
      ? []
      : [
          of(
            "highestRate",
            `highest rate of arrivals at which ${100 * (wanted ?? 0)} % of requests meet the objectives`,
            highest,
            "requests/s",
          ),
        ]),
  ];
}

/** Steps of the search: its result is within a part in 2^7 of the rate. */
const halvings = 7;
const maxDoublings = 10;

/**
 * The highest rate, as a scaling of arrivals alone, at which `hold` is true for the requests; null
 * without arrivals, 0 if no rate qualifies. `asGiven`: whether `hold` is true at the given rate.
 */
function highestRate(
  requests: readonly Request[],
  asGiven: boolean,
  holds: (requests: readonly Request[]) => boolean,
): number | null {
  const span = (requests.at(-1)?.arrival ?? 0) - (requests[0]?.arrival ?? 0);
  if (span <= 0) return null;
  const at = (pace: number): boolean => holds(paced(requests, pace));
  let [low, high] = [1, 2];
  if (asGiven) {
    for (let i = 0; i < maxDoublings && at(high); i += 1) [low, high] = [high, 2 * high];
  } else {
    [low, high] = [0.5, 1];
    for (let i = 1; !at(low); i += 1) {
      if (i === maxDoublings) return 0;
      [low, high] = [low / 2, low];
    }
  }
  for (let i = 0; i < halvings; i += 1) {
    const middle = (low + high) / 2;
    if (at(middle)) low = middle;
    else high = middle;
  }
  return (low * requests.length) / span;
}

function checksOf(
  requests: readonly Request[],
  { tokens, endToEnd, firstToken }: Served,
): readonly Check[] {
  const wanted = requests.reduce((sum, { output }) => sum + output, 0);
  const ended = requests.filter((_, i) => (endToEnd[i] ?? -1) >= (firstToken[i] ?? Infinity));
  return [
    {
      id: "tokens",
      title: "every token is generated once",
      pass: tokens === wanted,
      detail: `${tokens} of ${wanted} tokens`,
    },
    {
      id: "requests",
      title: "every request ends after its first token",
      pass: ended.length === requests.length,
      detail: `${ended.length} of ${requests.length} requests`,
    },
  ];
}

function notesOf({ prefill, decode, launches, linkLatency }: ServingSpec): readonly string[] {
  const kinds = [prefill, decode].flatMap((pool) => (pool === null ? [] : [pool.device.kind]));
  const unpriced = [prefill, decode].some((pool) => pool !== null && dollarsOf(pool) === null);
  const micro = (time: Seconds): string => `${Number((1e6 * time).toPrecision(4))} us`;
  return [
    "Scheduling is that of Splitwise: prompts first come first served, keys and values move to the decode server with the most space.",
    `A pass launches the kernels of a layer in ${micro(launches)}; a message between two devices has a latency of ${micro(linkLatency)}.`,
    ...(kinds.includes("gpu")
      ? [
          "Rates of a GPU are its effective rates: the slower of arithmetic and memory, all layers split evenly.",
        ]
      : []),
    ...(kinds.includes("design")
      ? [
          "Times of a designed device follow LLMCompass: 1.41 GHz, memory at 41.9 GB/s per GB; its cost is silicon at 7 nm and HBM at 7 $/GB.",
        ]
      : []),
    ...(unpriced ? ["No cost is stated: a pool has no price."] : []),
    "Embeddings and the output matrix occupy memory, and their time is not counted.",
  ];
}

/** The result as text. */
export function servingText(spec: ServingSpec, outcome: ServingOutcome): string {
  const digits = (x: number): string => String(Number(x.toPrecision(4)));
  const { pools, numbers, notes } = outcome;
  const width = Math.max(...numbers.map(({ title }) => title.length));
  return [
    `${spec.model.title}, ${counted(outcome.requests, "request")}`,
    ...pools.flatMap(({ pool, servers, devices, device, tokens, memory }) => [
      `  ${pool}: ${counted(servers, "server")} of ${devices} x ${device}, ${counted(tokens, "token")} of keys and values per server`,
      `    ${memory.device}: ${sizeText(memory.capacity)}`,
      ...memory.uses.map(
        ({ what, bytes: used }) => `      ${sizeText(used).padStart(10)}  ${what}`,
      ),
    ]),
    ...numbers.map(({ title, value, unit }) =>
      `  ${title.padEnd(width)}  ${digits(value)} ${unit}`.trimEnd(),
    ),
    ...notes.map((note) => `  ${note}`),
  ].join("\n");
}
