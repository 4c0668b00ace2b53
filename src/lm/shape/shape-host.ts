// SPDX-License-Identifier: Apache-2.0
// Time and traffic of the host for a layer of a model that is known by its shape only: projections, output
// matrix and router, shared experts or the dense network of the first layers, and the attention that no
// storage device's engine computes. The weights of a matrix are read from its memory once for all tokens.

import type { HostName } from "../../machine/host/devices.ts";
import {
  cacheBytesPerToken,
  sharedWeightBytes,
  vocabularyOf,
  type Attention,
  type FeedForward,
  type ModelShape,
} from "../../workload/shapes.ts";
import { inputError } from "../../base/errors.ts";
import { bytes, seconds } from "../../base/units.ts";
import type { HostTimes } from "../token/token-plan.ts";
import { hostOf, hostTimer, hostTransfer } from "../token/token-report.ts";

/** Tokens that are decoded together, and tokens in each one's cache. */
interface HostWork {
  readonly tokens: number;
  readonly length: number;
}

/** Host times of layers with routed experts, and the times that differ in layers without. */
interface ShapeHostTimes {
  readonly routed: HostTimes;
  readonly dense: Partial<HostTimes>;
}

const bytesPerValue = 2;

export function shapeHostTimes(shape: ModelShape, host: HostName, work: HostWork): ShapeHostTimes {
  const timeOf = hostTimer(host);
  const { hidden, attention: a, experts, dense } = shape;
  const { tokens, length } = work;
  const matrices = (elements: number) => timeOf(elements, tokens);
  const { projections, output } = matricesOf(a, hidden);
  const network = (part: FeedForward | null, count: number) =>
    part === null || count === 0
      ? seconds(0)
      : matrices(count * part.matrices * hidden * part.intermediate);
  return {
    routed: {
      projections: matrices(projections),
      router: matrices(output + hidden * (experts?.routed ?? 0)),
      shared: network(experts, experts?.shared ?? 0),
      sum: timeOf(tokens * hidden, 1),
      output: matrices(hidden * (vocabularyOf(shape) ?? 0)),
      ...(a.kind === "latent" ? { attention: timeOf(...latentWork(a, work)) } : {}),
      vector: bytes(bytesPerValue * hidden),
      transfer: hostTransfer(host),
    },
    dense: { router: matrices(output), shared: network(dense, 1) },
  };

  /**
   * Every head's query is multiplied by the latents and the rotary key of every token, and its
   * weights by the latents.
   */
  function latentWork(
    { heads, kvRank, ropeDim }: Extract<Attention, { readonly kind: "latent" }>,
    of: HostWork,
  ): readonly [values: number, uses: number] {
    const values = of.tokens * length * (kvRank + ropeDim);
    return [values, (heads * (values + of.tokens * length * kvRank)) / values];
  }
}

/** Elements of the matrices before attention, and of those behind it. */
function matricesOf(
  a: Attention,
  hidden: number,
): { readonly projections: number; readonly output: number } {
  if (a.kind === "heads") {
    return {
      projections: hidden * a.headDim * (a.heads + 2 * a.kvHeads),
      output: hidden * a.headDim * a.heads,
    };
  }
  const { heads, queryRank, kvRank, ropeDim, keyDim, valueDim } = a;
  // The matrix from latents to keys is applied to a head's query, before attention; the matrix from
  // latents to values is applied after it.
  return {
    projections:
      hidden * (queryRank + kvRank + ropeDim) +
      heads * (queryRank * (keyDim + ropeDim) + kvRank * keyDim),
    output: heads * (kvRank * valueDim + valueDim * hidden),
  };
}

/** @throws NeardataError `bad-input` if the tensors and caches of the host exceed its memory */
export function checkHostMemory(
  shape: ModelShape,
  host: HostName,
  { tokens, length }: HostWork,
): void {
  const embeddings = 2 * bytesPerValue * shape.hidden * (vocabularyOf(shape) ?? 0);
  const cache = shape.attention.kind === "latent" ? tokens * length * cacheBytesPerToken(shape) : 0;
  const needed = sharedWeightBytes(shape) + embeddings + cache;
  const { memory, title } = hostOf(host);
  if (needed <= memory) return;
  const gib = (of: number): string => (of / 2 ** 30).toFixed(1);
  throw inputError(
    "--host",
    `what stays on the host needs ${gib(needed)} GiB, and ${title} has ${gib(memory)}.`,
  );
}
