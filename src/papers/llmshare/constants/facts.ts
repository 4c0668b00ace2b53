// SPDX-License-Identifier: Apache-2.0
// LLMShare: figures that follow from others.

import {
  poolCount,
  poolMacs,
  poolMemory,
  poolParameters,
  publishedSpace,
  type Pool,
} from "../model/space.ts";
import { fact, type Fact } from "../../experiment/fact.ts";

function pool(...values: readonly number[]): Pool {
  return Object.fromEntries(poolParameters.map((name, i) => [name, values[i] ?? 0])) as Pool;
}

/** The Pareto-optimal H100 cluster of the slides, and the design found. */
const h100 = {
  prefill: pool(7, 8, 18, 80, 50, 132, 256, 4, 16, 32),
  decode: pool(6, 8, 18, 80, 50, 132, 256, 4, 16, 32),
};
const found = {
  prefill: pool(4, 4, 24, 112, 100, 156, 512, 1, 128, 32),
  decode: pool(6, 12, 18, 80, 70, 72, 448, 2, 32, 16),
};
const memory = (d: typeof found): number => poolMemory(d.prefill) + poolMemory(d.decode);

export const llmShareFacts: readonly Fact[] = [
  fact(
    "llmshare",
    "space",
    "slide 'Design space'",
    "size of the design space, nearly 9e14",
    [9e14, "1", 0.04],
    () => poolCount(publishedSpace) ** 2,
  ),
  fact(
    "llmshare",
    "memory-h100",
    "slide 'Pareto'",
    "total memory of the H100 cluster",
    [null, "GB", 0],
    () => memory(h100),
  ),
  fact(
    "llmshare",
    "memory-found",
    "slide 'Pareto'",
    "total memory of the design found by LLMShare",
    [null, "GB", 0],
    () => memory(found),
  ),
  fact(
    "llmshare",
    "memory-ratio",
    "slide 'Pareto'",
    "memory of the design found over the H100 cluster, ratio",
    [null, "1", 0],
    () => memory(found) / memory(h100),
  ),
  fact(
    "llmshare",
    "prefill-macs",
    "slide 'Pareto'",
    "prefill array MACs over the H100 cluster, ratio",
    [null, "1", 0],
    () => poolMacs(found.prefill) / poolMacs(h100.prefill),
  ),
  fact(
    "llmshare",
    "decode-macs",
    "slide 'Pareto'",
    "decode array MACs over the H100 cluster, ratio",
    [null, "1", 0],
    () => poolMacs(found.decode) / poolMacs(h100.decode),
  ),
  fact(
    "llmshare",
    "requests",
    "slide 'Setup'",
    "request rate of 2454 requests in 120 s",
    [null, "1/s", 0],
    () => 2454 / 120,
  ),
  fact(
    "llmshare",
    "hypervolume",
    "slide 'Comparison'",
    "hypervolume gain over the best baseline",
    [null, "1", 0],
    () => 5.0552 / 4.9714,
  ),
];
