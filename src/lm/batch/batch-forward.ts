// SPDX-License-Identifier: Apache-2.0
// Steps of a mixture-of-experts model with tokens of many sequences together: an expert gets the tokens of
// all of them as one job, and the heads of all are attended to in one round. Prompts attend densely in
// float64 over keys and values in binary16, as in an evaluation; so a sequence's values are those that it has alone.

import { present } from "../../base/present.ts";
import type { AttentionRequest } from "../../kernels/csd/attention/attention-request.ts";
import { trafficBudget } from "../../golden/attention/budget.ts";
import { concatenateRows } from "../../golden/rows.ts";
import type { LayerGroup } from "../decode.ts";
import { bitsOf } from "../operations.ts";
import type { Matrix } from "../model.ts";
import { denseRows, layerGroups, rotaryTables, roundAll } from "../moe/attention.ts";
import type { ExpertEngine } from "../moe/experts.ts";
import { addTo, embed, layerOutput, normalized, rejectNonfinite, rowOf } from "../moe/forward.ts";
import type { MoeModel } from "../moe/model.ts";
import { product } from "../moe/product.ts";
import type { Routes } from "../moe/router.ts";
import { positionsOf, type BatchRequest } from "./batch-requests.ts";
import type { StepPart } from "./batch-schedule.ts";

/** Keys and values of one K/V head of a layer, as many rows as the request will have positions. */
export type SequenceCache = Omit<LayerGroup, "queries">;

/** The requests of a layer of a step to the storage devices, by part of the step and K/V head. */
export interface LayerRound {
  readonly layer: number;
  /** `attend`: of a decode step; its newest row is not stored yet. */
  readonly groups: readonly {
    readonly part: StepPart;
    readonly head: number;
    readonly cache: SequenceCache;
    readonly attend: AttentionRequest | null;
  }[];
}

/** Where a step's parts are computed. */
export interface BatchEngines {
  readonly experts: ExpertEngine;
  /** Stores the new rows and answers, one output for each group that attends, null for others. */
  readonly attend: (round: LayerRound) => Promise<readonly (Float64Array | null)[]>;
  readonly onRoutes?: ((parts: readonly StepPart[], routes: Routes) => void) | undefined;
}

/** A model and the keys and values of its sequences. */
export interface BatchModel {
  /** Bits of the byte after the last position of each part; null where that is inside a prompt. */
  readonly step: (parts: readonly StepPart[]) => Promise<readonly (number | null)[]>;
  /** Forgets keys and values of a request. */
  readonly leave: (request: BatchRequest) => void;
}

/** Four dimensions a page, as in an evaluation. */
const pages = { m: 4, pageBytes: 4096 };

/** Decode steps attend with SparF at `ratio`; null: densely. */
export function batchModel(
  model: MoeModel,
  ratio: number | null,
  { experts, attend, onRoutes }: BatchEngines,
): BatchModel {
  const { architecture, layers, embedding, finalNorm, output } = model;
  const { headWidth: width, heads, kvHeads, settings } = architecture;
  const epsilon = settings.rms_norm_eps.value;
  const tables = rotaryTables(model.inputs, width, settings.rope_theta.value);
  const caches = new Map<BatchRequest, readonly (readonly SequenceCache[])[]>();
  const cachesOf = (request: BatchRequest): readonly (readonly SequenceCache[])[] => {
    const empty = (): Float64Array => new Float64Array(positionsOf(request) * width);
    const cache =
      caches.get(request) ??
      layers.map(() =>
        Array.from({ length: kvHeads }, () => ({ width, keys: empty(), values: empty() })),
      );
    caches.set(request, cache);
    return cache;
  };
  const attentionOf = async (
    groups: readonly LayerGroup[],
    parts: readonly PlacedPart[],
    layer: number,
  ): Promise<Matrix> => {
    const rows = parts.reduce((sum, { from, to }) => sum + to - from, 0);
    const columns = heads * width;
    const out = { rows, columns, data: new Float64Array(rows * columns) };
    const members = heads / kvHeads;
    const round = parts.flatMap((part) =>
      groups.map((group, head) => {
        const { row, from, to, kind, request } = part;
        const cache = cachesOf(request)[layer]?.[head] ?? group;
        const ofToken = (of: Float64Array): Float64Array =>
          of.subarray(row * width, (row + to - from) * width);
        cache.keys.set(ofToken(group.keys), from * width);
        cache.values.set(ofToken(group.values), from * width);
        const queries = group.queries.map(ofToken);
        if (kind === "prompt") {
          queries.forEach((query, h) => {
            const column = (head * members + h) * width;
            denseRows(query, cache, [from, to], out, { row, column });
          });
        }
        const attends = kind === "decode" ? requestOf(queries, { ...cache, length: to }) : null;
        return { part, head, cache, attend: attends };
      }),
    );
    const answers = await attend({ layer, groups: round });
    round.forEach(({ part, head }, i) => {
      const answer = answers[i];
      if (answer) out.data.set(answer, part.row * columns + head * members * width);
    });
    roundAll(out.data);
    return out;
  };
  const requestOf = (
    queries: readonly Float64Array[],
    cache: AttentionRequest["cache"],
  ): AttentionRequest => {
    const asked = { queries: concatenateRows(queries), cache, pages };
    if (ratio === null) return { kind: "dense", ...asked };
    return { kind: "sparse", ...asked, parameters: trafficBudget(ratio, cache.length, width) };
  };
  return {
    step: async (given) => {
      const parts = placed(given);
      const x = embed(
        embedding,
        Uint8Array.from(
          parts.flatMap(({ request, from, to }) => [...request.text.subarray(from, to)]),
        ),
      );
      const positions = parts.flatMap(({ from, to }) =>
        Array.from({ length: to - from }, (_, i) => from + i),
      );
      const rotations = {
        cos: picked(tables.cos, positions, width / 2),
        sin: picked(tables.sin, positions, width / 2),
      };
      for (const [n, layer] of layers.entries()) {
        const a = normalized(x, layer.inputNorm, epsilon);
        const groups = layerGroups(layer, a, architecture, rotations, true);
        addTo(x, product(await attentionOf(groups, parts, n), layer.output));
        const b = normalized(x, layer.networkNorm, epsilon);
        const run = { experts, dispatch: "window", prompt: 0 } as const;
        const heard = (routes: Routes): void => {
          onRoutes?.(parts, routes);
        };
        addTo(x, await layerOutput(model, n, b, { ...run, onRoutes: heard }));
        rejectNonfinite(x, n);
      }
      const ends = parts.map(({ row, from, to }) => row + to - from - 1);
      const last = { rows: ends.length, columns: x.columns, data: picked(x.data, ends, x.columns) };
      const scores = product(normalized(last, finalNorm, epsilon), output);
      return parts.map(({ request, to }, i) =>
        to < request.prompt ? null : bitsOf(rowOf(scores, i), present(request.text[to])),
      );
    },
    leave: (request) => {
      caches.delete(request);
    },
  };
}

/** A part and the row at which it begins in the step. */
type PlacedPart = StepPart & { readonly row: number };

function placed(parts: readonly StepPart[]): readonly PlacedPart[] {
  let row = 0;
  return parts.map((part) => {
    const job = { ...part, row };
    row += part.to - part.from;
    return job;
  });
}

/** The rows of these numbers, packed. */
function picked(rows: Float64Array, numbers: readonly number[], width: number): Float64Array {
  const out = new Float64Array(numbers.length * width);
  numbers.forEach((number, i) => {
    out.set(rows.subarray(number * width, (number + 1) * width), i * width);
  });
  return out;
}
