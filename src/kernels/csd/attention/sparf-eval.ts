// SPDX-License-Identifier: Apache-2.0
// Runs the cases of attention datasets on an engine. Field names of results are those of the
// dataset format, so that a result can be compared with its case.

import { NeardataError } from "../../../base/errors.ts";
import { present } from "../../../base/present.ts";
import { planPages, type PagePlan } from "../../../golden/attention/pages.ts";
import type { SparfDataset } from "../../../workload/sparf-dataset.ts";
import { temperatureOf } from "./attention-engine.ts";
import type { AttentionAnswer, AttentionEngine, AttentionRequest } from "./attention-request.ts";

/** The choice and output of an engine for one case. */
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
export async function evaluate(
  engine: AttentionEngine,
  datasets: readonly SparfDataset[],
): Promise<EvalDocument> {
  const cases = datasets.flatMap(caseRequests);
  const dense = datasets.flatMap(denseRequests);
  const answers = await engine.attend([...cases, ...dense].map(({ request }) => request));
  return {
    engine: engine.name,
    cases: cases.flatMap((one, i) => {
      const answer = answers[i];
      return answer === undefined ? [] : [caseResult(one, answer)];
    }),
    dense: dense.map(({ dataset, q }, i) => ({
      dataset,
      q,
      out: [...(answers[cases.length + i]?.out ?? [])],
    })),
  };
}

interface CaseRequest {
  readonly id: string;
  readonly request: AttentionRequest;
  readonly n: number;
}

function caseRequests({ cache, queries, cases }: SparfDataset): readonly CaseRequest[] {
  return cases.map(({ id, query, r, k, l, m, n, pageBytes }) => ({
    id,
    n,
    request: {
      kind: "sparse",
      queries: queries[query] ?? new Float64Array(),
      cache,
      pages: { m, pageBytes },
      parameters: { r, k, l },
    },
  }));
}

interface DenseRequest {
  readonly dataset: string;
  readonly q: number;
  readonly request: AttentionRequest;
}

/** The requests for dense attention, with the page layout of the first case. */
function denseRequests({ id, cache, queries, cases }: SparfDataset): readonly DenseRequest[] {
  const { m, pageBytes } = cases[0] ?? { m: 2, pageBytes: 4096 };
  return queries.map((query, q) => ({
    dataset: id,
    q,
    request: { kind: "dense", queries: query, cache, pages: { m, pageBytes } },
  }));
}

/** @throws NeardataError `check-failed` if the engine read other pages than the rules give. */
function caseResult(
  { id, request, n }: CaseRequest,
  answer: AttentionAnswer,
): EvalDocument["cases"][number] {
  const { length, width } = request.cache;
  const pages = planPages({ length, width, n, ...request.pages }, answer.dims, answer.tokens);
  const { dram_tail: plan } = pages;
  const read = answer.pages ?? {
    dims: plan.step1_pages,
    keys: plan.step2_pages_k,
    values: plan.step2_pages_v,
  };
  if (
    read.dims !== plan.step1_pages ||
    read.keys !== plan.step2_pages_k ||
    read.values !== plan.step2_pages_v
  ) {
    const key = [read.dims, read.keys, read.values].join(", ");
    const wanted = [plan.step1_pages, plan.step2_pages_k, plan.step2_pages_v].join(", ");
    const message = `read ${key} pages (embedding order, K, V) instead of ${wanted}`;
    throw new NeardataError("check-failed", [{ where: id, message }]);
  }
  const result = {
    i: [...answer.dims],
    tau: temperatureOf(request, answer),
    j: [...answer.tokens],
    alpha: present(answer.alphas[0]),
    out: [...answer.out],
    pages,
  };
  return { id, result };
}
