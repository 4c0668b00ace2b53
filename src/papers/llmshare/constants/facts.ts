// SPDX-License-Identifier: Apache-2.0
// LLMShare: figures that follow from others.

import { present } from "../../../base/present.ts";
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
  return Object.fromEntries(poolParameters.map((name, i) => [name, present(values[i])])) as Pool;
}

/** The slides' Pareto-optimal H100 cluster, and the design that the search found. */
const h100 = {
  prefill: pool(7, 8, 18, 80, 50, 132, 256, 4, 16, 32),
  decode: pool(6, 8, 18, 80, 50, 132, 256, 4, 16, 32),
};
const llmShare = {
  prefill: pool(4, 4, 24, 112, 100, 156, 512, 1, 128, 32),
  decode: pool(6, 12, 18, 80, 70, 72, 448, 2, 32, 16),
};
const memory = (d: typeof llmShare): number => poolMemory(d.prefill) + poolMemory(d.decode);

export const llmShareFacts: readonly Fact[] = [
  fact("llmshare", "space", {
    where: "slide 'Design space'",
    what: "size of the design space, nearly 9e14",
    published: 9e14,
    unit: "1",
    tolerance: 0.04,
    value: () => poolCount(publishedSpace) ** 2,
  }),
  fact("llmshare", "memory-h100", {
    where: "slide 'Pareto'",
    what: "total memory of the H100 cluster",
    published: null,
    unit: "GB",
    tolerance: 0,
    value: () => memory(h100),
  }),
  fact("llmshare", "memory-found", {
    where: "slide 'Pareto'",
    what: "total memory of the design found by LLMShare",
    published: null,
    unit: "GB",
    tolerance: 0,
    value: () => memory(llmShare),
  }),
  fact("llmshare", "memory-ratio", {
    where: "slide 'Pareto'",
    what: "memory of the design found over the H100 cluster, ratio",
    published: null,
    unit: "1",
    tolerance: 0,
    value: () => memory(llmShare) / memory(h100),
  }),
  fact("llmshare", "prefill-macs", {
    where: "slide 'Pareto'",
    what: "prefill array MACs over the H100 cluster, ratio",
    published: null,
    unit: "1",
    tolerance: 0,
    value: () => poolMacs(llmShare.prefill) / poolMacs(h100.prefill),
  }),
  fact("llmshare", "decode-macs", {
    where: "slide 'Pareto'",
    what: "decode array MACs over the H100 cluster, ratio",
    published: null,
    unit: "1",
    tolerance: 0,
    value: () => poolMacs(llmShare.decode) / poolMacs(h100.decode),
  }),
  fact("llmshare", "requests", {
    where: "slide 'Setup'",
    what: "request rate of 2454 requests in 120 s",
    published: null,
    unit: "1/s",
    tolerance: 0,
    value: () => 2454 / 120,
  }),
  fact("llmshare", "hypervolume", {
    where: "slide 'Comparison'",
    what: "hypervolume gain over the best baseline",
    published: null,
    unit: "1",
    tolerance: 0,
    value: () => 5.0552 / 4.9714,
  }),
];
