// SPDX-License-Identifier: Apache-2.0
// Speeds that can be trusted on a noisy machine: the things compared take turns in one run, each
// several times, and medians of them are compared.

import process from "node:process";

/** Measures one thing once; a figure where more is better or less is better, as the caller says. */
export type Probe = () => Promise<number>;

/** Seconds of the processor that a probe takes, in which other work of the machine does not count. */
export async function processorSeconds(probe: () => Promise<unknown>): Promise<number> {
  const begin = process.cpuUsage();
  await probe();
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1e6;
}

/** Runs every probe once to warm up, then all in turn `repeats` times. Medians, by name. */
export async function interleave<Name extends string>(
  probes: Readonly<Record<Name, Probe>>,
  repeats: number,
): Promise<Readonly<Record<Name, number>>> {
  const names = Object.keys(probes) as Name[];
  const samples = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (const name of names) await probes[name]();
  for (let i = 0; i < repeats; ++i) {
    for (const name of names) samples.get(name)?.push(await probes[name]());
  }
  const medians = names.map((name) => [name, median(samples.get(name) ?? [])] as const);
  return Object.fromEntries(medians) as Record<Name, number>;
}

/** The middle value; the mean of the two in the middle of an even count; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  return upper === undefined || lower === undefined ? Number.NaN : (lower + upper) / 2;
}
