// SPDX-License-Identifier: Apache-2.0
// The heads of the trained model on a window of text: what its layers really ask and hold, all
// positions attending densely, rounded to binary16.

import { denseAttention } from "../golden/attention.ts";
import type { AttentionHead } from "../workload/attention-heads.ts";
import { windowStride } from "./evaluate.ts";
import { windowBits, type LayerHead } from "./forward.ts";
import { tinyShape, type TinyModel } from "./model.ts";

/** Every head of every layer, layer by layer. */
export async function modelHeads(
  model: TinyModel,
  text: Uint8Array,
  window: number,
): Promise<readonly AttentionHead[]> {
  const found: AttentionHead[] = [];
  const start = window * windowStride;
  await windowBits(model, text.subarray(start, start + tinyShape.context + 1), {
    promptLength: 0,
    half: true,
    decode: (heads) => {
      found.push(...heads.map((head) => ({ ...head, length: head.keys.length / head.width })));
      return Promise.resolve(heads.map(denseRows));
    },
  });
  return found;
}

function denseRows(head: LayerHead): readonly Float64Array[] {
  const { width, queries } = head;
  return Array.from({ length: queries.length / width }, (_, t) =>
    denseAttention(queries.subarray(t * width, (t + 1) * width), { ...head, length: t + 1 }),
  );
}
