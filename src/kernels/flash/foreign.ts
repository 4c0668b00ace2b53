// SPDX-License-Identifier: Apache-2.0
// The message for a trace in place of the facts file of `flash replay`.

import { memoryFormats } from "../traces/detect.ts";
import { inputError } from "../../base/errors.ts";
import { blockFormatOf } from "../traces/block-traces.ts";

/**
 * Rejects a file whose first line is that of a block trace or a memory trace.
 * @throws NeardataError `bad-input` with the format and the command that reads it, if any.
 */
export function rejectTrace(file: string, line: string): void {
  const block = blockFormatOf(line);
  if (block !== undefined) {
    throw inputError(
      file,
      `this is ${block.title} (${block.columns}); flash replay times pages of keys and values at their ` +
        "physical places (a facts file, format flash-facts-1). No command converts sectors to them: that " +
        "takes a flash translation layer, which this model does not have.",
    );
  }
  const memory = memoryFormats.find(({ outline }) => outline.test(line));
  if (memory !== undefined) {
    throw inputError(file, `this is ${memory.title}; dram replay --requests reads it.`);
  }
  if (/^\ufeff?"?id"?,"?arrival"?,/i.test(line)) {
    throw inputError(
      file,
      "this is a trace of requests to a memory; dram replay --requests reads it.",
    );
  }
}
