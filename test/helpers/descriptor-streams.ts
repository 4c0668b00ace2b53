// SPDX-License-Identifier: Apache-2.0
// Raw descriptors of the SparF engine through RTL and cycle model without a host that orders them
// (test/sim/descriptor_streams.cc).

import { readdirSync } from "node:fs";

import type { SparfUnitParameters } from "../../src/machine/csd/csd-machine.ts";
import { logitScale } from "../../src/golden/attention-engine.ts";
import { inRepository } from "../../src/base/paths.ts";
import { cxxChecks } from "./cxx-checks.ts";

/** Of one KV cache; `k`, `window`, `r` and `group` are of heads. */
export interface StreamJob {
  readonly op: "sparse" | "dense" | "append";
  readonly cache: number;
  /** Tokens of a head; of an append, before it. */
  readonly tokens: number;
  readonly k?: number;
  readonly window?: number;
  readonly r?: number;
  readonly group?: number;
  /** Rows of the queries, or of K and V of the token; default: a separate set. */
  readonly rows?: number;
  /** The first cycle in which it may be enqueued. */
  readonly cycle?: number;
}

export interface StreamRun {
  readonly seed: number;
  /** Probability, in 1/256, that the DRAM pauses for one more cycle. */
  readonly pauses: number;
  /** Of the DRAM, in cycles. */
  readonly dramLatency: number;
  readonly jobs: readonly StreamJob[];
}

/** The results of an engine. Two engines agree if everything but `engine` is equal. */
export interface StreamResult {
  readonly engine: "rtl" | "cycle";
  /** Empty, or why the run ended early. */
  readonly error: string;
  /** Completions: tag (the number of the job), status, cycle. */
  readonly ends: readonly (readonly [tag: number, status: number, cycle: number])[];
  /** Sparse heads: tag, number of chosen tokens, hashes of dimensions, tokens and alphas. */
  readonly choices: readonly (readonly [tag: number, tokens: number, ...hashes: string[]])[];
  /** Heads: tag, hash of the outputs. */
  readonly outputs: readonly (readonly [tag: number, hash: string])[];
  /** Hashes of all transfers with their cycles, and of the contents of the DRAM at the end. */
  readonly dram: string;
  readonly flash: string;
  readonly image: string;
  readonly events: readonly number[];
}

const sources: readonly string[] = [
  "test/sim/descriptor_streams.cc",
  ...["core", "unit/sparf"].flatMap((folder) =>
    readdirSync(inRepository("sim", folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".cc"))
      .map((name) => `sim/${folder}/${name}`),
  ),
  ...["plugin", "rtl_sparf_unit", "rtl_unit", "sparf_fields", "unit_fields", "unit_probe"].map(
    (name) => `sim/rtl/${name}.cc`,
  ),
];

/** The page of the caches, and m. */
export interface StreamLayout {
  readonly pageBytes: number;
  readonly dimsPerPage: number;
}

const floatBits = (value: number): number =>
  new DataView(Float32Array.of(value).buffer).getUint32(0, true);

/** The 16 words of a descriptor. All caches have all complete pages on flash. */
function words(
  job: StreamJob,
  tag: number,
  { width }: SparfUnitParameters,
  { pageBytes, dimsPerPage }: StreamLayout,
): readonly number[] {
  const { op, cache, tokens, k = 1, window = 0, r = 1, group = 1 } = job;
  const rowLines = Math.max(1, width / 32);
  const complete = (rows: number): number => Math.floor(tokens / rows) * rows;
  const [tokenFlash, dimFlash] = [
    complete(pageBytes / 2 / width),
    complete(pageBytes / 2 / dimsPerPage),
  ];
  const mode =
    ["sparse", "dense", "append"].indexOf(op) +
    (op === "append" ? 0 : group - 1) * 16 +
    Math.log2(dimsPerPage) * 256 +
    4096 +
    tag * 65536;
  const at = (first: number, row: number): number => first + row * rowLines;
  return [
    ...[mode, tokens, k, window, r, dimFlash, Math.max(dimFlash, tokenFlash), cache],
    ...[at(2000, 8 * (job.rows ?? tag)), (cache * width) / 8],
    ...[at(1_000_000, cache * 65_536), at(100_000_000, cache * 65_536), at(10_000, 8 * tag)],
    ...[floatBits(logitScale(width)), floatBits(1 / Math.max(1, tokens)), pageBytes],
  ];
}

/** The results of RTL (a plug-in at `path`) and cycle model for each run. */
export async function streamThrough(
  path: string,
  unit: SparfUnitParameters,
  layout: StreamLayout,
  runs: readonly StreamRun[],
): Promise<readonly { readonly rtl: StreamResult; readonly cycle: StreamResult }[]> {
  const input = [
    path,
    runs.length,
    ...runs.flatMap(({ seed, pauses, dramLatency, jobs }) => [
      [seed, pauses, dramLatency, jobs.length].join(" "),
      ...jobs.map((job, tag) => [job.cycle ?? 0, ...words(job, tag, unit, layout)].join(" ")),
    ]),
  ].join("\n");
  const lines = await cxxChecks(sources, { input });
  const results = lines.map((line) => JSON.parse(line) as StreamResult);
  return runs.map((_, i) => {
    const [rtl, cycle] = results.slice(2 * i, 2 * i + 2);
    if (rtl?.engine !== "rtl" || cycle?.engine !== "cycle") throw new Error(lines.join("\n"));
    return { rtl, cycle };
  });
}
