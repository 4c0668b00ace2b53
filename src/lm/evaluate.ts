// SPDX-License-Identifier: Apache-2.0
// Bits per byte of a text under an attention method. A window is 1025 bytes, windows begin every
// 512; the first half of a window is the prompt, the second half is scored, a decode step a byte.

import type { AttentionEngine } from "../driver/attention-engine.ts";
import { inputError, NeardataError } from "../errors.ts";
import { tokenBudget, trafficBudget } from "../golden/budget.ts";
import {
  densePolicy,
  h2oPolicy,
  lmInfinitePolicy,
  localPolicy,
  sparfPolicy,
  type AttentionArithmetic,
  type DecodePolicy,
} from "../golden/decode-policy.ts";
import type { LmAttention } from "./attention-names.ts";
import { decodeHere, decodeOn, type PolicyMaker } from "./decode.ts";
import { windowBits } from "./forward.ts";
import { tinyShape, type TinyModel } from "./model.ts";

/** Bytes from the start of one window to the start of the next. */
export const windowStride = 512;
/** Positions that attend densely. */
export const promptLength = 512;

/** What `neardata lm eval` measures. */
export interface LmResult {
  readonly attention: LmAttention;
  /** Share of the elements of K and V that is moved; null for dense. */
  readonly ratio: number | null;
  readonly engine: string | null;
  readonly scoredBytes: number;
  readonly bitsPerByte: number;
  readonly windows: readonly { readonly window: number; readonly bits: number }[];
}

/** Windows that a text holds. */
export function windowCount(text: Uint8Array): number {
  const needed = tinyShape.context + 1;
  return text.length < needed ? 0 : Math.floor((text.length - needed) / windowStride) + 1;
}

/**
 * Evaluates windows of a text. Without an engine, arithmetic is float64 and nothing is rounded;
 * an engine has q, K, V and output in binary16, in the prompt as well.
 * @throws NeardataError `bad-input` for windows that the text does not hold.
 */
export async function evaluateLm(
  model: TinyModel,
  text: Uint8Array,
  windows: readonly number[],
  method: { readonly attention: LmAttention; readonly ratio: number },
  engine: AttentionEngine | null,
  onWindow: (window: number, bits: number) => void = () => undefined,
): Promise<LmResult> {
  const count = windowCount(text);
  const missing = windows.filter((w) => !Number.isInteger(w) || w < 0 || w >= count);
  if (count === 0) {
    throw inputError("text", `has ${text.length} bytes; a window needs ${tinyShape.context + 1}`);
  }
  if (missing.length > 0) {
    throw new NeardataError(
      "bad-input",
      missing.map((w) => ({
        where: "--windows",
        message: `the text has windows 0 to ${count - 1}, not ${w}.`,
      })),
    );
  }
  const policy: PolicyMaker = (promptScores, arithmetic) =>
    policyOf(method.attention, method.ratio, arithmetic, promptScores);
  const decode = engine === null ? decodeHere(policy) : decodeOn(engine, policy);
  const measured: { readonly window: number; readonly bits: number }[] = [];
  for (const window of windows) {
    const start = window * windowStride;
    const perByte = await windowBits(model, text.subarray(start, start + tinyShape.context + 1), {
      promptLength,
      half: engine !== null,
      decode,
    });
    const bits = perByte.subarray(promptLength).reduce((a, b) => a + b, 0);
    onWindow(window, bits);
    measured.push({ window, bits });
  }
  const scoredBytes = windows.length * (tinyShape.context - promptLength);
  return {
    attention: method.attention,
    ratio: method.attention === "dense" ? null : method.ratio,
    engine: engine?.name ?? null,
    scoredBytes,
    bitsPerByte: measured.reduce((sum, { bits }) => sum + bits, 0) / scoredBytes,
    windows: measured,
  };
}

function policyOf(
  attention: LmAttention,
  ratio: number,
  arithmetic: AttentionArithmetic,
  promptScores: () => Float64Array,
): DecodePolicy {
  const budget = (length: number): number => tokenBudget(ratio, length);
  switch (attention) {
    case "dense":
      return densePolicy(arithmetic);
    case "sparf":
    case "sparq":
      return sparfPolicy(arithmetic, (length) => trafficBudget(ratio, length, tinyShape.headWidth));
    case "h2o":
      return h2oPolicy(arithmetic, budget, promptScores());
    case "lm-infinite":
      return lmInfinitePolicy(arithmetic, budget, (b) => Math.min(16, Math.floor(b / 2)));
    case "local":
      return localPolicy(arithmetic, budget);
  }
}
