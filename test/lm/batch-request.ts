// SPDX-License-Identifier: Apache-2.0
// Requests of a batch, of pieces of the generated text.

import type { BatchRequest } from "../../src/lm/batch/batch-requests.ts";
import { text } from "./moe-checkpoint.ts";

/** A request of a piece of the text. */
export function request(
  id: number,
  prompt: number,
  generated: number,
  { from = 0, arrival = 0 }: { readonly from?: number; readonly arrival?: number } = {},
): BatchRequest {
  const own = text.subarray(from, from + prompt + generated);
  return { id, arrival, prompt, generated, text: own, traced: { arrival, prompt, generated } };
}
