// SPDX-License-Identifier: Apache-2.0
// The expected end of a case of the addon's functions, and short notations for cases.

import type { ApiCall, ApiCase, Given } from "./api.ts";
import {
  anyFunction,
  call,
  csd,
  csdRun,
  flashKv,
  moe,
  ndp,
  ndpRun,
  prompts,
  result,
  type Fields,
  filled,
} from "./api-base.ts";

/** An error of this code with these words in it; or a value: of a run with one of these faults, or of anything else. */
export type Ending =
  | { readonly code: "bad-input" | "misuse" | "exhausted" | undefined; readonly says: RegExp }
  | { readonly faults: readonly string[] };

export type KnownCase = ApiCase & { readonly ends: Ending };

/** A name, the calls, and how they end. */
export type Row = readonly [string, readonly ApiCall[], Ending];

export const bad = (says: RegExp): Ending => ({ code: "bad-input", says });
export const misuse = (says: RegExp): Ending => ({ code: "misuse", says });
export const value: Ending = { faults: [] };
export const fault = (...names: readonly string[]): Ending => ({ faults: names });
export const thrown = (says: RegExp): Ending => ({ code: undefined, says });

export const most = 0xffffffff;
export const word = (from: Uint32Array, at: number, to: number): Uint32Array =>
  from.map((old, i) => (i === at ? to : old));

export const one = (name: string, fields: Given, ...more: readonly Given[]): readonly ApiCall[] => [
  call(name, fields, ...more),
];
export const kv = (
  script: readonly (readonly number[])[],
  changes: Fields = {},
): readonly ApiCall[] => one("flashKv", flashKv(script, changes));
export const jobOf = (
  config: Fields,
  job: readonly number[],
  run: Fields = {},
): readonly ApiCall[] => [
  ...filled(config),
  call("csdRun", result(0), csdRun(job, run), anyFunction),
];
export const reads = (changes: Fields): Fields =>
  csd({ reads: { ...(csd()["reads"] as Fields), ...changes } });
export const unitRun = (config: Fields, run: Fields = {}): readonly ApiCall[] => [
  call("ndpOpen", config),
  call("ndpRun", result(0), ndpRun(run), anyFunction),
];
export const readBursts = (burst: number, bursts: number): readonly ApiCall[] => [
  call("ndpOpen", ndp()),
  call("ndpRead", result(0), 0, burst, bursts),
];
export const layer = (changes: Fields): readonly ApiCall[] => [
  call("moeOpen", moe(changes)),
  call("moeRun", result(0), moe(changes), anyFunction),
];
export const network = (changes: Fields): readonly ApiCall[] =>
  layer({ network: { ...(moe()["network"] as Fields), ...changes } });
export const chunk = (...words: readonly number[]): readonly ApiCall[] =>
  layer({
    devices: [
      {
        name: "CPU",
        buffers: 8,
        tasks: [{ compute: 0, chunks: Uint32Array.from(words) }],
      },
    ],
  });
export const written = (changes: Fields): readonly ApiCall[] => [
  call("csdOpen", csd()),
  call("csdSequence", result(0), 0, 1, 2, true),
  call("csdWrite", result(0), prompts(changes), anyFunction),
];
export const times = (value: number): Float64Array => new Float64Array(7).fill(value);
