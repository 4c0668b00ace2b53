// SPDX-License-Identifier: Apache-2.0
// Speeds on a noisy machine: the compared probes run round-robin in one run, each several times. A
// machine is slow for seconds or minutes at a time. Therefore probes of the same round are
// compared, and the result is the median over all rounds.

import { present } from "../../base/present.ts";
import process from "node:process";

/** Measures one figure once; the caller defines whether more or less is better. */
export type Probe = () => Promise<number>;

/** Processor time of a probe in seconds, which excludes other load of the machine. */
export async function processorSeconds(probe: () => Promise<unknown>): Promise<number> {
  const begin = process.cpuUsage();
  await probe();
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1e6;
}

/** Measurements of the probes, by round. */
export interface Measurements<Name extends string> {
  readonly medians: Readonly<Record<Name, number>>;
  /** The median ratio of two probes in the same round. */
  readonly ratio: (of: Name, to: Name) => number;
}

/** Runs every probe once to warm up, then `repeats` rounds of all probes. */
export async function interleave<Name extends string>(
  probes: Readonly<Record<Name, Probe>>,
  repeats: number,
): Promise<Measurements<Name>> {
  const names = Object.keys(probes) as Name[];
  const samples = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (const name of names) await probes[name]();
  for (let i = 0; i < repeats; ++i) {
    for (const name of names) samples.get(name)?.push(await probes[name]());
  }
  const of = (name: Name): readonly number[] => samples.get(name) ?? [];
  const medians = names.map((name) => [name, median(of(name))] as const);
  return {
    medians: Object.fromEntries(medians) as Record<Name, number>,
    ratio: (name, other) => {
      const others = of(other);
      return median(of(name).map((value, turn) => value / present(others[turn])));
    },
  };
}

/** The middle value; the mean of the two in the middle of an even count; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  return upper === undefined || lower === undefined ? Number.NaN : (lower + upper) / 2;
}
