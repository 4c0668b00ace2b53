// SPDX-License-Identifier: Apache-2.0
// Requests and answers of decode attention, the same for every engine: requests (a query, a cache,
// the parameters of the selection), answers (selections, outputs), and the engines between them.

import type { HeadCache } from "../../../golden/attention/attention.ts";
import type { SparfParameters } from "../../../golden/attention/sparf.ts";
import type { CsdJobResult } from "../../../machine/csd/csd-jobs.ts";
import type { EngineName } from "../engine-names.ts";

/** Where the pages of a cache end: dimensions of an embedding-order page, bytes of a page. */
export interface CachePages {
  readonly m: number;
  readonly pageBytes: number;
}

/**
 * One attention of the queries of a group over the cache that they share: rows of the cache's width,
 * one behind another. Queries, keys and values are binary16 values.
 */
export type AttentionRequest = {
  readonly queries: Float64Array;
  readonly cache: HeadCache;
  readonly pages: CachePages;
} & (
  | { readonly kind: "dense" }
  | { readonly kind: "sparse"; readonly parameters: SparfParameters }
  /** `tokens` alone, as if the others were not there. */
  | { readonly kind: "tokens"; readonly tokens: Uint32Array }
);

/** The answer to one request; dimensions and tokens are empty where none are chosen. */
export interface AttentionAnswer {
  readonly dims: Uint32Array;
  readonly tokens: Uint32Array;
  /** By query: share of the chosen tokens in all; 1 where none are chosen. */
  readonly alphas: Float64Array;
  /** Rows, as the queries. */
  readonly out: Float64Array;
  /** Pages that the hardware requested; absent if it read none. */
  readonly pages?: CsdJobResult["pages"];
}

/** One method to compute attention. */
export interface AttentionEngine {
  readonly name: EngineName;
  /** Answers in the order of the requests. */
  readonly attend: (requests: readonly AttentionRequest[]) => Promise<readonly AttentionAnswer[]>;
}
