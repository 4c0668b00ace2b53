// SPDX-License-Identifier: Apache-2.0
// The entry point `neardata/golden`: what the hardware should compute, bit for bit, and the same in float64.
// Numbers as bit patterns, dot products of the NDP unit, low-bit weights, activations, experts;
// attention dense, SparF, SparQ and H2O; top-k. Arguments are checked.

import { z } from "zod";

import { anyNumber, callback, entry } from "../base/entry.ts";
import * as activations from "./activation.ts";
import * as attentions from "./attention/attention.ts";
import * as attentionEngines from "./attention-engine.ts";
import * as budgets from "./attention/budget.ts";
import * as decodePolicys from "./attention/decode-policy.ts";
import * as dots from "./dot.ts";
import * as engineMeans from "./engine-mean.ts";
import * as exp2s from "./exp2.ts";
import * as experts from "./expert.ts";
import * as float16s from "./float16.ts";
import * as halfs from "./half.ts";
import * as lowBits from "./low-bit.ts";
import * as references from "./reference.ts";
import * as sparfs from "./attention/sparf.ts";
import * as sparqs from "./attention/sparq.ts";
import * as topKs from "./attention/top-k.ts";
import {
  activationName,
  arithmetic,
  bits16,
  count,
  expertBits,
  firstStep,
  float64s,
  floatFormat,
  halves,
  headCache,
  index,
  indices,
  inputOperands,
  lowBitFormat,
  lowBitMatrix,
  operands,
  realExpert,
  selection,
  share,
} from "./arguments.ts";

export { float64Arithmetic } from "./attention/decode-policy.ts";
export { lowBitFormats } from "./low-bit.ts";
export type { ActivationFunction, FloatFormat } from "./activation.ts";
export type { HeadCache } from "./attention/attention.ts";
export type { FirstStep } from "./attention-engine.ts";
export type { AttentionArithmetic, DecodePolicy, PolicyStep } from "./attention/decode-policy.ts";
export type { Inputs, Operands } from "./dot.ts";
export type { ExpertBits, LowBitExpert } from "./expert.ts";
export type { LowBitFormat, LowBitMatrix } from "./low-bit.ts";
export type { RealExpert } from "./reference.ts";
export type { SparfParameters, SparfResult } from "./attention/sparf.ts";
export type { SparqOutput, SparqParameters, SparqResult } from "./attention/sparq.ts";

/** An activation of a bit pattern, as the unit computes it. */
export const activation = entry(activations.activation, {
  bits: bits16,
  func: activationName,
  format: floatFormat,
});

/** The product of two bit patterns, rounded once. */
export const gatedProduct = entry(activations.gatedProduct, {
  a: bits16,
  b: bits16,
  format: floatFormat,
});

/** Dense attention over `tokens` alone, as if the others were not there. */
export const attendTo = entry(attentions.attendTo, {
  query: float64s,
  cache: headCache,
  tokens: indices,
});

/** softmax(q . K / sqrt(width)) V over all tokens. */
export const denseAttention = entry(attentions.denseAttention, {
  query: float64s,
  cache: headCache,
});

/** q . K_t of every token, over the dimensions `dims` (all when left out). */
export const logits = entry(attentions.logits, {
  query: float64s,
  cache: headCache,
  dims: indices.optional(),
});

/** The mean of the values of all tokens. */
export const meanValue = entry(attentions.meanValue, { cache: headCache });

/** Weights of scores at a temperature; they sum to 1. */
export const softmax = entry(attentions.softmax, { scores: float64s, temperature: anyNumber });

/** Values of tokens times their weights, summed. */
export const weightedValues = entry(attentions.weightedValues, {
  weights: float64s,
  cache: headCache,
  tokens: indices.optional(),
});

/** Attention over `tokens` alone, by the engine. */
export const engineAttendTo = entry(attentionEngines.engineAttendTo, {
  query: float64s,
  cache: headCache,
  tokens: indices,
});

/** SparF of a query by the engine; query, keys and values are binary16 values. */
export const engineAttention = entry(attentionEngines.engineAttention, {
  query: float64s,
  cache: headCache,
  parameters: selection,
  mean: float64s.optional(),
  first: firstStep.optional(),
});

/** Dense attention by the engine. */
export const engineDense = entry(attentionEngines.engineDense, {
  query: float64s,
  cache: headCache,
});

/** The first step of SparF by the engine: dimensions and approximate logits. */
export const engineFirstStep = entry(attentionEngines.engineFirstStep, {
  query: float64s,
  cache: headCache,
  r: count,
});

/** SparF by the engine for queries that share a cache. */
export const engineGroupAttention = entry(attentionEngines.engineGroupAttention, {
  queries: z.array(float64s),
  cache: headCache,
  parameters: selection,
  compensated: z.boolean().optional(),
});

/** A budget whose ratio is of the dimensions and of the tokens. */
export const elementBudget = entry(budgets.elementBudget, {
  ratio: share,
  length: count,
  width: count,
});

/** Tokens of a policy that moves whole rows, at a ratio. */
export const tokenBudget = entry(budgets.tokenBudget, { ratio: share, length: count });

/** The budget of SparQ and SparF at a ratio of traffic. */
export const trafficBudget = entry(budgets.trafficBudget, {
  ratio: share,
  length: count,
  width: count,
});

/** H2O: the heaviest tokens so far and the latest ones. */
export const h2oPolicy = entry(decodePolicys.h2oPolicy, {
  arithmetic,
  budgetFor: callback,
  promptScores: float64s,
});

/** The first tokens and the latest ones. */
export const lmInfinitePolicy = entry(decodePolicys.lmInfinitePolicy, {
  arithmetic,
  budgetFor: callback,
  firstFor: callback,
});

/** The latest tokens, as many as the budget allows. */
export const localPolicy = entry(decodePolicys.localPolicy, { arithmetic, budgetFor: callback });

/** SparF. */
export const sparfPolicy = entry(decodePolicys.sparfPolicy, {
  arithmetic,
  parametersFor: callback,
});

/** SparQ of a head by itself, in float64. */
export const sparqPolicy = entry(decodePolicys.sparqPolicy, { parametersFor: callback });

/** The tokens with the largest logits, with or without the mean of the others. */
export const topKPolicy = entry(decodePolicys.topKPolicy, {
  arithmetic,
  countFor: callback,
  withMean: z.boolean(),
});

/** Bit patterns taken apart for dotProduct; the result takes over the arrays of `spent`. */
export const decodeOperands = entry(dots.decodeOperands, {
  format: floatFormat,
  bits: halves,
  spent: operands.optional(),
});

/** A dot product as the NDP unit computes it, as bits of the inputs' format. */
export const dotProduct = entry(dots.dotProduct, {
  weights: operands,
  inputs: inputOperands,
  block: count,
  alignedBits: z.int().min(1).optional(),
});

/** The mean of the values of all tokens, as the engine has it. */
export const meanOfValues = entry(engineMeans.meanOfValues, { cache: headCache });

/** 2^-z as the engine computes it. */
export const exp2Negative = entry(exp2s.exp2Negative, { z: anyNumber });

/** y = down(act(gate x) * (up x)) for each row of `inputs`, bit for bit. */
export const goldenExpert = entry(experts.goldenExpert, {
  expert: expertBits,
  inputs: halves,
  func: activationName,
  block: count,
  alignedBits: z.int().min(1).optional(),
});

/** How many NaN and infinities there are, and the index of the first (-1 when none). */
export const countNonfinite = entry(float16s.countNonfinite, { format: floatFormat, bits: halves });

/** The value of a bit pattern. */
export const fromBits = entry(float16s.fromBits, { format: floatFormat, bits: bits16 });

/** The nearest bit pattern. BF16 takes values that a binary32 holds exactly. */
export const toBits = entry(float16s.toBits, { format: floatFormat, value: anyNumber });

/** The values of bit patterns; binary32 holds them exactly. */
export const valuesOf = entry(float16s.valuesOf, { format: floatFormat, bits: halves });

/** The value of a binary16. */
export const halfToNumber = entry(halfs.halfToNumber, { bits: bits16 });

/** The values of binary16 numbers. */
export const halvesToNumbers = entry(halfs.halvesToNumbers, { bits: halves });

/** The nearest binary16, as bits. */
export const numberToHalf = entry(halfs.numberToHalf, { value: anyNumber });

/** The nearest binary16 of each number, as bits. */
export const numbersToHalves = entry(halfs.numbersToHalves, { values: float64s });

/** The double nearest to a value that is a binary16. */
export const roundToHalf = entry(halfs.roundToHalf, { value: anyNumber });

/** The value of a code, without its scale. */
export const codeValue = entry(lowBits.codeValue, {
  format: lowBitFormat,
  code: z.int().min(0).max(255),
});

/** A row taken apart, to meet each block of inputs `repeats` times; takes over the arrays of `spent`. */
export const decodeRow = entry(lowBits.decodeRow, {
  matrix: lowBitMatrix,
  row: index,
  repeats: count,
  spent: operands.optional(),
});

/** The values of a matrix of codes. */
export const lowBitValues = entry(lowBits.lowBitValues, { matrix: lowBitMatrix });

/** An activation function in float64. */
export const activationOf = entry(references.activationOf, {
  activation: activationName,
  x: anyNumber,
});

/** How far `a` is from `b`; equal infinities and NaN for NaN count as equal. */
export const distance = entry(references.distance, { a: float64s, b: float64s });

/** y = down(act(gate x) * (up x)) for each row of `inputs`, in float64. */
export const referenceExpert = entry(references.referenceExpert, {
  expert: realExpert,
  inputs: float64s,
  activation: activationName,
});

/** Logits over the `r` dimensions that SparF chooses. */
export const approximateLogits = entry(sparfs.approximateLogits, {
  query: float64s,
  cache: headCache,
  r: count,
});

/** The `r` dimensions in which |q| is largest, ascending. */
export const chooseDims = entry(sparfs.chooseDims, { query: float64s, r: count });

/** SparF of a query in float64. */
export const sparfAttention = entry(sparfs.sparfAttention, {
  query: float64s,
  cache: headCache,
  parameters: selection,
  mean: float64s.optional(),
  approximate: float64s.optional(),
});

/** SparF in float64 of queries that share a cache. */
export const sparfGroupAttention = entry(sparfs.sparfGroupAttention, {
  queries: z.array(float64s),
  cache: headCache,
  parameters: selection,
  mean: float64s.optional(),
});

/** sqrt(d |q_i|_1 / |q|_1) of chosen dimensions. */
export const temperature = entry(sparfs.temperature, { query: float64s, dims: indices });

/** SparQ as published, in float64, of queries that share a cache. */
export const sparqAttention = entry(sparqs.sparqAttention, {
  queries: z.array(float64s),
  cache: headCache,
  parameters: selection,
  mean: float64s,
});

/** Elements of K and V that SparQ moves. */
export const sparqElements = entry(sparqs.sparqElements, {
  length: count,
  width: count,
  parameters: selection,
});

/** Indices of the largest scores, ascending; the last `forced` ones are among them. */
export const topIndices = entry(topKs.topIndices, {
  scores: float64s,
  count: index,
  forced: index.optional(),
});
