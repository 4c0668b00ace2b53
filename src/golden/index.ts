// SPDX-License-Identifier: Apache-2.0
// The door `neardata/golden`: what the hardware should compute, bit for bit, and the same in float64.
// Numbers as bit patterns, dot products of the NDP unit, low-bit weights, activations, experts;
// attention dense, SparF, SparQ and H2O; top-k.

export {
  activation,
  gatedProduct,
  type ActivationFunction,
  type FloatFormat,
} from "./activation.ts";
export {
  attendTo,
  denseAttention,
  logits,
  meanValue,
  softmax,
  weightedValues,
  type HeadCache,
} from "./attention/attention.ts";
export {
  engineAttendTo,
  engineAttention,
  engineDense,
  engineFirstStep,
  engineGroupAttention,
  type FirstStep,
} from "./attention-engine.ts";
export { elementBudget, tokenBudget, trafficBudget } from "./attention/budget.ts";
export {
  float64Arithmetic,
  h2oPolicy,
  lmInfinitePolicy,
  localPolicy,
  sparfPolicy,
  sparqPolicy,
  topKPolicy,
  type AttentionArithmetic,
  type DecodePolicy,
  type PolicyStep,
} from "./attention/decode-policy.ts";
export { decodeOperands, dotProduct, type Inputs, type Operands } from "./dot.ts";
export { meanOfValues } from "./engine-mean.ts";
export { exp2Negative } from "./exp2.ts";
export { goldenExpert, type ExpertBits, type LowBitExpert } from "./expert.ts";
export { countNonfinite, fromBits, toBits, valuesOf } from "./float16.ts";
export {
  halfToNumber,
  halvesToNumbers,
  numbersToHalves,
  numberToHalf,
  roundToHalf,
} from "./half.ts";
export {
  codeValue,
  decodeRow,
  lowBitFormats,
  lowBitValues,
  type LowBitFormat,
  type LowBitMatrix,
} from "./low-bit.ts";
export { activationOf, distance, referenceExpert, type RealExpert } from "./reference.ts";
export {
  approximateLogits,
  chooseDims,
  sparfAttention,
  sparfGroupAttention,
  temperature,
  type SparfParameters,
  type SparfResult,
} from "./attention/sparf.ts";
export {
  sparqAttention,
  sparqElements,
  type SparqOutput,
  type SparqParameters,
  type SparqResult,
} from "./attention/sparq.ts";
export { topIndices } from "./attention/top-k.ts";
