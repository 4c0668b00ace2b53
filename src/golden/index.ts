// SPDX-License-Identifier: Apache-2.0
// The entry point `neardata/golden`: what the hardware should compute, bit for bit, and the same in float64.
// Numbers as bit patterns, dot products of the NDP unit, low-bit weights, activations, experts;
// attention dense, SparF, SparQ and H2O; top-k. Arguments are checked.

import { z } from "zod";

import { anyNumber, callback, entry } from "../base/entry.ts";
import * as activationModel from "./activation.ts";
import * as attentionModel from "./attention/attention.ts";
import * as attentionEngineModel from "./attention-engine.ts";
import * as budgetModel from "./attention/budget.ts";
import * as decodePolicyModel from "./attention/decode-policy.ts";
import * as dotModel from "./dot.ts";
import * as engineMeanModel from "./engine-mean.ts";
import * as exp2Model from "./exp2.ts";
import * as expertModel from "./expert.ts";
import * as float16Model from "./float16.ts";
import * as halfModel from "./half.ts";
import * as lowBitModel from "./low-bit.ts";
import * as referenceModel from "./reference.ts";
import * as sparfModel from "./attention/sparf.ts";
import * as sparqModel from "./attention/sparq.ts";
import * as topKModel from "./attention/top-k.ts";
import {
  activationName,
  arithmetic,
  bits16,
  count,
  expertBits,
  firstStep,
  float64s,
  floatFormat,
  gateFunction,
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
export type { FloatFormat } from "./activation.ts";
export type { HeadCache } from "./attention/attention.ts";
export type { FirstStep } from "./attention-engine.ts";
export type { AttentionArithmetic, DecodePolicy, PolicyStep } from "./attention/decode-policy.ts";
export type { Inputs, Operands } from "./dot.ts";
export type { Biases, ExpertBits, LowBitExpert } from "./expert.ts";
export type { GateFunction, ActivationFunction } from "./names.ts";
export type { LowBitFormat, LowBitMatrix } from "./low-bit.ts";
export type { RealExpert } from "./reference.ts";
export type { SparfParameters, SparfResult } from "./attention/sparf.ts";
export type { SparqOutput, SparqParameters, SparqResult } from "./attention/sparq.ts";

/** An activation of a bit pattern, as the unit computes it. */
export const activation = entry(activationModel.activation, {
  bits: bits16,
  func: activationName,
  format: floatFormat,
});

/** The product of two bit patterns, rounded once. */
export const gatedProduct = entry(activationModel.gatedProduct, {
  a: bits16,
  b: bits16,
  format: floatFormat,
});

/** Dense attention over `tokens` alone, as if the others were not there. */
export const attendTo = entry(attentionModel.attendTo, {
  query: float64s,
  cache: headCache,
  tokens: indices,
});

/** softmax(q . K / sqrt(width)) V over all tokens. */
export const denseAttention = entry(attentionModel.denseAttention, {
  query: float64s,
  cache: headCache,
});

/** q . K_t of every token, over the dimensions `dims` (all when left out). */
export const logits = entry(attentionModel.logits, {
  query: float64s,
  cache: headCache,
  dims: indices.optional(),
});

/** The mean of the values of all tokens. */
export const meanValue = entry(attentionModel.meanValue, { cache: headCache });

/** Weights of scores at a temperature; they sum to 1. */
export const softmax = entry(attentionModel.softmax, { scores: float64s, temperature: anyNumber });

/** Values of tokens times their weights, summed. */
export const weightedValues = entry(attentionModel.weightedValues, {
  weights: float64s,
  cache: headCache,
  tokens: indices.optional(),
});

/** Attention over `tokens` alone, by the engine. */
export const engineAttendTo = entry(attentionEngineModel.engineAttendTo, {
  query: float64s,
  cache: headCache,
  tokens: indices,
});

/** SparF of a query by the engine; query, keys and values are binary16 values. */
export const engineAttention = entry(attentionEngineModel.engineAttention, {
  query: float64s,
  cache: headCache,
  parameters: selection,
  mean: float64s.optional(),
  first: firstStep.optional(),
});

/** Dense attention by the engine. */
export const engineDense = entry(attentionEngineModel.engineDense, {
  query: float64s,
  cache: headCache,
});

/** The first step of SparF by the engine: dimensions and approximate logits. */
export const engineFirstStep = entry(attentionEngineModel.engineFirstStep, {
  query: float64s,
  cache: headCache,
  r: count,
});

/** SparF by the engine for queries that share a cache. */
export const engineGroupAttention = entry(attentionEngineModel.engineGroupAttention, {
  queries: z.array(float64s),
  cache: headCache,
  parameters: selection,
  compensated: z.boolean().optional(),
});

/** A budget whose ratio is of the dimensions and of the tokens. */
export const elementBudget = entry(budgetModel.elementBudget, {
  ratio: share,
  length: count,
  width: count,
});

/** Tokens of a policy that moves whole rows, at a ratio. */
export const tokenBudget = entry(budgetModel.tokenBudget, { ratio: share, length: count });

/** The budget of SparQ and SparF at a ratio of traffic. */
export const trafficBudget = entry(budgetModel.trafficBudget, {
  ratio: share,
  length: count,
  width: count,
});

/** H2O: the heaviest tokens so far and the latest ones. */
export const h2oPolicy = entry(decodePolicyModel.h2oPolicy, {
  arithmetic,
  budgetFor: callback,
  promptScores: float64s,
});

/** The first tokens and the latest ones. */
export const lmInfinitePolicy = entry(decodePolicyModel.lmInfinitePolicy, {
  arithmetic,
  budgetFor: callback,
  firstFor: callback,
});

/** The latest tokens, as many as the budget allows. */
export const localPolicy = entry(decodePolicyModel.localPolicy, {
  arithmetic,
  budgetFor: callback,
});

/** SparF. */
export const sparfPolicy = entry(decodePolicyModel.sparfPolicy, {
  arithmetic,
  parametersFor: callback,
});

/** FlexGen's sparse attention: weights over all tokens, values of those with the largest ones. */
export const sparseValuesPolicy = entry(decodePolicyModel.sparseValuesPolicy, {
  countFor: callback,
});

/** SparQ of a head by itself, in float64. */
export const sparqPolicy = entry(decodePolicyModel.sparqPolicy, { parametersFor: callback });

/** The tokens with the largest logits, with or without the mean of the others. */
export const topKPolicy = entry(decodePolicyModel.topKPolicy, {
  arithmetic,
  countFor: callback,
  withMean: z.boolean(),
});

/** Decodes bit patterns for dotProduct. The result reuses the arrays of `spent`. */
export const decodeOperands = entry(dotModel.decodeOperands, {
  format: floatFormat,
  bits: halves,
  spent: operands.optional(),
});

/** A dot product as the NDP unit computes it, as bits of the inputs' format. */
export const dotProduct = entry(dotModel.dotProduct, {
  weights: operands,
  inputs: inputOperands,
  block: count,
  alignedBits: z.int().min(1).optional(),
  bias: z.number().optional(),
});

/** The mean of the values of all tokens, as the engine has it. */
export const meanOfValues = entry(engineMeanModel.meanOfValues, { cache: headCache });

/** 2^-z as the engine computes it. */
export const exp2Negative = entry(exp2Model.exp2Negative, { z: anyNumber });

/** y = down(act(gate x) * (up x)) for each row of `inputs`, with biases and clamps, bit for bit. */
export const goldenExpert = entry(expertModel.goldenExpert, {
  expert: expertBits,
  inputs: halves,
  func: gateFunction,
  block: count,
  alignedBits: z.int().min(1).optional(),
});

/** The number of NaN and infinities, and the index of the first (-1 if there is none). */
export const countNonfinite = entry(float16Model.countNonfinite, {
  format: floatFormat,
  bits: halves,
});

/** The value of a bit pattern. */
export const fromBits = entry(float16Model.fromBits, { format: floatFormat, bits: bits16 });

/** The nearest bit pattern. For BF16 the value must be a binary32 value. */
export const toBits = entry(float16Model.toBits, { format: floatFormat, value: anyNumber });

/** The values of bit patterns; binary32 represents them exactly. */
export const valuesOf = entry(float16Model.valuesOf, { format: floatFormat, bits: halves });

/** The value of a binary16. */
export const halfToNumber = entry(halfModel.halfToNumber, { bits: bits16 });

/** The values of binary16 numbers. */
export const halvesToNumbers = entry(halfModel.halvesToNumbers, { bits: halves });

/** The nearest binary16, as bits. */
export const numberToHalf = entry(halfModel.numberToHalf, { value: anyNumber });

/** The nearest binary16 of each number, as bits. */
export const numbersToHalves = entry(halfModel.numbersToHalves, { values: float64s });

/** The double nearest to a value that is a binary16. */
export const roundToHalf = entry(halfModel.roundToHalf, { value: anyNumber });

/** The value of a code, without its scale. */
export const codeValue = entry(lowBitModel.codeValue, {
  format: lowBitFormat,
  code: z.int().min(0).max(255),
});

/**
 * Decodes a row for `repeats` passes over each block of inputs. The result reuses the arrays of
 * `spent`.
 */
export const decodeRow = entry(lowBitModel.decodeRow, {
  matrix: lowBitMatrix,
  row: index,
  repeats: count,
  spent: operands.optional(),
});

/** The values of a matrix of codes. */
export const lowBitValues = entry(lowBitModel.lowBitValues, { matrix: lowBitMatrix });

/** An activation function in float64. */
export const activationOf = entry(referenceModel.activationOf, {
  activation: activationName,
  x: anyNumber,
});

/** How far `a` is from `b`; equal infinities and NaN for NaN count as equal. */
export const distance = entry(referenceModel.distance, { a: float64s, b: float64s });

/** y = down(act(gate x) * (up x)) for each row of `inputs`, in float64. */
export const referenceExpert = entry(referenceModel.referenceExpert, {
  expert: realExpert,
  inputs: float64s,
  activation: activationName,
});

/** Logits over the `r` dimensions that SparF chooses. */
export const approximateLogits = entry(sparfModel.approximateLogits, {
  query: float64s,
  cache: headCache,
  r: count,
});

/** The `r` dimensions in which |q| is largest, ascending. */
export const chooseDims = entry(sparfModel.chooseDims, { query: float64s, r: count });

/** SparF of a query in float64. */
export const sparfAttention = entry(sparfModel.sparfAttention, {
  query: float64s,
  cache: headCache,
  parameters: selection,
  mean: float64s.optional(),
  approximate: float64s.optional(),
});

/** SparF in float64 of queries that share a cache. */
export const sparfGroupAttention = entry(sparfModel.sparfGroupAttention, {
  queries: z.array(float64s),
  cache: headCache,
  parameters: selection,
  mean: float64s.optional(),
});

/** sqrt(d |q_i|_1 / |q|_1) of chosen dimensions. */
export const temperature = entry(sparfModel.temperature, { query: float64s, dims: indices });

/** SparQ as published, in float64, of queries that share a cache. */
export const sparqAttention = entry(sparqModel.sparqAttention, {
  queries: z.array(float64s),
  cache: headCache,
  parameters: selection,
  mean: float64s,
});

/** Elements of K and V that SparQ moves. */
export const sparqElements = entry(sparqModel.sparqElements, {
  length: count,
  width: count,
  parameters: selection,
});

/** Indices of the largest scores, ascending; the last `forced` ones are among them. */
export const topIndices = entry(topKModel.topIndices, {
  scores: float64s,
  count: index,
  forced: index.optional(),
});
