// SPDX-License-Identifier: Apache-2.0
// A property as a test: generated cases, the smallest failing case, its seed and path, and its waveform.
// Cases run without waveforms; the smallest failing case runs once more with a waveform.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

import fc from "fast-check";
import { test } from "vitest";

import { defined } from "../../base/defined.ts";
import { makeDirectories } from "../../base/files/directories.ts";
import { readFst } from "../waves/fst.ts";
import { lastCycles } from "../waves/picture.ts";

/** The context of a check besides its case. */
export interface CaseContext {
  /** The path of the waveform: undefined except in the last run of the smallest failing case. */
  readonly waveform: string | undefined;
}

export interface PropertyOptions {
  /** Cases; default 100. */
  readonly runs?: number;
  /** Default: the seed of fast-check's global configuration, otherwise a random seed. */
  readonly seed?: number;
  /** Of a case that failed before, as it was printed, with its `seed`: only this one runs. */
  readonly path?: string;
  /** Folder of waveforms; default `waves`. */
  readonly waves?: string;
  /** Milliseconds for all cases; default five minutes. */
  readonly timeout?: number;
}

/**
 * A vitest test that `check` passes for every generated case of `cases`. `check` throws on a
 * failure, as `expect` does, and passes `context.waveform` to `run`.
 */
export function property<Case>(
  name: string,
  cases: fc.Arbitrary<Case>,
  check: (one: Case, context: CaseContext) => Promise<void> | void,
  options: PropertyOptions = {},
): void {
  test(name, { timeout: options.timeout ?? 300_000 }, async () => {
    await holds(name, cases, check, options);
  });
}

/**
 * The same within a test.
 * @throws Error with the smallest failing case, its seed and path, and where its waveform is
 */
export async function holds<Case>(
  name: string,
  cases: fc.Arbitrary<Case>,
  check: (one: Case, context: CaseContext) => Promise<void> | void,
  { runs = 100, seed, path, waves = "waves" }: PropertyOptions = {},
): Promise<void> {
  if (path !== undefined && (seed ?? fc.readConfigureGlobal().seed) === undefined) {
    throw new Error(`${name}: \`path\` leads to a case only with the \`seed\` printed beside it`);
  }
  const result = await fc.check(
    fc.asyncProperty(cases, async (one) => check(one, { waveform: undefined })),
    {
      numRuns: runs,
      ...defined({ seed }),
      ...(path === undefined ? {} : { path, endOnFailure: true }),
    },
  );
  if (!result.failed) return;
  const [smallest] = result.counterexample ?? [];
  const waveform = join(resolve(waves), `${name.replace(/[^\w.-]+/g, "-")}.fst`);
  makeDirectories(resolve(waves));
  const last = await failureOf(async () => check(smallest as Case, { waveform }));
  const cause = last ?? result.errorInstance;
  const picture = pictureOf(waveform);
  const report = fc.defaultReportMessage(result) ?? "the property does not hold";
  const again = `to run it alone: { seed: ${String(result.seed)}, path: "${result.counterexamplePath ?? ""}" }`;
  throw new Error(`${report}\n${again}\nwaveform: ${waveform}${picture}`, { cause });
}

/**
 * A picture of the last cycles of a waveform in the same directory, and its name; empty without a
 * waveform.
 */
function pictureOf(waveform: string): string {
  if (!existsSync(waveform)) return "";
  try {
    const picture = lastCycles(readFst(waveform, readFileSync(waveform)));
    if (picture === null) return "";
    const path = waveform.replace(/\.fst$/, ".svg");
    writeFileSync(path, picture.svg);
    return `\nits last cycles: ${path}`;
  } catch {
    // A check without a complete waveform has already reported its failure.
    return "";
  }
}

async function failureOf(run: () => Promise<void>): Promise<unknown> {
  try {
    await run();
    return undefined;
  } catch (error) {
    return error;
  }
}
