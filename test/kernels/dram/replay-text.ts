// SPDX-License-Identifier: Apache-2.0
// Replays a small trace in one call and returns the lines, for tests.

import type { MemoryBackend } from "../../../src/machine/dram/backends.ts";
import { loadDram } from "../../../src/native/dram-binding.ts";
import type { DramReplayConfig } from "../../../src/kernels/dram/replay-config.ts";
import { replayTrace, type ReplayResult } from "../../../src/kernels/dram/replay.ts";
import type { TraceRequest } from "./address-map.ts";

export interface ReplayLines extends ReplayResult {
  readonly commands: readonly string[];
  readonly completions: readonly string[];
}

export function traceText(trace: readonly TraceRequest[]): string {
  const lines = trace.map(
    ({ id, arrival, op, address }) => `${id},${arrival},${op},0x${address.toString(16)}\n`,
  );
  return `id,arrival,op,addr\n${lines.join("")}`;
}

/** Replays the text of a trace, fed in pieces of so many bytes. */
export async function replayText(
  config: DramReplayConfig<string>,
  text: string,
  pieceBytes = 1 << 16,
  backend: MemoryBackend = "native",
): Promise<ReplayLines> {
  const bytes = new TextEncoder().encode(text);
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    pieces.push(bytes.subarray(at, at + pieceBytes));
  }
  const decoder = new TextDecoder();
  let commands = "";
  let completions = "";
  const result = await replayTrace(
    loadDram(backend),
    config,
    { name: "trace", pieces },
    {
      commands: (piece) => void (commands += decoder.decode(piece)),
      completions: (piece) => void (completions += decoder.decode(piece)),
    },
  );
  const lines = (all: string): readonly string[] => all.trimEnd().split("\n").slice(1);
  return { ...result, commands: lines(commands), completions: lines(completions) };
}
