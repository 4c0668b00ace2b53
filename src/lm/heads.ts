// SPDX-License-Identifier: Apache-2.0
// The heads of the trained model on a window of text: what its layers really ask and hold, all
// positions attending densely, rounded to binary16.

import { denseAttention } from "../golden/attention/attention.ts";
import type { AttentionHead } from "../workload/attention-heads.ts";
import { promptOf } from "./evaluate.ts";
import type { LayerGroup } from "./decode.ts";
import { windowBits } from "./forward.ts";
import { tinyShape, type TinyModel } from "./model.ts";

/** Every head of every layer, layer by layer. */
export async function modelHeads(
  model: TinyModel,
  text: Uint8Array,
  window: number,
): Promise<readonly AttentionHead[]> {
  const attentionHeads: AttentionHead[] = [];
  const start = window * promptOf({ inputs: tinyShape.context });
  await windowBits(model, text.subarray(start, start + tinyShape.context + 1), {
    promptLength: 0,
    half: true,
    decode: (heads) => {
      const keysAndValues = heads.map(headOf);
      attentionHeads.push(...keysAndValues);
      return Promise.resolve(keysAndValues.map(denseRows));
    },
  });
  return attentionHeads;
}

/** The head of a group without sharing: one query head with its keys and values. */
function headOf({ width, queries, keys, values }: LayerGroup): AttentionHead {
  const [firstQuery = new Float64Array()] = queries;
  return { width, queries: firstQuery, keys, values, length: keys.length / width };
}

function denseRows(head: AttentionHead): readonly Float64Array[] {
  const { width, queries, length } = head;
  return Array.from({ length }, (_, t) =>
    denseAttention(queries.subarray(t * width, (t + 1) * width), { ...head, length: t + 1 }),
  );
}
