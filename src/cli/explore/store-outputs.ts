// SPDX-License-Identifier: Apache-2.0
// The outputs of a sweep or an exploration: results in a DuckDB file, a page beside it, rows in
// other formats. All targets are checked before any work; a refused target leaves no results behind.

import { present } from "../../base/present.ts";
import { existsSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { inputError, NeardataError } from "../../base/errors.ts";
import type { SweepStore } from "../../explore/store.ts";
import { checkOutputs, discard, writeAllOrNothing, type Output } from "../../base/files/output.ts";
import type { PartialFile } from "../../base/files/output.ts";

/** Files of a sweep. */
export interface StoreOutputs {
  readonly out: string;
  readonly results: Output;
  readonly page: { readonly path: string; readonly output: Output };
  readonly exports: readonly { readonly path: string; readonly output: Output }[];
}

/** runs/NAME.duckdb, or NAME.duckdb if the directory `runs` does not exist. */
export function defaultStore(name: string): string {
  return existsSync("runs") ? join("runs", `${name}.duckdb`) : `${name}.duckdb`;
}

/** @throws NeardataError `bad-input` with every file that cannot be written. */
export function checkStoreOutputs(
  out: string,
  exported: readonly string[],
  inputs: readonly string[],
): StoreOutputs {
  const page = join(dirname(out), `${basename(out).replace(/\.duckdb$/, "")}.html`);
  const [results, pageOutput, ...others] = checkOutputs(
    [
      { option: "--out", path: out },
      { option: "--out", path: out === "" ? out : page },
      ...exported.map((path) => ({ option: "--export", path })),
    ],
    inputs,
  );
  if (results === undefined || pageOutput === undefined) {
    throw new NeardataError("misuse", "an output for each file");
  }
  const log = `${results.real}.wal`;
  if (existsSync(log) && !existsSync(results.real)) {
    throw inputError("--out", `${log} is the log of results that are gone; remove it.`);
  }
  const exports = others.map((output, i) => ({ path: present(exported[i]), output }));
  return { out, results, page: { path: page, output: pageOutput }, exports };
}

/**
 * Opens the store for `work`. A new store is removed if the work ends with an error before it has
 * `worthKeeping` points.
 */
export async function withStore(
  { results }: StoreOutputs,
  worthKeeping: number,
  work: (store: SweepStore) => Promise<void>,
): Promise<void> {
  const { SweepStore: Store } = await import("../../explore/store.ts");
  const fresh = !existsSync(results.real);
  let points = 0;
  try {
    const store = await Store.open(results.real);
    try {
      await work(store);
    } catch (error) {
      points = await store.points().then(
        (rows) => rows.length,
        () => 0,
      );
      throw error;
    } finally {
      store.close();
    }
  } catch (error) {
    if (fresh && points < worthKeeping) {
      for (const path of [results.real, `${results.real}.wal`]) rmSync(path, { force: true });
    }
    throw error;
  }
}

/** Writes page and exports together. */
export async function writeStoreOutputs(
  store: SweepStore,
  { exports, page }: StoreOutputs,
  html: string,
): Promise<void> {
  const partials: PartialFile[] = [];
  try {
    for (const { output, path } of exports) {
      const file = output.begin();
      partials.push(file);
      try {
        await store.export(file.partial, path.endsWith(".parquet") ? "PARQUET" : "CSV");
      } catch (cause) {
        throw output.failed(cause);
      }
    }
  } catch (error) {
    for (const file of partials) discard(file);
    throw error;
  }
  writeAllOrNothing([[page.output, html]], partials);
}
