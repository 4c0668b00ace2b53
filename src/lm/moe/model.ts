// SPDX-License-Identifier: Apache-2.0
// A mixture-of-experts model in memory: weights in float64, matrices [out, in], so that y = x W^T with
// rows as vectors.

import { inputError, NeardataError, type Issue } from "../../base/errors.ts";
import type { Checkpoint } from "../../workload/checkpoint.ts";
import type { Matrix } from "../model.ts";
import {
  networkNames,
  readArchitecture,
  type Architecture,
  type LayerPlan,
} from "./architecture.ts";
import type { KnownSettings } from "./settings.ts";
import { tensorReader, type TensorReader } from "./tensors.ts";

/** down(act(gate x) * (up x)). */
export interface Network {
  readonly gate: Matrix;
  readonly up: Matrix;
  readonly down: Matrix;
}

export interface RoutedNetwork {
  readonly router: Matrix;
  readonly experts: readonly Network[];
  /** The expert that computes every token; null if there is none. */
  readonly shared: Network | null;
}

export interface MoeLayer {
  readonly inputNorm: Float64Array;
  readonly query: Matrix;
  readonly key: Matrix;
  readonly value: Matrix;
  readonly output: Matrix;
  readonly headNorms: { readonly query: Float64Array; readonly key: Float64Array } | null;
  readonly networkNorm: Float64Array;
  readonly network: RoutedNetwork | Network;
}

export interface MoeModel {
  readonly architecture: Architecture;
  readonly checkpoint: Checkpoint;
  readonly embedding: Matrix;
  readonly layers: readonly MoeLayer[];
  readonly finalNorm: Float64Array;
  readonly output: Matrix;
  /** Positions of a window: as many as the context has, and no more than 1024. */
  readonly inputs: number;
}

/** Positions of a window at most. */
const maxInputs = 1024;
/** Elements of all tensors at most: 12 GB in float64. */
const maxElements = 1.5e9;
const maxIssues = 20;

/** @throws NeardataError `bad-input` with every problem of the checkpoint. */
export function readMoeModel(checkpoint: Checkpoint, known: KnownSettings): MoeModel {
  const reader = tensorReader(checkpoint);
  const architecture = readArchitecture(checkpoint, reader, known, maxInputs);
  refuse(reader.issues, checkpoint.name);
  if (reader.elements() > maxElements) {
    throw inputError(
      checkpoint.name,
      `it has ${reader.elements()} parameters; a model that is run whole has at most ${maxElements}.`,
    );
  }
  const { layers, tied, settings } = architecture;
  const embedding = reader.matrix("model.embed_tokens.weight");
  const model = {
    architecture,
    checkpoint,
    embedding,
    layers: layers.map((plan) => readLayer(reader, plan, architecture)),
    finalNorm: reader.vector("model.norm.weight"),
    output: tied ? embedding : reader.matrix("lm_head.weight"),
    inputs: Math.min(maxInputs, settings.max_position_embeddings.value),
  };
  refuse(reader.issues, checkpoint.name);
  return model;
}

function refuse(issues: readonly Issue[], where: string): void {
  if (issues.length === 0) return;
  const rest = issues.length - maxIssues;
  const more = rest > 0 ? [{ where, message: `and ${rest} more of the kind.` }] : [];
  throw new NeardataError("bad-input", [...issues.slice(0, maxIssues), ...more]);
}

function readLayer(
  reader: TensorReader,
  { name, headNorms, network }: LayerPlan,
  { naming, routedExperts }: Architecture,
): MoeLayer {
  const read = (prefix: string, as = naming): Network => {
    const { gate, up, down } = networkNames(prefix, as);
    return { gate: reader.matrix(gate), up: reader.matrix(up), down: reader.matrix(down) };
  };
  const attention = (tensor: string): string => `${name}.self_attn.${tensor}.weight`;
  return {
    inputNorm: reader.vector(`${name}.input_layernorm.weight`),
    query: reader.matrix(attention("q_proj")),
    key: reader.matrix(attention("k_proj")),
    value: reader.matrix(attention("v_proj")),
    output: reader.matrix(attention("o_proj")),
    headNorms: headNorms
      ? { query: reader.vector(attention("q_norm")), key: reader.vector(attention("k_norm")) }
      : null,
    networkNorm: reader.vector(`${name}.post_attention_layernorm.weight`),
    network:
      network.kind === "dense"
        ? read(network.name, "deepseek-moe")
        : {
            router: reader.matrix(network.router),
            experts: Array.from({ length: routedExperts }, (_, e) =>
              read(`${network.experts}.${e}`),
            ),
            shared: network.shared === null ? null : read(network.shared, "deepseek-moe"),
          },
  };
}
