// SPDX-License-Identifier: Apache-2.0
// The bench of the SparF engine (testbench/sparf_main.cc): lays jobs out in controller DRAM and on
// flash as a driver would, runs them, and gives back what was written, chosen and requested.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import {
  encodeCase,
  type EngineJob,
  type PageRequest,
  type Traffic,
} from "../../src/tools/bench/sparf-case.ts";
import { sparfMain } from "../../src/native/csd/sparf-main.ts";
import { inRepository } from "../../src/base/paths.ts";
import { runTool } from "../../src/native/compile/process.ts";
import { openGates, verilate } from "../../src/native/unit/verilate.ts";
import { decodeResult, type EngineRun } from "./sparf-result.ts";

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

/**
 * Builds the bench; `copies` replace its files, for faults; such a build is not optimised. With
 * `open` no clock gate closes.
 */
export async function buildEngine(
  parameters: EngineParameters,
  copies: ReadonlyMap<string, string> = new Map(),
  open = false,
): Promise<string> {
  const own = (path: string): string => copies.get(path) ?? path;
  const main = sparfMain({ ...parameters });
  return verilate({
    ...main,
    sources: [
      ...main.sources,
      inRepository("testbench", "stream_chk.sv"),
      inRepository("testbench", "sparf_engine_chk.sv"),
      inRepository("testbench", "sparf_engine_cov.sv"),
    ].map(own),
    harness: main.harness.map(own),
    drawnContents: true,
    toggles: false,
    ...(open ? { defines: [openGates] } : {}),
    ...(copies.size === 0 ? {} : { optimise: "-O0" }),
  });
}

/**
 * Runs `jobs` on the bench at `bench`. `failures`: pages that cannot be read. `pairs`: where the pairs
 * of states of flash, DRAM and RTL go; `record`: where the messages of all streams go; `reset`: a cycle in
 * which a reset begins, after which the bench enqueues all jobs anew; with `:wait` the reset lasts until no read is
 * outstanding, with `:rewrite` the bench then writes the initial contents of DRAM anew.
 */
export async function runEngine(
  bench: string,
  jobs: readonly EngineJob[],
  traffic: Traffic,
  failures: readonly Omit<PageRequest, "write">[] = [],
  files: {
    readonly waveform?: string;
    readonly pairs?: string;
    readonly record?: string;
    readonly reset?: string;
  } = {},
): Promise<EngineRun> {
  const directory = mkdtempSync(join(tmpdir(), "neardata-sparf-engine-"));
  try {
    const [input, output] = [join(directory, "case"), join(directory, "result")];
    const { bytes, places } = encodeCase(jobs, traffic, failures);
    writeFileSync(input, bytes);
    const { waveform = "-", pairs = "-", record = "-", reset = "-" } = files;
    const said = await runTool(bench, [input, output, waveform, pairs, record, reset]);
    const { events } = JSON.parse(said.trim().split("\n").at(-1) ?? "") as { events: string };
    return { ...decodeResult(readFileSync(output), jobs, places), events };
  } finally {
    rmSync(directory, { recursive: true });
  }
}
