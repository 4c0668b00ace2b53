// SPDX-License-Identifier: Apache-2.0
// Bits per byte of a text under an attention method. A window is as many bytes as a model has
// positions, and one; windows begin every half window. The first half of a window is the prompt, the
// second half is scored, a decode step a byte.

import type { AttentionEngine } from "../kernels/csd/attention/attention-request.ts";
import { inputError, NeardataError } from "../base/errors.ts";
import { present } from "../base/present.ts";
import { methodsWithoutEngine, type LmAttention } from "./attention-names.ts";
import { decodeInFloat64, decodeOn } from "./decode.ts";
import { policyMaker, type LmMethod } from "./group-policy.ts";
import type { LanguageModel } from "./language-model.ts";
import { quantisedCaches } from "./quantised.ts";
import { sparqCounter, type SparqTraffic } from "./sparq-traffic.ts";

/** The measurements of `neardata lm eval`. */
export interface LmResult {
  readonly attention: LmAttention;
  /** Share of the elements of K and V that is moved, of the value rows under `sparse-values`; null for dense. */
  readonly ratio: number | null;
  readonly engine: string | null;
  /** Bits of stored weights and caches; null where nothing is quantised. */
  readonly bits: number | null;
  /** Bits of stored keys and values; null where they are not quantised. */
  readonly cacheBits: number | null;
  /**
   * Elements that SparQ moved, and the bytes that SparF would read for the same choices; absent for
   * other methods.
   */
  readonly traffic?: SparqTraffic;
  readonly scoredBytes: number;
  readonly bitsPerByte: number;
  readonly windows: readonly { readonly window: number; readonly bits: number }[];
}

/** The text, the windows and the method of an evaluation. */
export interface LmTask {
  readonly text: Uint8Array;
  readonly windows: readonly number[];
  readonly method: LmMethod;
  /** Decode steps of a window that are run and scored; all when absent. */
  readonly steps?: number | undefined;
  /** Of the weights that the model was read with and of keys and values; not quantised when absent. */
  readonly bits?: number | undefined;
  /** Of keys and values alone; not quantised when absent. */
  readonly cacheBits?: number | undefined;
}

/** Positions that attend densely, and bytes from the start of one window to the start of the next. */
export function promptOf({ inputs }: Pick<LanguageModel, "inputs">): number {
  return Math.floor(inputs / 2);
}

/** Number of windows in a text. */
export function windowCount(model: Pick<LanguageModel, "inputs">, text: Uint8Array): number {
  const needed = model.inputs + 1;
  return text.length < needed ? 0 : Math.floor((text.length - needed) / promptOf(model)) + 1;
}

/**
 * Evaluates windows of a text. Without an engine, arithmetic is float64 and nothing is rounded.
 * With an engine, q, K, V and the output are binary16, in the prompt as well.
 * @throws NeardataError `bad-input` for windows beyond the text, and for methods that an engine
 * does not have
 */
export async function evaluateLm(
  model: LanguageModel,
  { text, windows, method, steps, bits: both, cacheBits = both }: LmTask,
  engine: AttentionEngine | null,
  onWindow: (window: number, bits: number) => void = () => undefined,
): Promise<LmResult> {
  checkText(model, text, windows);
  const sparq = method.attention === "sparq";
  if (methodsWithoutEngine.includes(method.attention) && engine !== null) {
    const message = `${method.attention} has no engine: the storage device computes SparF.`;
    throw inputError("attention", message);
  }
  const counter = sparqCounter();
  const policy = policyMaker(method, model.headWidth, counter.count);
  const plain = engine === null ? decodeInFloat64(policy) : decodeOn(engine, policy);
  const decode = cacheBits === undefined ? plain : quantisedCaches(plain, cacheBits);
  const prompt = promptOf(model);
  const scored = Math.min(steps ?? Infinity, model.inputs - prompt);
  // In float64 a decode step that attends to everything is a position like any other.
  const alike = engine === null && method.attention === "dense" && cacheBits === undefined;
  const measured: { readonly window: number; readonly bits: number }[] = [];
  for (const window of windows) {
    const start = window * prompt;
    const perByte = await model.bits(window, text.subarray(start, start + prompt + scored + 1), {
      promptLength: alike ? model.inputs : prompt,
      half: engine !== null,
      decode,
    });
    const bits = perByte.subarray(prompt).reduce((a, b) => a + b, 0);
    onWindow(window, bits);
    measured.push({ window, bits });
  }
  const scoredBytes = windows.length * scored;
  return {
    attention: method.attention,
    ratio: method.attention === "dense" ? null : method.ratio,
    engine: engine?.name ?? null,
    bits: both ?? null,
    cacheBits: cacheBits ?? null,
    ...(sparq ? { traffic: counter.total() } : {}),
    scoredBytes,
    bitsPerByte: measured.reduce((sum, { bits }) => sum + bits, 0) / scoredBytes,
    windows: measured,
  };
}

function checkText(model: LanguageModel, text: Uint8Array, windows: readonly number[]): void {
  const count = windowCount(model, text);
  if (count === 0) {
    throw inputError(
      "text",
      `it has ${text.length} bytes, and a window needs ${model.inputs + 1}.`,
    );
  }
  const missing = windows.filter((w) => !Number.isInteger(w) || w < 0 || w >= count);
  if (missing.length > 0) {
    throw new NeardataError(
      "bad-input",
      missing.map((w) => ({
        where: "--windows",
        message: `the text has windows 0 to ${count - 1}, not ${w}.`,
      })),
    );
  }
  const strange = text.findIndex((byte) => byte >= model.vocabulary);
  if (strange >= 0) {
    const message = `byte ${strange} is ${present(text[strange])}, and the model knows ${model.vocabulary} tokens, 0 to ${model.vocabulary - 1}.`;
    throw inputError("text", message);
  }
}
