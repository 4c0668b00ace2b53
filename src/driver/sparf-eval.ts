// SPDX-License-Identifier: Apache-2.0
// Runs the cases of attention datasets on an engine. Field names of results are those of the
// dataset format, so that a result can be held against its case.

import { planPages, type PagePlan } from "../golden/pages.ts";
import type { SparfDataset } from "../workload/sparf-dataset.ts";
import type { AttentionEngine } from "./attention-engine.ts";

/** What an engine did with one case. */
export interface CaseResult {
  /** Chosen dimensions, ascending. */
  readonly i: readonly number[];
  readonly tau: number;
  /** Chosen tokens, ascending. */
  readonly j: readonly number[];
  readonly alpha: number;
  readonly out: readonly number[];
  readonly pages: PagePlan;
}

/** The document that `neardata sparf eval` writes. */
export interface EvalDocument {
  readonly engine: string;
  readonly cases: readonly { readonly id: string; readonly result: CaseResult }[];
  /** Dense attention of every query of every dataset. */
  readonly dense: readonly {
    readonly dataset: string;
    readonly q: number;
    readonly out: readonly number[];
  }[];
}

/** Every case and every query's dense attention. */
export function evaluate(engine: AttentionEngine, datasets: readonly SparfDataset[]): EvalDocument {
  return {
    engine: engine.name,
    cases: datasets.flatMap((dataset) => evaluateCases(engine, dataset)),
    dense: datasets.flatMap(({ id, queries, cache }) =>
      queries.map((query, q) => ({ dataset: id, q, out: [...engine.dense(query, cache)] })),
    ),
  };
}

function evaluateCases(engine: AttentionEngine, dataset: SparfDataset): EvalDocument["cases"] {
  const { cache, queries } = dataset;
  return dataset.cases.map(({ id, query, m, n, pageBytes, ...parameters }) => {
    const result = engine.sparse(queries[query] ?? new Float64Array(), cache, parameters);
    const layout = { length: cache.length, width: cache.width, m, n, pageBytes };
    return {
      id,
      result: {
        i: [...result.dims],
        tau: result.tau,
        j: [...result.tokens],
        alpha: result.alpha,
        out: [...result.out],
        pages: planPages(layout, result.dims, result.tokens),
      },
    };
  });
}
