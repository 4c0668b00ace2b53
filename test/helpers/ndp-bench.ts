// SPDX-License-Identifier: Apache-2.0
// The bench of the NDP unit (testbench/ndp_main.cc) as a service: one process, one job per line.
// Built with a stream checker bound to every stream of the unit. The contents of the unit before its
// reset are generated from the seed of the traffic.

import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { createInterface } from "node:readline";

import fc from "fast-check";

import type { NdpUnitParameters } from "../../src/machine/types.ts";
import { buildNdpMain } from "../../src/native/ndp/ndp-main.ts";
import { ndpSources } from "../../src/native/ndp/ndp-unit.ts";
import { inRepository } from "../../src/base/paths.ts";

/** The answer of the bench; `events` are counts in the order of events_o. */
export type BenchAnswer =
  | {
      readonly ok: true;
      readonly cycles: number;
      readonly skipped: number;
      readonly events: readonly number[];
      readonly bursts: number;
      readonly utilisation: number;
      readonly hash: string;
    }
  | { readonly ok: false; readonly error: string };

export type BenchWords = Readonly<Record<string, string | number>>;

export class Bench {
  private readonly process: ChildProcessWithoutNullStreams;
  private readonly answers: AsyncIterator<string>;

  constructor(path: string) {
    this.process = spawn(path);
    this.answers = createInterface({ input: this.process.stdout })[Symbol.asyncIterator]();
  }

  /** `then` are descriptors behind that of `words`. */
  async run(words: BenchWords, then: readonly BenchWords[] = []): Promise<BenchAnswer> {
    const parts = [words, ...then].map((part) =>
      Object.entries(part)
        .map(([key, value]) => `${key}=${String(value)}`)
        .join(" "),
    );
    this.process.stdin.write(`${parts.join(" then ")}\n`);
    const answer = await this.answers.next();
    if (answer.done === true) throw new Error("the bench ended without an answer");
    return JSON.parse(answer.value) as BenchAnswer;
  }

  close(): void {
    this.process.stdin.end();
  }
}

/** The bench for a unit; a source in `replaced` replaces the repository's source of that name. */
export async function openBench(
  unit: NdpUnitParameters,
  replaced: ReadonlyMap<string, string> = new Map(),
): Promise<Bench> {
  const sources = [
    ...ndpSources(),
    inRepository("testbench", "stream_chk.sv"),
    inRepository("testbench", "dimm_ndp_chk.sv"),
    inRepository("testbench", "dimm_ndp_cov.sv"),
  ].map((path) => replaced.get(path) ?? path);
  return new Bench(await buildNdpMain(unit, sources, { drawnContents: true }));
}

const pauses = fc.constantFrom(0, 0, 100, 500, 900);

/** How the memory behind the unit behaves: latency, rate, order, pauses on every port. */
export const traffic = fc.record({
  latency: fc.constantFrom(1, 3, 20, 100),
  rate: fc.constantFrom("1/1", "1/3", "3/10"),
  window: fc.constantFrom(1, 1, 4, 8),
  req: pauses,
  rsp: pauses,
  outp: pauses,
  done: pauses,
  traffic: fc.nat(1000),
});

const valuesPerBurst = 32;

/** Formats as `ndp_pkg` numbers them; blocks of weights for one of the input. */
const lowBitWords = { weights: fc.nat(6), repeats: fc.integer({ min: 1, max: 3 }) };

/** Whether the operands of a pass fit in the unit's buffer in addition to two chunks of results. */
export function jobFits(
  unit: NdpUnitParameters,
  job: Readonly<Partial<Record<string, number | string>>>,
): boolean {
  const of = (name: string): number => Number(job[name]);
  const block = unit.multipliersPerStream * unit.lanes;
  const blocks = of("in") + (of("op") === 0 ? 0 : Math.ceil(of("mid") / block));
  const chunks = (4 * unit.activationLanes) / valuesPerBurst;
  return (
    of("pass") * ((blocks * block) / valuesPerBurst + chunks) <=
    unit.bufferBytes / (2 * valuesPerBurst)
  );
}

/**
 * Sequences of descriptors of different shapes, some of which violate a rule, each field once.
 * `times` and traffic are set only for the first one.
 */
export function sequences(
  unit: NdpUnitParameters,
  mostRows: number,
): fc.Arbitrary<readonly [BenchWords, ...BenchWords[]]> {
  const broken = fc.oneof(
    { weight: 4, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: unit.lowBitWeights === 1 ? 22 : 20 }) },
  );
  const one = fc
    .tuple(jobs(unit, mostRows), broken)
    .map(([{ times: _, ...job }, field]) => (field === 0 ? job : { ...job, broken: field }));
  // Neighbours of one layout share their chunk halves.
  const alike = fc
    .tuple(jobs(unit, mostRows), fc.integer({ min: 1, max: 3 }))
    .map(([{ times: _, ...job }, count]) => Array.from({ length: count }, () => job));
  return fc
    .array(
      fc.oneof(
        one.map((job) => [job]),
        alike,
      ),
      { minLength: 2, maxLength: 4 },
    )
    .map((parts) => {
      const [first = {}, ...then] = parts.flat();
      return [first, ...then] as const;
    });
}

/** Jobs of every operation that fit the unit's buffer, with random contents. */
export function jobs(unit: NdpUnitParameters, mostRows: number): fc.Arbitrary<BenchWords> {
  return fc
    .record({
      op: fc.constantFrom(0, 1, 1, 2),
      func: fc.nat(6),
      plus: fc.nat(1),
      limit: fc.constantFrom(0, 0x3c00, 0x4700),
      bf16: fc.nat(1),
      tokens: fc.integer({ min: 1, max: 3 * unit.maxTokens }),
      pass: fc.integer({ min: 1, max: unit.maxTokens }),
      in: fc.integer({ min: 1, max: 6 }),
      mid: fc.integer({ min: 1, max: mostRows }),
      rows: fc.integer({ min: 1, max: mostRows }),
      contents: fc.constantFrom("tame", "wild", "any"),
      seed: fc.nat(1000),
      times: fc.constantFrom(1, 1, 2),
      ...(unit.lowBitWeights === 1 ? lowBitWords : {}),
    })
    .map((job) => ("weights" in job && job.weights === 0 ? { ...job, repeats: 1 } : job))
    .filter((job) => jobFits(unit, job));
}
