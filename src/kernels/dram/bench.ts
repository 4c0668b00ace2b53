// SPDX-License-Identifier: Apache-2.0
// Speed of trace replay: five kinds of traffic, with repetitions, round-robin over the backends, so
// that other load on the machine affects all of them. The clock is a parameter.

import { present } from "../../base/present.ts";
import type { DramBinding } from "../../native/dram-binding.ts";
import { parseDramReplayConfig } from "./config.ts";
import { replayTrace } from "./replay.ts";

/** One backend under measurement. */
export interface BenchBackend {
  readonly name: string;
  readonly dram: DramBinding;
}

/** Medians over the repeats, by backend. */
export interface BenchRow {
  readonly traffic: string;
  readonly requests: number;
  readonly cycles: number;
  readonly backends: readonly {
    readonly name: string;
    readonly requestsPerSecond: number;
    readonly cyclesPerSecond: number;
    /** The time of this backend over that of the first. */
    readonly ratio: number;
  }[];
}

export interface BenchOptions {
  readonly requests: number;
  readonly repeats: number;
  readonly backends: readonly BenchBackend[];
  /** The rules of every backend, so that all compute the same: Ramulator 2.0 and 2.1 have different ones. */
  readonly semantics: "jedec" | "ramulator-2.0";
  /** Seconds of a monotonic clock. */
  readonly now: () => number;
}

interface Traffic {
  readonly name: string;
  /** Keys of the configuration of a replay, in addition to `preset` and `semantics`. */
  readonly config: object;
  /** The next request: cycles since the one before, whether it reads, its line. */
  readonly next: (index: number, random: () => number) => readonly [number, boolean, number];
}

const lines = 2 ** 30;
const readShare = 0.7;
const sparseGap = 400;

const oneAtATime = { policy: "global_fifo", max_accepts_per_cycle: 1 };
const channelByChannel = { policy: "per_channel_fifo", max_accepts_per_cycle: 1 };
const subChannel = { injection: oneAtATime };
const anywhere = (random: () => number): number => Math.floor(random() * lines);

const traffics: readonly Traffic[] = [
  { name: "stream", config: subChannel, next: (i) => [0, true, i] },
  { name: "random", config: subChannel, next: (_, random) => [0, true, anywhere(random)] },
  {
    name: "70/30",
    config: subChannel,
    next: (_, random) => [0, random() < readShare, anywhere(random)],
  },
  {
    name: "sparse",
    config: subChannel,
    next: (_, random) => [
      Math.floor(-sparseGap * Math.log(1 - random())),
      random() < readShare,
      anywhere(random),
    ],
  },
  {
    name: "8 one-rank channels",
    config: {
      organization: { channels: 8, ranks_per_channel: 1 },
      injection: channelByChannel,
    },
    next: (i) => [0, true, i],
  },
];

/** Runs every traffic on every backend, `repeats` rounds. */
export async function benchDram(options: BenchOptions): Promise<readonly BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const traffic of traffics) rows.push(await benchTraffic(traffic, options));
  return rows;
}

async function benchTraffic(traffic: Traffic, options: BenchOptions): Promise<BenchRow> {
  const { requests, repeats, backends, semantics, now } = options;
  const config = parseDramReplayConfig({ preset: "TriMoE", semantics, ...traffic.config }, "bench");
  const pieces = [new TextEncoder().encode(traceText(traffic, requests))];
  const times = backends.map((): number[] => []);
  let cycles = 0;
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    for (const [index, { dram }] of backends.entries()) {
      const start = now();
      const result = await replayTrace(dram, config, { name: traffic.name, pieces });
      times[index]?.push(now() - start);
      cycles = result.totalCycles;
    }
  }
  const medians = times.map(median);
  return {
    traffic: traffic.name,
    requests,
    cycles,
    backends: backends.map(({ name }, index) => {
      const seconds = present(medians[index]);
      return {
        name,
        requestsPerSecond: requests / seconds,
        cyclesPerSecond: cycles / seconds,
        ratio: seconds / present(medians[0]),
      };
    }),
  };
}

function traceText(traffic: Traffic, requests: number): string {
  const random = generator(1);
  const text = ["id,arrival,op,addr\n"];
  let arrival = 0;
  for (let i = 0; i < requests; i += 1) {
    const [gap, reads, line] = traffic.next(i, random);
    arrival += gap;
    text.push(`${i},${arrival},${reads ? "R" : "W"},0x${(64 * line).toString(16)}\n`);
  }
  return text.join("");
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return (present(sorted[Math.floor(middle)]) + present(sorted[Math.ceil(middle)])) / 2;
}

/** Numbers in [0, 1) from a seed (a linear congruence modulo 2^32; the high bits are used). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
