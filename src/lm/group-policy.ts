// SPDX-License-Identifier: Apache-2.0
// Policies of the query heads that share keys and values. A head by itself is a policy of
// golden/attention/decode-policy.ts; SparF chooses dimensions and tokens once for the group, as the attention
// engine does, or for every query head by itself; SparQ chooses once for the group, as it is published.

import type { HeadCache } from "../golden/attention/attention.ts";
import { tokenBudget, trafficBudget } from "../golden/attention/budget.ts";
import {
  h2oPolicy,
  lmInfinitePolicy,
  localPolicy,
  runningMean,
  sparfPolicy,
  sparseValuesPolicy,
  type AttentionArithmetic,
  type DecodePolicy,
} from "../golden/attention/decode-policy.ts";
import { sparqAttention, type SparqParameters } from "../golden/attention/sparq.ts";
import { concatenateRows } from "../golden/rows.ts";
import type { SparfParameters } from "../golden/attention/sparf.ts";
import type { GroupChoice, LmAttention } from "./attention-names.ts";

/** Arithmetic for a group, too: the rows of its queries, one behind another. */
export interface GroupArithmetic extends AttentionArithmetic {
  readonly denseGroup: (queries: readonly Float64Array[], cache: HeadCache) => Float64Array;
  readonly sparfGroup: (
    queries: readonly Float64Array[],
    cache: HeadCache,
    parameters: SparfParameters,
    mean: Float64Array,
  ) => Float64Array;
}

/** One group's decode: `cache` has one more token at every call. */
export type GroupPolicy = (queries: readonly Float64Array[], cache: HeadCache) => Float64Array;

/** A fresh policy for one group; H2O starts from the prompt's scores of each query head. */
export type PolicyMaker = (
  promptScores: readonly (() => Float64Array)[],
  arithmetic: GroupArithmetic,
) => GroupPolicy;

/** How decode steps attend. */
export interface LmMethod {
  readonly attention: LmAttention;
  /** Share of the elements of K and V that is moved; of the value rows under `sparse-values`, which reads all keys. */
  readonly ratio: number;
  /** Granularity of SparF's choice; for a group of one query head both are equal. */
  readonly choice: GroupChoice;
}

/** The choice of SparQ for one group in one step, ascending. */
export interface SparqChoice {
  readonly cache: HeadCache;
  readonly parameters: SparqParameters;
  readonly components: Uint32Array;
  readonly tokens: Uint32Array;
}

/** The policy of a method for heads of `width`; `onChoice` is called with each choice of SparQ. */
export function policyMaker(
  { attention, ratio, choice }: LmMethod,
  width: number,
  onChoice: (choice: SparqChoice) => void = () => undefined,
): PolicyMaker {
  const budget = (length: number): number => tokenBudget(ratio, length);
  const traffic = (length: number): SparfParameters => trafficBudget(ratio, length, width);
  switch (attention) {
    case "dense":
      return (_, arithmetic) => arithmetic.denseGroup;
    case "sparq":
      return () => groupSparq(traffic, onChoice);
    case "sparf":
      return choice === "whole"
        ? (_, arithmetic) => groupSparf(arithmetic, traffic)
        : eachHead((arithmetic) => sparfPolicy(arithmetic, traffic));
    case "sparse-values":
      return eachHead(() => sparseValuesPolicy(budget));
    case "h2o":
      return eachHead((arithmetic, scores) => h2oPolicy(arithmetic, budget, scores()));
    case "lm-infinite":
      return eachHead((arithmetic) =>
        lmInfinitePolicy(arithmetic, budget, (b) => Math.min(16, Math.floor(b / 2))),
      );
    case "local":
      return eachHead((arithmetic) => localPolicy(arithmetic, budget));
  }
}

function groupSparf(
  arithmetic: GroupArithmetic,
  parametersFor: (length: number) => SparfParameters,
): GroupPolicy {
  const mean = runningMean();
  return (queries, cache) =>
    arithmetic.sparfGroup(queries, cache, parametersFor(cache.length), mean(cache));
}

function groupSparq(
  parametersFor: (length: number) => SparqParameters,
  onChoice: (choice: SparqChoice) => void,
): GroupPolicy {
  const mean = runningMean();
  return (queries, cache) => {
    const parameters = parametersFor(cache.length);
    const chosen = sparqAttention(queries, cache, parameters, mean(cache));
    onChoice({ cache, parameters, components: chosen.components, tokens: chosen.tokens });
    return concatenateRows(chosen.outputs.map(({ out }) => out));
  };
}

/** A separate policy for every query head. */
function eachHead(
  policyFor: (arithmetic: AttentionArithmetic, promptScores: () => Float64Array) => DecodePolicy,
): PolicyMaker {
  return (promptScores, arithmetic) => {
    const policies = promptScores.map((scores) => policyFor(arithmetic, scores));
    return (queries, cache) =>
      concatenateRows(policies.map((policy, h) => policy(queries[h] ?? none, cache).out));
  };
}

const none = new Float64Array();
