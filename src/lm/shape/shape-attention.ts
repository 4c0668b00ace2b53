// SPDX-License-Identifier: Apache-2.0
// Attention of a layer of a model of which only the shape is there: generated keys and values on the
// storage devices, query heads in groups that the engine takes.

import { engineRuleViolations } from "../../machine/resolve/csd.ts";
import type { AttentionRequest } from "../../kernels/csd/attention/attention-request.ts";
import { inputError, NeardataError } from "../../base/errors.ts";
import { trafficBudget } from "../../golden/attention/budget.ts";
import { halvesToNumbers } from "../../golden/half.ts";
import type { Attention, ModelShape } from "../../workload/shapes.ts";
import { hta1Head } from "../../native/csd/hta1.ts";
import { headBits } from "../../workload/attention-heads.ts";

/** The layout of keys in `lm eval` and `lm token`. */
const pages = { m: 4, pageBytes: 4096 };

/** Where a layer's attention is computed. */
export type ShapeAttention =
  | {
      readonly on: "storage";
      readonly kvHeads: number;
      readonly width: number;
      /** Query heads of one job, and jobs that read one head's keys and values. */
      readonly group: number;
      readonly jobsPerHead: number;
    }
  | { readonly on: "host"; readonly why: string };

/** @throws NeardataError `bad-input` if no engine accepts heads of this length */
export function placeAttention({ attention: a }: ModelShape, length: number): ShapeAttention {
  const rulesFor = (width: number, group: number): readonly string[] =>
    engineRuleViolations({
      width,
      length,
      pageBytes: pages.pageBytes,
      dimsPerPage: pages.m,
      group,
    });
  if (a.kind === "latent") return { on: "host", why: whyHost(a, rulesFor(keyWidth(a), 1)) };
  const members = a.heads / a.kvHeads;
  const broken = rulesFor(a.headDim, 1);
  if (broken.length > 0) {
    throw new NeardataError(
      "bad-input",
      broken.map((message) => ({ where: "--length", message })),
    );
  }
  const group = Array.from({ length: members }, (_, i) => members - i).find(
    (size) => members % size === 0 && rulesFor(a.headDim, size).length === 0,
  );
  if (group === undefined) throw inputError("--length", "no group of query heads fits the engine.");
  const { kvHeads, headDim: width } = a;
  return { on: "storage", kvHeads, width, group, jobsPerHead: members / group };
}

type Latent = Extract<Attention, { readonly kind: "latent" }>;

function keyWidth({ keyDim, ropeDim }: Latent): number {
  return keyDim + ropeDim;
}

/** Latents are one head of keys for all query heads; decompressed they are many times as many values. */
function whyHost(a: Latent, rules: readonly string[]): string {
  const latent = a.kvRank + a.ropeDim;
  const whole = a.heads * (keyWidth(a) + a.valueDim);
  return (
    `latent attention: a head's decompressed key has ${keyWidth(a)} values, and ${rules.join(" ")} ` +
    `Decompressed keys and values would be ${(whole / latent).toFixed(0)} times the latents, which lie in ` +
    "the host's memory."
  );
}

/** The heads of one layer that attend. */
export interface LayerAttention {
  readonly layer: number;
  /** Numbers of the sequences. */
  readonly sequences: readonly number[];
  /** Tokens of each cache, the newest included. */
  readonly length: number;
  /** Null: dense. */
  readonly ratio: number | null;
  readonly seed: number;
}

/** Sequences have no more heads than this over all layers, so that no two have one seed. */
const maxSequences = 1024;

/** Jobs of every head of keys and values, in the order of sequences; queries are the head's last ones. */
export function layerRequests(
  { kvHeads, width, group, jobsPerHead }: Extract<ShapeAttention, { readonly on: "storage" }>,
  { layer, sequences, length, ratio, seed }: LayerAttention,
): readonly AttentionRequest[] {
  return sequences.flatMap((sequence) =>
    Array.from({ length: kvHeads }, (_, h) => {
      const headSeed = seed + (layer * maxSequences + sequence) * kvHeads + h;
      const members = group * jobsPerHead;
      // Each query head needs a separate row, even if the cache has fewer tokens.
      const rows = Math.max(length, members);
      const head = hta1Head(headSeed, rows, width);
      const queries = halvesToNumbers(headBits(head, "queries", rows - members, rows));
      const ofTokens = (all: Float64Array): Float64Array => all.subarray(0, length * width);
      const cache = { length, width, keys: ofTokens(head.keys), values: ofTokens(head.values) };
      return Array.from({ length: jobsPerHead }, (_job, j): AttentionRequest => {
        const some = queries.subarray(j * group * width, (j + 1) * group * width);
        const job = { queries: some, cache, pages };
        if (ratio === null) return { ...job, kind: "dense" };
        return { ...job, kind: "sparse", parameters: trafficBudget(ratio, length, width) };
      });
    }).flat(),
  );
}
