// SPDX-License-Identifier: Apache-2.0
// Shapes of the models that the papers use, from the models' public configurations
// (config.json on Hugging Face; OPT: arXiv 2205.01068, Chinchilla: arXiv 2203.15556,
// GPT-3: arXiv 2005.14165, Bloom: arXiv 2211.05100).

import { inputError, type NeardataError } from "../base/errors.ts";
import { didYouMean } from "../base/nearest.ts";
import type { GateFunction } from "../golden/names.ts";
import { formatValue } from "../base/format-value.ts";
import { bytes } from "../base/units.ts";
import type { Bytes } from "../base/units.ts";

/** How a model caches attention state. */
export type Attention =
  | {
      readonly kind: "heads";
      readonly heads: number;
      readonly kvHeads: number;
      readonly headDim: number;
    }
  | {
      /** Latent attention: one compressed vector and one rotary key a token and layer. */
      readonly kind: "latent";
      readonly heads: number;
      readonly queryRank: number;
      readonly kvRank: number;
      readonly ropeDim: number;
      readonly keyDim: number;
      readonly valueDim: number;
    };

/** The feed-forward part; `matrices` is 3 where a gate multiplies (gate, up, down), else 2. */
export interface FeedForward {
  readonly intermediate: number;
  readonly matrices: 2 | 3;
}

export interface Experts extends FeedForward {
  readonly routed: number;
  readonly shared: number;
  /** Routed experts that a token uses. */
  readonly perToken: number;
  /** Layers at the beginning that have `dense` instead. */
  readonly denseLayers: number;
  /**
   * A token selects experts only of the best `used` groups, of `count` equal groups; absent: of
   * any.
   */
  readonly groups?: { readonly count: number; readonly used: number };
}

export interface ModelShape {
  readonly name: string;
  readonly title: string;
  readonly layers: number;
  readonly hidden: number;
  readonly attention: Attention;
  /** The dense feed-forward part; null where every layer has experts. */
  readonly dense: FeedForward | null;
  readonly experts: Experts | null;
}

const bytesPerValue = 2;

function heads(count: number, kvHeads: number, headDim: number): Attention {
  return { kind: "heads", heads: count, kvHeads, headDim };
}

/** A decoder with ungated feed-forward layers of four times the width, or of `intermediate`. */
function dense(
  name: string,
  title: string,
  layers: number,
  hidden: number,
  headCount: number,
): ModelShape {
  return {
    name,
    title,
    layers,
    hidden,
    attention: heads(headCount, headCount, hidden / headCount),
    dense: { intermediate: 4 * hidden, matrices: 2 },
    experts: null,
  };
}

function experts(
  intermediate: number,
  routed: number,
  shared: number,
  perToken: number,
  denseLayers = 0,
): Experts {
  return { intermediate, matrices: 3, routed, shared, perToken, denseLayers };
}

const shapes: readonly ModelShape[] = [
  dense("opt-6.7b", "OPT-6.7B", 32, 4096, 32),
  dense("opt-13b", "OPT-13B", 40, 5120, 40),
  dense("opt-30b", "OPT-30B", 48, 7168, 56),
  dense("opt-66b", "OPT-66B", 64, 9216, 72),
  dense("opt-175b", "OPT-175B", 96, 12288, 96),
  dense("chinchilla-70b", "Chinchilla-70B", 80, 8192, 64),
  dense("bloom-176b", "Bloom-176B", 70, 14336, 112),
  {
    name: "llama2-70b",
    title: "Llama2-70B",
    layers: 80,
    hidden: 8192,
    attention: heads(64, 8, 128),
    dense: { intermediate: 28672, matrices: 3 },
    experts: null,
  },
  {
    name: "deepseek-v2",
    title: "DeepSeek-V2",
    layers: 60,
    hidden: 5120,
    attention: {
      kind: "latent",
      heads: 128,
      queryRank: 1536,
      kvRank: 512,
      ropeDim: 64,
      keyDim: 128,
      valueDim: 128,
    },
    dense: { intermediate: 12288, matrices: 3 },
    experts: { ...experts(1536, 160, 2, 6, 1), groups: { count: 8, used: 3 } },
  },
  {
    name: "qwen3-235b-a22b",
    title: "Qwen3-235B-A22B",
    layers: 94,
    hidden: 4096,
    attention: heads(64, 4, 128),
    dense: null,
    experts: experts(1536, 128, 0, 8),
  },
  {
    name: "glm-4.5-air",
    title: "GLM-4.5-Air",
    layers: 46,
    hidden: 4096,
    attention: heads(96, 8, 128),
    dense: { intermediate: 10944, matrices: 3 },
    experts: experts(1408, 128, 1, 8, 1),
  },
  {
    name: "mixtral-8x7b",
    title: "Mixtral-8x7B",
    layers: 32,
    hidden: 4096,
    attention: heads(32, 8, 128),
    dense: null,
    experts: experts(14336, 8, 0, 2),
  },
  {
    name: "mixtral-8x22b",
    title: "Mixtral-8x22B",
    layers: 56,
    hidden: 6144,
    attention: heads(48, 8, 128),
    dense: null,
    experts: experts(16384, 8, 0, 2),
  },
];

/** Rows of the output matrices of the mixtures of experts. */
const vocabularies: ReadonlyMap<string, number> = new Map([
  ["deepseek-v2", 102_400],
  ["qwen3-235b-a22b", 151_936],
  ["glm-4.5-air", 151_552],
  ["mixtral-8x7b", 32_000],
  ["mixtral-8x22b", 32_000],
]);

/**
 * Rows of the embeddings, and how often the matrix is stored: twice if the output has a separate
 * matrix. From the models' public configurations; OPT has 2050 rows of positions in addition to its
 * 50272 tokens. Two matrices for Chinchilla's 32000 tokens (section 4 of its paper: SentencePiece,
 * as Gopher) are an assumption.
 */
const embeddings: ReadonlyMap<string, readonly [rows: number, matrices: 1 | 2]> = new Map([
  ...["6.7b", "13b", "30b", "66b", "175b"].map((size): [string, readonly [number, 1 | 2]] => [
    `opt-${size}`,
    [50_272 + 2050, 1],
  ]),
  ["chinchilla-70b", [32_000, 2]],
  ["bloom-176b", [250_880, 1]],
  ["llama2-70b", [32_000, 2]],
  ...[...vocabularies].map(([name, rows]): [string, readonly [number, 1 | 2]] => [name, [rows, 2]]),
]);

/** Bytes of the embeddings and of the output matrix, in 16-bit values. */
export function embeddingBytes({ name, hidden }: ModelShape): Bytes {
  const [rows, matrices] = embeddings.get(name) ?? [0, 1];
  return bytes(bytesPerValue * rows * hidden * matrices);
}

/** The names of `modelShape`. */
export const modelNames: readonly string[] = shapes.map((shape) => shape.name);

/** The names of those with routed experts. */
export const mixtureNames: readonly string[] = shapes
  .filter((shape) => shape.experts !== null)
  .map((shape) => shape.name);

/** Rows of a mixture's output matrix; null for a model without experts. */
export function vocabularyOf({ name }: ModelShape): number | null {
  return vocabularies.get(name) ?? null;
}

/**
 * The model of this name. `where` is the location of the name. @throws NeardataError `bad-input`
 */
export function modelShape(name: string, where: string): ModelShape {
  const shape = shapes.find((s) => s.name === name.toLowerCase());
  if (shape !== undefined) return shape;
  throw unknownModel(name, modelNames, where);
}

/** A routed expert of a model. */
export interface RoutedExpert {
  readonly name: string;
  readonly title: string;
  readonly hidden: number;
  readonly intermediate: number;
  /** Absent: SiLU. */
  readonly gate?: GateFunction;
  /** Whether gate, up and down have biases. */
  readonly biases: boolean;
}

/** Experts of gpt-oss: config.json of openai/gpt-oss-20b and -120b, and gpt_oss/torch/model.py. */
function gptOssExpert(size: string): RoutedExpert {
  return {
    name: `gpt-oss-${size}`,
    title: `gpt-oss-${size}`,
    hidden: 2880,
    intermediate: 2880,
    gate: { name: "quick-gelu", limit: 7, upPlusOne: true },
    biases: true,
  };
}

/** Models of which only the experts are described: their attention has windows and sinks. */
export const modelsOfExpertsOnly: readonly RoutedExpert[] = [
  gptOssExpert("20b"),
  gptOssExpert("120b"),
];

/**
 * A routed expert of the model of this name.
 * @throws NeardataError `bad-input` with `where`, the location of the name
 */
export function routedExpert(name: string, where: string): RoutedExpert {
  const only = modelsOfExpertsOnly.find((model) => model.name === name.toLowerCase());
  if (only !== undefined) return only;
  const names = [...mixtureNames, ...modelsOfExpertsOnly.map((model) => model.name)];
  const shape = shapes.find((s) => s.name === name.toLowerCase());
  if (shape === undefined) throw unknownModel(name, names, where);
  const { hidden, title, experts: routed } = shape;
  if (routed === null) throw inputError(where, `${title} has no experts.`);
  const { intermediate } = routed;
  return { name: shape.name, title, hidden, intermediate, biases: false };
}

function unknownModel(name: string, names: readonly string[], where: string): NeardataError {
  const hint = didYouMean(name, names);
  return inputError(
    where,
    `there is no model ${formatValue(name)}; known are ${names.join(", ")}.${hint}`,
  );
}

/** Bytes of one routed expert in 16-bit weights; 0 for a model without experts. */
export function expertBytes(shape: ModelShape): Bytes {
  const { experts: e, hidden } = shape;
  return bytes(e === null ? 0 : e.matrices * hidden * e.intermediate * bytesPerValue);
}

/** Bytes that one token adds to the cache of all layers, in 16-bit values. */
export function cacheBytesPerToken(shape: ModelShape): Bytes {
  const { attention: a, layers } = shape;
  const values = a.kind === "heads" ? 2 * a.kvHeads * a.headDim : a.kvRank + a.ropeDim;
  return bytes(layers * values * bytesPerValue);
}

/** Layers that have experts. */
export function expertLayers(shape: ModelShape): number {
  return shape.experts === null ? 0 : shape.layers - shape.experts.denseLayers;
}

/** Bytes of all weights but the routed experts' and the embeddings', in 16-bit values. */
export function sharedWeightBytes({
  attention: a,
  dense,
  experts: e,
  ...shape
}: ModelShape): Bytes {
  const { layers, hidden } = shape;
  const attention =
    a.kind === "heads"
      ? 2 * hidden * (a.heads + a.kvHeads) * a.headDim
      : hidden * (a.queryRank + a.kvRank + a.ropeDim) +
        a.heads * (a.queryRank * (a.keyDim + a.ropeDim) + a.kvRank * (a.keyDim + a.valueDim)) +
        a.heads * a.valueDim * hidden;
  const feedForward = (part: FeedForward | null): number =>
    part === null ? 0 : part.matrices * hidden * part.intermediate;
  const denseLayers = e === null ? layers : e.denseLayers;
  const sharedExperts = e === null ? 0 : (layers - denseLayers) * e.shared * feedForward(e);
  return bytes(
    bytesPerValue * (layers * attention + denseLayers * feedForward(dense) + sharedExperts),
  );
}
