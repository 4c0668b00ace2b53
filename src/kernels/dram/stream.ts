// SPDX-License-Identifier: Apache-2.0
// The bandwidth of a DDR5 channel for readers that request one line after another, as fast as the
// channel accepts them.

import { bytesPerSecond, type BytesPerSecond } from "../../base/units.ts";
import { present } from "../../base/present.ts";
import type { DramBinding } from "../../native/dram-binding.ts";
import type { DramReplayConfig } from "./replay-config.ts";

const lineBytes = 64;
/** Lines of a channel that readers begin anywhere in: 16 GiB. */
const memoryLines = 2 ** 28;

export interface ReadStreams {
  /** Readers of one channel, each with its own start address; their lines are read round-robin. */
  readonly streams: number;
  /** Lines that are read by all of them together. */
  readonly lines: number;
  /** Consecutive lines per reader in the round-robin order. */
  readonly burst: number;
}

/** Bytes per second of all lines, from the first request to the last line's end. */
export function streamRate(
  dram: DramBinding,
  config: DramReplayConfig,
  what: ReadStreams,
): BytesPerSecond {
  const handle = dram.dramReplayOpen({ ...config, commands: false, completions: false });
  const goOn = (error: { readonly message: string } | undefined): void => {
    for (let failure = error; ; failure = dram.dramReplayGoOn(handle)) {
      if (failure !== undefined) throw new RangeError(failure.message);
      if (!dram.dramReplayBusy(handle)) return;
    }
  };
  goOn(dram.dramReplayFeed(handle, new TextEncoder().encode(traceOf(what))));
  goOn(dram.dramReplayFinish(handle));
  const { totalCycles } = dram.dramReplayReport(handle);
  const cyclesPerSecond = (config.megatransfersPerSecond * 1e6) / 2;
  return bytesPerSecond((what.lines * lineBytes * cyclesPerSecond) / totalCycles);
}

function traceOf({ streams, lines, burst }: ReadStreams): string {
  const text = ["id,arrival,op,addr\n"];
  // A linear congruential generator modulo 2^32, whose high bits are used.
  let state = 1;
  const begins = Array.from({ length: streams }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * memoryLines);
  });
  for (let i = 0; i < lines; i += 1) {
    const turn = Math.floor(i / burst);
    const taken = burst * Math.floor(turn / streams) + (i % burst);
    const line = present(begins[turn % streams]) + taken;
    text.push(`${i},0,R,0x${(lineBytes * line).toString(16)}\n`);
  }
  return text.join("");
}
