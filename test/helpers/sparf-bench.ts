// SPDX-License-Identifier: Apache-2.0
// The bench of the SparF engine (testbench/sparf_main.cc): lays jobs out in controller DRAM and on
// flash as a driver would, runs them, and gives back what was written, chosen and requested.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { HeadCache } from "../../src/golden/attention/attention.ts";
import { inRepository } from "../../src/native/paths.ts";
import { runTool } from "../../src/native/compile/process.ts";
import { rtlFilesBelow } from "../../src/native/compile/rtl-sources.ts";
import { verilate } from "../../src/native/compile/verilate.ts";
import { decodeResult, encodeCase } from "./sparf-case.ts";

/** Parameters of `sparf_engine`, by the names that they have there. */
export interface EngineParameters {
  readonly Channels: number;
  readonly Kernels: number;
  readonly Lanes: number;
  readonly Width: number;
  readonly MaxKeys: number;
  readonly MaxGroup: number;
  readonly Slots: number;
  readonly RingLines: number;
  readonly MaxPageRows: number;
  readonly Tags: number;
  readonly QuerySets: number;
}

/** Small enough to build and run in seconds. */
export const smallEngine: EngineParameters = {
  Channels: 2,
  Kernels: 2,
  Lanes: 4,
  Width: 16,
  MaxKeys: 256,
  MaxGroup: 4,
  Slots: 2,
  RingLines: 64,
  MaxPageRows: 16,
  Tags: 16,
  QuerySets: 1,
};

/** Kernels that serve two queries of a group at once. */
export const sharedEngine: EngineParameters = { ...smallEngine, QuerySets: 2 };

/** Attention of a group of queries over one cache, of which part lies on flash. */
export interface HeadJob {
  readonly op: "sparse" | "dense";
  readonly queries: readonly Float64Array[];
  readonly cache: HeadCache;
  readonly r: number;
  readonly k: number;
  readonly l: number;
  readonly m: number;
  readonly pageBytes: number;
  /** Tokens on flash in embedding order and in token order; the others are in DRAM. */
  readonly dimFlash: number;
  readonly tokenFlash: number;
  /** Rung only when every job before it is done. */
  readonly barrier?: boolean;
}

/** One more token for the cache that `head` (an index of the jobs) attends to. */
export interface AppendJob {
  readonly op: "append";
  readonly head: number;
  readonly token: number;
}

export type EngineJob = HeadJob | AppendJob;

/** Rows of several lines, one kernel, two banks for an odd number of channels, pages of up to 128 rows. */
export const wideEngine: EngineParameters = {
  Channels: 9,
  Kernels: 1,
  Lanes: 8,
  Width: 64,
  MaxKeys: 512,
  MaxGroup: 2,
  Slots: 4,
  RingLines: 512,
  MaxPageRows: 128,
  Tags: 32,
  QuerySets: 1,
};

/** How the bench's flash and DRAM behave; cycles, and pauses in 256ths of all cycles. */
export interface Traffic {
  readonly seed: number;
  readonly latency: readonly [least: number, most: number];
  readonly beatCycles: readonly [numerator: number, denominator: number];
  readonly pageGap: number;
  readonly dramLatency: number;
  readonly pause: number;
  /** Cycles after which a run counts as endless, where not millions of them. */
  readonly longest?: number;
}

/** Pages in the order of their requests at 1.4 GB/s on a 285 MHz clock, and nobody waits. */
export const calm: Traffic = {
  seed: 1,
  latency: [20, 21],
  beatCycles: [57, 35],
  pageGap: 2,
  dramLatency: 10,
  pause: 0,
};

export type PageKind = "keys" | "values" | "dims";

export interface PageRequest {
  readonly kind: PageKind;
  readonly head: number;
  readonly index: number;
  readonly write: boolean;
}

/** What became of one job. */
export interface JobOutcome {
  readonly status: number;
  readonly doneAt: number;
  readonly dims: readonly number[];
  readonly tokens: readonly number[];
  /** Rows of output as FP16 bit patterns, a query each. */
  readonly rows: readonly (readonly number[])[];
}

export interface EngineRun {
  readonly cycles: number;
  readonly jobs: readonly JobOutcome[];
  readonly pages: readonly PageRequest[];
  readonly beatsIn: number;
  readonly beatsKept: number;
  /** Cycles in which a channel waited for the engine. */
  readonly waits: number;
  readonly firstBeat: number;
  readonly lastBeat: number;
}

const engineHarness = ["sparf_main.cc", "sparf_case.cc"].map((name) =>
  inRepository("testbench", name),
);

/** Sources of the engine, packages first. */
function engineSources(): readonly string[] {
  const files = ["common", "sparf"].flatMap(rtlFilesBelow);
  const isPackage = (path: string): boolean => path.endsWith("_pkg.sv");
  return [
    inRepository("rtl", "ndp", "ndp_pkg.sv"),
    ...files.filter(isPackage),
    ...files.filter((path) => !isPackage(path)),
  ];
}

/** Builds the bench; `copies` take the place of its files, for faults, and are built in no time. */
export async function buildEngine(
  parameters: EngineParameters,
  copies: ReadonlyMap<string, string> = new Map(),
): Promise<string> {
  const own = (path: string): string => copies.get(path) ?? path;
  return verilate({
    top: "sparf_engine",
    parameters: { ...parameters },
    sources: [
      ...engineSources(),
      inRepository("testbench", "stream_chk.sv"),
      inRepository("testbench", "sparf_engine_chk.sv"),
      inRepository("testbench", "sparf_engine_cov.sv"),
    ].map(own),
    harness: engineHarness.map(own),
    kind: "executable",
    drawnContents: true,
    toggles: false,
    ...(copies.size === 0 ? {} : { optimise: "-O0" }),
  });
}

/**
 * Runs `jobs` on the bench at `bench`. `failures`: pages that cannot be read. `pairs`: where the pairs
 * of states of flash, DRAM and RTL go.
 */
export async function runEngine(
  bench: string,
  jobs: readonly EngineJob[],
  traffic: Traffic,
  failures: readonly Omit<PageRequest, "write">[] = [],
  files: { readonly waveform?: string; readonly pairs?: string } = {},
): Promise<EngineRun> {
  const directory = mkdtempSync(join(tmpdir(), "neardata-sparf-engine-"));
  try {
    const [input, output] = [join(directory, "case"), join(directory, "result")];
    const { bytes, places } = encodeCase(jobs, traffic, failures);
    writeFileSync(input, bytes);
    const { waveform = "-", pairs } = files;
    await runTool(bench, [input, output, waveform, ...(pairs === undefined ? [] : [pairs])]);
    return decodeResult(readFileSync(output), jobs, places);
  } finally {
    rmSync(directory, { recursive: true });
  }
}
