// SPDX-License-Identifier: Apache-2.0
// Requests of a program through the DDR5 model.

import { inputError, NeardataError } from "../../base/errors.ts";
import { formatValue } from "../../base/format-value.ts";
import { parseDramReplayConfig } from "../../kernels/dram/config.ts";
import { replayTrace } from "../../kernels/dram/replay.ts";
import { summarize, type ReplaySummary } from "../../kernels/dram/summary.ts";
import { contradictions } from "../../machine/dram/timing-rules.ts";
import { loadDram } from "../../native/dram-binding.ts";
import { rejectStopped } from "./stopped.ts";

/** A memory as `neardata dram replay --config` reads it, such as `{ preset: "DDR5-4800AN" }`. */
export type MemoryConfig = Readonly<Record<string, unknown>>;

/** One access to a memory. */
export interface MemoryRequest {
  /** Of a byte; the access transfers the line that contains it. */
  readonly address: number;
  /** The memory's cycle from which on the request waits; arrivals ascend. Default: 0. */
  readonly arrival?: number;
  /** Default: false. */
  readonly write?: boolean;
}

export interface MemoryOptions {
  readonly signal?: AbortSignal;
}

/** Requests per call of the model. */
const requestsPerPiece = 8192;

/**
 * Simulates requests on a DDR5 memory: cycles, bandwidth, row hits, latencies and energy.
 * @throws NeardataError `bad-input` for a wrong memory or request, `cancelled`
 */
export async function replayMemory(
  memory: MemoryConfig,
  requests: Iterable<MemoryRequest>,
  options: MemoryOptions = {},
): Promise<ReplaySummary> {
  rejectStopped(options.signal);
  const config = parseDramReplayConfig(memory, "memory");
  const problems = contradictions(config.timing, config.organization.burstLength);
  const trace = {
    name: "requests",
    pieces: piecesOf(requests, options.signal),
    // The first line is a header; requests count from 0.
    lineOf: (line: number): number => line - 2,
  };
  return summarize(config, await replayTrace(loadDram(), config, trace, {}, problems));
}

function* piecesOf(
  requests: Iterable<MemoryRequest>,
  signal: AbortSignal | undefined,
): Generator<Uint8Array> {
  const encoder = new TextEncoder();
  let lines = ["id,arrival,op,addr\n"];
  let id = 0;
  for (const request of requests) {
    lines.push(lineOf(request, id));
    id += 1;
    if (lines.length < requestsPerPiece) continue;
    if (signal?.aborted === true) throw new NeardataError("cancelled", "the replay was stopped.");
    yield encoder.encode(lines.join(""));
    lines = [];
  }
  yield encoder.encode(lines.join(""));
}

function lineOf({ address, arrival = 0, write = false }: MemoryRequest, id: number): string {
  for (const [key, value] of Object.entries({ address, arrival })) {
    if (Number.isSafeInteger(value) && value >= 0) continue;
    throw inputError(
      `requests[${id}].${key}`,
      `${formatValue(value)} is not a whole number from 0.`,
    );
  }
  return `${id},${arrival},${write ? "W" : "R"},0x${address.toString(16)}\n`;
}
