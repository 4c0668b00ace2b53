// SPDX-License-Identifier: Apache-2.0
// A model as FlexGen's section 5 stores it: every matrix in groups of 64 output channels, keys and values
// in groups of 64 along a head, minimum and scale of a group in FP16, used as the values that the codes
// represent. Vectors of normalisation stay as they are.

import {
  dequantise,
  quantise,
  rowGroups,
  tensorGroups,
  withHalfMetadata,
  type Grouping,
} from "../workload/group-quantise.ts";
import type { DecodeLayer } from "./decode.ts";
import type { Matrix, TinyModel } from "./model.ts";

const groupSize = 64;

function stored(values: Float64Array, groups: Grouping, bits: number): Float64Array {
  const codes = withHalfMetadata(quantise(Array.from(values), groups, bits));
  return Float64Array.from(dequantise(codes, groups));
}

/** The model with matrices of so many bits. */
export function quantisedWeights(model: TinyModel, bits: number): TinyModel {
  // Rows are inputs, columns output channels.
  const matrix = ({ rows, columns, data }: Matrix): Matrix => ({
    rows,
    columns,
    data: stored(data, tensorGroups([rows, columns], 1, groupSize), bits),
  });
  return {
    ...model,
    embed: matrix(model.embed),
    unembed: matrix(model.unembed),
    layers: model.layers.map((layer) => ({
      ...layer,
      wq: matrix(layer.wq),
      wk: matrix(layer.wk),
      wv: matrix(layer.wv),
      wo: matrix(layer.wo),
      w1: matrix(layer.w1),
      w2: matrix(layer.w2),
    })),
  };
}

/**
 * Decode steps on caches with `bits` bits per value; a prompt computes with unquantised keys and
 * values.
 */
export function quantisedCaches(decode: DecodeLayer, bits: number): DecodeLayer {
  const rows = (values: Float64Array): Float64Array =>
    stored(values, rowGroups(values.length, groupSize), bits);
  return (groups, prompt) =>
    decode(
      groups.map((group) => ({ ...group, keys: rows(group.keys), values: rows(group.values) })),
      prompt,
    );
}
