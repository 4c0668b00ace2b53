// SPDX-License-Identifier: Apache-2.0
// A named model as LIA's layers see it.

import { inputError } from "../../../base/errors.ts";
import { embeddingBytes, modelShape } from "../../../workload/shapes.ts";
import type { Bytes } from "../../../base/units.ts";
import type { LayerShape } from "./layer.ts";

export interface LiaModel {
  readonly shape: LayerShape;
  readonly layers: number;
  /** Bytes of embeddings and output matrix, in addition to the layers. */
  readonly embeddings: Bytes;
}

/**
 * The model of this name; a mixture's shared experts count as experts that every token uses.
 * @throws NeardataError `bad-input` for unknown models and for latent attention, whose projections
 * are not LIA's six sublayers.
 */
export function liaModel(name: string, where: string): LiaModel {
  const model = modelShape(name, where);
  const { hidden, layers, attention, dense, experts } = model;
  const feedForward = experts ?? dense;
  if (attention.kind !== "heads" || feedForward === null) {
    throw inputError(where, `${name} has latent attention, which LIA's six sublayers do not have.`);
  }
  const { intermediate, matrices } = feedForward;
  const mixture =
    experts === null
      ? null
      : { count: experts.routed + experts.shared, perToken: experts.perToken + experts.shared };
  const cacheWidth = attention.kvHeads * attention.headDim;
  return {
    shape: { width: hidden, cacheWidth, intermediate, matrices, experts: mixture },
    layers,
    embeddings: embeddingBytes(model),
  };
}
