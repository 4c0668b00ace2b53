// SPDX-License-Identifier: Apache-2.0
// A serving system from its design: its cost, and its results for a trace.

import { quantileSorted } from "d3-array";
import type { ModelShape } from "../../../workload/shapes.ts";
import type { Pool } from "./space.ts";
import { serveRequests, type ClusterPool, type Served } from "./cluster.ts";
import { poolCost } from "./cost.ts";
import type { ServingDesign } from "./design.ts";
import { serverOf, defaultAssumptions, type ServingAssumptions } from "./device.ts";
import { gapPercentile } from "./gaps.ts";
import { serve } from "./iteration.ts";
import type { Request } from "./requests.ts";

/** In seconds by default. */
export interface Percentiles {
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
}

export interface ServingResult {
  /** Dollars of devices and memory. */
  readonly cost: number;
  /** From the first arrival to the last token. */
  readonly servingTime: number;
  readonly requestsPerSecond: number;
  readonly tokensPerSecond: number;
  readonly timeToFirstToken: Percentiles;
  readonly timeBetweenTokens: Omit<Percentiles, "mean">;
  readonly endToEnd: Percentiles;
  readonly helped: Served["helped"];
}

export function costOf({ decode, prefill }: ServingDesign): number {
  return poolCost(prefill) + poolCost(decode);
}

/** Null where the model or the longest request does not fit on a server of either pool. */
export function simulateServing(
  design: ServingDesign,
  shape: ModelShape,
  requests: readonly Request[],
  assumptions: ServingAssumptions = defaultAssumptions,
): ServingResult | null {
  const prefill = poolOf(design.prefill, shape, assumptions);
  const decode = poolOf(design.decode, shape, assumptions);
  if (prefill === null || decode === null) return null;
  const served = serveRequests(prefill, decode, requests, assumptions.helpers);
  if (served === null) return null;
  const { endToEnd, firstToken, gaps, helped, servingTime, tokens } = served;
  return {
    cost: costOf(design),
    servingTime,
    requestsPerSecond: requests.length / servingTime,
    tokensPerSecond: tokens / servingTime,
    timeToFirstToken: percentiles(firstToken),
    timeBetweenTokens: {
      p50: gapPercentile(gaps, 0.5),
      p90: gapPercentile(gaps, 0.9),
      p99: gapPercentile(gaps, 0.99),
    },
    endToEnd: percentiles(endToEnd),
    helped,
  };
}

function poolOf(
  pool: Pool,
  shape: ModelShape,
  assumptions: ServingAssumptions,
): ClusterPool | null {
  const server = serverOf(pool, assumptions);
  const model = serve(server, shape);
  return model === null ? null : { servers: pool.sc, model, networkRate: server.networkRate };
}

/** Linear between order statistics; 0 of no values. */
export function percentiles(values: readonly number[]): Percentiles {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => quantileSorted(sorted, share) ?? 0;
  const mean = values.reduce((a, b) => a + b, 0) / Math.max(1, values.length);
  return { mean, p50: at(0.5), p90: at(0.9), p99: at(0.99) };
}
